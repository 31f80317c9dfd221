"""The daemon in the background: begun by what the system has installed for it, or as a process of its own."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from vaultd.cli import services
from vaultd.cli.outcome import Document
from vaultd.cli.services import Command, Installation
from vaultd.daemon.sockets import ask
from vaultd.errors import ConflictError, StorageError, UsageError
from vaultd.vault.locks import Holder, holder
from vaultd.vault.places import Places

READY_PATIENCE = 10.0
_PAUSE = 0.05
_LARGE_LOG = 1_000_000


def installation_of(vault: Path, state: Path, environment: Mapping[str, str]) -> Installation:
    """Return how this computer is told to keep a vault's daemon running, whether it was told or not."""
    python = Path(sys.executable)
    kept = {name: environment[name] for name in services.KEPT if name in environment}
    if sys.platform == "darwin":
        return services.launchd(vault, python, kept, Path.home(), os.getuid())
    if sys.platform == "win32":
        return services.windows(vault, python, state)
    return services.systemd(vault, python, kept, units_folder(environment))


def units_folder(environment: Mapping[str, str]) -> Path:
    """Return where a user's own systemd units lie."""
    named = environment.get("XDG_CONFIG_HOME", "")
    return (Path(named) if named.startswith("/") else Path.home() / ".config") / "systemd" / "user"


def require_session(environment: Mapping[str, str]) -> None:
    """Refuse where nothing would start an installed daemon: a container, a login without systemd.

    Raises:
        UsageError: there is none.
    """
    if sys.platform in {"darwin", "win32"}:
        return
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if not runtime or not (Path(runtime) / "systemd").is_dir() or shutil.which("systemctl") is None:
        raise UsageError("systemd runs no session for this user here", "vaultd start, or vaultd up in the foreground")


def install(wanted: Installation) -> bool:
    """Put the text in place and have the daemon started now and at every login; say whether anything changed.

    Raises:
        StorageError: the file cannot be written, or the system refused.
    """
    new = not wanted.file.is_file() or wanted.file.read_text("utf-8") != wanted.text
    if not new and wanted.sign.is_symlink():
        return False
    try:
        wanted.file.parent.mkdir(parents=True, exist_ok=True)
        wanted.file.write_text(wanted.text, "utf-8")
    except OSError as exc:
        raise StorageError(f"{wanted.file} cannot be written: {exc.strerror}", "check its permissions") from exc
    for command in wanted.install:
        tell(command)
    return True


def uninstall(there: Installation) -> bool:
    """Have the daemon stopped and not started again; the text goes with the last vault that needs it."""
    if not is_installed(there):
        return False
    for command in there.uninstall:
        tell(command)
    others = there.file.parent.glob(there.shared_with) if there.shared_with else ()
    if not any(other.name != there.name for other in others):
        there.file.unlink(missing_ok=True)
    return True


def is_installed(wanted: Installation) -> bool:
    """Tell whether the system starts this vault's daemon."""
    return wanted.sign.is_symlink() or wanted.sign.exists()


def tell(command: Command) -> None:
    """Run a command of the system.

    Raises:
        StorageError: in its own words, when it refuses.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    except OSError as exc:
        raise StorageError(f"{command[0]} could not be started: {exc.strerror}") from exc
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip() or f"it failed with exit code {done.returncode}"
        raise StorageError(f"{' '.join(command)}: {said}", "vaultd up runs it in the foreground")


def spawn(where: Places) -> "subprocess.Popen[bytes]":
    """Begin a daemon that outlives this process; what it says goes to the vault's log.

    Raises:
        StorageError: the log cannot be written.
    """
    try:
        if where.log.exists() and where.log.stat().st_size > _LARGE_LOG:
            where.log.replace(where.log.with_name("log.1"))
        with where.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "vaultd", "up", os.fspath(where.root)],
                cwd=where.root,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
    except OSError as exc:
        raise StorageError(f"{where.log} cannot be written: {exc.strerror}", "check its permissions") from exc


def status_of(where: Places, patience: float) -> Document | None:
    """Return what a daemon that is past its start says of itself, None where none is there yet."""
    try:
        answer = ask(where.socket, "status", {}, patience)
    except TimeoutError:
        return None
    return None if answer is None or "error" in answer or answer["state"] == "starting" else answer


def wait_until_ready(where: Places, child: "subprocess.Popen[bytes] | None", log_from: int) -> Document | None:
    """Return what the daemon says once it is past its start; None where it is still at it after ten seconds.

    A busy machine may need as long to get as far as the vault's lock: one that lives has not failed.

    Raises:
        StorageError: it ended, or was not begun; the message holds its last words.
        ConflictError: another holds the vault and does not answer.
    """
    deadline = time.monotonic() + READY_PATIENCE
    beaten = False
    while time.monotonic() < deadline:
        if (answer := status_of(where, 1.0)) is not None:
            return answer
        if child is not None and child.poll() is not None and not beaten:
            if _holder(where) is None:
                raise StorageError(
                    f"the daemon ended: {_last_words(where.log, log_from)}", "vaultd up shows all it says"
                )
            beaten = True  # another was begun at the same moment: it is as good
        time.sleep(_PAUSE)
    who = _holder(where)
    if who is None and (child is None or child.poll() is not None):
        raise StorageError("the daemon did not start", "vaultd doctor, or vaultd up in the foreground")
    if beaten:
        raise ConflictError(f"this vault is watched already by {who}, which does not answer", "vaultd restart")
    return None


def _holder(where: Places) -> Holder | None:
    return holder(where.lock) if where.lock is not None else None


def wait_until_gone(where: Places, patience: float) -> None:
    """Wait until a daemon that was told to stop has let go of the vault."""
    deadline = time.monotonic() + patience
    while where.lock is not None and holder(where.lock) is not None and time.monotonic() < deadline:
        time.sleep(_PAUSE)


def size_of_log(where: Places) -> int:
    """Return where in the log the next daemon begins to speak."""
    try:
        return where.log.stat().st_size
    except FileNotFoundError:
        return 0


def _last_words(log: Path, start: int) -> str:
    with log.open("rb") as said:
        said.seek(start if log.stat().st_size >= start else 0)
        lines = said.read().decode("utf-8", "replace").split("\n")
    words = [line.removeprefix("vaultd: ") for line in lines if line and not line.startswith("  hint:")]
    return words[-1] if words else "it said nothing"
