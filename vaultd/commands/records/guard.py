"""Records say for ever what they said: no verb about notes changes one, moves it or takes it away."""

from shlex import quote

from vaultd.errors import RejectedError
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import placed_in
from vaultd.lifecycle.records.envelope import Misread, read_record
from vaultd.lifecycle.records.values import Record
from vaultd.notes.note import parse
from vaultd.values import replace


def refuse_record_change(opened: Opened, path: str, before: bytes, after: bytes | None) -> None:
    """Refuse to change what a record says, or to take it away; `tags`, `aliases` and `cssclasses` are a reader's.

    Raises:
        RejectedError: with the verb that says something new.
    """
    if not _may_hold(opened, path):
        return
    was = _said(before)
    if was is not None and (after is None or _said(after) != was):
        what = "is a record, which never leaves" if after is None else "is a record, which never changes"
        raise RejectedError(f"{path} {what}", _instead(was))


def refuse_record_move(opened: Opened, path: str) -> None:
    """Refuse to give a file with records another path: the one it has says whose answer it is.

    Raises:
        RejectedError: it holds one.
    """
    data = opened.read(path) if _may_hold(opened, path) else None
    if data is None:
        return
    held = next((one.record for one in placed_in(path, data)), None)
    if held is not None:
        raise RejectedError(f"{path} holds records: where they lie says what they answer", _instead(held))


def refuse_plain_arrival(opened: Opened, old: str, new: str) -> None:
    """Refuse to put a note among records that is none: it would answer nothing and keep a slot's path.

    Raises:
        RejectedError: it would be V403 there.
    """
    arrives = new.endswith(".md") and _may_hold(opened, new) and not _may_hold(opened, old)
    data = opened.read(old) if arrives else None
    if data is not None and not isinstance(_said(data), Record):
        raise RejectedError(
            f"V403 {new}: what lies among records is one, and {old} is none",
            "vaultd record set or vaultd record event writes one; plain notes lie elsewhere",
        )


def keeps_link(opened: Opened, path: str, before: bytes, after: bytes) -> bool:
    """Tell whether a link must stay as it is written, because it is part of what a record said; sources follow."""
    if not _may_hold(opened, path):
        return False
    was, now = _said(before), _said(after)
    if isinstance(was, Record) and isinstance(now, Record):
        return replace(was, sources=now.sources) != now
    return was is not None


def _may_hold(opened: Opened, path: str) -> bool:
    folders = opened.settings.folders
    return path.startswith((f"{folders.records}/", f"{folders.review}/"))


def _said(data: bytes) -> Record | Misread | bytes | None:
    """Return what a file says as a record; its bytes where nobody can read them, None for a plain note."""
    note = parse(data)
    return read_record(note) if note.readable else data


def _instead(was: Record | Misread | bytes) -> str:
    if not isinstance(was, Record):
        return "mend its frontmatter in an editor first: vaultd check names the line"
    if was.status == "draft":
        return f"vaultd review approve {was.id}, or reject; vaultd record set … --draft proposes another"
    if was.key is None:
        return f"vaultd record correct {was.id} --body TEXT says how it really was"
    slot = f"{was.collection} --entity {quote(was.entity)} --key {quote(was.key)}"
    return f"vaultd record set {slot} --body TEXT answers anew; vaultd record retract {slot} takes the answer back"
