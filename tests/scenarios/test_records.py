"""Records in a vault: what stands in the files and in git after each command, and what is refused."""

import json
import re
from pathlib import Path

import pytest

from tests.vaults import Ran, Vault

HEAD = "records/customer_profiles/acme-corp/needs.md"
HISTORY = "records/customer_profiles/acme-corp/_history/needs"
NEEDS = ("customer_profiles", "--entity", "acme-corp", "--key", "needs")


def put(vault: Vault, text: str, *options: str) -> str:
    """Answer the slot and return the id of the record."""
    return vault.does("record", "set", *NEEDS, "--body", text, "--json", *options).json["id"]


def observe(vault: Vault, text: str, *options: str) -> Ran:
    return vault.does("record", "event", "customer_events", "--entity", "acme-corp", "--body", text, "--json", *options)


def paths(vault: Vault, folder: str = "records") -> list[str]:
    files = (file for file in (vault.root / folder).rglob("*") if file.is_file())
    return sorted(file.relative_to(vault.root).as_posix() for file in files)


def prop(vault: Vault, path: str, key: str) -> str | None:
    found = re.search(rf"(?m)^{key}: (.*)$", (vault.root / path).read_text())
    return found[1] if found else None


def everything(vault: Vault) -> dict[str, bytes]:
    return {path: (vault.root / path).read_bytes() for path in (*paths(vault), *paths(vault, "review"))}


def refused(vault: Vault, code: int, *words: str) -> str:
    """Run a command that must be refused, show that it left no trace, and return what it said."""
    before = (everything(vault), vault.status, vault.head)
    ran = vault.run("record", *words)
    assert ran.code == code, ran
    assert (everything(vault), vault.status, vault.head) == before
    return ran.err


# set -------------------------------------------------------------------------------------------------------------------


def test_the_first_answer_stands_at_the_slot_s_path(vault: Vault):
    put(vault, "Evaluating SSO options")
    assert paths(vault) == [HEAD]
    assert (vault.root / HEAD).read_text().endswith("---\nEvaluating SSO options\n")
    assert vault.log[0] == "record: set customer_profiles · acme-corp · needs"
    assert vault.status == []


def test_the_next_answer_moves_the_first_into_the_history_byte_for_byte_but_its_stamps(vault: Vault):
    first = put(vault, "Evaluating SSO options")
    before = (vault.root / HEAD).read_text().splitlines()
    second = put(vault, "Committed to SSO rollout in Q4")
    past = f"{HISTORY}/{first}.md"
    assert paths(vault) == [f"{HISTORY}/{first}.md", HEAD]
    added = [line for line in (vault.root / past).read_text().splitlines() if line not in before]
    assert added == [f"invalid_at: {prop(vault, past, 'invalid_at')}", f"superseded_by: {second}"]
    assert prop(vault, HEAD, "supersedes") == first
    assert vault.status == []


def test_one_commit_tells_both_what_was_set_and_what_it_replaced(vault: Vault):
    first = put(vault, "a")
    before = vault.head
    second = put(vault, "b", "--reason", "they called")
    assert vault.git("rev-parse", "HEAD^") == before
    message = vault.git("show", "-s", "--format=%B")
    assert f"Vaultd-Event: set\nVaultd-Id: {second}" in message
    assert f"Vaultd-Event: superseded\nVaultd-Id: {first}\nVaultd-Successor: {second}" in message
    assert "Vaultd-Reason: they called" in message


def test_the_same_answer_again_changes_nothing(vault: Vault):
    put(vault, "a")
    head = vault.head
    ran = vault.does("record", "set", *NEEDS, "--body", "a", "--json")
    assert (ran.json["event"], vault.head) == (None, head)


def test_a_dry_run_writes_nothing(vault: Vault):
    put(vault, "a")
    before = (everything(vault), vault.head)
    ran = vault.does("record", "set", *NEEDS, "--body", "b", "--dry-run")
    assert HEAD in ran.out
    assert (everything(vault), vault.head) == before


def test_another_head_than_the_expected_one_is_a_conflict(vault: Vault):
    first = put(vault, "a", "--expect-head", "none")
    put(vault, "b", "--expect-head", first)
    assert "not " + first in refused(vault, 4, "set", *NEEDS, "--body", "c", "--expect-head", first)
    refused(vault, 4, "set", *NEEDS, "--body", "c", "--expect-head", "none")


def test_a_head_that_was_edited_by_hand_is_not_taken_for_what_was_written(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "a\n", "edited\n")
    assert "vaultd adopt" in refused(vault, 4, "set", *NEEDS, "--body", "b")
    refused(vault, 4, "retract", *NEEDS)


@pytest.mark.parametrize(
    "option", [("--key", ""), ("--entity", ""), ("--entity", "*"), ("--type", ""), ("--entity", "half \udcff")]
)
def test_a_name_that_no_record_may_have_is_refused(vault: Vault, option: tuple[str, str]):
    refused(vault, 2, "set", *NEEDS, "--body", "a", *option)


@pytest.mark.parametrize("collection", ["Profiles", "../x", "profiles@0", "profiles@x", "a/b"])
def test_a_collection_that_cannot_be_one_is_refused(vault: Vault, collection: str):
    told = refused(vault, 2, "set", collection, "--entity", "acme", "--key", "needs", "--body", "a")
    assert repr(collection) in told or "/" in collection


def test_any_entity_and_key_find_a_place_and_keep_their_true_names(vault: Vault):
    vault.does("record", "set", "profiles", "--entity", "user:42/ä", "--key", "what?", "--body", "a")
    (path,) = paths(vault)
    assert re.fullmatch(r"records/profiles/user-42-ä-[0-9a-f]{6}/what-[0-9a-f]{6}\.md", path)
    text = (vault.root / path).read_text()
    assert "entity: user:42/ä\n" in text
    assert "key: what?\n" in text
    vault.does("record", "set", "profiles", "--entity", "README.md", "--key", "size.md", "--body", "a")
    own = re.compile(r"records/profiles/readme-md-[0-9a-f]{6}/size-md-[0-9a-f]{6}\.md")
    assert any(own.fullmatch(path) for path in paths(vault))
    vault.does("record", "set", "profiles", "--entity", "README.md", "--key", "size.md", "--body", "b")
    assert vault.run("check", "--json").json["violations"] == []


def test_case_insensitive_collision(vault: Vault):
    for entity in ("acme", "Acme"):
        for key in ("needs", "Needs"):
            vault.does("record", "set", "profiles", "--entity", entity, "--key", key, "--body", f"{entity} {key}")
    assert len({path.casefold() for path in paths(vault)}) == 4
    ran = vault.does(
        "record", "set", "profiles", "--entity", "Acme", "--key", "Needs", "--body", "Acme Needs", "--json"
    )
    assert ran.json["event"] is None


# retract ---------------------------------------------------------------------------------------------------------------


def test_a_retraction_takes_the_answer_from_its_path_and_stands_in_the_history(vault: Vault):
    first = put(vault, "a")
    gone = vault.does("record", "retract", *NEEDS, "--reason", "they left", "--json").json["id"]
    assert paths(vault) == sorted([f"{HISTORY}/{first}.md", f"{HISTORY}/{gone}.md"])
    tombstone = f"{HISTORY}/{gone}.md"
    assert [prop(vault, tombstone, key) for key in ("retracted", "supersedes", "reason")] == [
        "true",
        first,
        "they left",
    ]
    assert vault.status == []


def test_retract_empty_slot_refused(vault: Vault):
    assert "V409" in refused(vault, 3, "retract", *NEEDS)
    put(vault, "a")
    vault.does("record", "retract", *NEEDS)
    assert "V409" in refused(vault, 3, "retract", *NEEDS)


def test_an_answer_after_a_retraction_supersedes_it(vault: Vault):
    put(vault, "a")
    gone = vault.does("record", "retract", *NEEDS, "--json").json["id"]
    again = put(vault, "a")
    assert prop(vault, HEAD, "supersedes") == gone
    assert prop(vault, f"{HISTORY}/{gone}.md", "superseded_by") == again


# events ----------------------------------------------------------------------------------------------------------------


def test_an_event_has_a_file_of_its_own(vault: Vault):
    done = observe(vault, "Asked about SSO pricing.", "--type", "email", "--property", "channel=email").json
    year = done["path"].split("/")[3]
    assert done["path"] == f"records/customer_events/acme-corp/{year}/{done['id']}.md"
    assert prop(vault, done["path"], "channel") == "email"


def test_small_events_share_the_lines_of_a_month(vault: Vault):
    one = observe(vault, "a", "--store", "jsonl").json
    two = observe(vault, "b", "--store", "jsonl").json
    assert one["path"] == two["path"]
    assert re.fullmatch(r"records/customer_events/acme-corp/\d{4}-\d\d\.jsonl", one["path"])
    assert len((vault.root / one["path"]).read_text().splitlines()) == 2
    assert vault.status == []


def test_an_event_that_is_sent_twice_is_written_once(vault: Vault):
    for store in ("file", "jsonl"):
        first = observe(vault, "a", "--dedupe", store, "--store", store).json
        again = observe(vault, "a", "--dedupe", store, "--store", store).json
        assert (again["event"], again["id"]) == (None, first["id"])


def test_a_dedupe_key_of_another_event_is_a_conflict(vault: Vault):
    observe(vault, "a", "--dedupe", "m1")
    refused(vault, 4, "event", "customer_events", "--entity", "acme-corp", "--body", "b", "--dedupe", "m1")


@pytest.mark.parametrize("options", [(), ("--draft",)])
def test_an_answer_that_is_sent_again_late_does_not_come_back(vault: Vault, options: tuple[str, ...]):
    first = put(vault, "a", "--dedupe", "m1", *options)
    put(vault, "b")
    assert put(vault, "a", "--dedupe", "m1", *options) == first
    assert (vault.root / HEAD).read_text().endswith("\nb\n")


@pytest.mark.parametrize("store", ["file", "jsonl"])
def test_a_correction_is_a_new_event_and_the_first_stays_as_it_is(vault: Vault, store: str):
    wrong = observe(vault, "Asked about SSO.", "--store", store).json
    before = (vault.root / wrong["path"]).read_bytes()
    right = vault.does("record", "correct", wrong["id"], "--body", "Asked about SCIM.", "--json").json
    assert (vault.root / wrong["path"]).read_bytes().startswith(before)
    assert wrong["id"] in Path(vault.root / right["path"]).read_text()
    assert right["id"] in refused(vault, 3, "correct", wrong["id"], "--body", "x")


def test_a_slot_is_not_corrected_like_an_event(vault: Vault):
    refused(vault, 3, "correct", put(vault, "a"), "--body", "b")


# drafts ----------------------------------------------------------------------------------------------------------------


def test_a_plain_note_is_not_moved_among_records(vault: Vault):
    vault.write("Plans/Needs.md", "plain\n")
    vault.commit()
    for words in (
        ("rename", "Plans/Needs.md", HEAD),
        ("rename", "Plans", "records/x"),
        ("move", "Plans/Needs.md", "review"),
    ):
        for options in ((), ("--dry-run",)):
            ran = vault.run("note", *words, *options, "--json")
            assert (ran.code, ran.json["message"].split()[0]) == (3, "V403"), ran
    put(vault, "a")
    assert (vault.root / "Plans/Needs.md").read_text() == "plain\n"


def propose(vault: Vault, text: str) -> dict:
    return vault.does("record", "set", *NEEDS, "--body", text, "--draft", "--json").json


def standing(vault: Vault) -> dict[str, str]:
    drafts = vault.does("review", "list", "--all", "--json").json["drafts"]
    return {draft["text"]: draft["standing"] for draft in drafts}


def no_review(vault: Vault, code: int, *words: str) -> str:
    before = (everything(vault), vault.status, vault.head)
    ran = vault.run("review", *words)
    assert ran.code == code, ran
    assert (everything(vault), vault.status, vault.head) == before
    return ran.err


def test_a_draft_waits_and_replaces_nothing(vault: Vault):
    first = put(vault, "a")
    before = (vault.root / HEAD).read_bytes()
    draft = propose(vault, "b")
    assert (vault.root / HEAD).read_bytes() == before
    assert draft["path"] == f"review/customer_profiles · acme-corp · needs ({draft['id'][-6:]}).md"
    assert [prop(vault, draft["path"], key) for key in ("status", "replaces", "review")] == ["draft", first, "pending"]


def test_approve_writes_new_active_draft_untouched(vault: Vault):
    first = put(vault, "a")
    draft = propose(vault, "b")
    before = (vault.root / draft["path"]).read_text()
    vault.does("review", "approve", draft["id"])
    assert prop(vault, HEAD, "derived_from") == f"[{draft['id']}]"
    assert prop(vault, HEAD, "supersedes") == first
    assert prop(vault, HEAD, "id") != draft["id"]
    assert (vault.root / draft["path"]).read_text() == before.replace("review: pending", "review: approved")
    assert vault.status == []


def test_approve_twice_noop(vault: Vault):
    draft = propose(vault, "b")
    vault.does("review", "approve", draft["id"])
    head = vault.head
    assert vault.does("review", "approve", draft["id"], "--json").json["event"] is None
    assert vault.head == head


def test_stale_409_no_writes(vault: Vault):
    put(vault, "a")
    draft = propose(vault, "b")
    put(vault, "c")
    assert standing(vault) == {"b": "stale"}
    assert "V411" in no_review(vault, 4, "approve", draft["id"])


def test_a_draft_for_an_empty_slot_is_stale_once_something_answers(vault: Vault):
    draft = propose(vault, "b")
    put(vault, "c")
    no_review(vault, 4, "approve", draft["id"])


def test_partial_approval(vault: Vault):
    ids = {}
    for key in ("needs", "risks"):
        words = ("customer_profiles", "--entity", "acme-corp", "--key", key, "--body", key, "--draft", "--json")
        ids[key] = vault.does("record", "set", *words).json["id"]
    vault.does("review", "approve", ids["risks"])
    assert standing(vault) == {"needs": "pending", "risks": "approved"}
    assert paths(vault) == ["records/customer_profiles/acme-corp/risks.md"]


def test_several_drafts_are_approved_in_one_commit_or_not_at_all(vault: Vault):
    one = propose(vault, "a")
    words = ("customer_profiles", "--entity", "acme-corp", "--key", "risks", "--body", "b", "--draft", "--json")
    two = vault.does("record", "set", *words).json
    put(vault, "meanwhile")
    no_review(vault, 4, "approve", two["id"], one["id"])
    before = vault.head
    vault.does("review", "approve", two["id"])
    assert vault.git("rev-parse", "HEAD^") == before


def test_reject_recorded_with_reason(vault: Vault):
    draft = propose(vault, "b")
    vault.does("review", "reject", draft["id"], "--reason", "one voice only")
    assert prop(vault, draft["path"], "review_reason") == "one voice only"
    assert standing(vault) == {"b": "rejected"}
    assert "V411" in no_review(vault, 3, "approve", draft["id"])
    no_review(vault, 2, "reject", draft["id"])


def test_the_next_draft_takes_the_place_of_the_one_that_waited(vault: Vault):
    first, second = propose(vault, "a"), propose(vault, "b")
    assert standing(vault) == {"a": "superseded", "b": "pending"}
    assert prop(vault, first["path"], "superseded_by") == second["id"]
    assert "V411" in no_review(vault, 3, "approve", first["id"])


def test_a_rejected_draft_is_not_the_slot_s_draft_any_more(vault: Vault):
    vault.does("review", "reject", propose(vault, "a")["id"], "--reason", "no")
    assert prop(vault, propose(vault, "b")["path"], "supersedes") is None


def test_a_drafted_event_counts_when_it_is_approved(vault: Vault):
    draft = observe(vault, "Maybe asked about SSO.", "--draft").json
    assert paths(vault) == []
    vault.does("review", "approve", draft["id"])
    (event,) = paths(vault)
    assert prop(vault, event, "derived_from") == f"[{draft['id']}]"


def test_an_approved_draft_lies_no_deeper_than_the_draft(vault: Vault):
    seen = observe(vault, "seen").json["id"]
    for number in range(3):
        seen = observe(vault, f"so {number}", "--derived-from", seen).json["id"]
    words = ("record", "set", *NEEDS, "--body", "a", "--derived-from", seen, "--draft", "--json")
    vault.does("review", "approve", vault.does(*words).json["id"])


def test_what_is_no_draft_cannot_be_approved(vault: Vault):
    no_review(vault, 3, "approve", put(vault, "a"))


# batches ---------------------------------------------------------------------------------------------------------------


def batch(vault: Vault, *requests: dict) -> Ran:
    vault.root.parent.joinpath("batch.jsonl").write_text("".join(json.dumps(one) + "\n" for one in requests))
    return vault.run("record", "apply", str(vault.root.parent / "batch.jsonl"), "--json")


def asks(op: str, **more: object) -> dict:
    return {"op": op, "collection": "customer_profiles", "entity": "acme-corp"} | more


def test_a_batch_is_one_commit(vault: Vault):
    before = vault.head
    asked = [asks("set", key="needs", text=text) for text in ("a", "b")]
    asked += [asks("event", type="call", text="hello"), asks("draft", key="risks", text="maybe")]
    asked += [asks("set", key="plan", text="x"), asks("retract", key="plan")]
    assert batch(vault, *asked).code == 0
    assert vault.git("rev-parse", "HEAD^") == before
    assert (vault.root / HEAD).read_text().endswith("\nb\n")
    assert len(paths(vault, "review")) == 1
    assert not (vault.root / "records/customer_profiles/acme-corp/plan.md").exists()
    assert vault.run("check", "--json").json["violations"] == []
    assert vault.status == []


@pytest.mark.parametrize(
    "wrong",
    [
        asks("retract", key="nothing"),
        asks("set", key="", text="x"),
        asks("set", key="needs", text="x", expect_head="none"),
        asks("set", key="needs", text=5),
        asks("set", key="needs", text="x", level=3),
        asks("unset", key="needs"),
        asks("set", key="needs"),
        asks("set", key="needs", text="x", content=[]),
        asks("set", key="needs", text="x", content={"text": "y"}),
        asks("set", key="needs", text="x", content={"n": float("nan")}),
        asks("set", key="needs", text="half \ud800"),
        asks("set", key="needs", text="x", content={"n": "half \ud800"}),
        asks("set", key="needs", text="x", derived_from=[1]),
        asks("set", key="needs", text="x", occurred="yesterday"),
        asks("set", key="needs", text="x", dedupe=""),
        asks("set", key="needs", text="<<<<<<< a\nx\n=======\ny\n>>>>>>> b"),
        asks("set", key="needs", text="---\na: 1\n---\nx"),
        asks("set", key="needs", text="x", collection="con"),
        asks("retract", key="needs", text="x"),
    ],
)
def test_batch_all_or_nothing(vault: Vault, wrong: dict):
    before = (everything(vault), vault.head)
    ran = batch(vault, asks("set", key="needs", text="a"), wrong)
    assert ran.code != 0
    assert ran.json["message"].startswith("line 2: ")
    assert (everything(vault), vault.head) == before


@pytest.mark.parametrize(
    "line", ['{"op": "set", "op": "event"}', "[" * 5_000, '{"content": ' + '{"a": ' * 200 + "1" + "}" * 201]
)
def test_a_line_that_no_program_reads_alike_is_refused(vault: Vault, line: str):
    file = vault.root.parent / "batch.jsonl"
    file.write_text(json.dumps(asks("set", key="needs", text="a")) + "\n" + line + "\n")
    assert refused(vault, 2, "apply", str(file)).startswith("vaultd: line 2: ")


def test_a_batch_may_begin_with_a_mark_and_hold_separators_that_end_no_line(vault: Vault):
    file = vault.root.parent / "batch.jsonl"
    text = "a\u2028b\x85c"
    file.write_text("\ufeff" + json.dumps(asks("set", key="needs", text=text), ensure_ascii=False) + "\n", "utf-8")
    vault.does("record", "apply", str(file))
    assert vault.does("document", "acme-corp", "--json").json["beliefs"][0]["text"] == text


def test_a_batch_that_is_sent_again_changes_nothing(vault: Vault):
    asked = [asks("event", type="call", text=str(n), dedupe=f"m{n}") for n in range(3)]
    assert batch(vault, *asked, asked[0]).code == 0
    head = vault.head
    assert batch(vault, *asked).json["event"] is None
    assert vault.head == head
    assert len(paths(vault)) == 3


# provenance ------------------------------------------------------------------------------------------------------------


def test_invented_citation_rejected(vault: Vault):
    assert "V407" in refused(vault, 3, "set", *NEEDS, "--body", "a", "--derived-from", "01K0EVNOTHERE")


def test_conclusions_upon_conclusions_end_at_the_fourth(vault: Vault):
    seen = observe(vault, "seen").json["id"]
    for number in range(4):
        seen = observe(vault, f"so {number}", "--derived-from", seen).json["id"]
    words = ("event", "customer_events", "--entity", "acme-corp", "--body", "too far", "--derived-from", seen)
    assert "V408" in refused(vault, 3, *words)
