"""What plugins ask of a vault, held to their permissions; a write is a command with the plugin as its actor."""

import errno
import os
import threading
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256

from vaultd.answers import chain
from vaultd.app import App
from vaultd.commands.asking import Asked, Done
from vaultd.commands.memories.archive import archive
from vaultd.commands.memories.supersede import supersede
from vaultd.commands.notes.delete import delete_note
from vaultd.commands.notes.new import new_plain_note
from vaultd.commands.notes.relink import relink
from vaultd.commands.notes.rename import rename
from vaultd.commands.notes.write import write_note
from vaultd.commands.turns import turn
from vaultd.errors import ConflictError, NoteFormatError, PluginError, RejectedError, UsageError
from vaultd.host.discovery import FOLDER
from vaultd.host.events import DEEPEST
from vaultd.host.hosted import Asking
from vaultd.host.kept import read_object, write_object
from vaultd.host.protocol import Message
from vaultd.host.secrets import secrets_of
from vaultd.host.trees import DATA
from vaultd.judging.ledger import entries
from vaultd.lifecycle.ids import new_id
from vaultd.notes.resolution import Names, link_text
from vaultd.search.conditions import condition
from vaultd.search.filters import Limits
from vaultd.search.listing import leading_nowhere, links
from vaultd.search.query import Question
from vaultd.values import asdict, replace
from vaultd.vault.reading import contained, read_stable

Wrote = Callable[[str, Asking], None]
"""Hears which path a plugin is about to write, and on what occasion."""
_MOST_HITS = 200


class Answering:
    """Answers plugins of one vault; commands take turns, reading does not."""

    def __init__(self, app: App, wrote: Wrote = lambda _path, _asking: None) -> None:
        self._app = app
        self._wrote = wrote
        self._guard = threading.RLock()
        self._answers: dict[str, Callable[[Asking, Message], object]] = {
            "load_data": self._load_data,
            "save_data": self._save_data,
            "secret": self._secret,
            "environment": self._environment,
            "read": self._read,
            "exists": self._exists,
            "notes": self._notes,
            "resolve": self._resolve,
            "linktext": self._link_text,
            "resolved_links": self._resolved_links,
            "unresolved_links": self._unresolved_links,
            "search": self._search,
            "chain": self._chain,
            "ledger": self._ledger,
            "create": self._create,
            "write": self._write,
            "trash": self._trash,
            "rename": self._rename,
            "relink": self._relink,
            "supersede": self._supersede,
            "archive": self._archive,
        }

    def __call__(self, asking: Asking, name: str, args: Message) -> object:
        """Answer one question.

        Raises:
            VaultdError: it cannot be answered, or the plugin may not ask it.
        """
        if name not in self._answers:
            raise UsageError(f"nobody answers {name!r}")
        try:
            return self._answers[name](asking, args)
        except OSError as exc:
            if exc.errno != errno.ENAMETOOLONG:
                raise
            raise UsageError("a path is longer than any disk allows", "255 bytes are the most for a name") from exc

    # What it saved ----------------------------------------------------------------------------------------------------

    def _load_data(self, asking: Asking, _args: Message) -> object:
        file = self._app.opened.root / FOLDER / asking.plugin / DATA
        return read_object(file) if os.path.lexists(file) else None

    def _save_data(self, asking: Asking, args: Message) -> None:
        data = args.get("data")
        if not isinstance(data, dict):
            raise UsageError("what is saved is an object", "save_data({…})")
        path = f"{FOLDER}/{asking.plugin}/{DATA}"
        self._wrote(path, asking)
        write_object(self._app.opened.root / path, data)

    def _secret(self, asking: Asking, args: Message) -> str | None:
        return secrets_of(self._app.opened.places.state, asking.plugin).get(_text(args, "name"))

    def _environment(self, asking: Asking, args: Message) -> str:
        name = _text(args, "name")
        _require(asking, f"env:{name}")
        if name not in os.environ:
            raise UsageError(f"{name} is not in vaultd's environment", "set it where the daemon is started")
        return os.environ[name]

    # Reading ----------------------------------------------------------------------------------------------------------

    def _read(self, asking: Asking, args: Message) -> Message:
        path = _readable(asking, args, "path")
        try:
            data = read_stable(self._app.opened.root, path).data
        except FileNotFoundError:
            return {}
        try:
            text = data.decode()
        except UnicodeDecodeError as exc:
            raise NoteFormatError("is not UTF-8", "save it as UTF-8", path=path) from exc
        return {"text": text, "hash": sha256(data).hexdigest()}

    def _exists(self, asking: Asking, args: Message) -> bool:
        return contained(self._app.opened.root, _readable(asking, args, "path")).is_file()

    def _notes(self, asking: Asking, _args: Message) -> list[str]:
        _require(asking, "vault:read")
        return sorted(self._app.opened.mirror.paths().values())

    def _resolve(self, asking: Asking, args: Message) -> str | None:
        _require(asking, "vault:read")
        target, source = _text(args, "target").partition("#")[0], _text(args, "source")
        return self._names().resolve(target, source)

    def _link_text(self, asking: Asking, args: Message) -> str:
        _require(asking, "vault:read")
        return link_text(_text(args, "path"), _text(args, "source"), self._names())

    def _names(self) -> Names:
        found = self._app.opened.mirror.rows("SELECT path FROM names")
        return Names([str(path) for (path,) in found])

    def _resolved_links(self, asking: Asking, _args: Message) -> list[Message]:
        _require(asking, "vault:read")
        found = links(self._app.opened.mirror, None)
        return [{"path": one["path"], "target": one["resolved"]} for one in found if one["resolved"] is not None]

    def _unresolved_links(self, asking: Asking, _args: Message) -> list[Message]:
        _require(asking, "vault:read")
        keys = ("path", "target", "line", "column")
        return [{key: one[key] for key in keys} for one in leading_nowhere(self._app.opened.mirror)]

    def _search(self, asking: Asking, args: Message) -> list[Message]:
        _require(asking, "vault:read")
        where, limit = _text(args, "where"), args.get("limit")
        limits = Limits(where=condition(where) if where else None)
        most = min(limit, _MOST_HITS) if isinstance(limit, int) and limit > 0 else 20
        with self._guard:
            answer = self._app.search(Question(_text(args, "query"), limit=most, limits=limits))
        return [asdict(hit) for hit in answer.hits]

    def _chain(self, asking: Asking, args: Message) -> object:
        _require(asking, "vault:read")
        with self._guard:
            return chain(self._app, _text(args, "path"))["chain"]

    def _ledger(self, asking: Asking, args: Message) -> list[Message]:
        _require(asking, "git")
        limit = args.get("limit")
        most = limit if isinstance(limit, int) and 0 < limit <= _MOST_HITS else 20
        self._app.opened.require_started()
        with self._guard:
            found = list(entries(self._app.opened, limit=most))
        return [{**asdict(one), "at": one.at.isoformat(), "paths": list(one.paths)} for one in found]

    # Writing ----------------------------------------------------------------------------------------------------------

    def _create(self, asking: Asking, args: Message) -> str:
        path = _text(args, "path")
        path = path if path.endswith(".md") else f"{path}.md"
        body = _text(args, "text")
        return self._commanded(asking, [path], lambda asked: new_plain_note(self._app.opened, asked, path, body)).path

    def _write(self, asking: Asking, args: Message) -> bool:
        """Write a text, and say whether it was still the one that the plugin had read."""
        path, text, expected = _text(args, "path"), _text(args, "text"), _text(args, "expect")
        try:
            data = text.encode()
        except UnicodeEncodeError as exc:
            raise UsageError(f"{path}: the text cannot be written as UTF-8") from exc
        if self._read(_reader(asking), {"path": path}).get("hash") != expected:
            return False
        try:
            self._commanded(asking, [path], lambda asked: write_note(self._app.opened, asked, path, data, expected))
        except ConflictError:
            if self._read(_reader(asking), {"path": path}).get("hash") != expected:
                return False
            raise
        return True

    def _trash(self, asking: Asking, args: Message) -> None:
        path = _text(args, "path")
        self._commanded(asking, [path], lambda asked: delete_note(self._app.opened, asked, path))

    def _rename(self, asking: Asking, args: Message) -> str:
        old, new = _text(args, "path"), _text(args, "to")
        new = new if new.endswith(".md") or not old.endswith(".md") else f"{new}.md"
        wanted = new if "/" in new else f"/{new}"
        self._commanded(asking, [old, new], lambda asked: rename(self._app.opened, asked, [(old, wanted)]))
        return new

    def _relink(self, asking: Asking, args: Message) -> int:
        moves = args.get("moves")
        if not isinstance(moves, dict) or not moves:
            raise UsageError("moves is a table of old paths to new ones")
        pairs = [(str(old), str(new)) for old, new in moves.items()]
        # links in any note follow, so both names must be among those that it may write
        paths = [*(old for old, _ in pairs), *(new for _, new in pairs)]
        done = self._commanded(asking, paths, lambda asked: relink(self._app.opened, asked, pairs))
        return len({*done.paths} - {path for pair in pairs for path in pair})

    def _supersede(self, asking: Asking, args: Message) -> None:
        _require(asking, "lifecycle")
        old, new, reason = (_text(args, key) for key in ("old", "new", "reason"))
        self._changed(asking, old, lambda asked: supersede(self._app.opened, asked, old, new, reason=reason))

    def _archive(self, asking: Asking, args: Message) -> None:
        _require(asking, "lifecycle")
        path, reason = _text(args, "path"), _text(args, "reason")
        self._changed(asking, path, lambda asked: archive(self._app.opened, asked, path, reason=reason))

    def _commanded(self, asking: Asking, paths: list[str], run: Callable[[Asked], Done]) -> Done:
        for path in paths:
            if not asking.permissions.may_write(path):
                raise PluginError(f"{asking.plugin} may not write {path}", f'"vault:write:{path}" in its manifest')
        return self._changed(asking, paths[-1], run)

    def _changed(self, asking: Asking, path: str, run: Callable[[Asked], Done]) -> Done:
        """Carry out one change, and let it be known whose it is."""
        if asking.depth >= DEEPEST:
            raise RejectedError(
                f"{asking.plugin}: plugins have answered each other's writes {asking.depth} times: {path} is not written",
                "one of them should not react to what the other writes",
            )
        with self._guard:
            asked = _asked(asking.plugin, self._app.clock)
            with turn(self._app.opened, asked):
                self._wrote(path, asking)
                done = run(asked)
        for each in done.paths:
            self._wrote(each, asking)
        return done


def _asked(plugin: str, clock: Callable[[], datetime]) -> Asked:
    now = clock()
    return Asked(f"plugin:{plugin}", now, lambda: new_id(int(now.timestamp() * 1000), os.urandom(10)))


def _reader(asking: Asking) -> Asking:
    """Return the same asking with the right to read, for what must be read to write."""
    permissions = replace(asking.permissions, plain=asking.permissions.plain | {"vault:read"})
    return replace(asking, permissions=permissions)


def _require(asking: Asking, permission: str) -> None:
    if not asking.permissions.may(permission):
        raise PluginError(f"{asking.plugin} asked for {permission}", f'"{permission}" in its manifest lets it')


def _readable(asking: Asking, args: Message, key: str) -> str:
    """Return a path that a plugin may read: no hidden file but Obsidian's settings."""
    _require(asking, "vault:read")
    path = _text(args, key)
    hidden = [part for part in path.split("/") if part.startswith(".")]
    settings = hidden == [".obsidian"] and path.startswith(".obsidian/") and path.endswith(".json")
    if not path or (hidden and not settings):
        raise UsageError(f"{path!r} is hidden, or outside the vault")
    return path


def _text(args: Message, key: str) -> str:
    value = args.get(key, "")
    return value if isinstance(value, str) else ""
