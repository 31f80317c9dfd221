"""A repository to fold: memories made, edited and ended over many commits, straight into git without a work tree."""

import random
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.bench.generate import SYLLABLES, Memory, _memories, _memory_text

_A_COMMIT = 10
_FIRST_COMMIT = int(datetime(2026, 7, 1, tzinfo=UTC).timestamp())
_ENDED = 0.2
BRANCH = "refs/heads/main"


def make_history(folder: Path, memories: int, versions: int, seed: int = 1) -> None:
    """Make a repository in which so many memories stand in so many versions altogether, ten files a commit."""
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    source = random.Random(seed)
    everybody = [replace(one, successor=-1, archived=False) for one in _memories(source, memories)]
    feed(folder, [b"".join(_commits(source, everybody, versions))])


def feed(folder: Path, stream: list[bytes]) -> None:
    """Give a stream to `git fast-import`."""
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=b"".join(stream), check=True)


def one_more(number: int, memory: str) -> bytes:
    """Return one more commit on the branch, which writes one memory anew."""
    return _commit(1_000_000 + number, [(memory, f"---\nid: NEW{number}\n---\n\nText {number}\n")], f"{BRANCH}^0")


def _commits(source: random.Random, memories: list[Memory], versions: int) -> Iterator[bytes]:
    yield _commit(0, [(".vaultd/vault-id", "01BENCH\n")])
    edits = [source.randrange(len(memories)) for _ in range(versions - len(memories))]
    last = {number: place for place, number in enumerate(edits)}
    order = [*((number, False) for number in range(len(memories)))]
    order += [(number, last[number] == place and source.random() < _ENDED) for place, number in enumerate(edits)]
    for start in range(0, len(order), _A_COMMIT):
        some = dict(order[start : start + _A_COMMIT])
        files = [(memories[n].path, _version(source, memories[n], start, ended=ended)) for n, ended in some.items()]
        yield _commit(1 + start, files)


def _version(source: random.Random, memory: Memory, number: int, *, ended: bool) -> str:
    body = " ".join(source.choice(SYLLABLES) for _ in range(200)) + f" version {number}"
    return _memory_text(source, [], replace(memory, archived=ended), body)


def _commit(number: int, files: list[tuple[str, str]], parent: str = "") -> bytes:
    lines = [f"commit {BRANCH}", f"committer Bench <bench@example.org> {_FIRST_COMMIT + number} +0000", "data 1", "x"]
    lines += [f"from {parent}"] if parent else []
    written = "\n".join(lines).encode() + b"\n"
    for path, text in files:
        data = text.encode()
        written += f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
    return written
