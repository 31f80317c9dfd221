"""What a system of records has to prove, each under the name it was asked for by.

The other names stand where their subject does: `test_records`, `test_record_rules`, `test_record_merges`,
`test_record_orders`, `test_record_demos`, `test_documents`, `test_catalog`.
"""

import time

import pytest

from tests.daemons import daemon, until
from tests.scenarios.test_records import HEAD, HISTORY, NEEDS, everything, observe, prop, put, refused
from tests.unit.catalog.test_compiling import GOOD
from tests.vaults import Vault

QUESTIONS = (
    ("document", "acme-corp"),
    ("document", "acme-corp", "--drafts"),
    ("history", "customer_profiles", "acme-corp", "needs"),
    ("timeline", "acme-corp", "--all"),
    ("entities",),
    ("review", "list", "--all"),
    ("delta", "report"),
)


def answers(vault: Vault, *more: tuple[str, ...]) -> list[str]:
    return [vault.does(*words, "--json").out for words in (*QUESTIONS, *more)]


def codes(vault: Vault) -> list[str]:
    return [row["code"] for row in vault.run("check", "--json").json["violations"]]


def answer(vault: Vault) -> str | None:
    """Return what answers the slot, by every reader that there is, which must agree."""
    beliefs = vault.does("document", "acme-corp", "--json").json["beliefs"]
    by_document = beliefs[0]["id"] if beliefs else None
    versions = vault.does("history", "customer_profiles", "acme-corp", "needs", "--json").json["versions"]
    standing = [one["id"] for one in versions if one["state"] == "active"]
    hits = vault.does("search", "--collection", "customer_profiles", "--json").json["hits"]
    assert [hit["id"] for hit in hits] == standing == ([by_document] if by_document else [])
    assert prop(vault, HEAD, "id") == by_document if (vault.root / HEAD).exists() else by_document is None
    return by_document


# Lifecycle -------------------------------------------------------------------------------------------------------------


def test_currency_same_for_search_source_document_artifact(vault: Vault):
    """D11: type and version of a record decide nothing about what answers."""
    put(vault, "a", "--type", "fact")
    assert put(vault, "b", "--type", "guess") == answer(vault)
    words = ("record", "set", "customer_profiles@2", *NEEDS[1:], "--body", "c", "--json")
    assert vault.does(*words).json["id"] == answer(vault)
    hits = vault.does("search", "--collection", "customer_profiles", "--type", "fact", "--json").json["hits"]
    assert [hit["id"] for hit in hits] == [answer(vault)]
    put(vault, "d", "--type", "guess")
    assert vault.does("search", "--collection", "customer_profiles", "--type", "fact", "--json").json["hits"] == []
    vault.does("record", "retract", *NEEDS)
    assert answer(vault) is None


def test_retract_requires_live_head(vault: Vault):
    """D18: a retraction names what answers now; one that cites anything else, or an empty slot, is no retraction."""
    first = put(vault, "a")
    second = put(vault, "b")
    assert "not " + first in refused(vault, 4, "retract", *NEEDS, "--expect-head", first)
    gone = vault.does("record", "retract", *NEEDS, "--expect-head", second, "--json").json["id"]
    tombstone = f"{HISTORY}/{gone}.md"
    assert prop(vault, tombstone, "supersedes") == second
    unrelated = observe(vault, "seen").json["id"]
    vault.write(tombstone, (vault.root / tombstone).read_text().replace(second, unrelated))
    assert "V406" in codes(vault)
    vault.write(tombstone, (vault.root / tombstone).read_text().replace(f"supersedes: {unrelated}\n", ""))
    assert "V409" in codes(vault)


def test_empty_key_refused(vault: Vault):
    """D18: an empty key is none."""
    for key in ("", " ", "k" * 129):
        refused(vault, 2, "set", "customer_profiles", "--entity", "acme-corp", "--key", key, "--body", "a")
    vault.write(
        "records/c/e/x.md", "---\nid: a\ncollection: c@1\nentity: e\nkey: ''\ntype: t\ncreated: 2026-01-01\n---\n"
    )
    assert codes(vault) == ["V403"]


def test_drafts_of_any_origin_are_decided_on(vault: Vault):
    """D20: a draft that no run wrote can be approved and rejected, and is nobody's current draft afterwards."""
    put(vault, "a")
    for verb, more in (("approve", ()), ("reject", ("--reason", "no"))):
        draft = put(vault, f"to {verb}", "--draft")
        assert vault.does("document", "acme-corp", "--drafts", "--json").json["beliefs"][0]["id"] == draft
        vault.does("review", verb, draft, *more)
        assert vault.does("document", "acme-corp", "--drafts", "--json").json["beliefs"] == []
    assert vault.does("document", "acme-corp", "--json").json["beliefs"][0]["text"] == "to approve"


# Files -----------------------------------------------------------------------------------------------------------------

ODD = """\
type:   fact   # chosen by hand
mood: "calm"
tags: [sso,   'a b']
aliases:
- one
seen: 2026-01-01"""


def test_lossless_roundtrip(vault: Vault):
    """What a record becomes history with is every byte that it had, and two stamps."""
    first = put(vault, "a")
    vault.edit(HEAD, "type: fact", ODD)
    vault.does("adopt", HEAD)
    before = (vault.root / HEAD).read_bytes()
    adopted = prop(vault, HEAD, "id")
    put(vault, "b")
    after = (vault.root / f"{HISTORY}/{adopted}.md").read_bytes()
    stamps = [line for line in after.splitlines(keepends=True) if line.startswith((b"invalid_at:", b"superseded_by:"))]
    assert len(stamps) == 2
    assert after.replace(b"".join(stamps), b"") == before
    assert first != adopted


def test_unknown_keys_survive(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "type: fact", ODD)
    vault.does("adopt", HEAD)
    vault.does("record", "retract", *NEEDS)
    (kept,) = [text for path, text in everything(vault).items() if b"mood" in text and path.startswith(HISTORY)]
    assert ODD.encode() in kept


def test_rename_keeps_identity(vault: Vault):
    """A file that moved is the same record: named as misplaced, and answered all the same."""
    id_ = put(vault, "a")
    (vault.root / HEAD).rename(vault.root / HEAD.replace("needs", "moved"))
    assert codes(vault) == ["V412"]
    vault.commit("moved")
    assert vault.errors() == vault.errors("--head") == []
    (belief,) = vault.does("document", "acme-corp", "--json").json["beliefs"]
    assert belief["id"] == id_


def test_hand_stamp_reverted_by_nobody_and_reported(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "type: fact", "type: fact\ninvalid_at: 2026-01-01T00:00:00Z\nsuperseded_by: 01K0NOBODY")
    before = everything(vault)
    assert vault.errors() == ["V404"]
    vault.does("status")
    assert everything(vault) == before
    assert answer(vault) is not None


def test_delete_then_undo_leaves_no_trace_and_the_deletion_is_reported(vault: Vault):
    put(vault, "a")
    head, text = vault.head, (vault.root / HEAD).read_bytes()
    (vault.root / HEAD).unlink()
    assert vault.errors() == ["V402"]
    vault.write(HEAD, text)
    assert (vault.errors(), vault.head, vault.status) == ([], head, [])


def test_trash_folder_is_deletion(vault: Vault):
    put(vault, "a")
    vault.write(".trash/needs.md", (vault.root / HEAD).read_bytes())
    (vault.root / HEAD).unlink()
    assert vault.errors() == ["V402"]
    assert vault.does("document", "acme-corp", "--json").json["beliefs"] == []
    assert vault.does("search", "--entity", "acme-corp", "--json").json["hits"] == []


def test_editor_wins_race_cas(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    """An editor that saves while a command is at work keeps its text, and the command has written nothing."""
    put(vault, "a")
    from vaultd.commands import carry_out as road

    prepared = road._prepare

    def meanwhile(*given: object) -> object:
        vault.edit(HEAD, "\na\n", "\nsaved meanwhile\n")
        monkeypatch.setattr(road, "_prepare", prepared)
        return prepared(*given)

    monkeypatch.setattr(road, "_prepare", meanwhile)
    ran = vault.run("record", "set", *NEEDS, "--body", "b", "--now")
    assert ran.code == 4
    assert (vault.root / HEAD).read_text().endswith("\nsaved meanwhile\n")
    assert [path for path in everything(vault) if path.startswith(HISTORY)] == []


def test_own_writes_do_not_loop_and_autosave_burst_is_no_successor_by_itself(vault: Vault):
    vault.write(".vaultd/config.toml", "format = 1\n[commit]\nquiet = 0.1\n")
    vault.commit("config")
    with daemon(vault) as running:
        put(vault, "a")
        line = observe(vault, "seen on the phone", "--store", "jsonl").json["path"]
        until(lambda: vault.does("search", "phone", "--json").json["total"] == 1)
        head = vault.head
        for text in ("ab", "abc", "abcd"):
            vault.write(HEAD, (vault.root / HEAD).read_text().rpartition("---\n")[0] + f"---\n{text}\n")
            time.sleep(0.15)  # as an editor saves: each is quiet for longer than the config asks
        until(lambda: "V402" in codes(vault))
        vault.write(line, (vault.root / line).read_text().replace("phone", "fax"))
        until(lambda: vault.errors(line) == ["V402"])
        (hit,) = vault.does("search", "fax", "--json").json["hits"]
        assert (hit["path"], hit["type"]) == (line, "record")
        assert running.status()["pending"] == []
    assert vault.head == head
    assert (vault.root / HEAD).read_text().endswith("\nabcd\n")


# Rebuild ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def told(vault: Vault) -> tuple[Vault, str]:
    """A vault with an answer, a history, a draft, a line, a correction, a fork, and a consumer half way."""
    seen = observe(vault, "seen", "--store", "jsonl").json["id"]
    first = put(vault, "a", "--derived-from", seen)
    vault.does("delta", "report", "--advance")
    put(vault, "b", "--derived-from", first)
    put(vault, "c", "--draft")
    vault.does("record", "correct", seen, "--body", "heard")
    fork = f"{HISTORY}/01K0FORK.md"
    vault.write(fork, (vault.root / HEAD).read_text().replace(str(prop(vault, HEAD, "id")), "01K0FORK"))
    vault.commit("another clone")
    return vault, first


def test_delete_sidecar_rebuild_equals(told: tuple[Vault, str]):
    vault, first = told
    before = (answers(vault, ("why", first)), codes(vault))
    assert "V410" in before[1]
    vault.does("rebuild")
    assert (answers(vault, ("why", first)), codes(vault)) == before


def test_rebuild_from_clone(told: tuple[Vault, str]):
    vault, first = told
    other = Vault(vault.root.parent / "clone")
    vault.git("clone", "-q", str(vault.root), str(other.root))
    files = [words for words in QUESTIONS if words[0] != "delta"]  # who was given what is this clone's own
    for words in (*files, ("why", first)):
        assert other.does(*words, "--json").out == vault.does(*words, "--json").out
    assert codes(other) == codes(vault)


def test_reindex_is_idempotent(told: tuple[Vault, str]):
    vault, _ = told
    found = [vault.does("search", "--entity", "acme-corp", "--versions", "all", "--json").json for _ in range(2)]
    vault.does("rebuild")
    vault.does("rebuild")
    found.append(vault.does("search", "--entity", "acme-corp", "--versions", "all", "--json").json)
    assert len({str(one["hits"]) for one in found}) == 1


# Idempotency and definitions -------------------------------------------------------------------------------------------


def test_dedupe_exact_vs_conflict(vault: Vault):
    first = observe(vault, "a", "--dedupe", "m1", "--property", "level=3").json["id"]
    assert observe(vault, "a", "--dedupe", "m1", "--property", "level=3").json["id"] == first
    event = ("event", "customer_events", "--entity", "acme-corp", "--dedupe", "m1")
    refused(vault, 4, *event, "--body", "b", "--property", "level=3")
    refused(vault, 4, *event, "--body", "a", "--property", "level=4")
    refused(vault, 4, "event", "customer_events", "--entity", "globex", "--dedupe", "m1", "--body", "a")
    refused(vault, 4, "set", *NEEDS, "--body", "a", "--dedupe", "m1")


def test_a_binding_changes_no_record(vault: Vault):
    vault.write(".vaultd/catalog/c.yaml", GOOD)
    vault.does("catalog", "publish")
    vault.does("record", "set", "profiles", "--entity", "acme", "--key", "risks", "--body", "a")
    before = everything(vault)
    orders = "mode: keyed\n    answerable: true\n    adopt: auto"
    vault.write(".vaultd/catalog/c.yaml", GOOD.replace("mode: keyed", orders))
    assert "invisible: profiles@1: bindings changed" in vault.does("catalog", "check").out
    vault.does("catalog", "publish")
    assert everything(vault) == before
    assert vault.errors() == []


# Review ----------------------------------------------------------------------------------------------------------------


def test_rollback(vault: Vault):
    """An approval is taken back whole: what answered before answers again, and the draft waits again."""
    first = put(vault, "a")
    before = everything(vault)
    draft = put(vault, "b", "--draft")
    waiting = everything(vault)
    vault.does("review", "approve", draft)
    vault.does("undo")
    assert everything(vault) == waiting
    assert waiting.items() >= before.items()
    assert (answer(vault), codes(vault)) == (first, [])
    vault.does("review", "approve", draft)
    assert answer(vault) != first
