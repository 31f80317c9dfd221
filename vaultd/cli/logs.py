"""The daemon's log: one line an event, `key=value` or JSON, never the text of a note."""

import json
import logging
import sys
import time


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
        return json.dumps({"at": at, "level": record.levelname.lower(), "message": record.getMessage()})


def log_to_stderr(form: str) -> None:
    """Send the log to stderr in the asked form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        _JsonLines() if form == "json" else logging.Formatter("at=%(asctime)s level=%(levelname)s %(message)s")
    )
    log = logging.getLogger("vaultd")
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
