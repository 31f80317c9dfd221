"""Two renames that the standard library lacks: swap two names, and move without replacing."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

_AT_FDCWD = -100
_NOREPLACE, _EXCHANGE = 1, 2
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "i686": 353, "armv7l": 382}
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


def _system_rename() -> Callable[[bytes, bytes, int], int] | None:
    """Return rename-with-flags as this system spells it, or None where there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        swap, exclusive = 2, 4
        return lambda old, new, flag: int(libc.renamex_np(old, new, swap if flag == _EXCHANGE else exclusive))
    if hasattr(libc, "renameat2"):
        return lambda old, new, flag: int(libc.renameat2(_AT_FDCWD, old, _AT_FDCWD, new, flag))
    number = _RENAMEAT2.get(os.uname().machine)
    if number is None:
        return None
    return lambda old, new, flag: int(libc.syscall(number, _AT_FDCWD, old, _AT_FDCWD, new, flag))


_rename = _system_rename()


def exchange(one: Path, other: Path) -> bool:
    """Swap two existing names in one step; False, and nothing done, where the file system cannot.

    Raises:
        OSError: as for a rename; FileNotFoundError when either name is gone.
    """
    return _renamed(one, other, _EXCHANGE)


def move_new(old: Path, new: Path) -> None:
    """Rename a file to a name that nothing may hold yet.

    Raises:
        OSError: as for a rename; FileExistsError when the name is taken.
    """
    if _renamed(old, new, _NOREPLACE):
        return
    os.link(old, new, follow_symlinks=False)
    old.unlink()


def _renamed(old: Path, new: Path, flag: int) -> bool:
    if _rename is None:
        return False
    if _rename(os.fsencode(old), os.fsencode(new), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(old), None, str(new))
