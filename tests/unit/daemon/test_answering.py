"""Questions are answered beside the loop: it may be at work, the index may be thrown away or break meanwhile."""

import shutil
import threading
from collections.abc import Iterator

import pytest

from tests.vaults import Vault
from vaultd.answers import search
from vaultd.app import App, open_app
from vaultd.daemon.answering import Answering
from vaultd.documents import Document
from vaultd.errors import BrokenIndexError, ConflictError, VaultdError
from vaultd.search.query import Question

PATIENCE = 60.0


class Kept:
    """A vault as a loop has it open, and what it was asked to mend."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.asked: list[VaultdError | None] = []
        self.answering = Answering(app, self.mend)

    def mend(self, exc: VaultdError | None) -> bool:
        self.asked.append(exc)
        with self.answering.paused():
            self.app.renew() if self.app.index_is_gone() else self.app.rebuild()
        return True

    def paths(self, words: str) -> list[str]:
        hits = self.answering.ask(lambda app: search(app, Question(words)))["hits"]
        assert isinstance(hits, list)
        return [hit["path"] for hit in hits]


@pytest.fixture
def kept(vault: Vault) -> Iterator[Kept]:
    vault.write("a.md", "first words\n")
    app = open_app(vault.root)
    app.opened.claim()
    app.look()
    found = Kept(app)
    yield found
    found.answering.end()
    app.close()


@pytest.fixture
def begun(kept: Kept) -> Kept:
    kept.answering.begin()
    return kept


def test_what_the_loop_indexed_is_found_at_once(begun: Kept, vault: Vault):
    assert begun.paths("first") == ["a.md"]
    vault.write("b.md", "other words\n")
    begun.app.look()
    assert begun.paths("other") == ["b.md"]


def test_nobody_waits_for_a_loop_in_the_middle_of_writing(begun: Kept):
    assert begun.paths("first") == ["a.md"]
    with begun.app.opened.mirror.writing() as sql:
        sql.execute("DELETE FROM files")
        answered: list[list[str]] = []
        asking = threading.Thread(target=lambda: answered.append(begun.paths("first")))
        asking.start()
        asking.join(PATIENCE)
        assert answered == [["a.md"]]
        sql.execute("INSERT INTO files SELECT 'a.md', 1, 1, 1, 1, 'k', ''")


def test_a_question_before_the_first_look_waits_for_it(kept: Kept):
    answered: list[list[str]] = []
    asking = threading.Thread(target=lambda: answered.append(kept.paths("first")))
    asking.start()
    asking.join(0.2)
    assert answered == []
    kept.answering.begin()
    asking.join(PATIENCE)
    assert answered == [["a.md"]]


def test_a_daemon_that_ends_before_it_has_looked_lets_its_callers_go(kept: Kept):
    kept.answering.end()
    with pytest.raises(ConflictError):
        kept.paths("first")


def test_an_index_that_is_gone_is_made_again_before_the_answer(begun: Kept):
    assert begun.paths("first") == ["a.md"]
    shutil.rmtree(begun.app.opened.places.index)
    assert begun.paths("first") == ["a.md"]
    assert begun.asked == [None]


def test_an_index_that_vanishes_while_it_is_asked_answers_the_second_time(begun: Kept):
    asked: list[int] = []

    def answer(app: App) -> Document:
        if not asked:
            shutil.rmtree(app.opened.places.index)
        asked.append(1)
        return {"found": len(app.search(Question("first")).hits)}

    assert begun.answering.ask(answer) == {"found": 1}
    assert len(asked) == 2


def test_an_index_that_breaks_under_a_question_is_made_again_once(begun: Kept):
    times: list[App] = []

    def answer(app: App) -> Document:
        times.append(app)
        if len(times) == 1:
            raise BrokenIndexError("it broke")
        return {"answered": True}

    assert begun.answering.ask(answer) == {"answered": True}
    assert [str(exc) for exc in begun.asked] == ["it broke"]
    assert times[0] is not times[1], "the second answer reads the index that was made"


def test_an_index_that_others_exchanged_is_opened_anew(begun: Kept):
    assert begun.paths("first") == ["a.md"]
    begun.app.rebuild()
    assert begun.paths("first") == ["a.md"]
    assert begun.asked == []
