"""Hostile plugins two at a time, beside one that is not: the vault answers, nothing is damaged, and each is named."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.daemons import until
from tests.unit.host.strangers import HOSTILE, write_plugin
from vaultd.host.crashes import Quarantine
from vaultd.host.enabling import Wanted, save_wanted
from vaultd.host.hosted import Hosted
from vaultd.host.protocol import Message
from vaultd.host.testing import Tried, git, vault_with
from vaultd.search.query import Question

GOOD = """
class P(Plugin):
    async def onload(self):
        self.heard = []
        self.app.vault.on("modify", self.hear)
        self.add_command("heard", "Heard", lambda: [{"text": text} for text in self.heard])
    async def hear(self, file):
        if file.path == "calm.md":
            self.heard.append(await self.app.vault.read(file))
"""
NAMES = sorted(HOSTILE)
UNSEEN = {"storm"}
"""What does no more than it may."""
PAIRS = [(one, NAMES[(n + 7) % len(NAMES)]) for n, one in enumerate(NAMES)]
"""Each is with two others; with all of them at once it is in the scenarios."""
STUCK = ("spins", "computes", "hangs", "asks")
"""What goes on with an event for as long as it may."""
HURRY = 0.3
"""Seconds that a hostile plugin has for an event."""
LONG = 180.0
"""Seconds that nobody waits for unless something is wrong."""
ROUNDS = 3
_UNDER_WAY: list[tuple[str, str]] = []
"""The calls that plugins are at: by id, what they were called for."""


def _without_hurry(call: Callable[..., object]) -> Callable[..., object]:
    """Let what is done for the one that is not hostile take its time, for a machine may be busy with the others."""

    def patient(plugin: Hosted, name: str, args: Message, seconds: float, depth: int = 0) -> object:
        _UNDER_WAY.append((plugin.id, name))
        try:
            return call(plugin, name, args, LONG if plugin.id == "good" else seconds, depth)
        finally:
            _UNDER_WAY.remove((plugin.id, name))

    return patient


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    """Give one vault, in which every hostile plugin lies approved and none is enabled."""
    folder = tmp_path_factory.mktemp("pairs")
    everything = ["vault:read", "vault:write:**", "lifecycle", "git"]
    codes = {**HOSTILE, "good": GOOD}
    made = [write_plugin(folder / "made" / id_, code, permissions=everything) for id_, code in codes.items()]
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setattr("vaultd.plugged.telling.EVENT", HURRY)
        patch.setattr("vaultd.host.hosted.LOAD", LONG)
        patch.setattr("vaultd.host.testing.PATIENCE", 2 * LONG)
        patch.setattr(Hosted, "call", _without_hurry(Hosted.call))
        patch.setattr("vaultd.host.crashes.BACK_OFF", (0.0,))
        patch.setattr("vaultd.host.testing.Wanted.enable", lambda wanted, *_: wanted)
        yield stack.enter_context(vault_with(made, folder, {"calm.md": "frost 0\n", "b.md": "begin\n"}))


def want(shared: Tried, *ids: str) -> None:
    for id_ in ids:
        Quarantine(shared._app.opened.places.state).clear(id_)
    save_wanted(shared.root, Wanted(tuple(sorted(ids))))
    shared._company.look(again=True)


def told(shared: Tried) -> None:
    """Tell the plugins what was saved; the vault answers meanwhile."""
    seen = shared._app.look()
    caught = shared._app.catching
    shared._company.caught(caught.changed if caught else (), caught.removed if caught else ())
    shared._company.judged(seen)
    for _ in range(10):
        answers(shared)


def answers(shared: Tried) -> None:
    shared._company.status()
    assert shared._app.search(Question("frost")).hits[0].path == "calm.md"


def last_heard(shared: Tried) -> object:
    heard = shared.act("good:heard")
    assert isinstance(heard, list)
    return heard[-1:]


@pytest.mark.parametrize("one", STUCK)
def test_nobody_waits_for_one_that_does_not_come_back(shared: Tried, monkeypatch: pytest.MonkeyPatch, one: str) -> None:
    """It is still at its first event when all others have their answers: they cannot have waited for it."""
    monkeypatch.setattr("vaultd.plugged.telling.EVENT", LONG)
    want(shared, "good", one)
    shared.settle()
    shared.write("calm.md", f"frost beside {one}\n")
    told(shared)
    until(lambda: (one, "event") in _UNDER_WAY)
    for _ in range(10):
        answers(shared)
    until(lambda: last_heard(shared) == [{"text": shared.read("calm.md")}])
    assert shared.states()["good"] == "enabled"
    assert (one, "event") in _UNDER_WAY
    want(shared)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_hostile_plugins_harm_nobody_and_are_named(shared: Tried, one: str, other: str) -> None:
    want(shared, "good", one, other)
    shared.settle()
    for n in range(10 * ROUNDS):
        shared.write("calm.md", f"frost {n} {one} {other}\n")
        shared.write("b.md", f"edit {n}\n")
        told(shared)
        if n + 1 < ROUNDS:
            continue
        shared.settle()
        states = shared.states()
        if "enabled" not in {states[id_] for id_ in {one, other} - UNSEEN}:
            break  # else saves came faster than they were told, and were told as one
    assert last_heard(shared) == [{"text": shared.read("calm.md")}]
    assert states["good"] == "enabled"
    assert [id_ for id_ in {one, other} - UNSEEN if states[id_] == "enabled"] == []
    assert shared.read("b.md").splitlines()[0] == f"edit {n}"
    want(shared)


def test_after_all_of_them_the_vault_is_whole(shared: Tried) -> None:
    assert git(shared.root, "fsck", "--no-dangling") == ""
    assert {file.name for file in Path(shared.root).iterdir()} == {
        ".git",
        ".gitattributes",
        ".vaultd",
        "b.md",
        "calm.md",
    }
