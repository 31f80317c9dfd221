"""What was committed lately, in the words of the commits."""

import re
from datetime import UTC, datetime

from vaultd.history.repository import Repository, head_quick
from vaultd.notes.times import parse_moment
from vaultd.values import dataclass

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NOW = re.compile(r"\b(now|today|0|zero|seconds?)\b")
_THIS_MOMENT = 3.0
"""Seconds in which git has surely answered."""


@dataclass(frozen=True, slots=True)
class Said:
    """A commit and its message."""

    oid: str
    message: str

    @property
    def subject(self) -> str:
        """Return the first line of the message."""
        return self.message.lstrip("\n").partition("\n")[0]


def said_since(repo: Repository, since: str) -> list[Said]:
    """Return the commits of HEAD's history from a moment on, newest first; it is anything git's `--since` understands."""
    head = head_quick(repo)
    if head is None:
        return []
    form = ("--no-show-signature", "--encoding=UTF-8", "--format=%H%x00%B%x00")
    fields = repo.git.text("log", f"--since={since}", *form, head, "--").split("\0")
    return [Said(oid.strip(), message) for oid, message in zip(fields[0::2], fields[1::2], strict=False)]


def is_time(repo: Repository, since: str, now: datetime) -> bool:
    """Tell whether git reads a time in a text: it refuses none, and takes what it cannot read for this very moment."""
    date = _DATE.match(since.strip())
    if date is not None and parse_moment(date[0], UTC) is None:
        return False
    read = repo.git.text("rev-parse", f"--since={since}").removeprefix("--max-age=")
    return abs(int(read) - now.timestamp()) > _THIS_MOMENT or _NOW.search(since.lower()) is not None
