"""A record and its slot as values; what was remembered never changes, only its stamps are added later."""

from collections.abc import Mapping
from json import dumps
from typing import Literal

from vaultd.notes.scalars import Value
from vaultd.values import dataclass, field

Status = Literal["active", "draft"]
Review = Literal["pending", "approved", "rejected"]
Wish = Literal["approve", "reject"]
PASSED_THROUGH = frozenset({"tags", "aliases", "cssclasses", "publish"})
"""Keys that belong to Obsidian: they may change at any time and are no part of what was remembered."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A named question with at most one current answer; the collection's version is no part of it."""

    collection: str
    entity: str
    key: str

    @property
    def label(self) -> str:
        """Return how messages and commits name it."""
        return f"{self.collection} · {self.entity} · {self.key}"


@dataclass(frozen=True, slots=True)
class Stamps:
    """What is written on a record afterwards, each once."""

    invalid_at: str | None = None
    superseded_by: str | None = None
    review: Review = "pending"
    """Of a draft: what was decided."""
    wish: Wish | None = None
    """Of a draft that waits: what somebody wrote into it that is to be decided."""


@dataclass(frozen=True, slots=True)
class Record:
    """One remembered thing: an event, or with a key one value of a slot."""

    id: str
    collection: str
    version: int
    entity: str
    type: str
    created: str
    text: str = ""
    key: str | None = None
    status: Status = "active"
    occurred: str | None = None
    supersedes: tuple[str, ...] = ()
    replaces: str | None = None
    """Of a draft: the record that answered its slot when it was proposed; None for an empty slot."""
    retracted: bool = False
    corrects: str | None = None
    derived_from: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    run: str | None = None
    dedupe: str | None = None
    reason: str | None = None
    content: Mapping[str, Value] = field(default_factory=dict)
    """The properties beside the envelope."""
    stamps: Stamps = Stamps()

    @property
    def slot(self) -> Slot | None:
        """Return the slot it answers, None for an event."""
        return Slot(self.collection, self.entity, self.key) if self.key is not None else None

    @property
    def label(self) -> str:
        """Return how messages and commits name it."""
        return self.slot.label if self.slot is not None else f"{self.collection} · {self.entity} · {self.type}"

    @property
    def contract(self) -> str:
        """Return `name@version`, as the frontmatter spells it."""
        return f"{self.collection}@{self.version}"

    @property
    def order(self) -> tuple[str, str]:
        """Return what decides between records that do not know of each other: the later one, then the greater id."""
        return (self.created, self.id)

    def means_the_same(self, other: "Record") -> bool:
        """Return whether two records of one slot say the same, whoever wrote them and when."""
        return (
            self.text == other.text
            and self.type == other.type
            and self.version == other.version
            and self.retracted == other.retracted
            and dict(self.content) == dict(other.content)
        )


def canonical(value: object) -> bytes:
    """Return a value as JSON with one spelling: sorted keys, no spaces, letters as they are."""
    text = dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=True)
    return text.encode("utf-8", "surrogatepass")
