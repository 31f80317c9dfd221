"""Who else has a file open for writing: what a compare-and-swap must know before it drops the displaced bytes."""

import errno
import fcntl
import signal
import time

_PATIENCE = 0.4
_PAUSE = 0.005


def still_written(fd: int) -> bool:
    """Tell whether, after a short patience, some program still has this file open for writing.

    An editor that opened the file before a swap writes into the displaced copy, so its save would be lost with it.
    Where the system cannot say (network shares, another owner's file) the answer is no.
    """
    deadline = time.monotonic() + _PATIENCE
    while _open_for_writing(fd):
        if time.monotonic() >= deadline:
            return True
        time.sleep(_PAUSE)
    return False


def _open_for_writing(fd: int) -> bool:
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        # breaking a lease sends SIGIO, which kills by default; this signal is ignored by default
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as exc:
        return exc.errno == errno.EAGAIN
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False
