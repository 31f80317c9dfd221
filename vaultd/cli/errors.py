"""An error as a document, the same for `--json` and the socket, and a bug as a report file."""

import tempfile
import traceback
from pathlib import Path

from vaultd import __version__
from vaultd.documents import VERSION, Document, error_document

__all__ = ["bug_document", "error_document", "report_bug"]


def report_bug(exc: Exception) -> Path:
    """Write what is known of a bug to a file and return its path; note texts are not in it."""
    with tempfile.NamedTemporaryFile("w", prefix="vaultd-bug-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write(f"vaultd {__version__}\n\n")
        file.writelines(traceback.format_exception(exc))
    return Path(file.name)


def bug_document(exc: Exception, report: Path) -> Document:
    """Return a bug as a document of the same keys as any other error has."""
    message = f"a bug: {type(exc).__name__}: {exc}"
    return {"vaultd": VERSION, "error": "Bug", "message": message, "hint": f"report: {report}", "violations": []}
