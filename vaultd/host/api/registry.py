"""What a plugin signed up for, as the host is told it."""

from collections.abc import Callable

from vaultd.errors import UsageError
from vaultd.host.protocol import Message
from vaultd.values import dataclass, field

Callback = Callable[..., object]
EVENTS = (
    "vault.create",
    "vault.modify",
    "vault.delete",
    "vault.rename",
    "vault.resync",
    "metadata.changed",
    "metadata.deleted",
    "metadata.resolve",
    "metadata.resolved",
    "lifecycle.created",
    "lifecycle.superseded",
    "lifecycle.archived",
    "lifecycle.restored",
    "lifecycle.rejected",
)
"""Every event there is; a name that is not here is a mistake, and is told at once."""
FIELD_TYPES: dict[type, str] = {int: "number", float: "number", str: "text", bool: "checkbox"}
FLAG_TYPES = (str, int, float, bool)
TAKEN = frozenset(
    {"id", "kind", "name", "description", "project", "created", "updated", "valid_from", "invalid_at", "superseded_by"}
)
"""Properties that say what a memory is and whether it holds; a plugin's field of that name would say something else."""
MOST_FIELDS = 64
_LARGEST = 1e300
_LONGEST_TEXT = 10_000
_SHORTEST_INTERVAL = 1.0


def fits(value: object, kind: str) -> bool:
    """Say whether a value can stand in a field: finite numbers, texts that are no books."""
    match value:
        case bool():
            return kind != "text"
        case int() | float():
            return kind == "number" and abs(value) <= _LARGEST
        case str():
            return kind == "text" and len(value) <= _LONGEST_TEXT
        case _:
            return False


@dataclass(slots=True)
class Subscription:
    """One callback for one event."""

    event: str
    callback: Callback
    own: bool
    replay: bool


@dataclass(slots=True)
class Action:
    """A command, or a verb of the command line."""

    description: str
    callback: Callback
    flags: dict[str, type] = field(default_factory=dict)
    check: Callable[[], bool] | None = None


@dataclass(slots=True)
class Registry:
    """Everything that one plugin signed up for."""

    id: str
    subscriptions: list[Subscription] = field(default_factory=list)
    intervals: list[tuple[float, Callback]] = field(default_factory=list)
    validators: dict[str, Callback] = field(default_factory=dict)
    indexers: dict[str, tuple[type, Callback]] = field(default_factory=dict)
    commands: dict[str, Action] = field(default_factory=dict)
    verbs: dict[str, Action] = field(default_factory=dict)
    ready: list[Callback] = field(default_factory=list)
    schema: Message = field(default_factory=dict)
    _last: tuple[int, ...] = ()

    def subscribe(self, one: Subscription) -> None:
        """Sign up for an event.

        Raises:
            UsageError: there is no such event.
        """
        if one.event not in EVENTS:
            raise UsageError(f"there is no event {one.event!r}", "one of " + ", ".join(EVENTS))
        self.subscriptions.append(one)

    def add_interval(self, seconds: float, callback: Callback) -> None:
        """Sign up for being called every so many seconds."""
        if not 0 <= seconds < float("inf"):
            raise UsageError(f"{seconds!r} is no number of seconds")
        self.intervals.append((max(_SHORTEST_INTERVAL, seconds), callback))

    def add_validator(self, rule: str, callback: Callback) -> None:
        """Sign up for checking notes; the rule's name begins with the plugin's id and a slash."""
        self._own(rule, "/", self.validators)
        self.validators[rule] = callback

    def add_indexer(self, name: str, kind: type, callback: Callback) -> None:
        """Sign up for adding a field to every note."""
        if kind not in FIELD_TYPES:
            raise UsageError(f"a field cannot be of {kind.__name__}", "int, float, str or bool")
        if name in self.indexers or not name.replace("_", "").isalnum():
            raise UsageError(f"{name!r} cannot be a field", "letters, digits and _, each field once")
        if name.casefold() in TAKEN:
            raise UsageError(f"{name!r} cannot be a field: it is a memory's own", f"{self.id}_{name}, for example")
        if len(self.indexers) == MOST_FIELDS:
            raise UsageError(f"{name!r} is one field too many", f"a plugin adds {MOST_FIELDS} at the most")
        self.indexers[name] = (kind, callback)

    def add_verb(self, command: str, action: Action) -> None:
        """Sign up for a verb of the command line: the plugin's id, a colon and an action."""
        self._own(command, ":", self.verbs)
        for name, kind in action.flags.items():
            if kind not in FLAG_TYPES or not name.replace("-", "").replace("_", "").isalnum():
                raise UsageError(f"{command}: {name!r} cannot be a flag of {kind!r}", "of str, int, float or bool")
        self.verbs[command] = action

    def add_command(self, id_: str, action: Action) -> None:
        """Sign up for a command; its id gets the plugin's before it."""
        whole = f"{self.id}:{id_}"
        self._own(whole, ":", self.commands)
        self.commands[whole] = action

    def _own(self, name: str, mark: str, there: dict[str, Callback] | dict[str, Action]) -> None:
        if not name.startswith(self.id + mark) or not name.removeprefix(self.id + mark):
            raise UsageError(f"{name!r} does not begin with {self.id}{mark}")
        if not name.isprintable() or " " in name:
            raise UsageError(f"{name!r} cannot be typed as one word")
        if name in there:
            raise UsageError(f"{name!r} is there already")

    def told(self) -> Message:
        """Return it as the host is told it."""
        return {
            "events": sorted({one.event for one in self.subscriptions}),
            "own": sorted({one.event for one in self.subscriptions if one.own}),
            "replay": any(one.replay for one in self.subscriptions),
            "intervals": [seconds for seconds, _ in self.intervals],
            "validators": sorted(self.validators),
            "indexers": {name: FIELD_TYPES[kind] for name, (kind, _) in self.indexers.items()},
            "verbs": {name: _told(action) for name, action in {**self.commands, **self.verbs}.items()},
            "ready": bool(self.ready),
            "schema": self.schema,
        }

    def changed(self) -> bool:
        """Say whether the host was not told all of it yet, and take it as told."""
        # asked after every call, so it counts and does not compare; what is taken out is told with what comes next
        signed = len(self.subscriptions) + len(self.intervals) + len(self.validators) + len(self.indexers)
        now = (id(self.schema), signed, len(self.commands), len(self.verbs), len(self.ready))
        before, self._last = self._last, now
        return now != before


def _told(action: Action) -> Message:
    return {
        "description": action.description,
        "flags": {name: kind.__name__ for name, kind in action.flags.items()},
    }
