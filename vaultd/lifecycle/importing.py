"""What becomes of foreign notes in a vault: where each goes, or why it stays out; bytes in, bytes out."""

from collections.abc import Callable, Iterable, Mapping

from vaultd.errors import NoteFormatError
from vaultd.lifecycle.changesets import Stamp, adopted_text
from vaultd.lifecycle.new_names import why_not_made
from vaultd.lifecycle.places import Place, fold_name
from vaultd.notes.markdown import title
from vaultd.notes.names import conflict_original, slug, unportable
from vaultd.notes.note import Note, parse
from vaultd.notes.scalars import same
from vaultd.settings import Folders
from vaultd.values import dataclass, field

THERE = "it is there already"
"""Why a note stays out that came in before."""
_LEGACY = "inbox/"
"""Where older versions kept the notes of no project."""


@dataclass(frozen=True, slots=True)
class Arriving:
    """A note that comes in: `source` is where it was, `id` empty for a plain note."""

    source: str
    path: str
    data: bytes
    id: str


@dataclass(frozen=True, slots=True)
class Known:
    """What a vault has already."""

    at: Callable[[str], bytes | None]
    """Gives the bytes at a path, in whatever case it is spelled there; None where it is free."""
    ids: Mapping[str, str]
    """Id to path."""


@dataclass(slots=True)
class Plan:
    """What an import does: what comes in, and by source path what stays out, and why."""

    known: Known
    arriving: list[Arriving] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    _paths: dict[str, str] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)

    def admit(self, source: str, path: str, data: bytes) -> None:
        """Let a note in, unless something of the vault, or one that came before it, stands in its way."""
        found = parse(data).properties.get("id")
        one = Arriving(source, path, data, found if isinstance(found, str) else "")
        why = self._obstacle(one)
        if why:
            self.left[source] = why
            return
        self.arriving.append(one)
        self._paths[fold_name(path)] = source
        if one.id:
            self._ids[one.id] = source

    def _obstacle(self, one: Arriving) -> str:
        there = self.known.at(one.path)
        if there is not None:
            return THERE if there == one.data else f"{one.path} is another note"
        if before := self._paths.get(fold_name(one.path)):
            return f"{before} takes the same place: {one.path}"
        if path := self.known.ids.get(one.id):
            return f"its id stands in {path} already"
        if twin := self._ids.get(one.id):
            return f"its id stands in {twin} too"
        why = next((why for part in one.path.split("/") if (why := unportable(part))), "")
        return f"its name cannot travel: {why}" if why else ""


def plan_whole(files: Iterable[tuple[str, bytes]], folders: Folders, known: Known) -> Plan:
    """Return how a folder with `memory/` and `notes/` comes in: byte for byte, below the vault's own folders.

    Of files with one id the one comes in whose name is its own, and no conflict copy before what it is a copy of.
    """
    plan = Plan(known)
    for source, data in sorted(files, key=lambda file: (_doubt(*file), file[0])):
        top, _, rest = source.partition("/")
        folder = {"memory": folders.memory, "notes": folders.notes}.get(top)
        if folder is None or not rest:
            plan.left[source] = "it lies neither in memory/ nor in notes/"
        elif top == "notes" and rest.startswith(_LEGACY) and not parse(data).properties.get("project"):
            plan.admit(source, Place("", rest.removeprefix(_LEGACY).removesuffix(".md")).path(folder), data)
        else:
            plan.admit(source, f"{folder}/{rest}", data)
    plan.arriving.sort(key=lambda one: one.source)
    return plan


def _doubt(source: str, data: bytes) -> int:
    """Return how much speaks against a file being the one that its id means."""
    name = source.rpartition("/")[2].removesuffix(".md")
    if conflict_original(f"{name}.md") is not None:
        return 2
    said = parse(data).properties.get("name", parse(data).properties.get("slug", name))
    return 0 if said == name else 1


def plan_memories(
    files: Iterable[tuple[str, bytes]], project: str, folder: str, known: Known, stamp: Stamp, new_id: Callable[[], str]
) -> Plan:
    """Return how plain Markdown comes in as memories of a project: keys are added, every other byte stays."""
    plan = Plan(known)
    for source, data in files:
        stem = source.rpartition("/")[2].removesuffix(".md")
        name = stem if not why_not_made(stem, ".md") else slug(stem)
        if not name:
            plan.left[source] = "its name has no letter or digit"
            continue
        place = Place(project, name)
        there = known.at(place.path(folder))
        if there is not None and _came_in(parse(there), parse(data)):
            plan.left[source] = THERE
            continue
        try:
            text = adopted_text(data, place, new_id(), _description(parse(data), stem), stamp)
        except NoteFormatError as exc:
            plan.left[source] = str(exc)
            continue
        plan.admit(source, place.path(folder), text)
    return plan


def _came_in(there: Note, note: Note) -> bool:
    """Say whether a memory is what a plain note became: its text, and every property that it had."""
    kept = {key: there.properties.get(key) for key in note.properties}
    return bool(there.properties.get("id")) and there.body == note.body and same(kept, dict(note.properties))


def _description(note: Note, stem: str) -> str:
    return title(note.body) or next((line.strip() for line in note.body.splitlines() if line.strip()), stem)
