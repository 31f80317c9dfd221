"""The lifecycle of a memory as values that cannot disagree with themselves."""

from vaultd.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Active:
    """Speaks for itself."""


@dataclass(frozen=True, slots=True)
class Archived:
    """Ended at `at` (the text of its `invalid_at`) without a successor."""

    at: str


@dataclass(frozen=True, slots=True)
class Superseded:
    """Ended at `at` and replaced by the memory with the id `by`; `text` is how its file spells that edge."""

    at: str
    by: str
    text: str


State = Active | Archived | Superseded


@dataclass(frozen=True, slots=True)
class Standing:
    """The accepted lifecycle of one memory: what search, recall and briefings believe."""

    id: str
    path: str
    state: State
    previous: State | None = None
    """Its state before the last accepted change, None where that change was its first sight."""
    gone: bool = False
    """The file left without an explanation; the values stay, to be compared when it returns."""

    @property
    def active(self) -> bool:
        """Return whether it speaks for itself and is there."""
        return isinstance(self.state, Active) and not self.gone

    def moved(self, path: str) -> "Standing":
        """Return the same memory at another path."""
        return replace(self, path=path, gone=False)


def successor_of(state: State) -> str | None:
    """Return the id of what replaced it, if something did."""
    return state.by if isinstance(state, Superseded) else None


def word(state: State) -> str:
    """Return the state's name in the words of the documentation."""
    match state:
        case Active():
            return "active"
        case Archived():
            return "archived"
        case Superseded():
            return "superseded"
