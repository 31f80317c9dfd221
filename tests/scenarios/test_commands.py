"""Commands on a vault: what they change, what they refuse, and that a refusal leaves no trace."""

import hashlib
import os
from pathlib import Path

import pytest

from tests.vaults import AT, EARLY, LATER, Vault, id_of, with_memories

HASH_OF_NOTHING = hashlib.sha256(b"").hexdigest()
NEW = ("memory", "new", "--kind", "gotcha", "--description", "One line")


@pytest.fixture
def pair(vault: Vault) -> Vault:
    return with_memories(vault, "old", "new")


def everything(vault: Vault) -> dict[str, bytes]:
    return {
        path.relative_to(vault.root).as_posix(): path.read_bytes()
        for path in vault.root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def refused(vault: Vault, code: int, *words: str, stdin: str = "") -> str:
    """Run a command that must be refused, show that it left no trace, and return what it said."""
    before = (everything(vault), vault.status, vault.head)
    ran = vault.run(*words, stdin=stdin)
    assert ran.code == code, ran
    assert (everything(vault), vault.status, vault.head) == before
    assert ran.out == ""
    return ran.err


def digest(vault: Vault, name: str) -> str:
    return hashlib.sha256(vault.file(name).read_bytes()).hexdigest()


# supersede -------------------------------------------------------------------------------------------------------------


def test_supersede_hands_over_in_one_commit(pair: Vault):
    before = pair.head
    pair.does("memory", "supersede", "old", "new")
    assert pair.accepted == {"old": "superseded by new", "new": "active"}
    assert pair.git("rev-parse", "HEAD^") == before
    assert pair.git("show", "--name-only", "--format=").splitlines() == ["memory/_global/old.md"]
    assert pair.status == []


def test_supersede_tells_the_ledger_who_did_what(pair: Vault):
    pair.does("memory", "supersede", "old", "new", "--reason", "it moved")
    assert pair.trailers() == {
        "Vaultd-Event": "superseded",
        "Vaultd-Id": id_of("old"),
        "Vaultd-Successor": id_of("new"),
        "Vaultd-Actor": "person",
        "Vaultd-Reason": "it moved",
    }


def test_supersede_changes_only_the_values_it_is_about(pair: Vault):
    pair.edit("old", "kind: decision", "kind:   decision   # chosen in spring\nmine: [a,  b]")
    pair.commit()
    before = pair.read("old").splitlines()
    pair.does("memory", "supersede", "old", "new")
    after = pair.read("old").splitlines()
    assert len(after) == len(before) + 2  # a blank line and the tombstone line
    changed = [line for line in before if line not in after]
    assert [line.partition(":")[0] for line in changed] == ["updated", "invalid_at", "superseded_by"]


def test_the_same_supersede_again_is_no_event(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    head = pair.head
    ran = pair.does("memory", "supersede", "old", "new", "--json")
    assert (ran.json["event"], ran.json["commit"], pair.head) == (None, None, head)


def test_a_memory_cannot_supersede_itself(pair: Vault):
    assert "itself" in refused(pair, 3, "memory", "supersede", "old", "old")


def test_a_superseded_memory_gets_no_other_successor(pair: Vault):
    with_memories(pair, "third")
    pair.does("memory", "supersede", "old", "new")
    said = refused(pair, 3, "memory", "supersede", "old", "third")
    assert "superseded by" in said
    assert "memory chain" in said


def test_an_archived_memory_replaces_nothing(pair: Vault):
    pair.does("memory", "archive", "new")
    assert "not active" in refused(pair, 3, "memory", "supersede", "old", "new")


def test_a_superseded_memory_replaces_nothing(pair: Vault):
    with_memories(pair, "third")
    pair.does("memory", "supersede", "new", "third")
    assert "not active" in refused(pair, 3, "memory", "supersede", "old", "new")


def test_an_archived_memory_that_gets_a_successor_keeps_its_time(pair: Vault):
    pair.does("memory", "archive", "old", "--at", AT)
    pair.does("memory", "supersede", "old", "new")
    assert f"invalid_at: {AT}" in pair.read("old")
    assert pair.accepted["old"] == "superseded by new"


def test_a_successor_may_live_in_another_project(pair: Vault):
    with_memories(pair, "radio/far")
    pair.does("memory", "supersede", "old", "radio/far")
    assert pair.accepted["old"] == "superseded by radio/far"


def test_a_successor_that_git_lacks_goes_into_the_commit(pair: Vault):
    pair.remember("fresh")
    pair.does("memory", "supersede", "old", "fresh")
    assert pair.status == []
    assert pair.accepted["old"] == "superseded by fresh"
    assert sorted(pair.git("show", "--name-only", "--format=").splitlines()) == [
        "memory/_global/fresh.md",
        "memory/_global/old.md",
    ]


def test_a_supersession_that_closes_a_circle_is_refused(vault: Vault):
    with_memories(vault, "a", "b")
    vault.does("memory", "supersede", "a", "b")
    refused(vault, 3, "memory", "supersede", "b", "a")


def test_at_says_when_a_memory_ended(pair: Vault):
    pair.does("memory", "supersede", "old", "new", "--at", "2025-06-01")
    assert "invalid_at: 2025-06-01T00:00:00Z" in pair.read("old")


@pytest.mark.parametrize("words", [("archive", "old"), ("supersede", "old", "new")])
def test_a_time_before_the_memory_was_valid_is_refused(pair: Vault, words: tuple[str, ...]):
    said = refused(pair, 2, "memory", *words, "--at", "2001-01-01T00:00:00Z")
    assert f"2001-01-01T00:00:00Z lies before valid_from {EARLY}" in said
    pair.does("memory", *words, "--at", EARLY)


@pytest.mark.parametrize("time", ["2099-01-01T00:00:00Z", "2025-02-30", "yesterday", ""])
def test_a_time_that_is_none_or_has_not_come_is_refused(pair: Vault, time: str):
    refused(pair, 2, "memory", "archive", "old", "--at", time)


def test_a_reason_forges_no_trailer(pair: Vault):
    pair.does("memory", "archive", "old", "--reason", "gone\nVaultd-Event: deleted\nVaultd-Id: " + id_of("new"))
    assert pair.accepted == {"old": "archived", "new": "active"}
    events = pair.git("log", "-1", "--format=%(trailers:key=Vaultd-Event,valueonly)").split()
    assert events == ["archived"]


def test_a_reason_stands_on_one_line_of_at_most_300_characters(pair: Vault):
    pair.does("memory", "archive", "old", "--reason", "a\tb\r\n\x1b[31mc" + "x" * 400)
    reason = pair.trailers()["Vaultd-Reason"]
    assert len(reason) <= 300
    assert reason.isprintable()


def test_a_reason_cannot_leave_the_tombstone_line(pair: Vault):
    pair.does("memory", "archive", "old", "--reason", "gone)\n---\ninvalid_at: null\n")
    assert pair.errors() == []
    assert pair.read("old").rstrip("\n").rsplit("\n", 1)[-1].startswith("> Archived (gone)")


# archive and restore ---------------------------------------------------------------------------------------------------


def test_archive_ends_a_memory_without_a_successor(pair: Vault):
    pair.does("memory", "archive", "old", "--at", AT, "--reason", "sold")
    assert pair.accepted["old"] == "archived"
    assert pair.read("old").endswith("\n\n> Archived (sold) on 2025-06-01\n")


def test_archive_again_is_no_event(pair: Vault):
    pair.does("memory", "archive", "old")
    assert pair.does("memory", "archive", "old", "--json").json["event"] is None


def test_a_superseded_memory_is_not_archived(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    refused(pair, 3, "memory", "archive", "old")


def test_restore_gives_back_the_text_as_it_was(pair: Vault):
    before = pair.read("old")
    pair.does("memory", "supersede", "old", "new")
    pair.does("memory", "restore", "old")
    after = pair.read("old")
    assert [line for line in after.splitlines() if not line.startswith("updated:")] == [
        line for line in before.splitlines() if not line.startswith("updated:")
    ]
    assert after.endswith(before[-20:])
    assert pair.accepted["old"] == "active"


def test_restore_of_an_active_memory_is_no_event(pair: Vault):
    assert pair.does("memory", "restore", "old", "--json").json["event"] is None


def test_restore_of_an_end_that_was_never_accepted_names_revert(pair: Vault):
    pair.stamp("old", at="2099-01-01T00:00:00Z")
    assert "vaultd revert" in refused(pair, 3, "memory", "restore", "old")


def test_restore_where_the_name_is_taken_is_refused(vault: Vault):
    with_memories(vault, "name")
    vault.does("memory", "archive", "name", "--at", AT)
    vault.write("memory/_global/Name.md", vault.read("name").replace(id_of("name"), id_of("other")))
    vault.edit("Name", "name: name", "name: Name")
    vault.clear("Name")
    vault.commit()
    refused(vault, 3, "memory", "restore", id_of("name"))


def test_restore_that_a_person_began_by_hand_takes_the_tombstone_line_too(pair: Vault):
    pair.does("memory", "archive", "old", "--at", AT)
    pair.clear("old")
    pair.does("memory", "restore", "old")
    assert pair.accepted["old"] == "active"
    assert "> Archived" not in pair.read("old")
    assert pair.status == []


# new -------------------------------------------------------------------------------------------------------------------


def test_new_makes_a_memory_and_commits_it(vault: Vault):
    ran = vault.does(*NEW, "--project", "radio", "--name", "clock", "--body", "It drifts.", "--json")
    assert ran.json["path"] == "memory/radio/clock.md"
    assert vault.accepted == {"radio/clock": "active"}
    assert vault.read("radio/clock").endswith("\nIt drifts.\n")
    assert vault.status == []
    assert vault.errors() == []


def test_new_reads_its_text_from_standard_input(vault: Vault):
    vault.run(*NEW, "--name", "clock", "-", stdin="From a pipe.\n")
    assert vault.read("clock").endswith("\nFrom a pipe.\n")


def test_new_reads_its_text_from_a_file(vault: Vault, tmp_path: Path):
    (tmp_path / "body.md").write_text("From a file.\n")
    vault.does(*NEW, "--name", "clock", "--body-file", os.fspath(tmp_path / "body.md"))
    assert vault.read("clock").endswith("\nFrom a file.\n")


def test_new_supersedes_in_one_commit(pair: Vault):
    before = pair.head
    pair.does(*NEW, "--name", "third", "--body", "x", "--supersedes", "old")
    assert pair.accepted == {"old": "superseded by third", "new": "active", "third": "active"}
    assert pair.git("rev-parse", "HEAD^") == before


@pytest.mark.parametrize(
    "options",
    [
        ("--name", "two\nlines"),
        ("--name", "../out"),
        ("--name", "a/b"),
        ("--name", ".hidden"),
        ("--name", "CON"),
        ("--name", "what?"),
        ("--name", ""),
        ("--name", "x" * 300),
        ("--name", "fine", "--project", "../.."),
        ("--name", "fine", "--project", "a/b"),
        ("--name", "fine", "--kind", "opinion"),
        ("--name", "fine", "--description", ""),
        ("--name", "fine", "--description", "two\nlines"),
        ("--name", "fine", "--description", "x" * 151),
    ],
)
def test_new_with_what_no_memory_may_have_is_refused(vault: Vault, options: tuple[str, ...]):
    refused(vault, 2, *NEW, "--body", "x", *options)


def test_a_name_that_windows_keeps_is_refused_in_a_sentence(vault: Vault):
    said = refused(vault, 2, *NEW, "--name", "CON", "--body", "x")
    assert "the name 'CON' does not travel: Windows keeps this name for a device" in said


def test_a_name_is_the_file_s_without_its_ending(vault: Vault):
    assert "hint: --name clock\n" in refused(vault, 2, *NEW, "--name", "clock.md", "--body", "x")
    assert "hint: --project radio\n" in refused(vault, 2, *NEW, "--name", "a", "--project", "radio.MD", "--body", "x")


def test_new_without_a_text_is_refused(vault: Vault):
    assert "--body" in refused(vault, 2, *NEW, "--name", "clock")


def test_new_that_supersedes_nothing_known_is_refused(vault: Vault):
    refused(vault, 2, *NEW, "--name", "clock", "--body", "x", "--supersedes", "nobody")


def test_a_name_held_by_a_memory_is_refused(pair: Vault):
    assert "supersede" in refused(pair, 3, *NEW, "--name", "old", "--body", "x")


def test_a_name_held_in_another_case_is_refused(pair: Vault):
    refused(pair, 3, *NEW, "--name", "OLD", "--body", "x")


def test_a_name_held_by_a_plain_note_is_refused(vault: Vault):
    vault.write("memory/_global/clock.md", "Just a note.\n")
    refused(vault, 3, *NEW, "--name", "clock", "--body", "x")


def test_a_name_held_by_a_folder_is_refused(vault: Vault):
    vault.write("memory/_global/clock.md/deep.md", "Deep.\n")
    refused(vault, 3, *NEW, "--name", "clock", "--body", "x")


def test_a_project_held_by_a_file_is_refused(vault: Vault):
    vault.write("memory/radio", "not a folder")
    for options in (("--dry-run",), ()):
        said = refused(vault, 3, *NEW, "--project", "radio", "--name", "clock", "--body", "x", *options)
        assert "memory/radio is a file" in said


# Which memory is meant -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ref",
    ["memory/_global/old.md", "old", "_global/old", "[[old]]", "[[old|alias]]", id_of("old"), id_of("old")[:12], "OLD"],
)
def test_a_memory_is_named_by_path_id_prefix_name_or_link(pair: Vault, ref: str):
    assert pair.does("memory", "archive", ref, "--dry-run", "--json").json["id"] == id_of("old")


def test_a_name_that_means_two_memories_lists_them(vault: Vault):
    with_memories(vault, "one/same", "two/same")
    said = refused(vault, 2, "memory", "archive", "same")
    assert "memory/one/same.md, memory/two/same.md" in said


@pytest.mark.parametrize("ref", ["", "nobody", "01JV", "notes/none.md", "../outside.md", "/etc/passwd"])
def test_a_reference_to_nothing_is_refused(pair: Vault, ref: str):
    refused(pair, 2, "memory", "archive", ref)


def test_a_plain_note_is_no_memory_and_the_hint_is_adopt(vault: Vault):
    vault.write("memory/_global/plain.md", "Plain.\n")
    assert "vaultd adopt" in refused(vault, 2, "memory", "archive", "plain")


def test_a_memory_whose_file_is_gone_is_named_with_the_command_that_brings_it_back(pair: Vault):
    pair.file("old").unlink()
    assert "vaultd revert" in refused(pair, 4, "memory", "archive", id_of("old"))


# --expect-hash and --dry-run -------------------------------------------------------------------------------------------


CHANGES = [
    ("memory", "supersede", "old", "new"),
    ("memory", "archive", "old"),
    (*NEW, "--name", "third", "--body", "x", "--supersedes", "old"),
]


@pytest.mark.parametrize("words", CHANGES, ids=lambda words: words[1])
def test_a_change_of_another_text_than_was_read_is_refused(pair: Vault, words: tuple[str, ...]):
    assert digest(pair, "old") in refused(pair, 4, *words, "--expect-hash", HASH_OF_NOTHING)


@pytest.mark.parametrize("words", CHANGES, ids=lambda words: words[1])
def test_a_change_of_the_text_that_was_read_is_made(pair: Vault, words: tuple[str, ...]):
    pair.does(*words, "--expect-hash", digest(pair, "old").upper())
    assert pair.accepted["old"] != "active"


def test_a_restore_adopt_and_revert_compare_the_hash_too(pair: Vault):
    pair.stamp("old")
    refused(pair, 4, "adopt", "memory/_global/old.md", "--expect-hash", HASH_OF_NOTHING)
    refused(pair, 4, "revert", "memory/_global/old.md", "--expect-hash", HASH_OF_NOTHING)
    pair.does("adopt", "memory/_global/old.md", "--expect-hash", digest(pair, "old"))
    refused(pair, 4, "memory", "restore", "old", "--expect-hash", HASH_OF_NOTHING)


def test_where_everything_is_so_already_the_hash_is_compared_all_the_same(pair: Vault):
    read = digest(pair, "old")
    pair.does("set", "memory/_global/old.md", "count=1", "--expect-hash", read)
    assert digest(pair, "old") in refused(pair, 4, "set", "memory/_global/old.md", "count=1", "--expect-hash", read)
    pair.does("set", "memory/_global/old.md", "count=1", "--expect-hash", digest(pair, "old"))
    refused(pair, 4, "adopt", "memory/_global/old.md", "--expect-hash", read)


def test_a_memory_to_be_made_has_no_hash(vault: Vault):
    refused(vault, 4, *NEW, "--name", "clock", "--body", "x", "--expect-hash", HASH_OF_NOTHING)


def test_what_is_no_hash_is_refused(pair: Vault):
    refused(pair, 2, "memory", "archive", "old", "--expect-hash", "abc")


def test_one_hash_is_not_two_files_hash(pair: Vault):
    paths = ("memory/_global/old.md", "memory/_global/new.md")
    refused(pair, 2, "adopt", *paths, "--expect-hash", digest(pair, "old"))


def test_the_document_of_a_change_gives_the_hash_for_the_next(pair: Vault):
    ran = pair.does("memory", "archive", "old", "--json")
    assert ran.json["hash"] == digest(pair, "old")
    pair.does("memory", "restore", "old", "--expect-hash", ran.json["hash"])


DRY = [
    *CHANGES,
    (*NEW, "--name", "third", "--body", "x"),
    ("memory", "restore", "ended"),
    ("adopt", "memory/_global/half.md"),
    ("revert", "memory/_global/half.md"),
]


@pytest.mark.parametrize("words", DRY, ids=lambda words: "-".join(words[:2]).replace("/", "-"))
def test_a_dry_run_shows_the_plan_and_changes_nothing(pair: Vault, words: tuple[str, ...]):
    with_memories(pair, "ended", "half")
    pair.does("memory", "archive", "ended")
    pair.stamp("half", at="null", by="new")
    before = (everything(pair), pair.status, pair.head)
    ran = pair.does(*words, "--dry-run")
    assert ran.out.startswith("would ")
    assert (everything(pair), pair.status, pair.head) == before


def test_a_dry_run_refuses_what_the_run_would_refuse(pair: Vault):
    refused(pair, 3, "memory", "supersede", "old", "old", "--dry-run")


# Files that a person has edited ----------------------------------------------------------------------------------------


def test_a_persons_edits_get_a_commit_of_their_own_before_a_command(pair: Vault):
    pair.edit("old", "The text", "My better text")
    pair.does("memory", "archive", "old")
    assert pair.log[:2] == ["memory: archive old", "note: keep edits of old"]
    kept = pair.trailers("HEAD^")
    assert (kept["Vaultd-Event"], kept["Vaultd-Actor"]) == ("kept", "unknown")
    assert "+My better text" in pair.git("show", "HEAD^", "--format=", "-U0")
    assert "+My better text" not in pair.git("show", "HEAD", "--format=", "-U0")


def test_edits_of_another_file_stay_out_of_the_commit(pair: Vault):
    pair.edit("new", "The text", "My better text")
    pair.git("add", "-A")
    pair.write("Daily.md", "Today.\n")
    pair.does("memory", "archive", "old")
    assert pair.git("show", "--name-only", "--format=").splitlines() == ["memory/_global/old.md"]
    assert pair.status == ["M  memory/_global/new.md", "?? Daily.md"]


@pytest.mark.parametrize(
    ("end", "mend"),
    [(AT, "vaultd adopt memory/_global/old.md records it"), ("2099-01-01T00:00:00Z", "write a time that has come")],
    ids=["waiting", "rejected"],
)
def test_a_file_with_a_lifecycle_edit_of_its_own_is_left_to_the_person(pair: Vault, end: str, mend: str):
    with_memories(pair, "third")
    pair.stamp("old", at=end, by="third")
    said = refused(pair, 4, "memory", "supersede", "old", "new")
    assert mend in said
    assert "vaultd revert memory/_global/old.md" in said
    assert ("V106 memory/_global/old.md:9: invalid_at" in said) == (end != AT)


def test_a_refusal_names_the_rule_the_line_and_what_would_work(pair: Vault):
    with_memories(pair, "third")
    pair.does("memory", "supersede", "old", "new", "--at", AT)
    edge, end = "memory/_global/old.md:10: ", "memory/_global/old.md:9: "
    for told, *request in (
        ("V103 memory/_global/new.md:10: a memory cannot supersede itself", "supersede", "new", "new"),
        (f"V103 {end}old is not active", "supersede", "new", "old"),
        (f"V103 {edge}old is superseded by", "supersede", "old", "third"),
        (f"{edge}old is superseded by", "append", "old", "--body", "x"),
        ("memory/_global/new.md:9: new is active", "free", "new"),
    ):
        assert f"vaultd: {told}" in (said := refused(pair, 3, "memory", *request))
        assert "\n  hint: " in said
    assert f"vaultd: {end}invalid_at is not set by hand" in refused(
        pair, 3, "set", "memory/_global/old.md", "invalid_at=x"
    )
    [broken] = pair.run("memory", "supersede", "new", "new", "--json").json["violations"]
    assert (broken["code"], broken["path"], broken["line"]) == ("V103", "memory/_global/new.md", 10)


def test_a_cleared_end_is_not_taken_for_what_is_accepted(pair: Vault):
    pair.does("memory", "archive", "old")
    pair.clear("old")
    assert "vaultd revert" in refused(pair, 4, "memory", "archive", "old")


def test_a_cleared_supersession_is_not_taken_for_what_is_accepted(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.clear("old")
    assert "vaultd revert" in refused(pair, 4, "memory", "supersede", "old", "new")


def test_the_command_completes_the_very_edit_it_would_make(pair: Vault):
    pair.stamp("old", at=AT, by="new")
    pair.does("memory", "supersede", "old", "new")
    assert pair.accepted["old"] == "superseded by new"
    assert f"invalid_at: {AT}" in pair.read("old")
    assert pair.log[0] == "memory: supersede old by new"
    assert pair.log[1] == "memories"
    assert pair.status == []


def test_the_command_completes_a_half_stamp(pair: Vault):
    pair.stamp("old", at="null", by="new")
    pair.does("memory", "supersede", "old", "new")
    assert pair.accepted["old"] == "superseded by new"
    assert pair.errors() == []


def test_a_staged_file_is_refused_before_anything_is_written(pair: Vault):
    pair.edit("old", "The text", "My better text")
    pair.git("add", "-A")
    assert "staged" in refused(pair, 4, "memory", "archive", "old")


def test_an_ignored_memory_is_refused_before_anything_is_written(vault: Vault):
    vault.write(".gitignore", "memory/private/\n")
    vault.commit()
    refused(vault, 6, *NEW, "--project", "private", "--name", "secret", "--body", "x")


def test_a_frontmatter_that_cannot_be_read_is_not_edited(pair: Vault):
    pair.edit("old", "kind: decision", "kind: [decision")
    pair.commit()
    refused(pair, 5, "memory", "archive", "old")


def test_before_init_a_command_names_init(folder: Vault):
    assert "vaultd init" in refused(folder, 2, *NEW, "--name", "clock", "--body", "x")


# Odd values that a person may type -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("superseded_by: [a, b]", "V104"),
        ("invalid_at: true", "V106"),
        ("invalid_at: 2025-02-30", "V106"),
        ("invalid_at: 2099-01-01T00:00:00Z", "V106"),
        ("id: null", "V107"),
        ("id: 7", "V107"),
        ("id: [a]", "V107"),
        ("Invalid_at: 2025-06-01T00:00:00Z", "V213"),
    ],
)
def test_an_odd_value_is_one_error_and_changes_no_state(pair: Vault, line: str, code: str):
    key = line.partition(":")[0].lower()
    text = [line if old.startswith(f"{key}:") else old for old in pair.read("old").splitlines(keepends=False)]
    pair.file("old").write_text("\n".join(text) + "\n")
    assert pair.errors() == [code]
    assert pair.accepted == {"old": "active", "new": "active"}
    head = pair.head
    pair.does("up", "--once")
    assert pair.head == head


def test_a_deleted_key_is_null(pair: Vault):
    pair.edit("old", "invalid_at: null\nsuperseded_by: null\n", "")
    assert pair.errors() == []
    assert pair.accepted["old"] == "active"


def test_a_deleted_block_leaves_what_was_accepted(pair: Vault):
    pair.does("memory", "supersede", "old", "new")
    pair.file("old").write_text("Only text.\n")
    assert set(pair.errors()) & {"V107", "V111"}
    assert pair.accepted["old"] == "superseded by new"


def test_the_same_memory_named_twice_is_changed_once(pair: Vault):
    pair.stamp("old")
    ran = pair.does("adopt", "memory/_global/old.md", "memory/_global/old.md", "--json")
    assert [done["event"] for done in ran.json["done"]] == ["adopted", None]


def test_an_end_after_another_tools_end_keeps_the_first_time(pair: Vault):
    pair.stamp("old", at=AT)
    pair.commit("tool")
    pair.does("memory", "archive", "old", "--at", LATER)
    assert f"invalid_at: {AT}" in pair.read("old")


@pytest.mark.parametrize(
    "words",
    [
        ("note", "edit", "x" * 300, "--replace", "a", "--with", "b"),
        ("note", "rename", "memory/_global/old.md", "x" * 300),
        ("note", "move", "memory/_global/old.md", "x" * 300),
        ("note", "relink", "x" * 300, "memory/_global/old.md"),
        ("set", "x" * 300, "k=v"),
        ("adopt", "x" * 300),
        ("import", "x" * 300),
    ],
)
def test_a_name_that_no_disk_can_hold_is_the_callers_mistake(pair: Vault, words: tuple[str, ...]):
    """A text pasted where a path belongs is refused, and is no bug of ours."""
    assert "x" * 50 in refused(pair, 2, *words)


def test_a_refused_new_name_is_called_as_the_help_calls_it(pair: Vault):
    assert "the NEW-NAME 'a/b'" in refused(pair, 2, "memory", "rename", "old", "a/b")
