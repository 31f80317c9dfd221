"""The example that ends the help of a verb that changes notes is a command line that works."""

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vaults import Vault, with_memories
from vaultd.cli.parser import build

NEEDS = {"adopt", "revert"}
"""Verbs whose example needs a hand edit first."""


def examples(parser: argparse.ArgumentParser | None = None) -> Iterator[str]:
    """Give the examples of the verbs that write and change."""
    parser = parser or build()
    if str(parser.get_default("run")).startswith(("writing:", "changing:")):
        yield str(parser.epilog).partition("Example: vaultd ")[2]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                yield from examples(verb)


@pytest.fixture
def garden(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault that holds what the examples speak of."""
    vault.write("daily/2026-11-30.md", "Called Ilse.\n")
    vault.write("Tasks.md", "---\nstatus: new\n---\n")
    old = Path.home() / "old-notes"
    old.mkdir()
    (old / "Frost.md").write_text("Until May.\n")
    with_memories(vault, "radio/decoder", "decoder-v2")
    vault.edit("radio/decoder", "The text of decoder.", "It drifts by 3 s a day.")
    vault.commit()
    return vault


@pytest.mark.parametrize("example", [one for one in examples() if one.split()[0] not in NEEDS])
def test_an_example_works(garden: Vault, example: str) -> None:
    if "tasks toggle" in example:
        garden.write("Tasks.md", "# Tasks\n\n- [ ] Water the beans\n")
        garden.commit()
    if example.startswith(("undo", "memory restore")):
        garden.does("memory", "archive", "radio/decoder")
    words = shlex.split(example)
    ran = garden.run(*[str(Path(word).expanduser()) if word.startswith("~/") else word for word in words])
    assert ran.code == 0, ran
    assert "nothing to do" not in ran.out
