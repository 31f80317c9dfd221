"""What the index took in becomes events: a rename is told at once, and taken back where the old name returns."""

from pathlib import Path

import pytest

from tests.vaults import Vault, memory
from vaultd.app import App, open_app
from vaultd.plugged.noticing import Echoes, Noticing


@pytest.fixture
def app(vault: Vault):
    vault.write("a.md", "text of a")
    vault.write("b.md", "text of b")
    vault.remember("m")
    vault.commit("notes")
    opened = open_app(vault.root)
    opened.look()
    yield opened
    opened.close()


def told(app: App, noticing: Noticing, *, gone: bool = True) -> list[tuple[str, str, str]]:
    """Return what is noticed of one look; `gone` is whether the index believes yet that notes are gone."""
    app.look()
    assert app.catching is not None
    events = noticing.noticed(app.catching.changed, app.catching.removed if gone else ())
    return sorted((event.name, event.path, event.old_path) for event in events)


@pytest.fixture
def noticing(app: App) -> Noticing:
    found = Noticing(app.opened, Echoes())
    found.begin()
    return found


def test_a_rename_is_told_before_the_loss_is_believed(app: App, noticing: Noticing):
    root = Path(app.opened.root)
    (root / "a.md").rename(root / "c.md")
    assert told(app, noticing, gone=False) == [("rename", "c.md", "a.md")]
    assert noticing.noticed((), ["a.md"]) == []


def test_an_old_name_that_is_there_again_is_a_new_note(app: App, noticing: Noticing):
    root = Path(app.opened.root)
    (root / "a.md").rename(root / "c.md")
    told(app, noticing, gone=False)
    (root / "a.md").write_text("text of a")
    assert told(app, noticing, gone=False) == [("create", "a.md", "")]


def test_a_copy_is_a_new_note(app: App, noticing: Noticing):
    (Path(app.opened.root) / "c.md").write_text("text of a")
    assert told(app, noticing) == [("create", "c.md", "")]


def test_a_memory_that_was_moved_and_edited_is_known_by_its_id(app: App, noticing: Noticing):
    root = Path(app.opened.root)
    (root / "memory/_global/m.md").unlink()
    (root / "memory/_global/n.md").write_text(memory("m", body="other words"))
    assert told(app, noticing, gone=False) == [
        ("modify", "memory/_global/n.md", ""),
        ("rename", "memory/_global/n.md", "memory/_global/m.md"),
    ]


def test_what_git_did_is_git_s_also_where_it_is_noticed_bit_by_bit(app: App, noticing: Noticing, vault: Vault):
    vault.git("checkout", "-q", "-b", "other")
    vault.write("a.md", "another text of a")
    vault.write("b.md", "another text of b")
    vault.git("rm", "-q", "-f", "memory/_global/m.md")
    vault.commit("other")
    app.look()
    assert app.catching is not None
    (first, second), removed = app.catching.changed, app.catching.removed
    told = [*noticing.noticed([first], ()), *noticing.noticed([second], ()), *noticing.noticed((), removed)]
    assert [(event.name, event.origin) for event in told] == [("modify", "git"), ("modify", "git"), ("delete", "git")]
    vault.write("a.md", "typed")
    app.look()
    (event,) = noticing.noticed(["a.md"], ())
    assert event.origin == "external"


def test_an_edit_of_what_git_brought_before_anybody_looked_is_the_editor_s(app: App, noticing: Noticing, vault: Vault):
    vault.write("a.md", "committed")
    vault.commit("by git")
    vault.write("a.md", "typed on top")
    app.look()
    assert [event.origin for event in noticing.noticed(["a.md"], ())] == ["external"]


def test_what_a_command_wrote_and_did_not_commit_yet_is_vaultd_s(
    app: App, noticing: Noticing, vault: Vault, monkeypatch: pytest.MonkeyPatch
):
    heard: list[tuple[str, str]] = []

    def meanwhile(name: str) -> None:
        if name == "files written":
            vault.write("b.md", "typed")
            app.look()
            events = noticing.noticed(["a.md", "b.md"], ())
            heard.extend((event.path, event.origin) for event in events)

    monkeypatch.setattr("vaultd.vault.crashing.point", meanwhile)
    vault.does("note", "append", "a.md", "--body", "by a command", "--now")
    assert heard == [("a.md", "vaultd"), ("b.md", "external")]


def test_an_edit_of_what_a_command_just_wrote_is_the_editor_s(
    app: App, noticing: Noticing, vault: Vault, monkeypatch: pytest.MonkeyPatch
):
    heard: list[str] = []

    def meanwhile(name: str) -> None:
        if name == "files written":
            vault.write("a.md", vault.read("a.md") + "typed on top")
            app.look()
            heard.extend(event.origin for event in noticing.noticed(["a.md"], ()))

    monkeypatch.setattr("vaultd.vault.crashing.point", meanwhile)
    vault.run("note", "append", "a.md", "--body", "by a command", "--now")
    assert heard == ["external"]
