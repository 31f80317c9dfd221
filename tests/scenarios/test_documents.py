"""Reading records: what holds, what held, what happened, and what it rests on."""

import pytest

from tests.scenarios.test_records import HEAD, NEEDS, observe, put
from tests.vaults import Vault


def beliefs(vault: Vault, *options: str) -> dict[str, str]:
    found = vault.does("document", "acme-corp", "--json", *options).json["beliefs"]
    return {one["key"]: one["text"] for one in found}


def versions(vault: Vault) -> list[str]:
    found = vault.does("history", "customer_profiles", "acme-corp", "needs", "--json").json["versions"]
    return [one["text"] for one in found]


def events(vault: Vault, *options: str) -> list[str]:
    return [one["text"] for one in vault.does("timeline", "acme-corp", "--json", *options).json["events"]]


def test_the_five_writes_of_a_slot_read_as_the_table_says(vault: Vault):
    put(vault, "Evaluating SSO options")
    assert beliefs(vault) == {"needs": "Evaluating SSO options"}
    put(vault, "Committed to SSO rollout in Q4")
    assert beliefs(vault) == {"needs": "Committed to SSO rollout in Q4"}
    draft = put(vault, "Also exploring SCIM", "--draft")
    assert beliefs(vault) == {"needs": "Committed to SSO rollout in Q4"}
    assert beliefs(vault, "--drafts") == {"needs": "Also exploring SCIM"}
    vault.does("review", "approve", draft)
    assert beliefs(vault) == {"needs": "Also exploring SCIM"}
    assert beliefs(vault, "--drafts") == {}
    vault.does("record", "retract", *NEEDS)
    assert beliefs(vault) == {}
    assert len(versions(vault)) == 5
    assert vault.does("document", "acme-corp", "--json").json["retractions"][0]["state"] == "retracted"


def test_a_history_stands_the_latest_first_within_one_second_too(vault: Vault):
    for text in ("a", "b", "c", "d"):
        put(vault, text)
    assert versions(vault) == ["d", "c", "b", "a"]


def found(vault: Vault, words: str, *options: str) -> list[str]:
    return [hit["path"] for hit in vault.does("search", words, "--json", *options).json["hits"]]


def test_search_finds_what_holds_as_every_other_reader_does(vault: Vault):
    put(vault, "quokka one")
    put(vault, "quokka two")
    assert found(vault, "quokka") == [HEAD]
    assert len(found(vault, "quokka", "--all")) == 2
    vault.does("record", "retract", *NEEDS)
    assert found(vault, "quokka") == []


def test_search_does_not_find_an_event_that_was_corrected(vault: Vault):
    wrong = observe(vault, "quokka seen").json["id"]
    right = vault.does("record", "correct", wrong, "--body", "quokka heard", "--json").json["path"]
    assert found(vault, "quokka", "--in", "records") == [right]


def test_search_marks_an_answer_that_was_edited_by_hand(vault: Vault):
    put(vault, "quokka")
    vault.edit(HEAD, "\nquokka\n", "\nquokka edited\n")
    (hit,) = vault.does("search", "edited", "--json").json["hits"]
    assert (hit["path"], hit["rejected"]) == (HEAD, "V402")


def test_a_correction_takes_the_event_s_place_in_the_timeline(vault: Vault):
    wrong = observe(vault, "Asked about SSO.", "--store", "jsonl").json["id"]
    vault.does("record", "correct", wrong, "--body", "Asked about SCIM.")
    assert events(vault) == ["Asked about SCIM."]
    assert set(events(vault, "--all")) == {"Asked about SCIM.", "Asked about SSO."}


def test_a_timeline_can_be_narrowed(vault: Vault):
    observe(vault, "mail", "--type", "email")
    observe(vault, "call", "--type", "call")
    vault.does("record", "event", "others", "--entity", "acme-corp", "--body", "other")
    assert events(vault, "--type", "email") == ["mail"]
    assert events(vault, "--collection", "others") == ["other"]
    assert len(events(vault, "--limit", "2")) == 2


def test_entities_are_counted_by_their_true_names(vault: Vault):
    put(vault, "a")
    vault.does("record", "event", "customer_events", "--entity", "user:42", "--body", "hello")
    found = vault.does("entities", "--json").json["entities"]
    assert [(one["entity"], one["slots"], one["events"]) for one in found] == [("acme-corp", 1, 0), ("user:42", 0, 1)]


def test_why_walks_to_depth_zero(vault: Vault):
    seen = observe(vault, "seen", "--store", "jsonl").json["id"]
    thought = observe(vault, "thought", "--derived-from", seen).json["id"]
    concluded = put(vault, "concluded", "--derived-from", thought)
    answer = vault.does("why", concluded, "--json").json
    assert answer["depth"] == 2
    assert [(one["below"], one["id"]) for one in answer["evidence"]] == [(1, thought), (2, seen)]


def test_an_approved_draft_and_the_slot_s_own_past_add_no_depth(vault: Vault):
    seen = observe(vault, "seen").json["id"]
    first = put(vault, "a", "--derived-from", seen)
    second = put(vault, "b", "--derived-from", first)
    assert vault.does("why", second, "--json").json["depth"] == 1


@pytest.mark.parametrize("again", ["index", "clone"])
def test_a_deleted_index_and_a_fresh_clone_answer_alike(vault: Vault, again: str):
    seen = observe(vault, "seen").json["id"]
    put(vault, "a")
    put(vault, "b", "--derived-from", seen)
    questions = (("document", "acme-corp"), ("history", "customer_profiles", "acme-corp", "needs"), ("entities",))
    before = [vault.does(*words, "--json").out for words in questions]
    other = vault
    if again == "index":
        vault.does("rebuild")
    else:
        other = Vault(vault.root.parent / "clone")
        vault.git("clone", "-q", str(vault.root), str(other.root))
    assert [other.does(*words, "--json").out for words in questions] == before


def test_what_the_editor_wrote_is_read_and_what_is_cached_is_not_believed(vault: Vault):
    put(vault, "a")
    vault.does("status")
    assert beliefs(vault) == {"needs": "a"}
    vault.edit(HEAD, "\na\n", "\nedited\n")
    assert beliefs(vault) == {"needs": "edited"}


def test_where_nothing_is_remembered_that_is_said(vault: Vault):
    put(vault, "a")
    for words in ("document acme", "history customer_profiles acme-corp need", "timeline acme"):
        ran = vault.does(*words.split())
        assert ran.out == ""
        assert ran.err.startswith("vaultd: nothing is remembered of ")
    assert vault.does("document", "acme-corp").err == ""


def test_reading_writes_nothing_into_the_vault(vault: Vault):
    put(vault, "a")
    head = vault.head
    for words in (("document", "acme-corp"), ("timeline", "acme-corp"), ("entities",), ("review", "list")):
        vault.does(*words)
    assert (vault.status, vault.head) == ([], head)


def offline(vault: Vault) -> Vault:
    other = Vault(vault.root.parent / "other")
    vault.git("clone", "-q", str(vault.root), str(other.root))
    return other


def delta(vault: Vault, *options: str) -> list[str]:
    return [one["text"] for one in vault.does("delta", "report", "--json", *options).json["records"]]


def test_a_consumer_is_given_each_record_once(vault: Vault):
    put(vault, "a")
    observe(vault, "seen", "--store", "jsonl")
    assert sorted(delta(vault)) == sorted(delta(vault, "--advance")) == ["a", "seen"]
    assert delta(vault) == []
    put(vault, "b")
    vault.does("rebuild")
    assert delta(vault) == ["b"]


def test_a_consumer_that_stops_half_way_is_given_the_rest_next(vault: Vault):
    for text in ("a", "b", "c"):
        put(vault, text)
    assert delta(vault, "--limit", "2", "--advance") == ["a", "b"]
    assert delta(vault) == ["c"]


def test_a_consumer_says_what_it_worked_through_and_misses_nothing_that_came_meanwhile(vault: Vault):
    first = put(vault, "a")
    assert delta(vault) == delta(vault) == ["a"]
    put(vault, "b")
    assert delta(vault, "--done", first) == delta(vault) == delta(vault, "--done", first) == ["b"]
    assert vault.run("delta", "report", "--done", first, "01K0NOBODY").code == 2


def test_late_synced_event_is_consumed(vault: Vault):
    put(vault, "a")
    other = offline(vault)
    observe(other, "written there first")
    put(vault, "b")
    delta(vault, "--advance")
    vault.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    assert delta(vault) == ["written there first"]


def test_a_consumer_keeps_to_the_scope_it_began_with(vault: Vault):
    put(vault, "a")
    delta(vault, "--entity", "acme-corp", "--advance")
    assert delta(vault, "--entity", "acme-corp") == []
    assert vault.run("delta", "report").code == 4
