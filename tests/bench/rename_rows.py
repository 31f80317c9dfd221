"""The row about renaming: a note to which a thousand others link."""

import os
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from tests.bench.ground import Ground, git, run
from tests.bench.measuring import Figure, by_wall, in_turns
from vaultd.app import open_app
from vaultd.commands.asking import Asked
from vaultd.commands.notes.rename import rename as rename_notes
from vaultd.lifecycle.ids import new_id

_LINKING = 1_000


def rename(ground: Ground) -> Iterator[Figure]:
    """Rename a note with its backlinks, beside reading those files and writing them to the disk once."""
    ground.clean()
    linking = ground.files()[:_LINKING]
    for file in linking:
        file.write_bytes(file.read_bytes() + b"\nSee [[hub-0]].\n")
    (ground.vault / "hub-0.md").write_text("# Hub\n", "utf-8")
    git(ground.vault, "add", "-A")
    git(ground.vault, "commit", "-qm", "hub")
    run("up", "--once", str(ground.vault))
    numbers = count()
    with closing(open_app(ground.vault)) as app:

        def once() -> None:
            number = next(numbers)
            rename_notes(app.opened, _asked(), [(f"hub-{number}.md", f"hub-{number + 1}")])

        once()
        peer = ground.copy("rename-peer")
        compared = in_turns(once, lambda: _read_and_write([peer / file.relative_to(ground.vault) for file in linking]))
    yield by_wall(f"rename of a note with {len(linking):,} backlinks", "read and write them, fsync:", compared, 3.0)


def _read_and_write(files: list[Path]) -> None:
    for file in files:
        data = file.read_bytes()
        with file.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())


def _asked() -> Asked:
    return Asked("bench", datetime.now(UTC), lambda: new_id(int(time.time() * 1000), os.urandom(10)), at_once=True)
