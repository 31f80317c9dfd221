"""Bytes become blobs, in the form git's filters give them."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.history.conversions import conversions, decided_by_content
from vaultd.history.loose import write_loose
from vaultd.history.objects import Objects, blob_id
from vaultd.history.process import Ended, Pending
from vaultd.history.repository import Repository
from vaultd.history.spelling import encoded

_FEW = 3


def store(repo: Repository, objects: Objects, contents: Mapping[str, bytes]) -> dict[str, str]:
    """Write a blob for each path's work-tree bytes, through that path's filters, and return their names.

    Raises:
        StorageError: a filter failed; nothing is ever stored around it.
    """
    plain = _plain(repo, contents)
    stored = _store_as_they_are(repo, objects, {path: contents[path] for path in plain})
    filtered = [path for path in contents if path not in stored]
    for start in range(0, len(filtered), _FEW):
        some = filtered[start : start + _FEW]
        stored.update(_store_filtered(repo, {path: contents[path] for path in some}))
    return stored


def _plain(repo: Repository, contents: Mapping[str, bytes]) -> list[str]:
    """Return the paths whose bytes no filter would change."""
    found = conversions(repo, list(contents))
    kept = _keeping_line_ends(repo, contents)
    return [
        path
        for path, data in contents.items()
        if path in kept or found[path] == "none" or (found[path] == "lines" and b"\r" not in data)
    ]


def _keeping_line_ends(repo: Repository, contents: Mapping[str, bytes]) -> list[str]:
    """Return the paths whose CRLF `git add` would keep, because CRLF is what the index has: hash-object never looks."""
    carrying = [path for path, data in contents.items() if b"\r\n" in data]
    guessed = decided_by_content(repo, carrying)
    return [path for path in carrying if path in guessed and b"\r\n" in _in_index(repo, path)]


def _in_index(repo: Repository, path: str) -> bytes:
    ended = repo.git.attempt("cat-file", "blob", f":{repo.full(path)}")
    return ended.out if ended.code == 0 else b""


def _store_filtered(repo: Repository, contents: Mapping[str, bytes]) -> dict[str, str]:
    with ExitStack() as stack:
        begun = {path: stack.enter_context(_filtering(repo, path, data)) for path, data in contents.items()}
        return {path: _stored(path, pending.ended()) for path, pending in begun.items()}


def _filtering(repo: Repository, path: str, data: bytes) -> AbstractContextManager[Pending]:
    return repo.git.begun("hash-object", "-w", "--stdin", f"--path={repo.full(path)}", stdin=data)


def _stored(path: str, ended: Ended) -> str:
    if ended.code != 0:
        raise StorageError(f"{path}: {ended.err}")
    return ended.out.decode().strip()


def _store_as_they_are(repo: Repository, objects: Objects, contents: Mapping[str, bytes]) -> dict[str, str]:
    if not contents:
        return {}
    names = {path: blob_id(data, repo.object_format) for path, data in contents.items()}
    if write_loose(repo, objects, "blob", {names[path]: data for path, data in contents.items()}):
        return names
    # One process for all of them: it reads files, so files it gets.
    place = repo.git_dir / "vaultd"
    place.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="blobs-", dir=place) as folder:
        files = [Path(folder) / str(number) for number in range(len(contents))]
        for file, data in zip(files, contents.values(), strict=True):
            file.write_bytes(data)
        request = b"".join(encoded(os.fspath(file)) + b"\n" for file in files)
        found = repo.git.text("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=request).split("\n")
    return dict(zip(contents, found, strict=True))
