"""Rows about reading: frontmatter, the index, a start with nothing changed."""

import shutil
from collections.abc import Iterator
from contextlib import closing

from tests.bench import walking
from tests.bench.bare import BareIndex, load_yaml
from tests.bench.ground import Ground, python, run
from tests.bench.measuring import Figure, by_cpu, by_wall, in_turns, to_know
from vaultd.app import open_app
from vaultd.notes.fences import find_block
from vaultd.notes.frontmatter import set_value
from vaultd.notes.note import parse


def frontmatter(ground: Ground) -> Iterator[Figure]:
    """Read every block, and set one key in every note, beside PyYAML's C loader on the same blocks."""
    notes: list[bytes] = []
    blocks: list[str] = []
    for file in ground.files():
        data = file.read_bytes()
        if (at := find_block(data)) is not None:
            notes.append(data)
            blocks.append(data[at.start : at.end].decode())
    beside = f"CSafeLoader, {len(blocks):,} blocks:"
    read = in_turns(lambda: [parse(data) for data in notes], lambda: load_yaml(blocks))
    yield by_cpu("frontmatter: read", beside, read, 1.5)
    wrote = in_turns(lambda: [set_value(data, "rating", 7) for data in notes], lambda: load_yaml(blocks))
    yield by_cpu("frontmatter: set one key", beside, wrote, 2.5)


def index(ground: Ground) -> Iterator[Figure]:
    """Index everything, with no index there, beside bare tantivy over the same files."""
    files = ground.files()
    with closing(open_app(ground.vault)) as app:
        folder = app.opened.places.index
    compared = in_turns(
        lambda: look(ground),
        lambda: BareIndex(ground.folder / "floor").fill(files),
        before_ours=lambda: shutil.rmtree(folder, ignore_errors=True),
    )
    yield by_cpu(f"full index of {len(files):,} notes, rules and history", "bare tantivy:", compared, 3.0)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    text = sum(file.stat().st_size for file in files)
    beside, share = f"the text {text / 1e6:.1f} MB", size / text
    yield Figure("index on disk", f"{size / 1e6:.1f} MB", beside, f"{share:.2f}", "≤ 1.5 ×", share <= 1.5)


def start(ground: Ground) -> Iterator[Figure]:
    """Look at a vault in which nothing changed, beside a walk that only asks for stamps."""
    root = str(ground.vault)
    ground.clean()
    compared = in_turns(lambda: run("up", "--once", root), lambda: python(walking.__file__, root))
    yield by_wall("start, nothing changed: vaultd up --once", "interpreter + stat walk:", compared, 3.0)
    fresh = in_turns(lambda: look(ground), lambda: walking.walk(root))
    yield to_know("open and look, nothing changed, imports done", "stat walk:", fresh)
    with closing(open_app(ground.vault)) as app:
        app.look()
        again = in_turns(app.look, lambda: walking.walk(root))
    yield to_know("look again, nothing changed, same process", "stat walk:", again)


def look(ground: Ground) -> None:
    """Open the vault, look at it once, and close it."""
    with closing(open_app(ground.vault)) as app:
        app.look()
