"""Bytes become blobs, in the form git's filters give them."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager

from vaultd.errors import StorageError
from vaultd.history.conversions import conversions, decided_by_content
from vaultd.history.loose import write_loose
from vaultd.history.objects import Objects, blob_id
from vaultd.history.packs import written
from vaultd.history.process import Ended, Pending
from vaultd.history.repository import Repository

_FEW = 3


@contextmanager
def stored(repo: Repository, objects: Objects, contents: Mapping[str, bytes]) -> Iterator[dict[str, str]]:
    """Write a blob for each path's work-tree bytes, through that path's filters, and give their names.

    Until the block is left nothing tidies them away.

    Raises:
        StorageError: a filter failed; nothing is ever stored around it.
    """
    plain = _plain(repo, contents)
    with _as_they_are(repo, objects, {path: contents[path] for path in plain}) as names:
        filtered = [path for path in contents if path not in names]
        for start in range(0, len(filtered), _FEW):
            some = filtered[start : start + _FEW]
            names.update(_store_filtered(repo, {path: contents[path] for path in some}))
        yield names


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


@contextmanager
def _as_they_are(repo: Repository, objects: Objects, contents: Mapping[str, bytes]) -> Iterator[dict[str, str]]:
    names = {path: blob_id(data, repo.object_format) for path, data in contents.items()}
    wanted = {names[path]: data for path, data in contents.items()}
    if write_loose(repo, objects, "blob", wanted):
        yield names
        return
    with written(repo, "blob", wanted):
        yield names
