"""The beginning of a plugin, for its author to go on from."""

import json
from pathlib import Path

from vaultd.errors import RejectedError, StorageError, UsageError
from vaultd.host.discovery import FOLDER
from vaultd.host.manifest import FILE, is_id
from vaultd.host.versions import API_VERSION

_MAIN = '''"""{name}: counts the words of notes."""

from vaultd.host.api import CachedMetadata, Plugin, TFile, setting


class {cls}(Plugin):
    """Adds the field `{field}` to every note, and lists the longest."""

    class Settings:
        """What a person can set in `data.json`."""

        most: int = setting(10, ge=1, desc="How many notes to list.")

    settings: Settings

    async def onload(self) -> None:
        """Sign up for everything the plugin does."""
        self.register_indexer("{field}", int, self.words)
        self.register_cli_handler("{id}:list", "List the longest notes.", {{"most": int}}, self.longest)

    def words(self, file: TFile, cache: CachedMetadata) -> int:
        """Return how many words a note has."""
        return len(cache.body.split())

    async def longest(self, params: dict[str, int]) -> list[dict[str, object]]:
        """Return the longest notes, the longest first."""
        found = [(file, self.app.metadata_cache.get_file_cache(file)) for file in self.app.vault.get_markdown_files()]
        counted = [(self.words(file, cache), file.path) for file, cache in found if cache is not None]
        counted.sort(reverse=True)
        return [{{"words": words, "path": path}} for words, path in counted[: params.get("most", self.settings.most)]]
'''
_README = """# {name}

Adds the field `{field}` to every note: `vaultd search --where '{field} > 500'`. `vaultd {id}:list` lists the longest notes.
"""


def begin_plugin(root: Path, id_: str, name: str) -> tuple[str, ...]:
    """Write a plugin that works into a vault, and return the paths of its files.

    Raises:
        UsageError: no plugin can be called so.
        RejectedError: there is one.
        StorageError: the folder cannot be written.
    """
    if not is_id(id_):
        raise UsageError(f"{id_!r} is no id", "lower-case letters, digits, - and _, a letter or digit at both ends")
    if not name.isprintable() or '"' in name or "\\" in name:
        raise UsageError(f"{name!r} is no name", "one line of plain text")
    folder = root / FOLDER / id_
    if folder.exists():
        raise RejectedError(f"{FOLDER}/{id_} is there already", "choose another id")
    manifest = {
        "id": id_,
        "name": name,
        "author": "you",
        "version": "0.1.0",
        "minAppVersion": API_VERSION,
        "description": "Counts the words of notes.",
        "permissions": ["vault:read"],
    }
    cls = "".join(part.capitalize() for part in id_.replace("-", "_").split("_")) or "Plugin"
    cls = cls if cls[0].isalpha() else f"P{cls}"
    # of two plugins with one field only one runs
    field = f"words_{id_.replace('-', '_')}"
    texts = {
        FILE: json.dumps(manifest, ensure_ascii=False, indent=2) + "\n",
        "main.py": _MAIN.format(id=id_, name=name, cls=cls, field=field),
        "README.md": _README.format(id=id_, name=name, field=field),
    }
    try:
        folder.mkdir(parents=True)
        for file, text in texts.items():
            (folder / file).write_text(text, "utf-8")
    except OSError as exc:
        raise StorageError(f"{folder} cannot be written: {exc.strerror}", "check its permissions") from exc
    return tuple(f"{FOLDER}/{id_}/{file}" for file in texts)
