"""Bytes become blobs, in the form git's filters give them."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.history.conversions import conversions
from vaultd.history.process import encoded
from vaultd.history.repository import Repository

_FEW = 3


def store(repo: Repository, contents: Mapping[str, bytes]) -> dict[str, str]:
    """Write a blob for each path's work-tree bytes, through that path's filters, and return their names.

    Raises:
        StorageError: a filter failed; nothing is ever stored around it.
    """
    plain = _plain(repo, contents) if len(contents) > _FEW else []
    stored = dict(zip(plain, _store_as_they_are(repo, [contents[path] for path in plain]), strict=True))
    for path, data in contents.items():
        if path not in stored:
            stored[path] = _store_filtered(repo, path, data)
    return stored


def _plain(repo: Repository, contents: Mapping[str, bytes]) -> list[str]:
    """Return the paths whose bytes no filter would change."""
    found = conversions(repo, list(contents))
    return [
        path
        for path, data in contents.items()
        if found[path] == "none" or (found[path] == "lines" and b"\r" not in data)
    ]


def _store_filtered(repo: Repository, path: str, data: bytes) -> str:
    ended = repo.git.attempt("hash-object", "-w", "--stdin", f"--path={repo.full(path)}", stdin=data)
    if ended.code != 0:
        raise StorageError(f"{path}: {ended.err}")
    return ended.out.decode().strip()


def _store_as_they_are(repo: Repository, contents: Sequence[bytes]) -> list[str]:
    if not contents:
        return []
    # One process for all of them: it reads files, so files it gets.
    with tempfile.TemporaryDirectory(prefix="vaultd-blobs-") as folder:
        files = [Path(folder) / str(number) for number in range(len(contents))]
        for file, data in zip(files, contents, strict=True):
            file.write_bytes(data)
        request = b"".join(encoded(os.fspath(file)) + b"\n" for file in files)
        return repo.git.text("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=request).split("\n")
