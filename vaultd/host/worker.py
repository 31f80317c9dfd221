"""A plugin's process, seen from inside: limits first, then its code, then one call after the other."""

import fcntl
import os
import resource
import signal
import sys
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import BinaryIO

from vaultd.errors import UsageError, VaultdError
from vaultd.host.api.line import Line
from vaultd.host.api.plugin import Plugin
from vaultd.host.hiding import Hidden, Hiding
from vaultd.host.protocol import Message, Untrue, decode, encode
from vaultd.host.turns import Turns

_LIMITS = (
    resource.RLIMIT_AS,
    resource.RLIMIT_CPU,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_NPROC,
    resource.RLIMIT_FSIZE,
)
_ORPHAN_CHECK = 5.0
_LONGEST_REASON = 500


def main(config: Mapping[str, object]) -> None:
    """Serve calls until the host hangs up."""
    reading, writing = _private_pipes()
    _limit(config["limits"])
    _end_with_parent(config["life"])
    hiding = Hiding()
    sys.stdout, sys.stderr = Hidden(1, hiding), Hidden(2, hiding)
    line = Line(reading, writing, hiding)
    turns: Turns | None = None
    while call := reading.readline():
        said = decode(call)
        args = said.get("args")
        reply: Message = {"done": said["call"]}
        try:
            if turns is None:
                turns = Turns(_plugin_class(str(config["folder"]), str(config["main"])), line)
            reply["result"] = turns.turn(str(said["name"]), args if isinstance(args, dict) else {})
        except Exception as exc:  # noqa: BLE001  -- a stranger's code: whatever it raises is the answer
            _log_trace()
            error = _error(exc, str(config["folder"]))
            reply["error"] = {key: hiding.hide(text) for key, text in error.items()}
        if turns is not None and turns.registry.changed():
            reply["registered"] = turns.registry.told()
        _send(writing, reply)


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the two ends of the protocol, out of reach of `print` and `input`."""
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(reading, "rb"), os.fdopen(writing, "wb", 0)


def _limit(limits: object) -> None:
    """Set the limits, which code that runs afterwards cannot raise again."""
    if not isinstance(limits, list):
        return
    for which, wanted in zip(_LIMITS, limits, strict=True):
        _, hard = resource.getrlimit(which)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_parent(life: object) -> None:
    """Have the system end this process and its group where the host is killed, whatever is computed here then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if isinstance(life, int) and hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(life, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(life, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(life, fcntl.F_SETFL, os.O_RDONLY | os.O_ASYNC)
        return
    parent = os.getppid()

    def look(_number: int, _frame: object) -> None:
        if os.getppid() != parent:
            os._exit(0)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _ORPHAN_CHECK, _ORPHAN_CHECK)


def _plugin_class(folder: str, main: str) -> type[Plugin]:
    """Import a plugin's code and return its one class of a plugin.

    Raises:
        UsageError: it holds none, or several.
    """
    name = main.removesuffix(".py")
    sys.path.insert(0, folder)
    # the copy that runs holds what was approved, and nothing else
    sys.dont_write_bytecode = True
    loader = SourceFileLoader(name, f"{folder}/{main}")
    module = ModuleType(name)
    module.__file__ = loader.path
    sys.modules[name] = module
    loader.exec_module(module)
    found = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Plugin) and one.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise UsageError(f"{main} holds {len(found)} classes of a plugin", "derive exactly one class from Plugin")
    return found[0]


def _log_trace() -> None:
    """Write what went wrong to the log."""
    import traceback  # noqa: PLC0415  -- slow to import, and seldom needed

    traceback.print_exc()


def _error(exc: Exception, folder: str) -> dict[str, str]:
    """Return an error as a message: ours as it is, any other by its name, what it says and where it was."""
    if isinstance(exc, VaultdError):
        return {"kind": type(exc).__name__, "message": exc.message[:_LONGEST_REASON], "hint": exc.hint}
    message = str(exc)[:_LONGEST_REASON] + _place(exc, folder)
    return {"kind": type(exc).__name__, "message": message.lstrip(), "hint": ""}


def _place(exc: Exception, folder: str) -> str:
    """Return the last line of the plugin's own code that an error went through, empty where it went through none."""
    found, trace = "", exc.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(f"{folder}/"):
            found = f" ({file.removeprefix(folder + '/')}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return found


def _send(writing: BinaryIO, reply: Message) -> None:
    try:
        line = encode(reply)
    except (Untrue, TypeError, ValueError) as exc:
        error = {"kind": type(exc).__name__, "message": f"the result cannot be sent: {exc}", "hint": ""}
        line = encode({"done": reply["done"], "error": error})
    writing.write(line)
