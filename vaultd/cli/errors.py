"""An error as a document, the same for `--json` and the socket, and a bug as a report file."""

import tempfile
import traceback
from pathlib import Path

from vaultd import __version__
from vaultd.documents import error_document

__all__ = ["error_document", "report_bug"]


def report_bug(exc: Exception) -> Path:
    """Write what is known of a bug to a file and return its path; note texts are not in it."""
    with tempfile.NamedTemporaryFile("w", prefix="vaultd-bug-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write(f"vaultd {__version__}\n\n")
        file.writelines(traceback.format_exception(exc))
    return Path(file.name)
