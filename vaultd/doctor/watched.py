"""The daemon and what the system grants it."""

from collections.abc import Iterator, Mapping

from vaultd import __version__
from vaultd.doctor.lines import Line, counted
from vaultd.judging.opened import Opened
from vaultd.vault.locks import holder
from vaultd.vault.watching import LACKING, Watch

_MORE = "sudo sysctl fs.inotify.max_user_watches=524288"


def daemon_lines(opened: Opened, status: Mapping[str, object] | None, folders: int) -> Iterator[Line]:
    """Say whether a daemon watches and whether it can; `status` is what a running one says of itself."""
    if status is None:
        lock = opened.places.lock
        held = holder(lock) if lock is not None else None
        if held is not None:
            yield Line("daemon", "warn", f"it holds the vault and does not answer: {held}", "vaultd restart")
        else:
            yield Line("daemon", "info", "none watches: hand edits are judged when a verb looks", "vaultd start")
        yield _watches(folders, Watch(opened.root, _asleep).info().limit)
        return
    yield _life(status)
    watcher = status.get("watcher")
    if isinstance(watcher, dict) and (watcher.get("kind") == "none" or watcher.get("lacking")):
        yield Line("watches", "fail", LACKING, f"{_MORE}; vaultd restart")
    elif isinstance(watcher, dict):
        yield _watches(max(folders, int(watcher["watches"])), int(watcher["limit"]))


def _asleep() -> None:
    """Do nothing: this watch is never started."""


def _life(status: Mapping[str, object]) -> Line:
    if status.get("version") != __version__:
        says = f"it is of version {status.get('version')}, and this is {__version__}"
        return Line("daemon", "warn", says, "vaultd restart")
    state, pid = status.get("state"), status.get("pid")
    if state in {"suspended", "degraded"}:
        notices = status.get("notices")
        why = f": {notices[0]}" if isinstance(notices, list) and notices else ""
        return Line("daemon", "warn", f"{state} (pid {pid}){why}", "vaultd resume" if state == "suspended" else "")
    return Line("daemon", "ok", f"{state} (pid {pid})")


def _watches(folders: int, limit: int) -> Line:
    says = f"{counted(folders, 'folder')} to watch"
    if limit < 0:
        return Line("watches", "ok", says)
    if folders > limit * 0.8:
        return Line("watches", "warn", f"{says} of {limit:,} that this user may", _MORE)
    return Line("watches", "ok", f"{says} of {limit:,} that this user may")
