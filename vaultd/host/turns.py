"""What each call of the host means for the plugin's own code; runs in the plugin's process."""

import contextlib
import sys
from collections.abc import Callable, Coroutine, Iterable
from functools import cache
from typing import TYPE_CHECKING

from vaultd.errors import UsageError
from vaultd.host.api.files import TFile
from vaultd.host.api.line import Line
from vaultd.host.api.metadata import CachedMetadata
from vaultd.host.api.plugin import Plugin
from vaultd.host.api.problems import Change, Problem
from vaultd.host.api.registry import FIELD_TYPES, Registry, Subscription, fits
from vaultd.host.protocol import Message
from vaultd.values import asdict

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


class Turns:
    """One plugin and its turns: load, then whatever the host calls, one after the other."""

    def __init__(self, cls: type[Plugin], line: Line) -> None:
        self._class = cls
        self._line = line
        self.registry = Registry("")
        self._plugin: Plugin | None = None
        self._turns: dict[str, Callable[[Message], object]] = {
            "load": self._load,
            "unload": self._unload,
            "ready": self._ready,
            "event": self._event,
            "interval": self._interval,
            "validate": self._validate,
            "index": self._index,
            "act": self._act,
            "settings_changed": self._settings_changed,
        }

    def turn(self, name: str, args: Message) -> object:
        """Return what the plugin's code gives for one call.

        Raises:
            UsageError: there is no such call, or the plugin is not loaded.
        """
        if name not in self._turns:
            raise UsageError(f"there is no call {name!r}")
        return self._turns[name](args)

    @property
    def _loaded(self) -> Plugin:
        if self._plugin is None:
            raise UsageError("the plugin is not loaded")
        return self._plugin

    def _load(self, args: Message) -> None:
        said = args["manifest"]
        if not isinstance(said, dict):
            raise UsageError("a plugin is loaded with its manifest")
        self.registry.id = str(said["id"])
        plugin = self._class(said, self._line, self.registry, str(args["vault"]))
        self._plugin = plugin
        if "logging" in sys.modules:
            _ = plugin.log  # a plugin that brought it has its lines in the log, whichever logger it asks
        if args.get("first") is True:
            drive(plugin.on_user_enable())
        drive(plugin.load_all())

    def _unload(self, _args: Message) -> None:
        drive(self._loaded.unload_all())

    def _ready(self, _args: Message) -> None:
        for callback in self.registry.ready:
            drive(callback())

    def _event(self, args: Message) -> None:
        """Tell every subscriber of an event; the first that fails keeps none of the others from hearing."""
        failed: list[Exception] = []
        for one in [s for s in self.registry.subscriptions if s.event == args["event"]]:
            if (args.get("own") is True and not one.own) or (args.get("replay") is True and not one.replay):
                continue
            try:
                self._tell(one, args)
            except Exception as exc:  # noqa: BLE001  -- a stranger's code; the first failure is raised below
                failed.append(exc)
        if failed:
            raise failed[0]

    def _tell(self, one: Subscription, args: Message) -> None:
        path = args.get("path")
        file = TFile(str(path))
        match one.event:
            case "vault.rename":
                told: tuple[object, ...] = (file, str(args["old_path"]))
            case "metadata.changed":
                data = self._line.table("read", path=file.path).get("text")
                if not isinstance(data, str):
                    return
                told = (file, data, CachedMetadata(data))
            case "metadata.resolved" | "vault.resync":
                told = ()
            case "lifecycle.superseded":
                told = (file, TFile(str(args["successor"])))
            case "lifecycle.rejected":
                told = (file, str(args["code"]))
            case _:
                told = (file,)
        drive(one.callback(*told))

    def _interval(self, args: Message) -> None:
        drive(self.registry.intervals[int(str(args["number"]))][1]())

    def _validate(self, args: Message) -> list[Message]:
        text = str(args["text"])
        change = Change(TFile(str(args["path"])), text, CachedMetadata(text))
        found: list[Message] = []
        for rule, check in self.registry.validators.items():
            problems = drive(check(change))
            for problem in problems if isinstance(problems, Iterable) else ():
                if not isinstance(problem, Problem):
                    raise UsageError(f"{rule} gave {type(problem).__name__}", "yield change.problem(…)")
                found.append({"rule": rule, **asdict(problem)})
        return found

    def _index(self, args: Message) -> Message:
        text = str(args["text"])
        file, cache = TFile(str(args["path"])), CachedMetadata(text)
        values: Message = {}
        for name, (kind, read) in self.registry.indexers.items():
            value = drive(read(file, cache))
            if value is None:
                continue
            if not fits(value, FIELD_TYPES[kind]) or (kind is int and isinstance(value, float)):
                raise UsageError(f"{name} is a field of {kind.__name__}, and {str(value)[:60]!r} is none")
            values[name] = value
        return values

    def _act(self, args: Message) -> object:
        name, given = str(args["name"]), args.get("params")
        action = self.registry.verbs.get(name) or self.registry.commands.get(name)
        if action is None:
            raise UsageError(f"there is no {name!r}")
        if action.check is not None and not action.check():
            raise UsageError(f"{name} cannot be run now")
        if name in self.registry.verbs:
            return drive(action.callback(given if isinstance(given, dict) else {}))
        return drive(action.callback())

    def _settings_changed(self, _args: Message) -> None:
        self._loaded.read_settings()
        drive(self._loaded.on_external_settings_change())


def drive(made: object) -> object:
    """Return what a callback comes to, whether or not it is a coroutine.

    All that the API awaits is there at once, so a coroutine runs to its end in one go; a plugin that imports asyncio gets
    an event loop, which is not imported for one that does not.
    """
    if not isinstance(made, Coroutine):
        return made
    if "asyncio" in sys.modules:
        return _loop().run_until_complete(made)
    try:
        made.send(None)
    except StopIteration as end:
        return end.value
    with contextlib.suppress(RuntimeError):
        made.close()
    raise UsageError("a coroutine waits for something that the host does not know", "import asyncio at the top")


@cache
def _loop() -> "AbstractEventLoop":
    """Return the one event loop of a plugin, so that what belongs to a loop lives from call to call."""
    import asyncio  # noqa: PLC0415  -- it is there already

    return asyncio.new_event_loop()
