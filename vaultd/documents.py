"""What vaultd says as JSON documents, as far as it takes no open vault to say: what a command did, a violation, an error."""

from typing import TYPE_CHECKING

from vaultd.errors import RejectedError, VaultdError
from vaultd.lifecycle.violations import Violation

if TYPE_CHECKING:
    from vaultd.commands.asking import Done

Document = dict[str, object]
VERSION = 1


def done_document(done: "Done") -> Document:
    """Return what a command did as a document."""
    document: Document = {
        "vaultd": VERSION,
        "event": done.event,
        "id": done.id or None,
        "path": done.path,
        "hash": done.hash,
        "commit": done.commit or None,
        "paths": list(done.paths),
        "notices": list(done.notices),
    }
    if done.plan:
        document["plan"] = list(done.plan)
    if done.diff:
        document["diff"] = done.diff
    return document


def violation_row(violation: Violation) -> Document:
    """Return a violation as a JSON object."""
    return {
        "code": violation.code,
        "severity": violation.severity,
        "path": violation.path,
        "line": violation.line,
        "column": violation.column,
        "subject": violation.subject,
        "message": violation.message,
        "hint": violation.hint,
    }


def error_document(error: VaultdError) -> Document:
    """Return an error as a document; the exit code travels with it."""
    violations = error.violations if isinstance(error, RejectedError) else ()
    return {
        "vaultd": VERSION,
        "error": type(error).__name__,
        "message": error.message,
        "hint": error.hint,
        "violations": [violation_row(v) for v in violations if isinstance(v, Violation)],
    }
