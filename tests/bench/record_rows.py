"""Rows about records: ten collections that a person's programs wrote, and what it costs to write and read one more."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.bench.bare import BareIndex
from tests.bench.ground import CONFIG, Ground, git, run
from tests.bench.measuring import Compared, Figure, in_turns, to_know
from vaultd.lifecycle.records.envelope import record_line, record_text
from vaultd.lifecycle.records.places import event_path, lines_path
from vaultd.lifecycle.records.values import Record, Stamps

COLLECTIONS = 10
_BATCH = 500
_TURNS = 5
"""Tens of records that one entity has in one collection."""
_ROUNDS = 3
_WORDS = ("harbour", "ladder", "meadow", "copper", "violin", "granite", "saffron", "lantern", "orchard", "compass")
_MADE = "2026-01-01T00:00:00Z"
_LATER = "2026-02-01T00:00:00Z"
_ENTITY = "entity-0"


def records(ground: Ground) -> Iterator[Figure]:
    """Write a batch, read a document, a history and a search, and rebuild, among so many records."""
    root = ground.folder / "records"
    _fill(root, ground.notes)
    peer = ground.folder / "records-peer"
    shutil.copytree(root, peer)
    run("init", str(root), "--yes")
    (root / ".vaultd" / "config.toml").write_text(CONFIG)
    git(root, "commit", "-qam", "settings")
    run("up", "--once", str(root))
    many = f"{ground.notes:,} records"
    yield to_know(f"{_BATCH} records more, one batch, {many}", "as many files + git commit:", _batches(root, peer))
    one = _one(root, peer)
    yield to_know("record set, as a process", "git commit --only:", one)
    for words in (("document", _ENTITY), ("history", "collection_0", _ENTITY, "key-0")):
        mine = [
            file for number in range(COLLECTIONS) for file in (peer / _folder(number, 0)).rglob("*") if file.is_file()
        ]
        asked = in_turns(partial(run, *words, "-C", str(root)), partial(_read, mine), rounds=_ROUNDS)
        yield to_know(f"{words[0]} of one entity, as a process", f"{len(mine)} files read:", asked)
    yield from _searched(root, peer, ground.folder)


def _searched(root: Path, peer: Path, folder: Path) -> Iterator[Figure]:
    files = sorted(file for file in (peer / "records").rglob("*") if file.is_file())
    floor = BareIndex(folder / "bare-records")
    look = partial(run, "up", "--once", str(root))
    look()
    filled = in_turns(partial(run, "rebuild", "-C", str(root)), lambda: floor.fill(files), rounds=1)
    words = ("search", "--collection", "collection_3", "lantern", "saffron", "-C", str(root))
    asked = in_turns(partial(run, *words), lambda: floor.ask("lantern saffron"), rounds=_ROUNDS)
    yield to_know("search in one collection, as a process", "bare tantivy, open:", asked)
    yield to_know(f"rebuild, {len(files):,} files", "bare tantivy:", filled)
    seen = in_turns(look, partial(git, peer, "status"), rounds=_ROUNDS)
    yield to_know("look, nothing changed, as a process", "git status:", seen)


def _fill(root: Path, many: int) -> None:
    """Write records as the commands do: of ten, six are answers with one predecessor in two, two files, two lines."""
    lines: dict[str, bytearray] = {}
    for number in range(many):
        path, data = _made(number)
        if path.endswith(".jsonl"):
            lines.setdefault(path, bytearray()).extend(data)
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
    for path, text in lines.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "records")


def _made(number: int) -> tuple[str, bytes]:
    """Return the file of a record of this number, and its bytes; of a line only the line."""
    kind, turn = number % 10, number // 10
    collection, entity = turn % COLLECTIONS, turn // COLLECTIONS // _TURNS
    folder = _folder(collection, entity)
    record = Record(
        id=f"01KBENCH{number:018d}",
        collection=f"collection_{collection}",
        version=1,
        entity=f"entity-{entity}",
        type="fact",
        created=_LATER,
        text=" ".join(_WORDS[(number * step + number // 7) % 10] for step in (1, 3, 7)) + f" {number}",
    )
    if kind >= 8:
        return lines_path(folder, record), record_line(record)
    if kind >= 6:
        return event_path(folder, record), record_text(record)
    key = f"key-{turn // COLLECTIONS % _TURNS * 3 + kind // 2}"
    if kind % 2:
        return f"{folder}/{key}.md", record_text(replace(record, key=key, supersedes=(_before(record),)))
    over = replace(record, key=key, created=_MADE, stamps=Stamps(_LATER, f"01KBENCH{number + 1:018d}"))
    return f"{folder}/_history/{key}/{record.id}.md", record_text(over)


def _before(record: Record) -> str:
    return f"01KBENCH{int(record.id[8:]) - 1:018d}"


def _folder(collection: int, entity: int) -> str:
    return f"records/collection_{collection}/entity-{entity}"


def _batches(root: Path, peer: Path) -> Compared:
    """Write batches of answers, half of them over one that is there, beside files and a commit of them."""
    counts = iter(range(1_000))
    plain = iter(range(1_000))

    def ours() -> None:
        number = next(counts)
        text = "".join(json.dumps(_request(number, place)) + "\n" for place in range(_BATCH))
        file = root.parent / f"batch-{number}.jsonl"
        file.write_text(text, "utf-8")
        run("record", "apply", str(file), "--now", "-C", str(root))

    def floor() -> None:
        number = next(plain)
        paths = [f"{_folder(place % COLLECTIONS, place)}/more-{number}-{place}.md" for place in range(_BATCH)]
        for path in paths:
            (peer / path).parent.mkdir(parents=True, exist_ok=True)
            (peer / path).write_text(f"{number} {path}\n")
        _committed(peer, paths)

    return in_turns(ours, floor, rounds=_ROUNDS)


def _committed(root: Path, paths: Sequence[str]) -> None:
    names = "\0".join(paths).encode()
    for words in (("add",), ("commit", "-q", "-m", "records", "--only")):
        command = ("git", *words, "--pathspec-from-file=-", "--pathspec-file-nul")
        subprocess.run(command, cwd=root, check=True, input=names, stdout=subprocess.DEVNULL)


def _request(number: int, place: int) -> dict[str, str]:
    key = f"key-{place // 10 % 10}" if place % 2 else f"more-{number}-{place}"
    collection, text = f"collection_{place % COLLECTIONS}", f"batch {number} {place}"
    return {"op": "set", "collection": collection, "entity": f"entity-{place // 100}", "key": key, "text": text}


def _one(root: Path, peer: Path) -> Compared:
    counts, plain = iter(range(1_000)), iter(range(1_000))
    slot = ("collection_0", "--entity", _ENTITY, "--key", "key-0")

    def floor() -> None:
        path = f"{_folder(0, 0)}/key-0.md"
        (peer / path).write_text(f"{next(plain)}\n")
        _committed(peer, [path])

    return in_turns(
        lambda: run("record", "set", *slot, "--body", f"again {next(counts)}", "--now", "-C", str(root)),
        floor,
        rounds=_ROUNDS,
    )


def _read(files: Sequence[Path]) -> None:
    for file in files:
        file.read_bytes()
