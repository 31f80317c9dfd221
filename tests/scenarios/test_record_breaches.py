"""An edit of a record, committed past every hook: no command builds on it, and both ways out work."""

import shlex
import subprocess

import pytest

from tests.scenarios.test_records import HEAD, HISTORY, NEEDS, observe, prop, put, refused
from tests.vaults import Vault

LINES = ("--store", "jsonl")


def evil(vault: Vault) -> None:
    vault.git("commit", "-q", "--no-verify", "-a", "-m", "evil")


def lines(vault: Vault) -> str:
    path = observe(vault, "one", *LINES).json["path"]
    observe(vault, "two", *LINES)
    return path


@pytest.mark.parametrize("committed", [False, True])
def test_nothing_answers_over_an_edit(vault: Vault, committed: bool):
    put(vault, "a")
    vault.edit(HEAD, "\na\n", "\nforged\n")
    if committed:
        evil(vault)
    log = vault.log
    for words in (("set", *NEEDS, "--body", "b"), ("retract", *NEEDS)):
        assert "edited by hand" in refused(vault, 4, *words)
    assert vault.log == log


@pytest.mark.parametrize("committed", [False, True])
def test_an_edit_is_adopted_from_the_text_that_was_first_committed(vault: Vault, committed: bool):
    first = put(vault, "a")
    vault.edit(HEAD, "\na\n", "\nedited\n")
    if committed:
        evil(vault)
    vault.does("adopt", HEAD)
    assert (vault.root / f"{HISTORY}/{first}.md").read_text().endswith("\na\n")
    assert prop(vault, HEAD, "supersedes") == first
    assert vault.errors() == vault.errors("--head") == []


@pytest.mark.parametrize("committed", [False, True])
def test_an_adoption_is_taken_back_whole(vault: Vault, committed: bool):
    first = put(vault, "a")
    vault.edit(HEAD, "\na\n", "\nedited\n")
    if committed:
        evil(vault)
    before = (vault.root / HEAD).read_text() if committed else (vault.root / HEAD).read_text().replace("edited", "a")
    vault.does("adopt", HEAD)
    vault.does("undo", vault.head)
    assert (vault.root / HEAD).read_text() == before
    assert prop(vault, HEAD, "id") == first
    assert not (vault.root / f"{HISTORY}/{first}.md").exists()
    assert vault.errors() == (["V402"] if committed else [])


@pytest.mark.parametrize("committed", [False, True])
def test_revert_puts_back_what_a_record_first_said_and_keeps_a_reader_s_keys(vault: Vault, committed: bool):
    put(vault, "a")
    vault.edit(HEAD, "\na\n", "\nforged\n")
    vault.edit(HEAD, "type: fact", "type: rumour\ntags: [mine]")
    if committed:
        evil(vault)
    vault.does("revert", HEAD)
    text = (vault.root / HEAD).read_text()
    assert ("\na\n" in text, "type: fact" in text, "tags: [mine]" in text) == (True, True, True)
    assert vault.errors() == []
    put(vault, "b")
    assert vault.errors() == vault.errors("--head") == []
    assert vault.run("revert", HEAD).code == 2


def test_revert_mends_a_history_that_holds_a_forged_text(vault: Vault):
    first, second = put(vault, "a"), put(vault, "b")
    past = f"{HISTORY}/{first}.md"
    vault.edit(past, "\na\n", "\nforged\n")
    evil(vault)
    vault.does("revert", past)
    assert (vault.root / past).read_text().endswith("\na\n")
    assert prop(vault, past, "superseded_by") == second
    assert vault.errors() == vault.errors("--head") == vault.status == []


@pytest.mark.parametrize("committed", [False, True])
def test_a_slot_whose_answer_is_gone_waits_for_it(vault: Vault, committed: bool):
    first = put(vault, "a")
    (vault.root / HEAD).unlink()
    if committed:
        evil(vault)
    assert first in refused(vault, 4, "set", *NEEDS, "--body", "b")
    vault.does("revert", HEAD)
    assert prop(vault, HEAD, "id") == first
    put(vault, "b")
    assert vault.errors() == vault.errors("--head") == []


def test_a_retraction_that_was_deleted_comes_back(vault: Vault):
    put(vault, "a")
    gone = vault.does("record", "retract", *NEEDS, "--json").json["path"]
    (vault.root / gone).unlink()
    refused(vault, 4, "set", *NEEDS, "--body", "b")
    vault.does("revert", gone)
    assert vault.does("document", "acme-corp", "--json").json["beliefs"] == vault.status == []


@pytest.mark.parametrize("committed", [False, True])
def test_no_line_is_added_to_lines_that_were_edited_or_left(vault: Vault, committed: bool):
    path = lines(vault)
    before = (vault.root / path).read_bytes()
    for forged in (before.replace(b'"one"', b'"forged"'), before.split(b"\n", 1)[1]):
        (vault.root / path).write_bytes(forged)
        if committed:
            evil(vault)
        assert "V402" in refused(vault, 4, "event", "customer_events", "--entity", "acme-corp", "--body", "x", *LINES)
        vault.does("revert", path)
        assert (vault.root / path).read_bytes() == before
        assert vault.errors() == vault.errors("--head") == vault.status == []


def test_lines_that_are_gone_are_not_begun_anew(vault: Vault):
    path = lines(vault)
    before = (vault.root / path).read_bytes()
    (vault.root / path).unlink()
    words = ("event", "customer_events", "--entity", "acme-corp", "--body", "x", *LINES)
    assert "vaultd revert" in vault.run("record", *words).err
    vault.does("revert", path)
    assert (vault.root / path).read_bytes() == before


def test_a_line_that_was_edited_twice_comes_back_as_it_was_first(vault: Vault):
    path = lines(vault)
    before = (vault.root / path).read_bytes()
    for word in (b'"forged"', b'"forged again"'):
        (vault.root / path).write_bytes(before.replace(b'"one"', word))
        evil(vault)
    vault.does("revert", path)
    assert (vault.root / path).read_bytes() == before


def test_a_key_of_a_reader_s_own_does_not_stop_the_next_answer(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "type: fact", "type: fact\ntags: [mine]")
    put(vault, "b")
    assert vault.errors() == vault.status == []


def test_a_decision_that_no_command_wrote_is_none(vault: Vault):
    put(vault, "a")
    draft = put(vault, "b", "--draft")
    path = vault.does("review", "list", "--json").json["drafts"][0]["path"]
    vault.edit(path, "review: pending", "review: approved")
    assert "by hand" in vault.run("review", "approve", draft).err
    vault.does("revert", path)
    vault.does("review", "approve", draft)
    assert vault.errors() == []


def test_no_trailer_of_a_commit_deletes_a_record(vault: Vault):
    first = put(vault, "a")
    (vault.root / HEAD).unlink()
    message = f"cleaned up\n\nVaultd-Event: deleted\nVaultd-Id: {first}\nVaultd-Actor: person"
    vault.git("commit", "-q", "--no-verify", "-a", "-m", message)
    assert vault.errors() == ["V402"]


def test_what_a_sparse_checkout_leaves_out_is_not_gone(vault: Vault):
    put(vault, "a")
    put(vault, "b")
    observe(vault, "one")
    child = observe(vault, "so", "--derived-from", prop(vault, HEAD, "id") or "").json["path"]
    vault.git("update-index", "--refresh")
    vault.git("sparse-checkout", "set", "--cone", ".vaultd", "records/customer_events")
    assert ((vault.root / HEAD).exists(), (vault.root / child).exists()) == (False, True)
    assert vault.errors() == []


# Readers ---------------------------------------------------------------------------------------------------------------


def beliefs(vault: Vault) -> list[tuple[str, str | None]]:
    found = vault.does("document", "acme-corp", "--json").json["beliefs"]
    return [(one["text"], one["rejected"]) for one in found]


def hits(vault: Vault) -> list[tuple[str, str]]:
    """Return what a search believes: what holds, and which of it is marked."""
    found = vault.run("search", "--collection", "customer_profiles", "--json").json["hits"]
    return [(hit["state"], hit["rejected"]) for hit in found]


@pytest.mark.parametrize("committed", [False, True])
def test_every_reader_marks_an_edit(vault: Vault, committed: bool):
    put(vault, "a")
    vault.edit(HEAD, "\na\n", "\nforged\n")
    if committed:
        evil(vault)
    assert beliefs(vault) == [("forged", "V402")]
    for words in (("document", "acme-corp"), ("history", "customer_profiles", "acme-corp", "needs"), ("delta", "x")):
        assert vault.does(*words).out.count("forged  [rejected: V402]") == 1
    assert hits(vault) == [("active", "V402")]


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("entity: acme-corp", "entity: other"),
        ("status: active", "status: draft"),
        ("key: needs", "key: risks"),
        ("\nsupersedes: ", "\nwas: "),
        ("type: fact", "type: fact\nretracted: true"),
    ],
)
def test_an_edit_moves_no_record_into_another_slot_or_lane(vault: Vault, old: str, new: str, committed: bool):
    first, second = put(vault, "a"), put(vault, "b")
    vault.edit(HEAD, old, new)
    if committed:
        evil(vault)
    found = vault.does("document", "acme-corp", "--json").json["beliefs"]
    assert [(one["id"], one["forked"], one["rejected"]) for one in found] == [(second, False, "V402")]
    versions = vault.does("history", "customer_profiles", "acme-corp", "needs", "--json").json["versions"]
    assert [(one["id"], one["state"]) for one in versions] == [(second, "active"), (first, "superseded")]
    assert hits(vault) == [("active", "V402")]
    told = [row["code"] for row in vault.run("check", "--json").json["violations"]]
    assert "V402" in told
    assert not {"V410", "V412"} & {*told}  # nothing answers but what answered before


@pytest.mark.parametrize("committed", [False, True])
def test_no_hand_makes_a_draft_an_answer_or_brings_a_retracted_one_back(vault: Vault, committed: bool):
    put(vault, "a")
    gone = vault.does("record", "retract", *NEEDS, "--json").json["path"]
    put(vault, "b", "--draft")
    path = vault.does("review", "list", "--json").json["drafts"][0]["path"]
    vault.edit(path, "status: draft", "status: active")
    (vault.root / gone).unlink()
    if committed:
        evil(vault)
    assert beliefs(vault) == hits(vault) == []
    drafts = vault.does("review", "list", "--json").json["drafts"]
    assert [(one["text"], one["rejected"]) for one in drafts] == [("b", "V402")]


@pytest.mark.parametrize("committed", [False, True])
def test_where_an_answer_is_gone_that_alone_is_told(vault: Vault, committed: bool):
    put(vault, "a")
    put(vault, "b")
    (vault.root / HEAD).unlink()
    if committed:
        evil(vault)
    assert vault.errors() == ["V402"]
    vault.does("revert", HEAD)
    assert vault.errors() == []


def test_a_record_that_was_moved_goes_back_as_it_is_told(vault: Vault):
    put(vault, "a")
    (vault.root / HEAD).rename(vault.root / HEAD.replace("needs", "wants"))
    for words in (("check",), ("revert", HEAD)):
        ran = vault.run(*words)
        hint = next(line for line in (ran.out + ran.err).splitlines() if "hint: mv " in line)
        subprocess.run(shlex.split(hint.partition("hint: ")[2]), cwd=vault.root, check=True)
        assert (vault.errors(), vault.status) == ([], [])
        (vault.root / HEAD).rename(vault.root / HEAD.replace("needs", "wants"))


@pytest.mark.parametrize("committed", [False, True])
def test_where_an_answer_was_deleted_nothing_older_comes_back(vault: Vault, committed: bool):
    put(vault, "a")
    put(vault, "b")
    (vault.root / HEAD).unlink()
    if committed:
        evil(vault)
    assert beliefs(vault) == hits(vault) == []
    told = vault.does("history", "customer_profiles", "acme-corp", "needs").out.splitlines()
    assert [line.endswith("b  [rejected: V402]") for line in told] == [True, False]


def test_what_answered_then_is_what_answered_then(vault: Vault):
    put(vault, "a")
    put(vault, "b", "--draft")
    path = vault.does("review", "list", "--json").json["drafts"][0]["path"]
    vault.edit(path, "status: draft", "status: active")
    found = vault.does("search", "--collection", "customer_profiles", "--as-of", "2999-01-01", "--json").json["hits"]
    assert [hit["path"] for hit in found] == [HEAD]


def test_an_edited_copy_marks_the_copy_and_not_the_first(vault: Vault):
    put(vault, "a")
    copy = HEAD.replace("needs", "copy")
    vault.write(copy, (vault.root / HEAD).read_text().replace("\na\n", "\nforged\n"))
    rows = vault.run("check", "--json").json["violations"]
    assert {row["path"] for row in rows if row["code"] in ("V401", "V402")} <= {copy, HEAD}
    found = vault.does("history", "customer_profiles", "acme-corp", "needs", "--json").json["versions"]
    assert {(one["path"], one["rejected"]) for one in found} == {(HEAD, None), (copy, "V402")}


def test_a_line_that_was_taken_away_is_still_told(vault: Vault):
    path = lines(vault)
    observe(vault, "three", *LINES)
    for committed in (False, True):
        data = (vault.root / path).read_bytes()
        (vault.root / path).write_bytes(data.split(b"\n", 1)[1])
        if committed:
            evil(vault)
        events = vault.does("timeline", "acme-corp", "--json").json["events"]
        assert min((one["text"], one["rejected"]) for one in events) == ("one", "V402")
        assert len(events) == 3


@pytest.mark.parametrize("committed", [False, True])
def test_a_search_marks_the_line_that_was_edited_and_no_other(vault: Vault, committed: bool):
    path = lines(vault)
    data = (vault.root / path).read_bytes()
    (vault.root / path).write_bytes(data.replace(b'"one"', b'"one forged"'))
    if committed:
        evil(vault)
    found = vault.does("search", "--collection", "customer_events", "--json").json["hits"]
    assert sorted((hit["snippet"], hit["rejected"]) for hit in found) == [("one forged", "V402"), ("two", "")]


def test_what_a_command_wrote_is_looked_through_without_reading_all_of_history(vault: Vault, monkeypatch):
    put(vault, "a")
    beliefs(vault)
    monkeypatch.setattr("vaultd.judging.records.broken.seals_at", None)
    monkeypatch.setattr("vaultd.judging.records.accepted.seals_at", None)
    monkeypatch.setattr("vaultd.commands.records.sealed.seals_at", None)
    put(vault, "b")
    observe(vault, "one")
    vault.does("record", "retract", *NEEDS)
    observe(vault, "two", *LINES)
    observe(vault, "three", *LINES)
    assert beliefs(vault) == []


@pytest.fixture
def filtered(vault: Vault) -> Vault:
    """A vault whose records git stores scrambled, as git-crypt does."""
    for way in ("clean", "smudge"):
        vault.git("config", f"filter.scramble.{way}", "tr A-Za-z N-ZA-Mn-za-m")
    attributes = (vault.root / ".gitattributes").read_text()
    vault.write(".gitattributes", attributes + "records/** filter=scramble\nreview/** filter=scramble\n")
    vault.commit()
    return vault


@pytest.mark.parametrize("committed", [False, True])
def test_what_a_filter_hides_from_git_is_held_to_its_first_text_all_the_same(filtered: Vault, committed: bool):
    put(filtered, "a")
    path = lines(filtered)
    assert filtered.git("cat-file", "blob", f"HEAD:{HEAD}").endswith("\nn")
    filtered.edit(HEAD, "\na\n", "\nforged\n")
    file = filtered.root / path
    file.write_text(file.read_text().replace('"one"', '"never"'))
    if committed:
        evil(filtered)
    assert filtered.errors() == ["V402", "V402"]
    assert "edited by hand" in refused(filtered, 4, "set", *NEEDS, "--body", "b")
    filtered.does("revert", HEAD)
    filtered.does("revert", path)
    assert "\na\n" in (filtered.root / HEAD).read_text()
    assert filtered.errors() == []
    put(filtered, "b")
    assert filtered.errors() == []
