"""What a file is beside its bytes: mode, owner, extended attributes. A file that is written or renamed keeps them."""

import base64
import binascii
import contextlib
import errno
import os
from pathlib import Path

from vaultd.errors import StorageError
from vaultd.values import dataclass
from vaultd.vault.reading import contained, open_regular


@dataclass(frozen=True, slots=True)
class Look:
    """The mode, owner and extended attributes of a file."""

    mode: int
    uid: int
    gid: int
    attributes: tuple[tuple[str, bytes], ...] = ()


def look_of(fd: int) -> Look:
    """Return the look of an open file."""
    status = os.fstat(fd)
    return Look(status.st_mode & 0o7777, status.st_uid, status.st_gid, tuple(_attributes(fd)))


def look_at(root: Path, path: str) -> Look | None:
    """Return the look of a note, None where it cannot be seen."""
    try:
        fd = open_regular(contained(root, path), path)
    except (OSError, StorageError):
        return None
    try:
        return look_of(fd)
    finally:
        os.close(fd)


def wear(fd: int, look: Look) -> None:
    """Give an open file a look, as far as the system lets us.

    Raises:
        OSError: an attribute that is ours to set cannot be set.
    """
    own = os.fstat(fd)
    if (look.uid, look.gid) != (own.st_uid, own.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, look.uid, look.gid)
    os.fchmod(fd, look.mode)
    for name, value in look.attributes:
        try:
            os.setxattr(fd, name, value)
        except OSError as exc:
            # labels of the security and trusted families are the system's to set on the new file
            if not (isinstance(exc, PermissionError) and not name.startswith(("user.", "system."))):
                raise


def as_row(look: Look) -> list[object]:
    """Return a look as JSON holds it."""
    shown = [[name, base64.b64encode(value).decode()] for name, value in look.attributes]
    return [look.mode, look.uid, look.gid, shown]


def of_row(row: object) -> Look:
    """Return the look that a JSON row holds.

    Raises:
        ValueError: it holds none.
    """
    match row:
        case [int(mode), int(uid), int(gid), list(shown)]:
            try:
                pairs = tuple((str(name), base64.b64decode(value, validate=True)) for name, value in shown)
            except (TypeError, binascii.Error) as exc:
                raise ValueError(row) from exc
            return Look(mode, uid, gid, pairs)
        case _:
            raise ValueError(row)


def _attributes(fd: int) -> list[tuple[str, bytes]]:
    if not hasattr(os, "listxattr"):
        return []
    try:
        return [(name, os.getxattr(fd, name)) for name in os.listxattr(fd)]
    except OSError as exc:
        if exc.errno in {errno.ENOTSUP, errno.EOPNOTSUPP}:
            return []
        raise
