"""What publishing would change, and whether records that are there would mean something else afterwards."""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from vaultd.catalog.definitions import Catalog, Collection
from vaultd.catalog.hashing import bindings_of, contract_hash, contract_of
from vaultd.catalog.lock import Generation, Lock
from vaultd.notes.scalars import Value
from vaultd.values import dataclass, replace

Effect = Literal["invisible", "additive", "reinterpreting"]
Holders = Callable[[str], "list[Mapping[str, Value]]"]
"""Gives the contents of the records that were written under `name@version`."""
Fits = Callable[[Mapping[str, Value], Mapping[str, Value]], bool]
"""Says whether a schema allows a content."""


@dataclass(frozen=True, slots=True)
class Change:
    """One definition that publishing changes."""

    name: str
    effect: Effect
    what: str
    blocker: str = ""
    """Why it cannot be published, empty where it can."""


def changes(before: Lock, after: Catalog, holders: Holders, fits: Fits) -> list[Change]:
    """Return what publishing changes, by name; reinterpreting changes block where records are stored."""
    found: list[Change] = []
    old, new = before.catalog.collections, after.collections
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            found.append(_arrived(name, new[name], holders, fits))
        elif name not in new:
            stored = len(holders(name))
            blocker = f"{stored} records were written under it: keep it, with `active: false`" if stored else ""
            found.append(Change(name, "reinterpreting" if stored else "invisible", "removed", blocker))
        else:
            found += _modified(name, old[name], new[name], holders, fits)
    return found


def published(before: Lock, after: Catalog, packages: Mapping[str, str], now: str) -> Lock:
    """Return the lock after publishing: a new contract begins a new generation."""
    generations: dict[str, tuple[Generation, ...]] = {}
    for name, one in after.collections.items():
        known, contract = before.generations.get(name, ()), contract_hash(one)
        same = bool(known) and known[-1].contract == contract
        generations[name] = known if same else (*known, Generation(contract, now))
    return Lock(replace(after, packages={}, problems=()), generations, packages)


def selected(catalog: Catalog) -> Catalog:
    """Return what the packages of a catalog list; everything where it has no packages."""
    if not catalog.packages:
        return catalog
    listed = {ref for package in catalog.packages.values() for ref in package.collections}
    profiles = {name for package in catalog.packages.values() for name in package.search_profiles}
    return replace(
        catalog,
        collections={name: one for name, one in catalog.collections.items() if name in listed},
        profiles={name: one for name, one in catalog.profiles.items() if name in profiles},
    )


def _arrived(name: str, new: Collection, holders: Holders, fits: Fits) -> Change:
    wrong = [content for content in holders(name) if not fits(new.schema, content)]
    blocker = f"{len(wrong)} records that are there do not fit its schema" if wrong else ""
    return Change(name, "reinterpreting" if wrong else "additive", "added", blocker)


def _modified(name: str, old: Collection, new: Collection, holders: Holders, fits: Fits) -> Iterator[Change]:
    if contract_hash(old) == contract_hash(new):
        if bindings_of(old) != bindings_of(new):
            yield Change(name, "invisible", "bindings changed")
        return
    stored = holders(name)
    reason = _reinterprets(old, new)
    if reason is not None:
        blocker = f"{reason}, and {len(stored)} records would mean something else: publish it as a new version"
        yield Change(name, "reinterpreting", reason, blocker if stored else "")
        return
    added = new.properties.keys() - old.properties.keys()
    wrong = [content for content in stored if added & content.keys() and not fits(new.schema, content)]
    blocker = f"{len(wrong)} records that are there do not fit: publish it as a new version" if wrong else ""
    yield Change(name, "additive", "what is there keeps its meaning", blocker)


def _reinterprets(old: Collection, new: Collection) -> str | None:
    """Return the first change that gives records another meaning; the list of those that do not is closed."""
    before, after = contract_of(old), contract_of(new)
    for key in ("mode", "text_projection"):
        if before[key] != after[key]:
            return f"{key} changed"
    if set(old.required_processors) != set(new.required_processors):
        return "required_processors changed"
    if any(new.fields.get(name) != field for name, field in old.fields.items()):
        return "a field changed"
    for name, schema in old.properties.items():
        if new.properties.get(name) != schema:
            return f"the property {name} changed"
    if not old.open and new.open:
        return _rest_changed(old, new, frozenset({"properties", "additionalProperties"}))
    return _rest_changed(old, new, frozenset({"properties"}))


def _rest_changed(old: Collection, new: Collection, allowed: frozenset[str]) -> str | None:
    for key in sorted(old.schema.keys() | new.schema.keys()):
        if key not in allowed and old.schema.get(key) != new.schema.get(key):
            return f"schema.{key} changed"
    return None
