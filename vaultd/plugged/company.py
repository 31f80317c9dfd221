"""The plugins of a vault that a daemon watches: they come and go with their files, hear what happens, and are asked."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from vaultd.app import App, Overview
from vaultd.documents import VERSION, Document
from vaultd.errors import UsageError, VaultdError
from vaultd.host.events import LifecycleEvent, NoteEvent
from vaultd.index.fields import drop_fields
from vaultd.judging.opened import open_vault
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.plugged.acting import act
from vaultd.plugged.noticing import Echoes, Noticing
from vaultd.plugged.plugins import Plugins
from vaultd.plugged.telling import Ledger, Listening
from vaultd.plugged.validating import Validating, in_scope, joined

log = logging.getLogger("vaultd")
VERBS = ("plugin_act", "plugins_changed")
_LOOK = 2.0
ENDING = 5.0


class Company:
    """What a daemon holds of plugins; nothing here waits for one but who asks it something."""

    def __init__(self, app: App, say: Callable[[str], None] = lambda _line: None) -> None:
        self._app = app
        self._say = say
        self._echoes = Echoes()
        self._noticing = Noticing(app.opened, self._echoes)
        self._ledger = Ledger(app)
        self._validating = Validating()
        self._listening: dict[str, Listening] = {}
        self._asking = threading.Lock()
        self._guard = threading.RLock()
        self._seen = threading.Event()
        self._woken = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="vaultd-plugins", daemon=True)

    @cached_property
    def _own(self) -> App:
        """Return the vault, opened a second time: what plugins ask does not wait for the daemon, nor it for them."""
        return App(open_vault(self._app.opened.root), self._app.clock)

    @cached_property
    def _plugins(self) -> Plugins:
        return Plugins(self._own, self._echoes.wrote)

    def start(self) -> None:
        """Start what is enabled, and watch what becomes of it; nothing is waited for."""
        self._looked()
        with contextlib.suppress(VaultdError):
            drop_fields(self._own.opened.mirror, self._listening)
        self._thread.start()

    def stop(self) -> None:
        """Let every plugin unload, and end it."""
        self._ended.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(ENDING)
        with self._guard:
            for one in self._listening.values():
                one.stop()
            self._listening.clear()
        if "_plugins" in self.__dict__:
            self._plugins.close()
            self._own.close()

    # What the daemon tells --------------------------------------------------------------------------------------------

    def caught(self, changed: Iterable[str], removed: Iterable[str]) -> None:
        """Tell which notes are new to the index, and which left it."""
        if not self._listening:
            return
        self._own.forget_lost()
        listening = self._listeners()
        for one in listening:
            one.touch()
        self._tell(lambda: self._noticing.noticed(changed, removed), listening)

    def judged(self, seen: Overview) -> None:
        """Tell what was judged; the first time says that the whole vault was seen."""
        self._seen.set()
        listening = self._listeners()
        if not listening:
            return
        self._tell(lambda: self._ledger.news(seen), listening)

    @staticmethod
    def _tell(news: Callable[[], Sequence[NoteEvent | LifecycleEvent]], listening: Sequence[Listening]) -> None:
        try:
            events = news()
        except VaultdError as exc:
            # that plugins hear nothing is no reason for the daemon to stop judging
            log.warning("event=plugins-untold why=%r", exc.message)
            return
        for event in events:
            for one in listening:
                one.put(event)

    # What the daemon is asked -----------------------------------------------------------------------------------------

    def status(self) -> Document:
        """Return how the plugins stand, and how much is wrong with the notes as far as they have looked."""
        found: list[Violation] = []
        with contextlib.suppress(VaultdError):
            found = self._validating.told(self._own.opened, self._plugins)
        problems = {level: sum(one.severity == level for one in found) for level in ("error", "warning")}
        problems["error"] += bool(self._plugins.broken)
        return {"plugins": self._plugins.rows(), "restricted": self._plugins.restricted, "problems": problems}

    def answer(self, verb: str, arguments: Mapping[str, object]) -> Document:
        """Answer one request.

        Raises:
            UsageError: no such verb.
            VaultdError: what came of it.
        """
        match verb:
            case "plugins_changed":
                if (id_ := str(arguments.get("reload", ""))) in self._listening:
                    self._listening.pop(id_).stop()
                    self._plugins.drop(id_)
                self.look(again=True)
                return {"vaultd": VERSION, "plugins": self._plugins.rows(), "restricted": self._plugins.restricted}
            case "plugin_act":
                words = arguments.get("words")
                typed = [str(word) for word in words] if isinstance(words, list) else []
                return act(self._plugins, str(arguments.get("verb")), typed)
            case _:
                raise UsageError(f"plugins know no {verb!r}")

    def check(self, document: Document, scope: str, paths: Sequence[str], severity: Severity) -> Document:
        """Return a check of the tree, or of what is staged, with what plugins find wrong."""
        with contextlib.suppress(VaultdError):
            if not self._plugins.running() and not self._plugins.required():
                return document
        with self._asking:
            found = in_scope(self._validating, scope, self._own.opened, self._plugins)
        return joined(document, found, paths, severity)

    def loaded(self, id_: str) -> None:
        """Have a plugin loaded, where it is not yet.

        Raises:
            PluginError: it does not run, or cannot be loaded.
        """
        _ = self._plugins.named(id_).registered

    def settled(self) -> bool:
        """Return whether every plugin has heard all there is."""
        return all(one.idle for one in self._listeners())

    # Coming and going -------------------------------------------------------------------------------------------------

    def look(self, *, again: bool = False) -> None:
        """Start what is new and end what may not run any more; `again` also where no file seems to have changed."""
        if again:
            self._plugins.look_again()
        with self._guard:
            new, gone = self._plugins.look()
            for id_ in gone:
                if (ended := self._listening.pop(id_, None)) is not None:
                    ended.stop()
                    self._say(f"plugin {id_} was ended")
            for hosted in new:
                heard = self._noticing, self._validating, self._seen, self._say
                one = self._listening[hosted.id] = Listening(self._own, hosted, *heard)
                one.start()
            if gone:
                drop_fields(self._own.opened.mirror, self._listening)
            if not self._listening:
                self._noticing.end()

    def _watch(self) -> None:
        while not self._ended.is_set():
            self._woken.wait(_LOOK)
            self._looked()

    def _looked(self) -> None:
        try:
            self.look()
        except VaultdError as exc:
            log.warning("event=plugins-unknown why=%r", exc.message)

    def _listeners(self) -> list[Listening]:
        return list(self._listening.values())
