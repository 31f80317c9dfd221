"""What tools about memories, notes and search do."""

from hashlib import sha256
from posixpath import normpath

from vaultd.answers import show
from vaultd.app import App
from vaultd.checks import require_known
from vaultd.commands.asking import Asked, Done
from vaultd.commands.memories.append import append_to_memory
from vaultd.commands.memories.archive import archive
from vaultd.commands.memories.edit import edit_memory
from vaultd.commands.memories.restore import restore
from vaultd.commands.memories.supersede import supersede
from vaultd.commands.memories.write import Wanted, write_memory
from vaultd.commands.notes.append import append_to_note
from vaultd.commands.notes.edit import edit_note
from vaultd.commands.notes.new import new_work_note
from vaultd.commands.occupied import occupant
from vaultd.commands.project_folders import know_folders
from vaultd.commands.records.set import propose_record, set_record
from vaultd.commands.records.wanted import Wanted as Answer
from vaultd.documents import Document
from vaultd.errors import UsageError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.fields import PLAN_TAG
from vaultd.lifecycle.places import Place
from vaultd.lifecycle.work_notes import WorkDraft
from vaultd.mcp_server.desk import Call, project_of
from vaultd.notes.editing import Replacement
from vaultd.notes.note import parse
from vaultd.state import documents
from vaultd.state.projects import refuse_plan

_CHANGED = (
    "{} was there, and says something else now; git keeps what it said. `expect_hash` changes only what you have read"
)
_LIMITS = ("query", "project", "kind", "tags", "path", "where", "in")
"""What a search is for: without any of these it would be everything."""
_FIELDS = ("kind", "name", "title", "project", "description", "tags", "created", "updated", "valid_from", "invalid_at")


def search(call: Call) -> Document:
    """Find notes by their words, or list what fits a limit."""
    given = call.given
    if given.values.keys().isdisjoint(_LIMITS):
        raise UsageError("query is missing: words, as in Obsidian's search", f"or one of {', '.join(_LIMITS[1:])}")
    arguments: dict[str, object] = {
        "query": given.text("query"),
        "limit": given.number("limit", 10),
        "all": given.flag("all"),
        "in": list(given.texts("in")),
        "kind": given.maybe("kind"),
        "tags": list(given.texts("tags")),
        "path": given.maybe("path"),
        "where": given.maybe("where"),
        "collections": list(given.texts("collections")),
        **{key: given.maybe(key) for key in ("entity", "type", "status", "versions", "as_of")},
        "project": call.project() if given.maybe("project") is not None else None,
        **_where_to_look(call),
    }
    document = _within_fences(call, call.desk.answer("search", arguments), "hits")
    _count_shown(call, document["hits"])
    return {**document, "notices": [*_listed(document["notices"]), *_unheard_of(call, document)]}


def _unheard_of(call: Call, document: Document) -> list[str]:
    """Return what to say of a project that nothing was found in because there is none."""
    project = call.given.maybe("project") and call.project()
    if not project or document["hits"]:
        return []
    know_folders(call.desk.sidecar.projects, call.desk.root)
    return documents.unheard_of(call.desk.sidecar, project, "")


def _count_shown(call: Call, hits: object) -> None:
    """Count what was put before somebody."""
    rows = [row for row in _listed(hits) if isinstance(row, dict)]
    call.desk.sidecar.retrieval.shown([str(row["id"] or row["path"]) for row in rows])


def _where_to_look(call: Call) -> Document:
    """Return the folders that a search is kept to: what may not be read uses up no place among the hits, nor counts."""
    fences = call.fences
    if not fences:
        return {}
    with call.opened() as opened:
        folders = opened.settings.folders
        inside, outside = fences.folders((folders.memory, folders.notes))
    return {"inside": inside, "outside": outside}


def _within_fences(call: Call, document: Document, key: str) -> Document:
    """Return a document without what lies in a project that is set apart from the session's."""
    fences, rows = call.fences, document.get(key)
    if not fences or not isinstance(rows, list):
        return document
    with call.opened() as opened:
        return {**document, key: [row for row in rows if fences.reads(project_of(opened, str(row["path"])))]}


def check(call: Call) -> Document:
    """List broken rules."""
    severity = call.given.text("severity") or "warning"
    paths = [normpath(path) for path in call.given.texts("paths")]
    document = call.desk.answer("check", {"paths": paths, "severity": severity})
    with call.opened() as opened:
        # of a project that is set apart not even this is told
        require_known(opened, [path for path in paths if call.fences.reads(project_of(opened, path))], document)
    kept, limit = _within_fences(call, document, "violations"), call.given.number("limit", 100)
    rows, notices = _listed(kept["violations"]), _listed(kept["notices"])
    if len(rows) < len(_listed(document["violations"])):
        notices.append("what is wrong in a project that is set apart is not listed")
    if len(rows) > limit:
        notices.append(f"{len(rows) - limit} more are not listed: name paths, a severity or a limit")
    return {**kept, "violations": rows[:limit], "notices": notices}


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


def memory_read(call: Call) -> Document:
    """Return a memory or note with what is accepted of it."""
    with call.opened() as opened:
        shown = show(App(opened), call.given.text("ref"))
        path = str(shown["path"])
        if path.startswith(".vaultd/") or not path.endswith((".md", ".canvas")):
            raise UsageError(f"{path} is no memory and no note", "search finds them by their words")
        call.fences.refuse_reading(project_of(opened, path))
        data = opened.read(path) or b""
    properties = parse(data).properties
    item = str(shown["id"] or shown["path"])
    call.desk.sidecar.retrieval.read([item])
    document = {**shown, **{name: properties.get(name) for name in _FIELDS if name in properties}}
    return {**document, "hash": sha256(data).hexdigest(), "warning": _warning(shown)}


def _warning(shown: Document) -> str | None:
    match shown["superseded_by"], shown["state"]:
        case {"path": path}, _:
            return f"superseded by {path}: read that instead"
        case _, "archived":
            return "archived: it holds no more"
        case _, None if shown["type"] == "memory":
            return "not accepted yet: it was saved just now, or breaks a rule; check says which"
        case _:
            return None


def memory_write(call: Call) -> Document:
    """Make a memory, or give the one of this name another text."""
    given = call.given
    wanted = Wanted(given.maybe("kind"), given.maybe("description"), given.maybe("body"), given.texts("tags") or None)
    place = Place(call.home(), given.text("name"))
    supersedes, reason = given.text("supersedes"), given.text("reason")
    there: list[str] = []

    def write(opened: Opened, how: Asked) -> Done:
        if path := occupant(opened, place.path(opened.settings.folders.memory)):
            there.append(path)
            call.fences.refuse_touching(place.project)  # others may put something in there, and take nothing away
        return write_memory(opened, how, place, wanted, supersedes=supersedes, reason=reason)

    document = call.change(write)
    call.know(place.project)
    unread = [path for path in there if path in _listed(document["paths"]) and not given.text("expect_hash")]
    told = [_CHANGED.format(path) for path in unread]
    return {**document, "notices": [*_listed(document["notices"]), *told]}


def memory_edit(call: Call) -> Document:
    """Replace words of a memory."""
    ref, reason = call.given.text("ref"), call.given.text("reason")
    pairs = _replacements(call)
    return call.change(lambda opened, how: edit_memory(opened, how, ref, pairs, reason=reason))


def memory_append(call: Call) -> Document:
    """Add to the end of a memory."""
    ref, body, reason = call.given.text("ref"), call.given.text("body"), call.given.text("reason")
    return call.change(lambda opened, how: append_to_memory(opened, how, ref, body, reason=reason))


def memory_supersede(call: Call) -> Document:
    """Hand over from one memory to another."""
    old, new, reason = call.given.text("old"), call.given.text("new"), call.given.text("reason")
    return call.change(lambda opened, how: supersede(opened, how, old, new, reason=reason))


def memory_archive(call: Call) -> Document:
    """End a memory without a successor."""
    ref, reason = call.given.text("ref"), call.given.text("reason")
    return call.change(lambda opened, how: archive(opened, how, ref, reason=reason))


def memory_restore(call: Call) -> Document:
    """Bring an ended memory back."""
    ref, reason = call.given.text("ref"), call.given.text("reason")
    return call.change(lambda opened, how: restore(opened, how, ref, reason=reason))


def record_set(call: Call) -> Document:
    """Answer a slot, or propose an answer."""
    given, reason = call.given, call.given.text("reason")
    wanted = Answer(
        collection=given.text("collection"),
        entity=given.text("entity"),
        type=given.text("type") or "fact",
        text=given.text("body"),
        key=given.text("key"),
        derived_from=given.texts("derived_from"),
        sources=given.texts("sources"),
        expect_head=given.text("expect_head"),
    )
    run = propose_record if given.flag("draft") else set_record
    return call.change(lambda opened, how: run(opened, how, wanted, reason=reason))


def note_write(call: Call) -> Document:
    """Make a work note."""
    given = call.given
    plan = given.text("plan")
    refuse_plan(plan)
    draft = WorkDraft(
        title=given.text("title"),
        slug=given.text("name"),
        project=call.home(),
        description=given.text("description"),
        source_url=given.text("source_url"),
        tags=(*given.texts("tags"), *((PLAN_TAG + plan,) if plan else ())),
        body=given.text("body"),
    )
    reason = given.text("reason")
    document = call.change(lambda opened, how: new_work_note(opened, how, draft, reason=reason))
    call.know(draft.project)
    return document


def note_edit(call: Call) -> Document:
    """Replace words of a note."""
    ref, reason = call.given.text("ref"), call.given.text("reason")
    pairs = _replacements(call)
    return call.change(lambda opened, how: edit_note(opened, how, ref, pairs, reason=reason))


def note_append(call: Call) -> Document:
    """Add to the end of a note."""
    ref, body, reason = call.given.text("ref"), call.given.text("body"), call.given.text("reason")
    return call.change(lambda opened, how: append_to_note(opened, how, ref, body, reason=reason))


def _replacements(call: Call) -> list[Replacement]:
    return [Replacement(one.old, one.new) for one in call.given.edits("edits")]
