"""The daemon's log: one line an event, `key=value` or JSON, never the text of a note."""

import json
import logging
import sys
import time

from vaultd.cli.visible import visible


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return f"at={_at(record)} level={record.levelname.lower()} {visible(record.getMessage())}"


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps({"at": _at(record), "level": record.levelname.lower(), "message": record.getMessage()})


def _at(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))


def log_to_stderr(form: str) -> None:
    """Send the log to stderr in the asked form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if form == "json" else _Lines())
    log = logging.getLogger("vaultd")
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
