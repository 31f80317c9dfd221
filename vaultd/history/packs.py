"""Many objects written by one process of git, which takes them as it takes a fetch: a few loose, many as one pack."""

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from vaultd.history.loose import FASTEST, wants_defaults
from vaultd.history.repository import Repository

MANY = 100
"""From so many on they stay in a pack, as git itself keeps those of a fetch."""
_KINDS = {"tree": 2, "blob": 3}
_VERSION = 2
_SAYS = "vaultd"
_FORGOTTEN = 86_400.0
"""Seconds after which nobody is at work any more on the commit for which a pack is kept."""
_TOO_MANY = 50
"""Packs above which git would gather them, by its own default."""


def write_unpacked(repo: Repository, kind: str, contents: Mapping[str, bytes]) -> None:
    """Write objects of a kind, each on its own; the names are theirs already.

    Raises:
        StorageError: git refused.
    """
    if contents:
        repo.git.run("unpack-objects", "-q", stdin=_packed(repo, kind, contents))


@contextmanager
def written(repo: Repository, kind: str, contents: Mapping[str, bytes]) -> Iterator[None]:
    """Have objects of a kind in the repository, and safe from any tidying up as long as the block lasts.

    Raises:
        StorageError: git refused.
    """
    if len(contents) < MANY or not wants_defaults(repo):
        write_unpacked(repo, kind, contents)
        yield
        return
    said = repo.git.text("index-pack", "--stdin", "--threads=1", f"--keep={_SAYS}", stdin=_packed(repo, kind, contents))
    word, _, name = said.partition("\t")
    try:
        yield
    finally:
        # `pack` where the same objects were packed before: then somebody else decides how long they are kept
        if word == "keep":
            (_folder(repo) / f"pack-{name}.keep").unlink(missing_ok=True)


def sweep_kept(repo: Repository, now: float) -> None:
    """Let go of packs that killed commits kept."""
    for keep in _folder(repo).glob("pack-*.keep"):
        with suppress(OSError):
            if now - keep.stat().st_mtime > _FORGOTTEN and keep.read_text("utf-8", "replace").strip() == _SAYS:
                keep.unlink()


def too_many(repo: Repository) -> bool:
    """Tell whether there are more packs than git lets gather by itself."""
    return sum(1 for _ in _folder(repo).glob("*.pack")) > _TOO_MANY


def _folder(repo: Repository) -> Path:
    return repo.common_dir / "objects" / "pack"


def _packed(repo: Repository, kind: str, contents: Mapping[str, bytes]) -> bytes:
    """Return a pack: a head, each object with its kind and size before its compressed bytes, and the hash of all that."""
    import hashlib  # noqa: PLC0415 -- slow to load, and most commits write a few objects only

    head = b"PACK" + _VERSION.to_bytes(4, "big") + len(contents).to_bytes(4, "big")
    parts = [head]
    for data in contents.values():
        parts += (_announced(_KINDS[kind], len(data)), zlib.compress(data, FASTEST))
    raw = b"".join(parts)
    return raw + hashlib.new(repo.object_format, raw, usedforsecurity=False).digest()


def _announced(kind: int, size: int) -> bytes:
    """Return kind and size as packs say them: the lowest four bits beside the kind, then seven in each byte."""
    low, rest = size & 0b1111, size >> 4
    said = bytearray()
    byte = kind << 4 | low
    while rest:
        said.append(byte | 0x80)
        byte, rest = rest & 0x7F, rest >> 7
    said.append(byte)
    return bytes(said)
