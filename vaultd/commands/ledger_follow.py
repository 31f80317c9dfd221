"""What happened to memories, records and notes, taken from the ledger into the activity log: each thing once."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256

from vaultd.history.repository import Repository, head_quick
from vaultd.judging.ledger import LedgerEntry, entries
from vaultd.judging.opened import Opened
from vaultd.lifecycle.ids import new_id
from vaultd.settings import Folders
from vaultd.state.activity import Happening
from vaultd.state.means import stored
from vaultd.state.sidecar import Sidecar

SOURCE = "ledger"
_AT_FIRST = "30 days ago"
_MOST = 5_000
_GLOBAL = "_global"


def follow_ledger(opened: Opened, sidecar: Sidecar) -> int:
    """Note in the activity log what commits tell that it has not heard of yet, whoever made them; return how much.

    The first time it hears of the last thirty days.

    Raises:
        StorageError: git or the disk refused.
    """
    if not opened.judged:
        return 0
    repo = opened.recorded
    before, head = sidecar.activity.followed(SOURCE), head_quick(repo)
    if head is None or head == before:
        return 0
    session = cache(lambda actor: _session(sidecar, actor))
    told = [_happening(opened.settings.folders, session(one.actor), one) for one in _news(opened, before, head)]
    told.reverse()
    return sidecar.activity.follow(SOURCE, head, told)


def _news(opened: Opened, before: str, head: str) -> Iterator[LedgerEntry]:
    """Give what happened since a commit, newest first."""
    repo = opened.recorded
    if not before or not _is_there(repo, before):
        yield from entries(opened, _AT_FIRST, _MOST)
        return
    new = set(repo.git.text("rev-list", f"{before}..{head}", "--").split())
    for entry in entries(opened, limit=_MOST) if new else ():
        if entry.commit in new:
            yield entry


def _is_there(repo: Repository, commit: str) -> bool:
    """Say whether a commit is still known: history may have been rewritten since."""
    asked = f"{commit}^{{commit}}\n".encode()
    return not repo.git.run("cat-file", "--batch-check", stdin=asked).endswith(b"missing\n")


def _happening(folders: Folders, session: str, entry: LedgerEntry) -> Happening:
    path = entry.paths[0] if entry.paths else ""
    # another clone takes the same commit in, and an import brings what it took: one entry all the same
    mark = entry.commit, entry.event, entry.id
    payload = {"actor": entry.actor, "commit": entry.commit, "path": path, "reason": entry.reason}
    return Happening(
        f"{_kind(folders, path)}.{entry.event}",
        session,
        _project(folders, path),
        entry.id or path,
        {key: value for key, value in payload.items() if value},
        stored(entry.at),
        new_id(
            int(entry.at.timestamp() * 1000), sha256("\0".join(mark).encode("utf-8", "surrogateescape")).digest()[:10]
        ),
    )


def _kind(folders: Folders, path: str) -> str:
    for folder, kind in ((folders.memory, "memory"), (folders.records, "record"), (folders.review, "record")):
        if path.startswith(f"{folder}/"):
            return kind
    return "note"


def _project(folders: Folders, path: str) -> str:
    for folder in (folders.memory, folders.notes):
        project, _, name = path.removeprefix(f"{folder}/").partition("/")
        if path.startswith(f"{folder}/") and name and "/" not in name:
            return "" if project == _GLOBAL else project
    return ""


def _session(sidecar: Sidecar, actor: str) -> str:
    """Return the session that an actor names behind its client, empty for a person and for one that is not known here."""
    _, _, name = actor.partition("/")
    known = sidecar.sessions.called(name) if name else None
    return known.id if known is not None else ""
