"""The daemon keeps the index's writer for a moment, and nobody waits for a merge."""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.vaults import Vault
from vaultd.app import App, open_app
from vaultd.daemon import writing as daemon_writing
from vaultd.daemon.keeping import IndexKeeping
from vaultd.daemon.writing import IndexWriting
from vaultd.errors import BrokenIndexError, ConflictError, StorageError
from vaultd.index import fulltext
from vaultd.index.fulltext import FullText, open_fulltext

REST = 60.0
"""Seconds that a test goes through by naming a later time; longer than a machine stands still."""


@pytest.fixture
def app(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setattr(daemon_writing, "REST", REST)
    vault.remember("a")
    opened = open_app(vault.root)
    opened.look()
    yield opened
    opened.close()


@pytest.fixture
def stranger(app: App) -> Iterator[FullText]:
    """The full text as another process has it open."""
    opened = open_fulltext(Path(app.opened.places.index))
    yield opened
    opened.close()


def save(app: App, writing: IndexWriting, text: str) -> None:
    (app.opened.root / "memory/_global/a.md").write_text(text)
    with writing.held():
        app.catch_up_some(app.opened.scan(), ["memory/_global/a.md"])


def test_after_a_save_the_writer_stays_for_the_next_one_and_then_goes(app: App, stranger: FullText):
    writing = IndexWriting(app)
    assert writing.wait(time.monotonic()) == float("inf")
    save(app, writing, "one")
    now = time.monotonic()
    assert 0 < writing.wait(now) <= REST
    writing.rest(now)
    with pytest.raises(ConflictError):
        stranger.begin(0)
    writing.rest(now + REST)
    stranger.begin(0)
    assert not app.writes_index


def test_whoever_holds_the_index_gets_the_writer_that_was_kept(
    app: App, stranger: FullText, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fulltext, "_FORK_PATIENCE", 60.0)  # until the other has got round to letting go
    writing = IndexWriting(app)
    save(app, writing, "one")
    taken = threading.Event()

    def write() -> None:
        with app.writing_index():
            taken.set()
            stranger.begin(0)
            stranger.release()

    other = threading.Thread(target=write)
    other.start()
    assert taken.wait(60)
    save(app, writing, "another text")
    other.join()
    assert [hit.path for hit in app.fulltext.search("another")] == ["memory/_global/a.md"]


def test_a_look_leaves_the_writer_to_others(app: App, stranger: FullText):
    (app.opened.root / "memory/_global/a.md").write_text("more")
    app.look()
    stranger.begin(0)


def test_saves_that_begin_a_merge_wait_for_none(app: App, monkeypatch: pytest.MonkeyPatch):
    """Eight commits of one note begin a merge; only a release waits for it, and none happens between them."""
    released = list[int]()
    let_go = app.fulltext.release
    monkeypatch.setattr(app.fulltext, "release", lambda: (released.append(1), let_go()))
    writing = IndexWriting(app)
    for turn in range(10):
        save(app, writing, f"text {turn}")
    assert released == []
    assert len(app.fulltext.search("text")) == 1


def test_an_index_taken_away_while_the_writer_is_kept_is_made_again(app: App):
    writing = IndexWriting(app)
    save(app, writing, "one")
    shutil.rmtree(app.opened.places.index)
    keeping = IndexKeeping(app, lambda _done, _all: None, lambda _seen: None, nullcontext)
    with pytest.raises((BrokenIndexError, StorageError)) as raised:
        save(app, writing, "two")
    assert keeping.left_of(raised.value) is None
    writing.rest(time.monotonic() + REST)
    assert [hit.path for hit in app.fulltext.search("two")] == ["memory/_global/a.md"]
