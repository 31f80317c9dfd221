"""What plugins find wrong with notes, as violations like any other."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from vaultd.documents import Document, violation_row
from vaultd.errors import PluginError, StorageError, UsageError
from vaultd.history.repository import head_quick
from vaultd.history.snapshots import staged_changes, tree
from vaultd.host.hosted import VALIDATE, Hosted
from vaultd.host.process import PluginRaisedError
from vaultd.judging.checking import ordered
from vaultd.judging.opened import Opened
from vaultd.judging.scopes import Checked, only
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.plugged.plugins import Plugins
from vaultd.values import replace

BUDGET = 30.0
"""Seconds that one plugin's validators have for one check of everything."""
FAILED = "plugin-error"
MOST_LISTED = 200
"""Problems that one plugin may list of one note."""
_LONGEST = 1_000
"""Characters of the longest message."""
LEVELS: tuple[Severity, ...] = ("error", "warning", "info")


def in_scope(validating: "Validating", scope: str, opened: Opened, plugins: Plugins) -> list[Violation]:
    """Return what plugins find wrong with the tree, with what is `staged`, or with `head`; of history they say nothing."""
    try:
        return _in_scope(validating, scope, opened, plugins)
    except (UsageError, StorageError) as exc:
        # a plugins.json that cannot be read is one thing wrong, and hides no other
        return [replace(_failed("plugins.json", exc.message, "error"), hint=exc.hint)]


def _in_scope(validating: "Validating", scope: str, opened: Opened, plugins: Plugins) -> list[Violation]:
    match scope:
        case "tree":
            return validating.of_tree(opened, plugins)
        case "staged":
            return validating.of_staged(opened, plugins)
        case "head":
            return validating.of_head(opened, plugins)
        case _:
            return []


class Validating:
    """Asks validators about notes, each version of a note once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], tuple[str, tuple[Violation, ...]]] = {}
        """By plugin, hash of its files and path: the key of the text, and what is wrong with it."""
        self._failed: dict[tuple[str, str, str], tuple[str, str]] = {}
        """The same, of texts on which its code failed when nobody had asked: the key, and how."""

    def look(self, opened: Opened, hosted: Hosted, most: int) -> bool:
        """Have a plugin look at some notes that it has not seen as they are, and return whether there may be more.

        What it failed on it is not shown again, before somebody asks for a check.

        Raises:
            PluginError: it cannot be loaded.
        """
        if not hosted.registered.get("validators"):
            return False
        left, keys = most, opened.keys()
        for path, key in keys.items():
            mark = hosted.id, hosted.tree.hash, path
            if key in (self._known.get(mark, ("",))[0], self._failed.get(mark, ("",))[0]):
                continue
            if not left:
                return True
            left -= 1
            data = opened.read(path)
            if data is None or opened.blob_id(data) != key:
                continue
            try:
                self._known[mark] = key, tuple(_asked(hosted, path, data))
                self._failed.pop(mark, None)
            except PluginError as exc:
                self._failed[mark] = key, exc.message
        if left < most:
            self._forget(hosted, keys)
        return False

    def _forget(self, hosted: Hosted, keys: Mapping[str, str]) -> None:
        """Forget notes that are gone, and what earlier files of a plugin found."""
        for known in (self._known, self._failed):
            gone = [m for m in list(known) if m[0] == hosted.id and (m[1] != hosted.tree.hash or m[2] not in keys)]
            for mark in gone:
                known.pop(mark, None)

    def told(self, opened: Opened, plugins: Plugins) -> list[Violation]:
        """Return what is known to be wrong with notes as they are indexed, asking no plugin anything."""
        found: list[Violation] = []
        required = set(plugins.required())
        for hosted in plugins.running():
            why = hosted.held or hosted.unfit or self._failure(opened, hosted)
            if why:
                found.append(_failed(hosted.id, why, "error" if hosted.id in required else "warning"))
            required.discard(hosted.id)
            found += self._told_by(opened, hosted)
        found += [_failed(id_, f"{id_} is required and does not run", "error") for id_ in sorted(required)]
        return ordered(found, opened.settings)

    def _told_by(self, opened: Opened, hosted: Hosted) -> Iterator[Violation]:
        marks = [(mark, known) for mark, known in list(self._known.items()) if known[1]]
        ours = {mark[2]: known for mark, known in marks if mark[:2] == (hosted.id, hosted.tree.hash)}
        now = opened.mirror.stamps_of(ours)
        for path, (key, violations) in ours.items():
            if path in now and now[path][4] == key:
                yield from violations

    def _failure(self, opened: Opened, hosted: Hosted) -> str:
        """Return how a plugin failed on a note as it is now, empty where it did not."""
        marks = [(mark, known) for mark, known in list(self._failed.items())]
        ours = {mark[2]: known for mark, known in marks if mark[:2] == (hosted.id, hosted.tree.hash)}
        now = opened.mirror.stamps_of(ours)
        return next((why for path, (key, why) in ours.items() if path in now and now[path][4] == key), "")

    def of_tree(self, opened: Opened, plugins: Plugins) -> list[Violation]:
        """Return what plugins find wrong with the notes on disk, at the severities that hold."""
        return self._all(opened, plugins, opened.keys(), opened.read)

    def of_head(self, opened: Opened, plugins: Plugins) -> list[Violation]:
        """Return what plugins find wrong with the notes that HEAD holds."""
        head = head_quick(opened.recorded)
        stored = tree(opened.recorded, head) if head is not None else {}
        keys = {path: entry.oid for path, entry in stored.items() if _is_note(path)}
        return self._all(opened, plugins, keys, lambda path: opened.objects.read(keys[path]))

    def of_staged(self, opened: Opened, plugins: Plugins) -> list[Violation]:
        """Return what plugins find wrong with the notes that are staged, and did not with those of HEAD."""
        head = head_quick(opened.recorded)
        changes = staged_changes(opened.recorded, head) if head is not None else []
        after = {path: new for path, _, new in changes if new is not None and _is_note(path)}
        before = {path: old for path, old, _ in changes if old is not None and path in after}
        earlier = self._all(opened, plugins, before, lambda path: opened.objects.read(before[path]))
        found = self._all(opened, plugins, after, lambda path: opened.objects.read(after[path]))
        known = {violation.identity for violation in earlier if violation.code != FAILED}
        return [violation for violation in found if violation.identity not in known]

    def _all(
        self, opened: Opened, plugins: Plugins, keys: Mapping[str, str], read: Callable[[str], bytes | None]
    ) -> list[Violation]:
        found: list[Violation] = []
        required = set(plugins.required())
        for hosted in plugins.running():
            try:
                if hosted.registered.get("validators"):
                    found += self._of_one(hosted, keys, read)
            except (PluginError, StorageError) as exc:
                found.append(_failed(hosted.id, exc.message, "error" if hosted.id in required else "warning"))
            required.discard(hosted.id)
        found += [_failed(id_, f"{id_} is required and does not run", "error") for id_ in sorted(required)]
        return ordered(found, opened.settings)

    def _of_one(
        self, hosted: Hosted, keys: Mapping[str, str], read: Callable[[str], bytes | None]
    ) -> Iterator[Violation]:
        deadline = time.monotonic() + BUDGET
        failed: PluginRaisedError | None = None
        for path, key in keys.items():
            mark = hosted.id, hosted.tree.hash, path
            known = self._known.get(mark)
            if known is None or known[0] != key:
                if time.monotonic() > deadline:
                    raise PluginError(f"{hosted.id}: its validators took more than {BUDGET:g} s for one check")
                data = read(path)
                if data is None:
                    continue
                try:
                    known = self._known[mark] = key, tuple(_asked(hosted, path, data))
                except PluginRaisedError as exc:
                    failed = failed or exc
                    continue
            yield from known[1]
        if failed is not None:
            raise failed


def _asked(hosted: Hosted, path: str, data: bytes) -> Iterator[Violation]:
    args: dict[str, object] = {"path": path, "text": data.decode("utf-8", "replace")}
    said = hosted.call("validate", args, VALIDATE)
    rules = hosted.registered.get("validators")
    rows = [row for row in said if isinstance(row, dict)] if isinstance(said, list) else []
    if len(rows) > MOST_LISTED:
        # what is left out is what matters least
        rows.sort(key=lambda row: LEVELS.index(_level(row)))
    for row in rows[:MOST_LISTED]:
        if not isinstance(rules, list) or row.get("rule") not in rules:
            raise PluginError(f"{hosted.id}: validate: {str(row.get('rule'))[:60]!r} is no rule that it signed up for")
        yield _violation(row, path)
    if len(rows) > MOST_LISTED:
        more = f"{len(rows) - MOST_LISTED:,} more problems that {hosted.id} has with this note are not listed"
        yield Violation(str(rows[MOST_LISTED].get("rule")), "info", path, 1, more, "", 1, "more")


def _violation(row: Mapping[str, object], path: str) -> Violation:
    line, column = row.get("line"), row.get("column")
    return Violation(
        str(row.get("rule")),
        _level(row),
        path,
        line if isinstance(line, int) and line > 0 else 1,
        _short(row.get("message")),
        _short(row.get("hint")),
        column if isinstance(column, int) and column > 0 else 1,
        _short(row.get("subject")),
    )


def _level(row: Mapping[str, object]) -> Severity:
    return next((one for one in LEVELS if one == row.get("level")), "warning")


def _short(text: object) -> str:
    said = str(text)
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"


def _failed(id_: str, why: str, severity: Severity) -> Violation:
    hint = f"vaultd plugin doctor {id_}"
    return Violation(FAILED, severity, ".vaultd/plugins.json", 1, why, hint, subject=id_)


def _is_note(path: str) -> bool:
    return path.endswith(".md") and not any(part.startswith(".") for part in path.split("/"))


def joined(document: Document, found: Iterable[Violation], paths: Sequence[str], severity: Severity) -> Document:
    """Return a check's document with more violations in it, those below the asked severity counted only."""
    listed, summary = document["violations"], document["summary"]
    if not isinstance(listed, list) or not isinstance(summary, dict):
        return document
    every = tuple(found)
    # that a plugin failed concerns whatever is checked
    failed = tuple(violation for violation in every if violation.code == FAILED)
    asked = only(Checked(tuple(v for v in every if v.code != FAILED), 0), paths).violations
    more = (*failed, *asked)
    shown = LEVELS[: LEVELS.index(severity) + 1]
    rows = [*listed, *(violation_row(v) for v in more if v.severity in shown)]
    counted = {level: summary[level] + sum(v.severity == level for v in more) for level in LEVELS}
    return {
        **document,
        "violations": sorted(rows, key=lambda row: (row["path"], row["line"], LEVELS.index(row["severity"]))),
        "summary": {**summary, **counted},
    }
