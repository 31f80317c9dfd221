"""A memory that a person moved with `mv`, a file manager or `git mv`, before any commit knows: every command takes it as it is."""

import pytest

from tests.vaults import Vault, id_of, with_memories

WAS, NOW = "memory/_global/old.md", "memory/_global/now.md"


@pytest.fixture
def moved(vault: Vault) -> Vault:
    with_memories(vault, "old", "new", "third")
    vault.file("old").rename(vault.file("now"))
    return vault


def committed(vault: Vault, back: int = 0) -> list[str]:
    return sorted(vault.git("show", "--name-status", "--format=", f"HEAD~{back}").splitlines())


def test_adopt_records_the_move_at_once(moved: Vault):
    ran = moved.does("adopt", NOW, "--json")
    assert (ran.json["event"], ran.json["path"]) == ("adopted", NOW)
    assert committed(moved) == [f"R100\t{WAS}\t{NOW}"]
    assert moved.accepted == {"now": "active", "new": "active", "third": "active"}
    assert (moved.status, moved.errors(), moved.errors("--head")) == ([], [], [])


def test_adopt_of_a_folder_s_memories_that_moved_together(vault: Vault):
    with_memories(vault, "beds/one", "beds/two")
    (vault.root / "memory/beds").rename(vault.root / "memory/plots")
    vault.does("adopt", "memory/plots/one.md", "memory/plots/two.md")
    assert vault.accepted == {"plots/one": "active", "plots/two": "active"}
    assert (vault.status, vault.errors("--head")) == ([], [])


def test_adopt_of_an_end_that_was_typed_into_what_moved(moved: Vault):
    moved.stamp("now", by="new")
    moved.does("adopt", NOW)
    assert moved.accepted["now"] == "superseded by new"
    assert (moved.status, moved.errors("--head")) == ([], [])


def test_adopt_completes_what_git_mv_staged(vault: Vault):
    with_memories(vault, "old", "new")
    vault.git("mv", WAS, NOW)
    vault.does("adopt", NOW)
    assert vault.accepted == {"now": "active", "new": "active"}
    assert vault.status == []


COMMANDS = [
    (("memory", "archive", NOW), "now", "archived"),
    (("memory", "supersede", NOW, "new"), "now", "superseded by new"),
    (("memory", "supersede", "new", NOW), "new", "superseded by now"),
    (("memory", "append", NOW, "--body", "more"), "now", "active"),
    (("memory", "star", NOW), "now", "active"),
    (("memory", "rename", NOW, "later"), "later", "active"),
    (("memory", "move", NOW, "beds"), "beds/now", "active"),
]


@pytest.mark.parametrize(
    ("words", "name", "state"), COMMANDS, ids=lambda value: value[1] if value[0] == "memory" else ""
)
def test_a_command_about_what_moved_records_the_move_first(moved: Vault, words: tuple[str, ...], name: str, state: str):
    moved.does(*words)
    assert moved.accepted[name] == state
    assert committed(moved, back=1) == [f"R100\t{WAS}\t{NOW}"]
    assert (moved.trailers("HEAD~1")["Vaultd-Event"], moved.trailers("HEAD~1")["Vaultd-Actor"]) == ("kept", "unknown")
    assert (moved.status, moved.errors("--head")) == ([], [])


@pytest.mark.parametrize(
    "words",
    [
        ("memory", "new", "--kind", "gotcha", "--name", "old", "--description", "d", "--body", "b"),
        ("memory", "write", "--kind", "gotcha", "--name", "old", "--description", "d", "--body", "b"),
        ("memory", "rename", "new", "old"),
    ],
    ids=lambda words: words[1],
)
def test_a_name_that_was_freed_by_hand_is_free(moved: Vault, words: tuple[str, ...]):
    moved.does(*words)
    assert moved.accepted["now"] == "active"
    assert moved.errors() == moved.errors("--head") == []


def test_an_undo_gives_back_what_the_person_had_moved(moved: Vault):
    moved.does("memory", "archive", NOW)
    moved.does("undo")
    assert moved.accepted["now"] == "active"
    assert (moved.file("old").exists(), moved.status) == (False, [])


def test_what_moved_is_deleted(moved: Vault):
    moved.does("memory", "delete", NOW, "--yes")
    assert "now" not in {name for name, told in moved.accepted.items() if "gone" not in told}
    assert (moved.status, moved.errors("--head")) == ([], [])


def test_an_end_that_waits_in_what_moved_is_refused_with_both_ways_out(moved: Vault):
    moved.stamp("now")
    head = moved.head
    ran = moved.run("memory", "append", NOW, "--body", "more")
    assert (ran.code, moved.head) == (4, head)
    assert f"vaultd adopt {NOW}" in ran.err


def test_a_copy_is_still_no_move(vault: Vault):
    with_memories(vault, "old")
    vault.write(NOW, vault.read("old"))
    ran = vault.run("adopt", NOW)
    assert (ran.code, "V100" in ran.err) == (3, True)


@pytest.mark.parametrize("ref", ["old", id_of("old"), id_of("old")[:12], WAS])
def test_the_name_it_had_still_means_it(moved: Vault, ref: str):
    assert NOW in moved.does("memory", "chain", ref).out
    assert moved.does("memory", "archive", ref, "--json").json["path"] == NOW


def test_a_name_that_changed_in_case_alone_is_not_ambiguous(vault: Vault):
    with_memories(vault, "old")
    vault.file("old").rename(vault.file("OLD"))
    assert "memory/_global/OLD.md" in vault.does("memory", "chain", "old").out
