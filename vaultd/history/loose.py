"""A few objects written as git itself writes them: compressed, under their name, read-only. It saves a process.

Where a repository asks for more than git's defaults, and where an object is there already, git writes: it knows how to keep
an old one from being pruned.
"""

import os
import zlib
from collections.abc import Mapping
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.history.configured import configured
from vaultd.history.objects import Objects
from vaultd.history.repository import Repository

FEW = 16
"""Above so many, one process of git costs less."""
_MORE_THAN_DEFAULTS = frozenset(
    {
        *("core.sharedrepository", "core.fsync", "core.fsyncobjectfiles", "core.fsyncmethod"),
        *("core.compression", "core.loosecompression"),
        # the first wants every object under two names; where the second is set, looking for one asks the network
        *("extensions.compatobjectformat", "extensions.partialclone"),
    }
)
_ELSEWHERE = ("GIT_OBJECT_DIRECTORY", "GIT_QUARANTINE_PATH")
FASTEST = 1


def write_loose(repo: Repository, objects: Objects, kind: str, contents: Mapping[str, bytes]) -> bool:
    """Write objects of a kind, by the names they must have; False where git has to, and nothing is written.

    Raises:
        StorageError: the disk refused.
    """
    if len(contents) > FEW or not wants_defaults(repo):
        return False
    if any(objects.read(oid) is not None for oid in contents):
        return False
    try:
        for oid, data in contents.items():
            _write(repo.common_dir / "objects", oid, b"%s %d\0" % (kind.encode(), len(data)) + data)
    except OSError as exc:
        raise StorageError(f"{repo.common_dir / 'objects'}: {exc.strerror}") from exc
    return True


def wants_defaults(repo: Repository) -> bool:
    """Tell whether objects lie where git puts them and as it writes them where nobody asks for anything else."""
    return not any(name in os.environ for name in _ELSEWHERE) and _MORE_THAN_DEFAULTS.isdisjoint(configured(repo))


def _write(folder: Path, oid: str, raw: bytes) -> None:
    place = folder / oid[:2]
    place.mkdir(exist_ok=True)
    # the name by which git knows what a killed writer left, and clears it away
    draft = place / f"tmp_obj_{os.urandom(8).hex()}"
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(zlib.compress(raw, FASTEST))
            os.fchmod(file.fileno(), 0o444)
        draft.replace(place / oid[2:])
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
