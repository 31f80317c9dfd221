"""Secrets that a person keeps for plugins: outside the vault, each for one plugin, told to that one only."""

from pathlib import Path

from vaultd.errors import UsageError
from vaultd.host.kept import read_object, texts_in, write_object

FILE = "secrets.json"
_LONGEST = 10_000
_NAME_LONGEST = 100


def secrets_of(state: Path, plugin: str) -> dict[str, str]:
    """Return a plugin's secrets by their names.

    Raises:
        UsageError: the file is broken.
        StorageError: it cannot be read.
    """
    return texts_in(read_object(state / FILE).get(plugin))


def keep_secret(state: Path, plugin: str, name: str, text: str | None) -> None:
    """Keep a secret for a plugin, None to forget it.

    Raises:
        UsageError: nothing is called so, or the text is none.
        StorageError: it cannot be written.
    """
    if not 0 < len(name) <= _NAME_LONGEST or not name.isprintable():
        raise UsageError(f"no secret can be called {name[:40]!r}", f"1 to {_NAME_LONGEST} printable characters")
    if text is not None and not 0 < len(text) <= _LONGEST:
        raise UsageError("there is no secret to keep", f"1 to {_LONGEST:,} characters on standard input")
    said = read_object(state / FILE)
    mine = texts_in(said.get(plugin))
    if text is None and name not in mine:
        raise UsageError(f"{plugin} has no secret {name!r}", ", ".join(sorted(mine)) or "it has none")
    after = {key: value for key, value in mine.items() if key != name} | ({} if text is None else {name: text})
    write_object(state / FILE, {**said, plugin: after}, 0o600)
