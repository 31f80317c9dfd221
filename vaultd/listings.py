"""The lists that vaultd answers with, as JSON documents: what notes hold, link, and lack."""

from collections.abc import Callable, Mapping

from vaultd.app import App
from vaultd.commands.references import PREFIX, accepted_ground, followed, path_meant
from vaultd.errors import UsageError
from vaultd.lifecycle.ground import Ground
from vaultd.search import listing
from vaultd.search.conditions import moment_span

Document = dict[str, object]
Arguments = Mapping[str, object]


def listed(app: App, verb: str, arguments: Arguments, notices: tuple[str, ...] = ()) -> Document:
    """Answer one of the listing verbs from the index as it is.

    Raises:
        UsageError: a note is named that is not there, or a date that is none.
    """
    document = LISTINGS[verb](app, arguments)
    limit = arguments.get("limit")
    rows = next((value for value in document.values() if isinstance(value, list)), [])
    total = len(rows)
    if isinstance(limit, int):
        del rows[limit:]
    return {"vaultd": 1, **document, "total": total, "notices": list(notices)}


def meant(app: App, ref: str) -> str:
    """Return the path of the note that a path, an id or its beginning, `project/name` or a link text names.

    Raises:
        UsageError: none is meant, or several are.
    """
    ref = ref.strip()
    target = _target(ref)
    notes = set(app.opened.mirror.paths().values())
    if target in notes:
        return target
    if only := _only(ref, target, [path for path in app.linking.meant(target) if path in notes]):
        return only
    if len(identified := _by_id(app, ref)) == 1:
        return identified[0]
    ground = accepted_ground(app.opened) if app.opened.judged else Ground(app.opened.settings.folders.memory)
    return followed(app.opened, ground, path_meant(app.opened, ground, ref))


def _target(ref: str) -> str:
    return ref.removeprefix("[[").removesuffix("]]").partition("|")[0].partition("#")[0].strip()


def _only(ref: str, target: str, named: list[str]) -> str | None:
    """Return the one file of these that is named, None where there are none.

    Raises:
        UsageError: it may be any of several.
    """
    whole = [path for path in named if path.casefold().removesuffix(".md") == target.casefold().removesuffix(".md")]
    if len(whole or named) == 1:
        return (whole or named)[0]
    if len(named) > 1:
        raise UsageError(f"{ref!r} means several files: {', '.join(sorted(named))}", "name one of these paths")
    return None


def _linked(app: App, ref: str) -> str:
    """Return the path of what a link could mean: a note, as `meant` knows it, else a picture or another file.

    Raises:
        UsageError: none is meant, or several are.
    """
    ref = ref.strip()
    named = app.linking.meant(_target(ref))
    notes = set(app.opened.mirror.paths().values())
    others = [] if any(path in notes for path in named) else [*named]
    return _only(ref, _target(ref), others) or meant(app, ref)


def _by_id(app: App, ref: str) -> list[str]:
    """Return the notes whose id begins like this, those among them that no commit holds yet."""
    if len(ref) < PREFIX:
        return []
    mirror, start = app.opened.mirror, ref.upper()
    statement = "SELECT note FROM properties WHERE folded = 'id' AND text >= ?1 AND text < ?1 || '~'"
    return [path for (note,) in mirror.rows(statement, start) if (path := mirror.paths().get(int(note or 0)))]


def _links(app: App, arguments: Arguments) -> Document:
    path = _path(app, arguments) if arguments.get("ref") else None
    return {"path": path, "links": listing.links(app.opened.mirror, path)}


def _backlinks(app: App, arguments: Arguments) -> Document:
    path = _linked(app, str(arguments.get("ref", "")))
    return {"path": path, "backlinks": listing.backlinks(app.opened.mirror, path)}


def _unresolved(app: App, _arguments: Arguments) -> Document:
    return {"unresolved": listing.unresolved(app.opened.mirror)}


def _orphans(app: App, _arguments: Arguments) -> Document:
    return {"orphans": listing.orphans(app.opened.mirror)}


def _tags(app: App, _arguments: Arguments) -> Document:
    return {"tags": listing.tags(app.opened.mirror)}


def _tasks(app: App, arguments: Arguments) -> Document:
    status, before = arguments.get("status"), arguments.get("due_before")
    if isinstance(status, str) and len(status) != 1:
        raise UsageError(
            f"{status!r} is not one character", "--status x for what is done, --status ' ' for what is open"
        )
    moment = moment_span(before) if isinstance(before, str) else None
    if isinstance(before, str) and moment is None:
        raise UsageError(f"{before!r} is not a date", "write it as 2026-11-30")
    due = moment[0] if moment is not None else None
    return {"tasks": listing.tasks(app.opened.mirror, status if isinstance(status, str) else None, due)}


def _properties(app: App, arguments: Arguments) -> Document:
    name = arguments.get("name")
    if not isinstance(name, str):
        return {"properties": listing.properties(app.opened.mirror, app.types())}
    return {"name": name, "values": listing.values(app.opened.mirror, name)}


def _outline(app: App, arguments: Arguments) -> Document:
    path = _path(app, arguments)
    return {"path": path, "headings": listing.outline(app.opened.mirror, path)}


def _path(app: App, arguments: Arguments) -> str:
    return meant(app, str(arguments.get("ref", "")))


LISTINGS: Mapping[str, Callable[[App, Arguments], Document]] = {
    "links": _links,
    "backlinks": _backlinks,
    "unresolved": _unresolved,
    "orphans": _orphans,
    "tags": _tags,
    "tasks": _tasks,
    "properties": _properties,
    "outline": _outline,
}
"""Verb to what answers it."""
