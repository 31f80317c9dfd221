"""The plugins of one vault that run, each started when it is first needed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vaultd.app import App
from vaultd.documents import Document
from vaultd.errors import PluginError, VaultdError
from vaultd.host.discovery import FOLDER
from vaultd.host.enabling import FILE as WANTED
from vaultd.host.enabling import load_wanted
from vaultd.host.hosted import COPIES, UNLOAD, Asking, Hosted
from vaultd.host.standing import Standing, enabled
from vaultd.host.trees import DATA, stamp_tree, sweep_copies
from vaultd.host.trust import FILE as TRUST
from vaultd.host.trust import load_trust
from vaultd.plugged.answering import Answering, Wrote


class Plugins:
    """What runs; looked at again when files that decide it have changed."""

    def __init__(self, app: App, wrote: Wrote = lambda _path, _asking: None) -> None:
        self._root: Path = app.opened.root
        self._state: Path = app.opened.places.state
        self._answering = Answering(app, wrote)
        self._guard = threading.RLock()
        self._stamp: object = None
        self._rows: list[Standing] = []
        self._hosted: dict[str, Hosted] = {}
        self.broken = ""
        """Why nobody knows which plugins the vault wants, empty where it is known."""
        self._settings: dict[str, object] = {}
        """Of what runs: what told settings apart when it was taken in."""

    def look(self) -> tuple[list[Hosted], list[str]]:
        """Bring what runs to what may run; return the plugins that are new, and the ids of those that were ended."""
        with self._guard:
            stamp = self._stamps()
            mended = self._mended()
            if stamp == self._stamp and not mended:
                return [], []
            self._rows = self._enabled(stamp)
            wanted = {row.id: row for row in self._rows if row.state == "enabled" and row.tree is not None}
            gone = [
                id_
                for id_, one in self._hosted.items()
                if id_ not in wanted or wanted[id_].tree != one.tree or one.held or one.unfit
            ]
            for id_ in gone:
                self._hosted.pop(id_).kill()
            new = [id_ for id_ in wanted if id_ not in self._hosted]
            if new:
                sweep_copies(self._state / COPIES)
            for id_ in new:
                self._settings[id_] = stamp_of(self._data(id_))
                self._hosted[id_] = Hosted(wanted[id_], self._state, self._root.name, self._answer, claim=self._claim)
            self._stamp = self._stamps()
            return [self._hosted[id_] for id_ in new], gone

    def _enabled(self, stamp: object) -> list[Standing]:
        try:
            found = enabled(self._root, self._state)
        except VaultdError as exc:
            # said once, and again when the file was changed
            self.broken, self._stamp = exc.message, stamp
            raise
        self.broken = ""
        return found

    def drop(self, id_: str) -> None:
        """End a plugin, so that the next look starts it anew."""
        with self._guard:
            hosted = self._hosted.pop(id_, None)
            self._stamp = None
        if hosted is not None:
            hosted.stop()

    def look_again(self) -> None:
        """Take nothing for known that was seen before."""
        with self._guard:
            self._stamp = None

    def running(self) -> list[Hosted]:
        """Return the plugins that run or would if they were called, by id."""
        with self._guard:
            return [self._hosted[id_] for id_ in sorted(self._hosted)]

    def named(self, id_: str) -> Hosted:
        """Return one that runs.

        Raises:
            PluginError: it does not, and why.
        """
        with self._guard:
            if id_ in self._hosted:
                return self._hosted[id_]
            why = next((row.reason or row.state for row in self._rows if row.id == id_), "")
        if why:
            raise PluginError(f"{id_} does not run: {why}", "vaultd plugin list shows all")
        raise PluginError(f"{id_} does not run: it is not enabled", f"vaultd plugin enable {id_}")

    def required(self) -> frozenset[str]:
        """Return the plugins without whose validators a check does not pass."""
        return frozenset(load_wanted(self._root).required)

    def rows(self) -> list[Document]:
        """Return how each plugin stands that the vault wants, those among them that failed since."""
        broken: Document = {
            "id": WANTED.rpartition("/")[2],
            "version": "",
            "source": "vault",
            "state": "incompatible",
            "reason": self.broken,
        }
        with self._guard:
            return [*([broken] if self.broken else []), *(self._row(row) for row in self._rows)]

    @property
    def restricted(self) -> bool:
        """Return whether restricted mode is on; it is where nobody can read what was decided."""
        try:
            return load_trust(self._state).restricted
        except VaultdError:
            return True

    def close(self) -> None:
        """Let every plugin unload, and end it."""
        with self._guard:
            hosted, self._hosted = self._hosted, {}
        # at the same time: one that does not want to end must not hold up the others
        ending = [threading.Thread(target=one.stop, daemon=True) for one in hosted.values()]
        for thread in ending:
            thread.start()
        for thread in ending:
            thread.join(2 * UNLOAD + 1)

    def _data(self, id_: str) -> Path:
        return self._root / FOLDER / id_ / DATA

    def _mended(self) -> bool:
        """Say whether settings that kept a plugin from running were changed."""
        unfit = [id_ for id_, one in self._hosted.items() if one.unfit]
        return any(stamp_of(self._data(id_)) != self._settings.get(id_) for id_ in unfit)

    def _claim(self, one: Hosted) -> None:
        """Have each field belong to one plugin: the first by id has it, and the other does not run.

        Raises:
            PluginError: this one is the other.
        """
        with self._guard:
            for id_, rival in self._hosted.items():
                if rival is one or not (both := sorted(one.fields & rival.fields)):
                    continue
                if id_ < one.id:
                    raise PluginError(_taken(one.id, both[0], id_))
                rival.refuse(_taken(id_, both[0], one.id))

    def _row(self, row: Standing) -> Document:
        hosted = self._hosted.get(row.id)
        state, reason = row.state, row.reason
        if hosted is not None and hosted.held:
            state, reason = "quarantined", f"{hosted.held}; vaultd plugin reload {row.id}"
        elif hosted is not None and hosted.unfit:
            state, reason = "incompatible", hosted.unfit
        elif hosted is not None and hosted.failures:
            times = "once" if hosted.failures == 1 else f"{hosted.failures:,} times"
            reason = f"failed {times}, last: {hosted.failure}"
        return {"id": row.id, "version": row.version, "source": row.found.source, "state": state, "reason": reason}

    def _answer(self, asking: Asking, name: str, args: dict[str, object]) -> object:
        return self._answering(asking, name, args)

    def _stamps(self) -> object:
        """Return what tells, without reading, whether anything that decides what runs may have changed."""
        files = (self._root / WANTED, self._state / TRUST, self._state / "quarantine.json")
        folders = [row.found.folder for row in self._rows if row.found.manifest is not None]
        return (
            tuple(stamp_of(file) for file in (*files, self._root / FOLDER)),
            tuple(stamp_tree(folder) for folder in folders),
        )


def _taken(loser: str, field: str, owner: str) -> str:
    return f"{loser}: the field {field!r} is {owner}'s already"


def stamp_of(file: Path) -> tuple[int, int, int]:
    """Return what tells whether a file may have changed, zeros where it is not there."""
    try:
        status = file.stat()
    except OSError:
        return (0, 0, 0)
    return status.st_mtime_ns, status.st_size, status.st_ino


@contextmanager
def plugins_of(app: App) -> Iterator[Plugins]:
    """Give the plugins of a vault that no daemon watches, and end them afterwards."""
    plugins = Plugins(app)
    plugins.look()
    try:
        yield plugins
    finally:
        plugins.close()
