"""Two clones write records offline and merge with plain git: nothing is lost, and both believe the same afterwards."""

import pytest

from tests.scenarios.test_records import HEAD, HISTORY, NEEDS, everything, observe, paths, put
from tests.vaults import Vault
from vaultd.judging.records.conflicts import MERGE, REVERT

TEXTS = ("here", "there")


@pytest.fixture
def pair(vault: Vault) -> tuple[Vault, Vault]:
    """Two clones that share one answer and one line."""
    put(vault, "a")
    observe(vault, "before", "--store", "jsonl")
    other = Vault(vault.root.parent / "other")
    vault.git("clone", "-q", str(vault.root), str(other.root))
    return vault, other


def merge(into: Vault, other: Vault, stops: bool = True) -> None:
    """Merge as a user does; where git stops, let vaultd resolve what it left."""
    into.git("fetch", "-q", str(other.root), "main")
    into.git("merge", "-q", "--no-edit", "FETCH_HEAD", ok=(1,) if stops else (0,))
    if stops:
        into.does("record", "merge")
        into.git("commit", "-q", "--no-edit")


def both_ways(pair: tuple[Vault, Vault], stops: bool = True) -> dict[str, bytes]:
    """Merge each into a clone of the other, and show that both come to the same files and break no rule."""
    here, there = pair
    third = Vault(here.root.parent / "third")
    here.git("clone", "-q", str(there.root), str(third.root))
    merge(third, here, stops)
    merge(here, there, stops)
    # Git's union puts the lines of whoever merges first; what they say does not hang on their order.
    lines = [{path: sorted(data.splitlines()) for path, data in everything(one).items()} for one in (third, here)]
    assert lines[0] == lines[1]
    for one in (here, third):
        assert one.errors() == one.errors("--head") == []
        assert one.status == []
    return everything(here)


def belief(vault: Vault) -> dict:
    document = vault.does("document", "acme-corp", "--json").json
    (found,) = document["beliefs"] or document["retractions"]
    return found


def forks(vault: Vault) -> list[str]:
    return [row["code"] for row in vault.run("check", "--json").json["violations"]]


def test_lines_and_drafts_and_events_merge_by_themselves(pair: tuple[Vault, Vault]):
    for one, text in zip(pair, TEXTS, strict=True):
        observe(one, text, "--store", "jsonl")
        observe(one, text)
        put(one, text, "--draft")
    both_ways(pair, stops=False)
    events = pair[0].does("timeline", "acme-corp", "--json").json["events"]
    assert sorted(one["text"] for one in events) == ["before", "here", "here", "there", "there"]
    waiting = pair[0].does("review", "list", "--json").json["drafts"]
    assert sorted((one["text"], one["standing"]) for one in waiting) == [("here", "pending"), ("there", "pending")]


def test_two_clones_fork_same_winner(pair: tuple[Vault, Vault]):
    ids = [put(one, text) for one, text in zip(pair, TEXTS, strict=True)]
    files = both_ways(pair)
    assert sorted(files) == sorted([*paths(pair[0]), *paths(pair[0], "review")])
    assert f"{HISTORY}/{min(ids)}.md" in files
    (found,) = [belief(pair[0])]
    assert (found["forked"], found["id"]) == (True, max(ids))
    assert forks(pair[0]) == ["V410"]
    fresh = Vault(pair[0].root.parent / "fresh")
    pair[0].git("clone", "-q", str(pair[0].root), str(fresh.root))
    assert (belief(fresh), forks(fresh)) == (found, ["V410"])


def test_merge_record_heals_fork(pair: tuple[Vault, Vault]):
    ids = [put(one, text) for one, text in zip(pair, TEXTS, strict=True)]
    merge(*pair)
    healed = put(pair[0], "both")
    assert (belief(pair[0])["id"], sorted(belief(pair[0])["supersedes"])) == (healed, sorted(ids))
    assert (forks(pair[0]), pair[0].errors("--head")) == ([], [])
    merge(pair[1], pair[0], stops=False)
    assert (belief(pair[1]), forks(pair[1])) == (belief(pair[0]), [])


def test_dedupe_clash_after_merge_reported(pair: tuple[Vault, Vault]):
    for one in pair:
        observe(one, "delivered twice", "--dedupe", "mail-7")
    merge(*pair, stops=False)
    assert forks(pair[0]) == ["V413"]
    assert pair[0].errors() == []


def test_child_before_parent_pending(pair: tuple[Vault, Vault]):
    here, there = pair
    parent = observe(there, "seen").json
    child = observe(there, "so", "--derived-from", parent["id"]).json
    there.git("rm", "-q", parent["path"])
    there.commit("half a sync")
    merge(here, there, stops=False)
    assert "V407" in here.errors()
    answer = here.does("why", child["id"], "--json").json
    assert (answer["depth"], [one["there"] for one in answer["evidence"]]) == (0, [False])
    there.git("revert", "--no-edit", "HEAD")
    merge(here, there, stops=False)
    answer = here.does("why", child["id"], "--json").json
    assert (answer["depth"], [one["there"] for one in answer["evidence"]]) == (1, [True])
    assert here.errors() == []


def test_an_answer_here_and_a_retraction_there_are_a_fork_too(pair: tuple[Vault, Vault]):
    answer = put(pair[0], "here")
    gone = pair[1].does("record", "retract", *NEEDS, "--json").json["id"]
    files = both_ways(pair)
    assert (HEAD in files) == (answer > gone)
    assert belief(pair[0])["id"] == max(answer, gone)
    assert forks(pair[0]) == ["V410"]
    put(pair[0], "both")
    assert forks(pair[0]) == []


def test_a_draft_that_was_approved_here_and_rejected_there_is_approved(vault: Vault):
    draft = put(vault, "a", "--draft")
    other = Vault(vault.root.parent / "other")
    vault.git("clone", "-q", str(vault.root), str(other.root))
    vault.does("review", "approve", draft)
    other.does("review", "reject", draft, "--reason", "no")
    both_ways((vault, other))
    (found,) = vault.does("review", "list", "--all", "--json").json["drafts"]
    assert found["standing"] == "approved"


def test_what_was_edited_on_one_side_is_left_to_a_person(pair: tuple[Vault, Vault]):
    here, there = pair
    put(here, "here")
    there.edit(HEAD, "\na\n", "\nedited\n")
    there.commit("past the hook")
    here.write("plain.md", "here\n")
    here.commit()
    there.write("plain.md", "there\n")
    there.commit()
    here.git("fetch", "-q", str(there.root), "main")
    here.git("merge", "-q", "FETCH_HEAD", ok=(1,))
    before = (here.root / HEAD).read_bytes()
    ran = here.run("record", "merge", "--json")
    assert (ran.code, ran.json["resolved"], ran.json["others"]) == (1, [], ["plain.md"])
    assert HEAD in ran.json["left"]
    assert (here.root / HEAD).read_bytes() == before


def test_without_a_merge_there_is_nothing_to_resolve(vault: Vault):
    assert vault.run("record", "merge").code == 2


def test_a_rebase_that_stops_is_resolved_the_same_way(pair: tuple[Vault, Vault]):
    ids = [put(one, text) for one, text in zip(pair, TEXTS, strict=True)]
    pair[0].git("fetch", "-q", str(pair[1].root), "main")
    pair[0].git("rebase", "-q", "FETCH_HEAD", ok=(1,))
    pair[0].does("record", "merge")
    pair[0].git("rebase", "--continue")
    assert belief(pair[0])["id"] == max(ids)
    assert pair[0].errors() == pair[0].errors("--head") == []


def test_who_stands_in_a_conflict_is_told_what_resolves_it(pair: tuple[Vault, Vault]):
    here, there = pair
    put(here, "here")
    put(there, "there")
    here.git("fetch", "-q", str(there.root), "main")
    here.git("merge", "-q", "FETCH_HEAD", ok=(1,))
    rows = here.run("check", "--json").json["violations"]
    assert {row["code"] for row in rows if row["path"] == HEAD} == {"V210"}
    assert {row["hint"] for row in rows if row["severity"] == "error"} == {MERGE}
    for words in (("record", "set", *NEEDS, "--body", "x"), ("record", "set", *NEEDS[:-1], "other", "--body", "x")):
        assert "vaultd record merge" in here.run(*words).err


def test_who_stands_in_a_revert_is_not_sent_to_merge(vault: Vault):
    put(vault, "a")
    put(vault, "b")
    answered = vault.head
    put(vault, "c")
    vault.git("revert", "--no-edit", answered, ok=(1,))
    rows = [row for row in vault.run("check", "--json").json["violations"] if row["severity"] == "error"]
    assert rows
    assert {row["hint"] for row in rows} == {REVERT}
    ran = vault.run("record", "merge", "--json")
    assert (ran.code, ran.json["hint"]) == (2, REVERT)
    vault.git("revert", "--abort")
    vault.does("undo")
    assert vault.errors() == vault.errors("--head") == []
    assert belief(vault)["text"] == "b"


def test_who_pops_a_stash_onto_another_answer_is_not_sent_to_merge(vault: Vault):
    put(vault, "a")
    vault.edit(HEAD, "\na\n", "\nedited\n")
    vault.git("stash", "-q")
    put(vault, "b")
    vault.git("stash", "pop", ok=(1,))
    (row,) = [row for row in vault.run("check", "--json").json["violations"] if row["code"] == "V210"]
    assert row["hint"].startswith("git restore --source=HEAD --staged --worktree")
    vault.git("restore", "--source=HEAD", "--staged", "--worktree", HEAD)
    assert vault.errors() == []


def test_whoever_chooses_a_side_in_a_merge_is_told_what_it_lost_and_gets_it_back(pair: tuple[Vault, Vault]):
    here, there = pair
    ours, theirs = put(here, "here"), put(there, "there")
    observe(there, "only there", "--store", "jsonl")
    here.git("fetch", "-q", str(there.root), "main")
    here.git("merge", "-q", "FETCH_HEAD", ok=(1,))
    here.git("checkout", "--ours", "--", HEAD, HISTORY)
    here.git("checkout", "HEAD", "--", "records/customer_events")
    here.commit("chose a side")
    assert here.errors() == here.errors("--head") == ["V402", "V402"]
    assert theirs in here.run("record", "set", *NEEDS, "--body", "next").err
    for row in here.run("check", "--json").json["violations"]:
        if row["code"] == "V402":
            here.does("revert", row["path"])
    assert here.errors() == here.errors("--head") == []
    found = here.does("history", "customer_profiles", "acme-corp", "needs", "--json").json["versions"]
    assert [one["id"] for one in found if one["state"] == "active"] == sorted((ours, theirs), reverse=True)
    put(here, "next")
    assert forks(here) == []


def test_names_that_differ_in_case_and_met_in_a_merge_are_answered_where_they_lie(pair: tuple[Vault, Vault]):
    here, there = pair
    slots = [(here, ("Łódź", "Size")), (there, ("łódź", "size"))]
    for one, (entity, key) in slots:
        one.does("record", "set", "cities", "--entity", entity, "--key", key, "--body", "first")
    merge(here, there, stops=False)
    for _, (entity, key) in slots:
        here.does("record", "set", "cities", "--entity", entity, "--key", key, "--body", "second")
        assert answers(here, entity) == [(f"records/cities/{entity}/{key}.md", "second", False)]
        assert len(here.does("history", "cities", entity, key).out.splitlines()) == 2
    assert {"V410", "V412"}.isdisjoint(forks(here))


def test_an_answer_whose_entity_two_clones_named_each_its_way_is_superseded_wherever_it_lies(pair: tuple[Vault, Vault]):
    here, there = pair
    there.does("record", "set", "cities", "--entity", "lodz", "--key", "size", "--body", "of another")
    for one, text in zip(pair, TEXTS, strict=True):
        one.does("record", "set", "cities", "--entity", "Lodz", "--key", "size", "--body", text)
    merge(here, there, stops=False)
    assert len(paths(here, "records/cities")) == 3
    here.does("record", "set", "cities", "--entity", "Lodz", "--key", "size", "--body", "after")
    assert answers(here, "Lodz") == [("records/cities/Lodz/size.md", "after", False)]
    assert answers(here, "lodz") == [("records/cities/lodz/size.md", "of another", False)]
    assert {"V410", "V412"}.isdisjoint(forks(here))
    here.does("record", "retract", "cities", "--entity", "Lodz", "--key", "size")
    assert answers(here, "Lodz") == []


def answers(vault: Vault, entity: str) -> list[tuple[str, str, bool]]:
    beliefs = vault.does("document", entity, "--json").json["beliefs"]
    return [(one["path"], one["text"], one["forked"]) for one in beliefs]
