"""What a person types into a memory: judged at once, committed when it stands still, never changed."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.vaults import AT, LATER, Vault, id_of, memory, with_memories
from vaultd.app import open_app
from vaultd.commands.accept import Accepted
from vaultd.judging.waiting import Waiting

OLD = "memory/_global/old.md"


@pytest.fixture
def pair(vault: Vault) -> Vault:
    return with_memories(vault, "old", "new")


class Afternoon:
    """A vault that is looked at whenever the person saved, on a clock that the test turns."""

    def __init__(self, vault: Vault, quiet: float = 30.0) -> None:
        self.vault = vault
        self.now = 1_760_000_000.0
        self.waiting = Waiting(quiet)
        self.app = open_app(vault.root)
        self.app.clock = lambda: datetime.fromtimestamp(self.now, UTC)
        self.files = dict(self._stamps())
        self.look()

    def _stamps(self) -> Iterator[tuple[str, tuple[int, int]]]:
        for file in self.vault.root.rglob("*.md"):
            yield os.fspath(file), (file.stat().st_ino, file.stat().st_mtime_ns)

    def look(self) -> list[Accepted]:
        """Save what was typed since the last look, judge it, and commit what has been quiet long enough."""
        for path, stamp in self._stamps():
            if self.files.get(path) != stamp:
                os.utime(path, (self.now, self.now))
        self.files = dict(self._stamps())
        seen = self.app.look()
        saved = {
            event.id: max(seen.notes[path].mtime_ns / 1e9 for path in batch.paths if path in seen.notes)
            for batch in seen.waiting
            for event in batch.events
        }
        ids = [event.id for batch in seen.waiting for event in batch.events]
        self.waiting.observe(seen.present.head, seen.present.ground, ids, saved, self.now)
        ready = [batch for batch in seen.waiting if self.waiting.left(batch, saved, self.now) == 0]
        return self.app.accept(seen, ready)[0]

    def passes(self, seconds: float, step: float = 1.0) -> list[Accepted]:
        """Let time go by, looking every second."""
        made: list[Accepted] = []
        for _ in range(int(seconds / step)):
            self.now += step
            made += self.look()
        return made


@pytest.fixture
def afternoon(pair: Vault) -> Iterator[Afternoon]:
    found = Afternoon(pair)
    yield found
    found.app.close()


# Quiet -----------------------------------------------------------------------------------------------------------------


def test_a_stamp_typed_save_by_save_ends_in_one_right_commit(afternoon: Afternoon):
    vault, before = afternoon.vault, afternoon.vault.head
    made: list[Accepted] = []
    for typed in ("2025", "2025-06", "2025-06-0", "2025-06-01", "2025-06-01T12:0", AT[:-1], AT):
        vault.stamp("old", at=typed)
        made += afternoon.passes(4, 2)
    for typed in (id_of("new")[:8], id_of("new")):
        vault.stamp("old", by=typed)
        made += afternoon.passes(4, 2)
    assert made == []
    made = afternoon.passes(40, 5)
    assert [[event.name for event in one.events] for one in made] == [["superseded"]]
    assert vault.git("rev-parse", "HEAD^") == before
    assert vault.accepted["old"] == "superseded by new"


def test_an_edit_undone_within_the_quiet_window_leaves_no_trace(afternoon: Afternoon):
    vault, before, text = afternoon.vault, afternoon.vault.head, afternoon.vault.read("old")
    vault.stamp("old")
    assert afternoon.passes(20, 5) == []
    vault.write(OLD, text)
    assert afternoon.passes(60, 10) == []
    assert (vault.head, vault.status) == (before, [])


def test_prose_typed_on_and_on_does_not_hold_up_the_stamp_for_ever(afternoon: Afternoon):
    vault = afternoon.vault
    vault.stamp("old")
    made: list[Accepted] = []
    for number in range(20):  # every look finds it saved this very moment
        vault.write(OLD, vault.read("old") + f"word {number}\n")
        made += afternoon.passes(20, 20)
        if made:
            break
    assert 14 <= number <= 16  # five minutes
    assert vault.accepted["old"] == "archived"


def test_prose_alone_makes_no_commit(afternoon: Afternoon):
    before = afternoon.vault.head
    afternoon.vault.edit("old", "The text", "A better text")
    assert afternoon.passes(60, 10) == []
    assert afternoon.vault.head == before


def test_a_commit_by_another_tool_starts_the_count_again(afternoon: Afternoon):
    vault = afternoon.vault
    vault.stamp("old")
    assert afternoon.passes(25, 5) == []
    vault.git("commit", "-q", "--allow-empty", "-m", "tool")
    assert afternoon.passes(25, 5) == []
    assert len(afternoon.passes(10, 5)) == 1


def test_a_start_counts_from_when_the_files_were_saved(pair: Vault):
    pair.stamp("old")
    os.utime(pair.file("old"), (1_760_000_000.0 - 31, 1_760_000_000.0 - 31))
    first = Afternoon(pair)
    assert first.vault.accepted["old"] == "archived"
    assert pair.log[0] == "memory: archive old"
    first.app.close()


# What one commit holds -------------------------------------------------------------------------------------------------


def test_an_accepted_stamp_is_committed_as_it_was_typed(pair: Vault):
    pair.stamp("old", at="2025-06-01T14:00:00+02:00", by="new")
    text = pair.read("old")
    pair.does("up", "--once")
    assert pair.read("old") == text
    assert pair.git("show", f"HEAD:{OLD}") + "\n" == text
    assert pair.status == []


def test_the_commit_of_a_hand_edit_says_that_nobody_knows_who_typed(pair: Vault):
    pair.stamp("old", by="new")
    pair.does("up", "--once")
    assert pair.trailers() == {
        "Vaultd-Event": "superseded",
        "Vaultd-Id": id_of("old"),
        "Vaultd-Successor": id_of("new"),
        "Vaultd-Actor": "unknown",
    }


def test_a_chain_typed_while_nobody_watched_is_committed_link_by_link(vault: Vault):
    with_memories(vault, "a", "b", "c")
    vault.stamp("b", at=LATER, by="c")
    vault.stamp("a", at=AT, by="b")
    vault.does("up", "--once")
    assert vault.log[:2] == ["memory: supersede b by c", "memory: supersede a by b"]
    assert vault.accepted == {"a": "superseded by b", "b": "superseded by c", "c": "active"}
    with vault.app() as app:
        grounds = [app.opened.fold.at(vault.git("rev-parse", ref)).ground for ref in ("HEAD^", "HEAD")]
    assert [ground.open for ground in grounds] == [{}, {}]


def test_a_successor_written_in_the_editor_shares_the_commit(vault: Vault):
    with_memories(vault, "old")
    vault.remember("new")
    vault.stamp("old", by="new")
    before = vault.head
    vault.does("up", "--once")
    assert vault.git("rev-parse", "HEAD^") == before
    assert sorted(vault.git("show", "--name-only", "--format=").splitlines()) == ["memory/_global/new.md", OLD]
    assert vault.accepted == {"old": "superseded by new", "new": "active"}


def test_unrelated_hand_edits_stand_in_commits_of_their_own(vault: Vault):
    with_memories(vault, "a", "b")
    vault.stamp("a")
    vault.stamp("b")
    vault.does("up", "--once")
    assert sorted(vault.log[:2]) == ["memory: archive a", "memory: archive b"]


def test_a_rejected_edit_does_not_hold_up_an_accepted_one(vault: Vault):
    with_memories(vault, "a", "b")
    vault.stamp("a", by="nobody")
    vault.stamp("b")
    ran = vault.does("up", "--once")
    assert "archived: memory/_global/b.md" in ran.out
    assert vault.status == [" M memory/_global/a.md"]
    assert vault.rejected == {"a": "V103"}


def test_other_changed_files_stay_out_of_the_commit(pair: Vault):
    pair.stamp("old")
    pair.edit("new", "The text", "A better text")
    pair.write("Daily.md", "Today.\n")
    pair.write("staged.txt", "x")
    pair.git("add", "staged.txt")
    pair.does("up", "--once")
    assert pair.git("show", "--name-only", "--format=") == OLD
    assert pair.status == [" M memory/_global/new.md", "A  staged.txt", "?? Daily.md"]


def test_a_new_memory_is_committed_as_created(vault: Vault):
    vault.remember("fresh")
    vault.does("up", "--once")
    assert (vault.log[0], vault.trailers()["Vaultd-Event"]) == ("memory: create fresh", "created")
    assert vault.status == []


def test_a_memory_renamed_in_the_editor_is_a_rename(pair: Vault):
    pair.file("old").rename(pair.file("renamed"))
    pair.does("up", "--once")
    assert pair.trailers()["Vaultd-Event"] == "renamed"
    assert pair.accepted == {"renamed": "active", "new": "active"}
    assert pair.status == []


def test_a_second_look_makes_no_second_commit(pair: Vault):
    pair.stamp("old")
    pair.does("up", "--once")
    head = pair.head
    pair.does("up", "--once")
    assert pair.head == head


def test_a_no_op_re_serialisation_makes_no_commit(pair: Vault):
    pair.does("memory", "supersede", "old", "new", "--at", AT)
    head = pair.head
    text = pair.read("old").replace(f"invalid_at: {AT}", f"invalid_at: '{AT}'")
    pair.write(OLD, text.replace(id_of("new") + "\n---", f'"{id_of("new")}"\n---'))
    pair.write("memory/_global/new.md", pair.read("new").replace("invalid_at: null", "invalid_at:"))
    assert pair.errors() == []
    pair.does("up", "--once")
    assert pair.head == head


def test_a_rejected_edit_stays_as_the_editor_wrote_it(pair: Vault):
    pair.stamp("old", by="nobody")
    text, head = pair.read("old"), pair.head
    pair.does("up", "--once")
    assert (pair.read("old"), pair.head) == (text, head)
    assert pair.run("check").code == 1


def test_search_keeps_to_what_is_accepted(pair: Vault):
    pair.stamp("old", by="nobody")
    hits = pair.does("search", "text", "--json").json["hits"]
    assert {(hit["path"], hit["state"], hit["rejected"]) for hit in hits} == {
        (OLD, "active", "V103"),
        ("memory/_global/new.md", "active", ""),
    }


# What git leaves out or converts ---------------------------------------------------------------------------------------


def test_an_ignored_memory_is_told_and_not_judged(pair: Vault):
    pair.write(".gitignore", "memory/private/\n")
    pair.commit()
    pair.remember("private/secret")
    head = pair.head
    pair.does("up", "--once")
    pair.stamp("private/secret", by="nobody")
    assert pair.errors() == []
    assert "V112" in pair.run("check").out
    assert pair.does("up", "--once").code == 0
    assert pair.head == head


@pytest.fixture
def filtered(vault: Vault) -> Vault:
    """A vault whose private memories git stores scrambled, as git-crypt does."""
    vault.git("config", "filter.scramble.clean", "tr A-Za-z N-ZA-Mn-za-m")
    vault.git("config", "filter.scramble.smudge", "tr A-Za-z N-ZA-Mn-za-m")
    vault.git("config", "filter.scramble.required", "true")
    vault.write(".gitattributes", vault.root.joinpath(".gitattributes").read_text() + "memory/** filter=scramble\n")
    return with_memories(vault, "old", "new")


def test_a_filtered_memory_is_never_stored_in_the_clear(filtered: Vault):
    filtered.stamp("old", by="new")
    filtered.does("up", "--once")
    filtered.does("memory", "archive", "new")
    for path in (OLD, "memory/_global/new.md"):
        stored = filtered.git("cat-file", "blob", f"HEAD:{path}")
        assert "The text" not in stored
        assert "Gur grkg" in stored
    assert filtered.status == []


def test_the_past_of_a_filtered_memory_is_read_through_its_filter(filtered: Vault):
    filtered.does("memory", "supersede", "old", "new")
    filtered.clear("old")
    assert filtered.rejected == {"old": "V102"}
    assert filtered.accepted["old"] == "superseded by new"
    filtered.does("revert", OLD)
    assert filtered.status == []


def test_line_endings_that_git_converts_are_no_change(vault: Vault):
    vault.git("config", "core.autocrlf", "true")
    vault.write(OLD, memory("old").replace("\n", "\r\n"))
    vault.git("add", "-A")
    vault.git("commit", "-q", "-m", "crlf")
    head = vault.head
    vault.does("up", "--once")
    assert (vault.head, vault.errors()) == (head, [])
    vault.does("memory", "archive", "old")
    assert b"\r\n> Archived" in vault.file("old").read_bytes()
    assert vault.status == []
