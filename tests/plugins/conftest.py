"""Plugins run in their real process, on a real vault."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.unit.host.strangers import write_plugin
from vaultd.host.testing import Tried, vault_with

PLUGINS = Path(__file__).parents[2] / "plugins"
Try = Callable[..., Tried]
ALL = {"permissions": ["vault:read", "vault:write:**", "lifecycle", "git", "env:MAIL_TOKEN"]}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What a test opens is closed when it ends."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def _no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a plugin time: what a busy machine holds up is no failure of it, and a restart after one need not wait."""
    for name in (
        "host.hosted.LOAD",
        "plugged.telling.EVENT",
        "plugged.validating.VALIDATE",
        "plugged.indexing.VALIDATE",
    ):
        monkeypatch.setattr(f"vaultd.{name}", 60.0)
    monkeypatch.setattr("vaultd.host.testing.PATIENCE", 240.0)
    monkeypatch.setattr("vaultd.host.crashes.BACK_OFF", (0.0,))
    monkeypatch.setattr("vaultd.commands.resting.REST", 0.0)


@pytest.fixture
def try_code(stack: ExitStack, tmp_path: Path, _no_hurry: None) -> Try:
    """Give a vault in which plugins run whose code the test writes, by id."""

    def tried(notes: Mapping[str, str], **codes: str) -> Tried:
        folders = [write_plugin(tmp_path / "made" / id_, code, **ALL) for id_, code in codes.items()]
        return stack.enter_context(vault_with(folders, tmp_path, notes))

    return tried


@pytest.fixture
def try_shipped(stack: ExitStack, tmp_path: Path, _no_hurry: None) -> Try:
    """Give a vault in which a plugin runs that comes with vaultd."""

    def tried(id_: str, notes: Mapping[str, str], settings: Mapping[str, object] | None = None) -> Tried:
        return stack.enter_context(vault_with(PLUGINS / id_, tmp_path, notes, settings))

    return tried
