"""A start that finds nothing changed says what the full look says; anything else is left to the full look."""

import json
import os
from collections.abc import Callable

import pytest

from tests.vaults import Vault, with_memories
from vaultd.errors import ConflictError
from vaultd.index.mirror import Mirror
from vaultd.judging.unchanged import Unchanged, unchanged
from vaultd.vault.locks import hold


@pytest.fixture
def seen(vault: Vault) -> Vault:
    """A vault with two memories, an attachment and a plain note that breaks a rule, looked at and clean in git."""
    with_memories(vault, "a", "b")
    vault.write("memory/_global/plain.md", "no id\n")
    vault.write("picture.png", "not a note\n")
    vault.commit()
    for file in vault.root.rglob("*.md"):
        os.utime(file, (0, 0))  # what was saved just now is read again by the next look, whatever its stamp
    vault.run("up", "--once")
    return vault


def found(vault: Vault) -> Unchanged | None:
    with vault.app() as app:
        return unchanged(app.opened)


def test_it_says_what_the_full_look_says(seen: Vault):
    quick, full = found(seen), seen.look()
    assert quick == Unchanged(len(full.notes), full.violations)
    assert [violation.code for violation in full.violations] == ["V105"]


def _save(vault: Vault) -> None:
    vault.write("memory/_global/plain.md", "other words\n")


def _add(vault: Vault) -> None:
    vault.write("new.md", "words\n")


def _remove(vault: Vault) -> None:
    (vault.root / "memory/_global/plain.md").unlink()


def _exchange_attachments(vault: Vault) -> None:
    (vault.root / "picture.png").rename(vault.root / "photo.png")


def _commit(vault: Vault) -> None:
    vault.git("commit", "-q", "--allow-empty", "-m", "nothing")


def _leave_an_intent(vault: Vault) -> None:
    folder = vault.root / ".git/vaultd/intents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "left.json").write_text("{}")


def _leave_a_lock(vault: Vault) -> None:
    folder = vault.root / ".git/vaultd"
    folder.mkdir(exist_ok=True)
    (folder / "commit-left.lock").write_text("")


def _want_a_plugin(vault: Vault) -> None:
    vault.write(".vaultd/plugins.json", json.dumps({"enabled": []}))


def _heed_links(vault: Vault) -> None:
    vault.write(".vaultd/config.toml", '[severity]\nV301 = "error"\n')


def _lose_the_full_text(vault: Vault) -> None:
    with vault.app() as app:
        (app.opened.places.index / "fulltext" / "meta.json").unlink()


def _lose_the_index(vault: Vault) -> None:
    with vault.app() as app:
        (app.opened.places.index / "index.db").unlink()


@pytest.mark.parametrize("looks", [0, 1], ids=["looked up row by row", "walked before"])
@pytest.mark.parametrize(
    "happen",
    [
        _save,
        _add,
        _remove,
        _exchange_attachments,
        _commit,
        _leave_an_intent,
        _leave_a_lock,
        _want_a_plugin,
        _heed_links,
        _lose_the_full_text,
        _lose_the_index,
    ],
)
def test_whatever_happened_since_is_left_to_the_full_look(seen: Vault, happen: Callable[[Vault], None], looks: int):
    for _ in range(looks):
        assert found(seen) is not None
    happen(seen)
    assert found(seen) is None


def test_a_vault_never_looked_at_is_left_to_the_full_look(vault: Vault):
    assert found(vault) is None


def test_a_walk_that_was_looked_up_once_is_not_looked_up_again(seen: Vault, monkeypatch: pytest.MonkeyPatch):
    first = found(seen)
    monkeypatch.setattr(Mirror, "stamps", lambda _mirror: {})
    assert first is not None
    assert found(seen) == first


def test_what_came_and_left_between_two_walks_is_looked_up_again(seen: Vault, monkeypatch: pytest.MonkeyPatch):
    assert found(seen) is not None
    _exchange_attachments(seen)
    seen.look()
    (seen.root / "photo.png").rename(seen.root / "picture.png")
    monkeypatch.setattr(Mirror, "stamps", lambda _mirror: {})
    assert found(seen) is None


def test_a_look_that_finds_nothing_new_writes_no_index_and_waits_for_nobody(seen: Vault):
    seen.look()
    with seen.app() as other, other.writing_index(), seen.app() as app:
        again = app.look()
        assert again.notices == ()
        assert app.catching is not None
        assert (app.catching.changed, app.catching.removed) == ((), ())


@pytest.mark.parametrize("change", [_save, _add, _remove, _exchange_attachments])
def test_a_look_takes_in_what_is_new_after_looks_that_found_nothing(seen: Vault, change: Callable[[Vault], None]):
    with seen.app() as app:
        app.look()
        before = app.opened.mirror.generation()
        change(seen)
        app.look()
        names = app.opened.mirror.rows("SELECT path FROM names")
        texts = {str(path) for (path,) in names}
        assert texts == {path.relative_to(seen.root).as_posix() for path in seen.root.glob("[!.]*/**/*.*")} | {
            path.name for path in seen.root.glob("[!.]*.*")
        }
        assert (app.opened.mirror.generation() > before) == (change is not _exchange_attachments)


def test_what_the_index_answers_for_is_noted_before_another_may_write_it(seen: Vault, monkeypatch: pytest.MonkeyPatch):
    """Noted later, it would stand beside files that another process had brought to the index meanwhile."""
    noted: list[bytes] = []

    def note(_mirror: Mirror, walk: bytes) -> None:
        with pytest.raises(ConflictError), hold(app.opened.places.index / "writer.lock", 0.0):
            pass
        noted.append(walk)

    monkeypatch.setattr(Mirror, "answers_for", note)
    _add(seen)
    os.utime(seen.root / "new.md", (0, 0))
    with seen.app() as app:
        app.look()
        assert noted == []
        app.look()
        assert len(noted) == 1
