"""Which memory an edge means: its text may be an id, a name, `project/name` or a wikilink."""

import re
from collections.abc import Iterable, Sequence

from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.places import GLOBAL, Place, fold_name

_LINK = re.compile(r"\[\[(?P<target>[^\[\]|#]+)[^\[\]]*\]\]\Z")


class Resolver:
    """Answers for one step: the ground of the parent, with the step's changes laid over it."""

    def __init__(self, ground: Ground, changes: Sequence[tuple[str, Facts | None]]) -> None:
        self.ground = ground
        self.changed = dict(changes)
        self.new_ids = {facts.id for _, facts in changes if facts is not None and facts.id is not None}
        self._names: dict[str, list[str]] | None = None

    def resolve(self, text: str, path: str) -> tuple[str, ...]:
        """Return the ids that the text may mean in the file at `path`, none where no memory is meant."""
        text = text.strip()
        if text in self.new_ids or text in self.ground.standings:
            return (text,)
        match = _LINK.match(text)
        target = (match["target"] if match else text).strip().removesuffix(".md").strip("/")
        if not target:
            return ()
        project, _, name = target.rpartition("/")
        project = project.removeprefix(self.ground.folder).strip("/")
        if "/" in project:
            return ()
        if project:
            return self._standing_at(Place("" if project == GLOBAL else project, name))
        own = self.ground.place(path)
        return (own is not None and self._standing_at(Place(own.project, name))) or self._anywhere(name)

    def _standing_at(self, place: Place) -> tuple[str, ...]:
        path = place.path(self.ground.folder)
        if path in self.changed:
            facts = self.changed[path]
            return (facts.id,) if facts is not None and facts.id is not None else ()
        found = self.ground.at.get(path)
        return (found,) if found is not None else ()

    def _anywhere(self, name: str) -> tuple[str, ...]:
        if self._names is None:
            self._names = {}
            for path, id_ in self._standing():
                if (place := self.ground.place(path)) is not None:
                    self._names.setdefault(fold_name(place.name), []).append(id_)
        return tuple(dict.fromkeys(self._names.get(fold_name(name), ())))

    def _standing(self) -> Iterable[tuple[str, str]]:
        for path, id_ in self.ground.at.items():
            if path not in self.changed:
                yield path, id_
        for path, facts in self.changed.items():
            if facts is not None and facts.id is not None:
                yield path, facts.id
