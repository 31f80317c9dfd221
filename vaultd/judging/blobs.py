"""Facts of stored versions, each read once in its life: by blob id, from the index where it knows them."""

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager

from vaultd.history.conversions import conversions_asked, filtered_paths
from vaultd.history.objects import Objects
from vaultd.history.repository import Repository
from vaultd.index.mirror import Mirror
from vaultd.lifecycle.facts import UNREADABLE, Facts, dump_facts, facts_of, load_facts
from vaultd.notes.note import parse

Version = tuple[str, str]
"""A path and a blob id."""
_NOTHING_AT_HAND: Mapping[str, bytes] = {}
_CONVERTED = "~"
"""Marks facts of a blob in its work-tree form, where git stores it in another."""


class Blobs:
    """Answers what stored versions say; reads git and the index, writes only the index's cache of facts."""

    def __init__(self, repo: Repository, objects: Objects, mirror: Mirror | None) -> None:
        self._repo = repo
        self._objects = objects
        self._mirror = mirror
        self._plain: dict[str, bool] = {}

    def facts(
        self, versions: Iterable[Version], passing: Container[str] = (), at_hand: Mapping[str, bytes] = _NOTHING_AT_HAND
    ) -> dict[Version, Facts]:
        """Return the facts of (path, blob id) pairs, read in the form the work tree would hold them in.

        Those of `passing` blobs are not kept: nobody is likely to ask for them again. What is `at_hand`, by blob id, is not
        asked for in git.
        """
        wanted = list(dict.fromkeys(versions))
        converted = self._converted({path for path, _ in wanted})
        keys = {(path, oid): oid + _CONVERTED if path in converted else oid for path, oid in wanted}
        known = {key: load_facts(text) for key, text in self._cached(set(keys.values())).items()}
        missing = {key: (path, oid) for (path, oid), key in keys.items() if key not in known}
        fresh = self._read(missing, at_hand)
        self._keep({key: facts for key, facts in fresh.items() if key.removesuffix(_CONVERTED) not in passing})
        known |= fresh
        return {version: known.get(key, UNREADABLE) for version, key in keys.items()}

    def asked(self, paths: Iterable[str]) -> AbstractContextManager[None]:
        """Have git say what it does to paths while the block does something else."""
        return conversions_asked(self._repo, list(dict.fromkeys(paths)))

    def learn(self, facts: Mapping[Version, Facts]) -> None:
        """Keep what versions say that were just stored as they stand in the work tree: the next fold asks for them."""
        converted = self._converted({path for path, _ in facts})
        self._keep({oid: said for (path, oid), said in facts.items() if path not in converted})

    def _keep(self, facts: Mapping[str, Facts]) -> None:
        if facts and self._mirror is not None:
            self._mirror.add_facts({key: dump_facts(said) for key, said in facts.items()})

    def know(self, paths: Iterable[str]) -> None:
        """Have git say at once what it does to these paths: of each alone it would take a process to ask."""
        self._converted({*paths})

    def data(self, path: str, oid: str) -> bytes | None:
        """Return a stored version as the work tree would hold it at the path."""
        if self._converted({path}):
            return self._objects.read_filtered(oid, path)
        return self._objects.read(oid)

    def versions(self, wanted: Iterable[Version]) -> Iterator[tuple[str, str, bytes, bool]]:
        """Give stored versions as the work tree would hold them: path, blob id, bytes, and whether git stores them so."""
        asked = list(wanted)
        converted = self._converted({path for path, _ in asked})
        plain: dict[str, list[str]] = {}
        for path, oid in asked:
            if path not in converted:
                plain.setdefault(oid, []).append(path)
        for oid, data in self._objects.read_many(plain):
            yield from ((path, oid, data, True) for path in plain[oid])
        filtered = [(oid, path) for path, oid in asked if path in converted]
        yield from ((path, oid, data, False) for oid, path, data in self._objects.read_filtered_many(filtered))

    def _cached(self, keys: set[str]) -> dict[str, str]:
        return self._mirror.facts(keys) if self._mirror is not None else {}

    def _read(self, missing: dict[str, Version], at_hand: Mapping[str, bytes]) -> dict[str, Facts]:
        plain = [oid for key, (_, oid) in missing.items() if not key.endswith(_CONVERTED)]
        fresh = {oid: facts_of(parse(at_hand[oid])) for oid in plain if oid in at_hand}
        asked = [oid for oid in plain if oid not in fresh]
        fresh |= {oid: facts_of(parse(data)) for oid, data in self._objects.read_many(asked)}
        converted = [(oid, path) for key, (path, oid) in missing.items() if key.endswith(_CONVERTED)]
        for oid, _, data in self._objects.read_filtered_many(converted):
            fresh[oid + _CONVERTED] = facts_of(parse(data))
        return fresh

    def _converted(self, paths: set[str]) -> set[str]:
        unknown = [path for path in paths if path not in self._plain]
        if unknown:
            converted = filtered_paths(self._repo, unknown)
            self._plain.update((path, path not in converted) for path in unknown)
        return {path for path in paths if not self._plain[path]}
