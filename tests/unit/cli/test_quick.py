"""The quick lane says what the full one says, and imports next to nothing for it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemons import daemon_on
from tests.vaults import Vault, with_memories
from vaultd.cli import asking, checking, quick, running
from vaultd.cli.forms import asked_of
from vaultd.cli.outcome import Outcome
from vaultd.cli.parser import parse
from vaultd.cli.quick import answered
from vaultd.errors import BrokenIndexError, ConflictError, NoteFormatError

VERBS = {"search": asking.search, "check": checking.check, "status": running.status}
SLOW = {"argparse", "contextlib", "dataclasses", "gettext", "hashlib", "inspect", "pathlib", "socket", "subprocess"}


@pytest.fixture
def watched(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    """A vault with two memories, one of them broken and staged, and its daemon, and the shell in it."""
    with_memories(vault, "a", "b")
    vault.stamp("a", at="nonsense")
    vault.git("add", "-A")
    monkeypatch.chdir(vault.root)
    with daemon_on(vault):
        yield vault


@pytest.mark.parametrize("line", ["search a", "search nothing-like-it", "check", "check --strict", "status"])
def test_both_lanes_print_the_same(watched: Vault, line: str):
    asked = asked_of(line.split())
    assert asked is not None
    quick = answered(asked)
    assert quick is not None
    words = parse(line.split())
    full = VERBS[words.verb](words)
    assert printed(quick) == printed(full)


def printed(outcome: Outcome) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
    """Return all that is seen of an outcome."""
    return outcome.lines, outcome.code, outcome.talk


@pytest.mark.parametrize("line", ["search a", "check", "check --staged", "status"])
def test_without_a_daemon_the_quick_lane_leaves_the_answer_to_the_full_one(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, line: str
):
    monkeypatch.chdir(vault.root)
    asked = asked_of(line.split())
    assert asked is not None
    assert answered(asked) is None


def test_what_is_not_there_is_refused_though_a_daemon_answers(watched: Vault):
    assert watched.run("check", "memory/_global/a.md").codes == ["V106"]
    for line in ("check nofile.md", "check /etc", "-C nowhere check", "-C nowhere status", "-C nowhere search a"):
        assert watched.run(*line.split()).code == 2


@pytest.mark.parametrize("line", ["check --head", "check --history", "check --staged --strict"])
def test_what_git_holds_is_not_asked_of_the_daemon(watched: Vault, line: str):
    asked = asked_of(line.split())
    assert asked is not None
    assert answered(asked) is None


@pytest.mark.parametrize(
    ("module", "needed"),
    [("vaultd.cli.main", set()), ("vaultd.cli.serving", {"contextlib", "socket"})],
    ids=["verbs", "mcp"],
)
def test_the_quick_lane_imports_nothing_slow(module: str, needed: set[str]):
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        check=True,
        text=True,
    )
    loaded = set(ran.stdout.split())
    assert "vaultd.cli.quick" in loaded
    assert not loaded & (SLOW - needed)


def test_an_error_that_a_daemon_answers_with_keeps_its_exit_code(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    for kind in (BrokenIndexError, NoteFormatError, ConflictError):
        said = {"error": kind.__name__, "message": "no", "hint": "do"}
        monkeypatch.setattr(quick, "ask", lambda *_asked, said=said: said)
        assert vault.run("rebuild").code == kind.exit_code


def test_a_daemon_whose_index_is_broken_is_not_needed_for_an_answer(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    vault.write("a.md", "word\n")
    broken = {"error": "BrokenIndexError", "message": "the full text is gone", "hint": "vaultd rebuild"}
    monkeypatch.setattr(quick, "ask", lambda *_asked: broken)
    document = vault.does("search", "word", "--json").json
    assert [hit["path"] for hit in document["hits"]] == ["a.md"]
    assert document["notices"][0].startswith("the full text is gone: this was answered from an index")
    monkeypatch.setattr(quick, "ask", lambda *_asked: None)
    assert vault.does("search", "word", "--json").json["notices"] == []
