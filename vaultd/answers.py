"""What vaultd answers, as JSON documents with keys that do not change: one shape for the socket, `--json` and text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from vaultd import __version__
from vaultd.app import App, Overview
from vaultd.checks import checked_document, checked_in_git
from vaultd.commands.accept import Pending
from vaultd.commands.references import accepted_ground, find_memory, followed, path_meant
from vaultd.documents import VERSION, Document
from vaultd.errors import UsageError
from vaultd.history.repository import ahead_behind, head, operation
from vaultd.judging.ledger import entries
from vaultd.judging.scopes import Checked, only
from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import Standing, successor_of, word
from vaultd.lifecycle.violations import Severity
from vaultd.notes.note import parse
from vaultd.search.query import Hit, Question
from vaultd.values import asdict

_HIT = Hit.__match_args__


def search(app: App, question: Question, notices: Iterable[str] = ()) -> Document:
    """Answer a search from the index as it is."""
    answer = app.search(question)
    return {
        "vaultd": VERSION,
        "query": question.query,
        "mode": "text",
        "total": answer.total,
        "took_ms": answer.took_ms,
        "generation": answer.generation,
        "notices": [*notices, *answer.notices],
        # not `asdict`: it copies whatever is in them, which took a quarter of a search
        "hits": [{name: getattr(hit, name) for name in _HIT} for hit in answer.hits],
    }


def check(
    app: App,
    scope: str,
    paths: Sequence[str] = (),
    ranges: Sequence[str] = (),
    severity: Severity = "info",
    overview: Callable[[], Overview] | None = None,
) -> Document:
    """Answer a check of the working tree (`tree`), of what is `staged`, of `head`, or of `history`."""
    if scope == "tree" or not app.opened.judged:
        seen = (overview or app.look)()
        checked = Checked(app.judged_links(seen), len(seen.notes), seen.notices)
    else:
        checked = checked_in_git(app.opened, scope, ranges, app.clock())
    return checked_document(only(checked, paths), severity)


def status(app: App, seen: Overview, live: Mapping[str, object], pending: Sequence[Pending]) -> Document:
    """Return the state of a vault; `live` is what only a running daemon knows, `problems` that plugins found among it."""
    opened = app.opened
    more = live.get("problems")
    found = {name: sum(v.severity == name for v in seen.violations) for name in ("error", "warning")}
    problems = {name: number + more.get(name, 0) for name, number in found.items()} if isinstance(more, dict) else found
    return {
        "vaultd": VERSION,
        "version": __version__,
        "vault": str(opened.root),
        "vault_id": _vault_id(app),
        "state": "off",
        "pid": None,
        "notes": len(seen.notes),
        "memories": dict(seen.memories),
        "problems": problems,
        "rejected": [{"path": path, "code": code} for path, code in sorted(seen.rejected.items())],
        "pending": [asdict(one) for one in pending],
        "last_event_at": None,
        "last_reconcile": None,
        "last_commit": app.last_told(seen.head) if seen.head is not None else None,
        "index": {
            "schema": opened.mirror.schema,
            "documents": opened.mirror.documents(),
            "bytes": opened.mirror.bytes(),
        },
        "git": _git(app),
        "watcher": None,
        "plugins": [],
        "restricted": True,
        "notices": list(seen.notices),
        **{key: value for key, value in live.items() if key != "problems"},
    }


def _vault_id(app: App) -> str | None:
    file = app.opened.root / ".vaultd" / "vault-id"
    return file.read_text("utf-8").strip() if file.is_file() else None


def _git(app: App) -> Document | None:
    repo = app.opened.repo
    if repo is None:
        return None
    ahead, behind = ahead_behind(repo)
    branch = head(repo).branch
    short = branch.removeprefix("refs/heads/") if branch is not None else None
    return {"branch": short, "ahead": ahead, "behind": behind, "operation": operation(repo)}


def show(app: App, ref: str) -> Document:
    """Return a note and, of a memory, what is accepted of it and what replaced it."""
    opened = app.opened
    ground = accepted_ground(opened) if opened.judged else Ground(opened.settings.folders.memory)
    path = ref if opened.read(ref) is not None else followed(opened, ground, path_meant(opened, ground, ref))
    data = opened.read(path)
    if data is None:
        raise UsageError(f"{path} is not there", "vaultd search finds notes by their words")
    note = parse(data)
    id_ = note.properties.get("id")
    standing = ground.standings.get(id_ if isinstance(id_, str) else ground.at.get(path, ""))
    claims = standing is not None or (
        isinstance(id_, str) and place_of(path, opened.settings.folders.memory) is not None
    )
    return {
        "vaultd": VERSION,
        "path": path,
        "id": id_ if isinstance(id_, str) else None,
        "type": "memory" if claims else "note",
        "state": word(standing.state) if standing is not None else None,
        "superseded_by": _brief(ground, standing),
        "supersedes": [_row(ground.standings[one]) for one in sorted(_before(ground, standing))],
        "text": data.decode("utf-8", "replace"),
    }


def _before(ground: Ground, standing: Standing | None) -> Iterable[str]:
    return ground.predecessors.get(standing.id, frozenset()) if standing is not None else ()


def _brief(ground: Ground, standing: Standing | None) -> Document | None:
    successor = ground.standings.get(successor_of(standing.state) or "") if standing is not None else None
    return _row(successor) if successor is not None else None


def _row(standing: Standing) -> Document:
    return {"id": standing.id, "path": standing.path, "state": word(standing.state)}


def chain(app: App, ref: str) -> Document:
    """Return a memory's whole chain, oldest first: what it replaced and what replaced it."""
    ground = accepted_ground(app.opened)
    found = find_memory(app.opened, ref)
    last = found.id
    while (standing := ground.standings.get(last)) and (successor := successor_of(standing.state)):
        last = successor
    ids, waiting = list[str](), [last]
    while waiting:
        id_ = waiting.pop(0)
        if id_ not in ids:
            ids.append(id_)
            waiting += sorted(ground.predecessors.get(id_, ()))
    rows = [_linked(app, ground, ground.standings[id_]) for id_ in reversed(ids) if id_ in ground.standings]
    return {"vaultd": VERSION, "id": found.id, "path": found.path, "chain": rows}


def _linked(app: App, ground: Ground, standing: Standing) -> Document:
    ended = getattr(standing.state, "at", None)
    path = followed(app.opened, ground, standing.path)
    return {**_row(standing), "path": path, "invalid_at": ended, "superseded_by": successor_of(standing.state)}


def log(app: App, ref: str | None, since: str | None, limit: int | None) -> Document:
    """Return the ledger, newest first: of one memory, or of all."""
    app.opened.require_started()
    id_ = find_id(app, ref) if ref else None
    rows: list[Document] = []
    for entry in entries(app.opened, since):
        if id_ is not None and id_ not in (entry.id, entry.successor):
            continue
        rows.append({**asdict(entry), "at": _stamp(entry.at), "paths": list(entry.paths)})
        if limit is not None and len(rows) >= limit:
            break
    return {"vaultd": VERSION, "id": id_, "entries": rows}


def find_id(app: App, ref: str) -> str:
    """Return the id of a memory, also of one whose file is not there any more."""
    ground = accepted_ground(app.opened)
    if ref in ground.standings:
        return ref
    path = path_meant(app.opened, ground, ref)
    id_ = ground.at.get(path) or next((s.id for s in ground.standings.values() if s.path == path), None)
    if id_ is not None:
        return id_
    if place_of(path, app.opened.settings.folders.memory) is None:
        raise UsageError(f"{path} is no memory", "the ledger tells of memories; git log tells of any file")
    return find_memory(app.opened, ref).id


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
