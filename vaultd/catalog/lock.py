"""`catalog.lock`: the definitions that are in force, whole, so that an edit in the catalog changes nothing by itself."""

import json
from collections.abc import Mapping

from vaultd.catalog.definitions import Catalog, Collection, Field, SearchProfile
from vaultd.catalog.hashing import bindings_of, contract_hash, contract_of
from vaultd.errors import NoteFormatError
from vaultd.values import dataclass, field

LOCK = ".vaultd/catalog.lock"
_FORMAT = 1
_BACK = f"git log -- {LOCK} shows when it was whole: git restore --source=COMMIT {LOCK}"


@dataclass(frozen=True, slots=True)
class Generation:
    """One contract that records of a version were written under, and when it began."""

    contract: str
    since: str


@dataclass(frozen=True, slots=True)
class Lock:
    """What was published last; without collections nothing is declared, and any record may be written."""

    catalog: Catalog = field(default_factory=Catalog)
    generations: Mapping[str, tuple[Generation, ...]] = field(default_factory=dict)
    """By `name@version`, oldest first."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Which packages are in force, in which version."""

    @property
    def declares(self) -> bool:
        """Return whether it says which collections there are."""
        return bool(self.catalog.collections)


def dump_lock(lock: Lock) -> bytes:
    """Return a lock as text that a person can compare."""
    document = {
        "format": _FORMAT,
        "packages": dict(sorted(lock.packages.items())),
        "collections": {
            name: {
                "contract": contract_of(one),
                "bindings": bindings_of(one),
                "generations": [[g.contract, g.since] for g in lock.generations.get(name, ())],
            }
            for name, one in sorted(lock.catalog.collections.items())
        },
        "search_profiles": {name: dict(one.settings) for name, one in sorted(lock.catalog.profiles.items())},
    }
    return (json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def load_lock(data: bytes | None) -> Lock:
    """Return the lock that a file holds; one that declares nothing where there is no file.

    Raises:
        NoteFormatError: it is no lock, or one whose hashes do not fit what it holds.
    """
    if data is None:
        return Lock()
    try:
        document = json.loads(data)
        collections = {name: _collection(row) for name, row in document["collections"].items()}
        generations = {
            name: tuple(Generation(contract, since) for contract, since in row["generations"])
            for name, row in document["collections"].items()
        }
        profiles = {name: SearchProfile(name, row) for name, row in document["search_profiles"].items()}
        packages = {str(name): str(version) for name, version in document["packages"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise NoteFormatError("this is no catalog lock", _BACK, path=LOCK) from exc
    for name, one in collections.items():
        if not generations[name] or generations[name][-1].contract != contract_hash(one):
            raise NoteFormatError(f"{name} is not what was published", _BACK, path=LOCK)
    return Lock(Catalog(collections, profiles), generations, packages)


def _collection(row: Mapping[str, Mapping[str, object]]) -> Collection:
    contract, bindings = dict(row["contract"]), dict(row["bindings"])
    fields = contract.pop("fields")
    declared = {name: Field(**one) for name, one in fields.items()} if isinstance(fields, dict) else {}
    listed = ("required_processors", "optional_processors", "allowed_search_profiles")
    values = {k: _texts(v) if k in listed else v for k, v in {**contract, **bindings}.items()}
    return Collection(fields=declared, **values)  # type: ignore[arg-type]  # a lock is checked by the hash of its contract


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
