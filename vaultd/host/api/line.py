"""The plugin's end of the line to the host."""

import threading
from typing import BinaryIO

from vaultd import errors
from vaultd.errors import PluginError, UsageError, VaultdError
from vaultd.host.hiding import Hiding
from vaultd.host.protocol import Message, Untrue, decode, encode

_KINDS: dict[str, type[VaultdError]] = {
    kind.__name__: kind
    for kind in (errors.UsageError, errors.RejectedError, errors.ConflictError, errors.StorageError, errors.PluginError)
}


class Line:
    """Asks the host, one thing at a time, and waits for its answer."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO, hiding: Hiding) -> None:
        self._reading = reading
        self._writing = writing
        self._hiding = hiding
        self._count = 0
        self._owner = threading.get_ident()

    def ask(self, name: str, /, **args: object) -> object:
        """Return the host's answer.

        Raises:
            VaultdError: what the host answered with.
            UsageError: this is a thread of the plugin's own, or the question is too long.
        """
        if threading.get_ident() != self._owner:
            raise UsageError("the vault can be asked only from the thread that calls the plugin")
        self._count += 1
        try:
            self._writing.write(encode({"ask": self._count, "name": name, "args": args}))
        except Untrue as exc:
            raise UsageError(str(exc), "send less at once") from exc
        said = self._answer()
        error = said.get("error")
        if isinstance(error, dict):
            raise _raised(error)
        return said.get("result")

    def rows(self, name: str, /, **args: object) -> list[Message]:
        """Return an answer that is a list of objects."""
        found = self.ask(name, **args)
        return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []

    def table(self, name: str, /, **args: object) -> Message:
        """Return an answer that is an object."""
        found = self.ask(name, **args)
        return found if isinstance(found, dict) else {}

    def secret(self, name: str, /, **args: object) -> str | None:
        """Return an answer that no log may hold."""
        found = self.ask(name, **args)
        if not isinstance(found, str):
            return None
        self._hiding.add(found)
        return found

    def _answer(self) -> Message:
        said = self._reading.readline()
        if not said:
            raise SystemExit
        return decode(said)


def _raised(error: Message) -> VaultdError:
    kind, message, hint = (str(error.get(key, "")) for key in ("kind", "message", "hint"))
    if kind == "NoteFormatError":
        return errors.NoteFormatError(message, hint)
    return _KINDS.get(kind, PluginError)(message, hint)
