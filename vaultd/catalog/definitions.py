"""What a catalog declares, as values."""

from collections.abc import Mapping
from typing import Literal

from vaultd.notes.scalars import Value
from vaultd.values import dataclass, field

Mode = Literal["event", "keyed", "mixed"]
Store = Literal["file", "jsonl"]
Adopt = Literal["manual", "auto"]
Kind = Literal["collection", "search_profile", "package"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a catalog, and where."""

    file: str
    line: int
    where: str
    """The dotted path inside the file, such as `collections[0].schema`."""
    what: str
    error: bool = True
    """False for what is loaded and does nothing yet."""

    def __str__(self) -> str:
        """Return it as people read it."""
        place = f"{self.file}:{self.line}: "
        return f"{place}{self.where}: {self.what}" if self.where else f"{place}{self.what}"


@dataclass(frozen=True, slots=True)
class Field:
    """A property that searches may name."""

    path: str
    type: str
    filter: bool = False
    sort: bool = False
    project: bool = False


@dataclass(frozen=True, slots=True)
class Collection:
    """One version of a collection: its contract, which never changes its meaning, and its bindings, which may."""

    name: str
    version: int
    mode: Mode
    schema: Mapping[str, Value]
    search_profile: str
    active: bool = False
    text_projection: str | None = None
    fields: Mapping[str, Field] = field(default_factory=dict)
    required_processors: tuple[str, ...] = ()
    optional_processors: tuple[str, ...] = ()
    allowed_search_profiles: tuple[str, ...] = ()
    answerable: bool = False
    store: Store = "file"
    adopt: Adopt = "manual"
    """Whether a hand edit of an answer becomes its successor by itself; a standing order."""

    @property
    def contract_name(self) -> str:
        """Return `name@version`."""
        return f"{self.name}@{self.version}"

    @property
    def properties(self) -> Mapping[str, Value]:
        """Return the declared properties with their schemas."""
        declared = self.schema.get("properties")
        return declared if isinstance(declared, dict) else {}

    @property
    def open(self) -> bool:
        """Return whether records may hold properties that it does not declare."""
        return self.schema.get("additionalProperties", True) is not False

    @property
    def texts(self) -> frozenset[str]:
        """Return the declared properties that are text and nothing else."""
        schemas = self.properties.items()
        return frozenset(key for key, one in schemas if isinstance(one, dict) and one.get("type") == "string")

    @property
    def declared(self) -> frozenset[str] | None:
        """Return which properties are content; None where all are that no envelope knows."""
        return None if self.open else frozenset(self.properties)


@dataclass(frozen=True, slots=True)
class SearchProfile:
    """How a collection is searched."""

    name: str
    settings: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Package:
    """A release of a design: what it lists is in force once it is published."""

    name: str
    version: str
    collections: tuple[str, ...] = ()
    search_profiles: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """What else it lists, and nothing acts on yet."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything a vault declares, and what is wrong with it."""

    collections: Mapping[str, Collection] = field(default_factory=dict)
    """By `name@version`."""
    profiles: Mapping[str, SearchProfile] = field(default_factory=dict)
    packages: Mapping[str, Package] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def sound(self) -> bool:
        """Return whether nothing in it is an error."""
        return not any(problem.error for problem in self.problems)

    def resolve(self, ref: str) -> Collection | None:
        """Return the collection that `name@version` names, or the active version of `name`."""
        if "@" in ref:
            return self.collections.get(ref)
        return next((one for one in self.collections.values() if one.name == ref and one.active), None)
