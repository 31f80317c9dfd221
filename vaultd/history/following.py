"""The commit behind one that is known, read without starting git: what is asked after each commit of our own."""

import re

from vaultd.history.objects import Objects
from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded, encoded
from vaultd.history.trees import Item, Trees
from vaultd.history.walk import REGULAR, Change, Commit, commit_of
from vaultd.quickly import pattern

_TRAILING_BLANKS = pattern(r"[ \t\r]+$", re.MULTILINE)


def following(repo: Repository, objects: Objects, oid: str, parent: str) -> Commit | None:
    """Return a commit as `walk` gives it where `parent` is its only one, None where it takes git to tell."""
    raw = objects.read(oid)
    if raw is None:
        return None
    facts, _, body = decoded(raw).partition("\n\n")
    if re.findall(r"^parent (\w+)$", facts, re.MULTILINE) != [parent] or "\nencoding " in facts:
        return None
    message = _TRAILING_BLANKS.sub("", body).strip("\n")
    return commit_of(oid, (parent,), facts, message, (_changes(repo, objects, parent, oid),))


def _changes(repo: Repository, objects: Objects, before: str, after: str) -> tuple[Change, ...]:
    differing = Trees(repo, objects).differing(before, after, repo.prefix)
    found = (Change(path, _blob(old), _blob(new)) for path, (old, new) in differing.items())
    return tuple(sorted((change for change in found if change.before != change.after), key=lambda c: encoded(c.path)))


def _blob(item: Item | None) -> str | None:
    return item.oid if item is not None and item.mode in REGULAR else None
