"""Which memory an edge means: its text may be an id, a name, `project/name` or a wikilink."""

from collections.abc import Iterable, Sequence

from vaultd.lifecycle.facts import Facts
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.places import GLOBAL, Place, fold_name
from vaultd.quickly import pattern

_LINK = pattern(r"\[\[(?P<target>[^\[\]|#]+)[^\[\]]*\]\]\Z")


class Resolver:
    """Answers for one step: a name means what the file of that name says, whatever was accepted for it before."""

    def __init__(self, ground: Ground, changes: Sequence[tuple[str, Facts | None]]) -> None:
        self.ground = ground
        self.said = _said_of_questions(ground)
        self.said.update((path, None if facts is None else facts.id) for path, facts in changes)
        self.ids = {id_ for id_ in self.said.values() if id_ is not None}
        self._names: dict[str, list[str]] | None = None

    def resolve(self, text: str, path: str) -> tuple[str, ...]:
        """Return the ids that the text may mean in the file at `path`, none where no memory is meant."""
        text = text.strip()
        if text in self.ids or text in self.ground.standings:
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
        found = self.said[path] if path in self.said else self.ground.at.get(path)
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
            if path not in self.said:
                yield path, id_
        for path, said in self.said.items():
            if said is not None:
                yield path, said


def _said_of_questions(ground: Ground) -> dict[str, str | None]:
    """Return what the files of open memories say, which is not what `ground.at` has accepted for them."""
    said: dict[str, str | None] = {}
    for id_ in ground.open:
        standing = ground.standings.get(id_)
        if standing is not None and not standing.gone:
            said[standing.path] = None
    return said | {path: id_ for id_, question in ground.open.items() for path, _ in question.files}
