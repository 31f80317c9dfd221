"""Measure vaultd, each figure beside a floor or a peer of the same run; says what is reached, fails never."""

import argparse
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.bench.agent_rows import claims, durable_rows, mcp_start, tool_call
from tests.bench.daemon_rows import idle, judged, query, saved
from tests.bench.ground import Ground, settle
from tests.bench.history_rows import fold, staged, supersede
from tests.bench.measuring import ROUNDS, Figure
from tests.bench.plugin_rows import hostile, plugins
from tests.bench.reading_rows import frontmatter, index, start
from tests.bench.record_rows import records
from tests.bench.rename_rows import rename

ROWS: dict[str, Callable[[Ground], Iterator[Figure]]] = {
    row.__name__: row
    for row in (
        # idle before the other daemons: one that starts within a minute of them catches up with what agents are told
        *(frontmatter, index, start, fold, staged, supersede, rename, idle, query, saved, judged),
        *(plugins, hostile),
        records,
        *(tool_call, mcp_start, claims, durable_rows),
    )
}
_SIZES = (1_000, 10_000)
_HEADINGS = ("operation", "vaultd", "floor or peer", "ratio", "reach", "reached")


def main() -> None:
    """Run the rows asked for, on each size asked for, and print them."""
    asked = _asked()
    names = asked.rows.split(",") if asked.rows else list(ROWS)
    print(machine())
    print(f"wall time / CPU seconds; medians of {ROUNDS} rounds taken in turns; ratio: wall / CPU\n")
    for notes in asked.notes or _SIZES:
        print(f"## {notes:,} notes\n")
        print(line(_HEADINGS))
        print(line(["---"] * len(_HEADINGS)), flush=True)
        measure(names, notes)
        print(flush=True)


def measure(names: Sequence[str], notes: int) -> None:
    """Print the rows of a vault of so many notes."""
    folder = Path(tempfile.mkdtemp(prefix="vaultd-bench-"))
    try:
        settle(folder)
        ground = Ground(folder, notes)
        for name in names:
            for figure in ROWS[name](ground):
                print(row(figure), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def row(figure: Figure) -> str:
    """Return a figure as a line of a Markdown table."""
    reached = "" if figure.reached is None else "yes" if figure.reached else "**no**"
    return line([figure.name, figure.ours, figure.beside, figure.ratio, figure.reach, reached])


def line(cells: Sequence[str]) -> str:
    """Return cells as a line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def machine() -> str:
    """Return what was measured, on what, and when."""
    git = subprocess.run(["git", "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    packages = ", ".join(f"{name} {version(name)}" for name in ("vaultd", "tantivy", "pyyaml"))
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, git {git}, {packages}"
    )


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--notes", type=int, action="append", help=f"size of the vault, may be repeated; {_SIZES}")
    parser.add_argument("--rows", default="", help=f"only these, between commas: {', '.join(ROWS)}")
    asked = parser.parse_args()
    unknown = set(asked.rows.split(",") if asked.rows else ()) - ROWS.keys()
    if unknown:
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    return asked


if __name__ == "__main__":
    main()
