"""What a refusal says: which rule, which line, and what would work."""

from datetime import datetime
from shlex import quote

from vaultd.commands.references import Found
from vaultd.errors import ConflictError, RejectedError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.transitions import Written, put_back
from vaultd.lifecycle.violations import Violation


def rejection(*broken: Violation) -> RejectedError:
    """Return the refusal of what would break rules; it reads as `check` would say it."""
    return RejectedError(told(broken[0]), broken[0].hint, broken)


def told(broken: Violation) -> str:
    """Return a broken rule in one line: its code, the place, what is wrong."""
    return f"{broken.code} {broken.path}:{broken.line}: {broken.message}"


def rejected_by(found: Found, code: str, key: str, message: str, hint: str) -> RejectedError:
    """Return the refusal by a rule of what a command would write at a key of a memory."""
    return rejection(Written(found.id, found.path, found.facts).broken(code, key, message, hint))


def place_at(found: Found, key: str) -> str:
    """Return `path:line` of a key, for a refusal that no numbered rule is behind."""
    return f"{found.path}:{found.facts.line(key)}"


def waiting_error(opened: Opened, path: str, id_: str, now: datetime) -> ConflictError:
    """Return the error for a file with a lifecycle change of its own that is not committed.

    Where that change is not accepted, adopting it would not help: the rule it breaks is named, and what mends it.
    """
    back = f"{put_back(path)} takes it back"
    broken = _rejected(opened, path, id_, now)
    if broken is None:
        message = f"{path} holds a lifecycle change that is not committed"
        return ConflictError(message, f"vaultd adopt {quote(path)} records it; {back}")
    hint = broken.hint if put_back(path) in broken.hint else f"{broken.hint}; {back}"
    return ConflictError(f"{path} holds a lifecycle change that is not accepted: {told(broken)}", hint)


def _rejected(opened: Opened, path: str, id_: str, now: datetime) -> Violation | None:
    """Return the rule that the file's change breaks; every memory is read, for the index may not have seen them yet."""
    folder = opened.settings.folders.memory
    memories = (note for note in opened.scan().notes if place_of(note, folder) is not None)
    texts = {note: opened.read(note) for note in memories}
    present = opened.present({note: opened.blob_id(text) for note, text in texts.items() if text is not None}, now)
    return next((found for found in present.verdict.violations if found.subject == id_ and found.path == path), None)
