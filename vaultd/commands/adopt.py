"""Complete what a hand edit left half done, and record it at once."""

from shlex import quote

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.recorded import entries_of, is_recorded
from vaultd.commands.records.adopt import adopt_record
from vaultd.commands.references import accepted_ground, path_meant
from vaultd.commands.refusing import rejection
from vaultd.errors import UsageError
from vaultd.history.repository import head_quick
from vaultd.judging.opened import Opened
from vaultd.lifecycle.changesets import (
    Changeset,
    Stamp,
    Write,
    adopted_text,
    changed,
    completed_text,
    digest,
)
from vaultd.lifecycle.events import Event
from vaultd.lifecycle.facts import Facts, facts_of
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.places import Place, place_of
from vaultd.lifecycle.resolving import Resolver
from vaultd.lifecycle.states import Active, Archived, Standing, State, Superseded
from vaultd.lifecycle.transitions import Written, changed_edge
from vaultd.lifecycle.violations import Violation
from vaultd.notes.markdown import title
from vaultd.notes.note import parse
from vaultd.vault.reading import read_stable


def adopt(opened: Opened, asked: Asked, ref: str) -> Done:
    """Make a file what it means to be: a memory with its keys and a whole stamp, or a record's successor; then record it.

    Raises:
        RejectedError: what it says breaks a rule that nothing added can mend.
        UsageError: the file is no memory and lies where none can be.
    """
    if ref.startswith(opened.settings.folders.records + "/"):
        return adopt_record(opened, asked, ref)
    ground = accepted_ground(opened)
    path = path_meant(opened, ground, ref)
    place = place_of(path, opened.settings.folders.memory)
    if place is None:
        folder = opened.settings.folders.memory
        raise UsageError(f"{path} is no place for a memory", f"memories lie in {folder}/PROJECT/NAME.md: move it there")
    try:
        data = read_stable(opened.root, path).data
    except FileNotFoundError as exc:
        raise UsageError(f"{path} is not there", f"vaultd revert {quote(path)} brings back what was accepted") from exc
    note = parse(data)
    if not note.readable:
        found = note.findings[0]
        raise rejection(Violation(found.code, "error", path, found.line, found.message, found.hint))
    return _Adoption(opened, asked, ground).adopt(path, place, data, facts_of(note))


class _Adoption:
    def __init__(self, opened: Opened, asked: Asked, ground: Ground) -> None:
        self.opened = opened
        self.asked = asked
        self.ground = ground
        self.stamp = Stamp(asked.now, opened.settings.zone)
        self.writes: dict[str, Write] = {}
        self.events: list[Event] = []

    def adopt(self, path: str, place: Place, data: bytes, facts: Facts) -> Done:
        id_ = self.identity(path, place, data, facts)
        text = self.writes[path].after if path in self.writes else data
        assert text is not None  # noqa: S101  -- identity() writes files, it removes none
        state = self.meant(path, id_, facts)
        successor = self.successor_place(state)
        whole = completed_text(text, place, state, successor, self.stamp)
        if isinstance(state, Superseded) and facts.superseded_by not in (state.by, state.text):
            raise rejection(changed_edge(Written(id_, path, facts), state, "was changed"))
        self.writes[path] = Write(path, data, whole)
        by = state.by if isinstance(state, Superseded) else ""
        lead = Event("adopted", id_, path, by)
        if not changed(tuple(self.writes.values())) and self.is_committed(path, data, id_):
            return Done(None, id_, path, digest(data))
        self.events.insert(0, lead)
        changeset = Changeset(
            f"memory: adopt {place.label}",
            tuple(self.events),
            (*(one for key, one in self.writes.items() if key != path), self.writes[path]),
            completes=frozenset(event.id for event in self.events),
        )
        return carry_out(self.opened, changeset, self.asked)

    def identity(self, path: str, place: Place, data: bytes, facts: Facts) -> str:
        """Return the file's id; give it one, and the keys every memory has, where it has none."""
        standing_here = self.ground.at.get(path)
        id_ = facts.id or standing_here or self.asked.new_id()
        text = adopted_text(data, place, id_, facts.title or title(parse(data).body), self.stamp)
        if text != data:
            self.writes[path] = Write(path, data, text)
        return id_

    def meant(self, path: str, id_: str, facts: Facts) -> State:
        """Return the state that the file means: its stamp, with the half that is missing."""
        standing = self.ground.standings.get(id_)
        if facts.superseded_by is not None:
            return self.superseded(path, facts, standing)
        if facts.invalid_at is not None:
            return Archived(facts.invalid_at)
        return Active()

    def superseded(self, path: str, facts: Facts, standing: Standing | None) -> State:
        text = facts.superseded_by or ""
        note = parse(self.opened.read(path) or b"")
        at = facts.invalid_at or self.stamp.ending(note)
        if standing is not None and isinstance(standing.state, Superseded):
            return Superseded(standing.state.at, standing.state.by, text)
        by = self.successor_id(path, facts, text)
        return Superseded(at, by, text)

    def successor_id(self, path: str, facts: Facts, text: str) -> str:
        """Return the id that the edge means; a successor without one is adopted too."""
        found = Resolver(self.ground, self.uncommitted(path)).resolve(text, path)
        if len(found) == 1:
            return found[0]
        target = self.plain_successor(path, text)
        if target is None:
            message = f"{text!r} means {len(found)} memories" if found else f"no memory is {text!r}"
            hint = "write the name or the id of the memory that replaced it"
            raise rejection(Written(facts.id or "", path, facts).broken("V103", "superseded_by", message, hint))
        place = place_of(target, self.opened.settings.folders.memory)
        assert place is not None  # noqa: S101  -- plain_successor builds the path from a place
        data = read_stable(self.opened.root, target).data
        id_ = self.identity(target, place, data, facts_of(parse(data)))
        self.events.append(Event("created", id_, target))
        return id_

    def uncommitted(self, path: str) -> list[tuple[str, Facts | None]]:
        """Return the memory files on disk that HEAD does not know: a successor may be among them."""
        folder = self.opened.root / self.opened.settings.folders.memory
        found: list[tuple[str, Facts | None]] = []
        for file in sorted(folder.glob("*/*.md")):
            name = file.relative_to(self.opened.root).as_posix()
            if name != path and name not in self.ground.at and (data := self.opened.read(name)) is not None:
                found.append((name, facts_of(parse(data))))
        return found

    def plain_successor(self, path: str, text: str) -> str | None:
        """Return the path of a file without an id that the edge names."""
        target = text.strip().removeprefix("[[").removesuffix("]]").partition("|")[0].partition("#")[0]
        target = target.removesuffix(".md").strip()
        folder = self.opened.settings.folders.memory
        own = place_of(path, folder)
        project, slash, name = target.removeprefix(folder + "/").rpartition("/")
        place = Place(project if slash else (own.project if own else ""), name)
        wanted = place.path(folder)
        return wanted if name and (self.opened.root / wanted).is_file() else None

    def successor_place(self, state: State) -> Place | None:
        if not isinstance(state, Superseded):
            return None
        standing = self.ground.standings.get(state.by)
        if standing is not None:
            return self.ground.place(standing.path)
        folder = self.opened.settings.folders.memory
        for path, facts in self.uncommitted(""):
            if facts is not None and facts.id == state.by:
                self.include(path)
                return place_of(path, folder)
        path = next((key for key, one in self.writes.items() if facts_of(parse(one.after or b"")).id == state.by), "")
        return place_of(path, folder)

    def include(self, path: str) -> None:
        """Take a successor that HEAD lacks into the commit, as it is."""
        data = self.opened.read(path)
        if data is not None and path not in self.writes:
            facts = facts_of(parse(data))
            self.writes[path] = Write(path, data, data)
            self.events.append(Event("created", facts.id or "", path))

    def is_committed(self, path: str, data: bytes, id_: str) -> bool:
        head = head_quick(self.opened.recorded)
        stored = entries_of(self.opened, head, [path]) if head is not None else {}
        here = is_recorded(self.opened, stored.get(path), path, data)
        return here and id_ in self.ground.standings and id_ not in self.ground.open
