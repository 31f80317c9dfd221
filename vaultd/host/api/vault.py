"""Reading and writing notes: every write compares with what was read, and becomes one commit of the plugin's."""

from collections.abc import Callable

from vaultd.errors import ConflictError, UsageError
from vaultd.host.api.components import EventRef
from vaultd.host.api.files import TFile, path_of
from vaultd.host.api.line import Line
from vaultd.host.api.properties import FrontMatter
from vaultd.host.api.registry import Callback, Registry, Subscription

_ATTEMPTS = 5


class Vault:
    """The notes."""

    def __init__(self, line: Line, registry: Registry, name: str) -> None:
        self._line = line
        self._registry = registry
        self.name = name

    def on(self, name: str, callback: Callback, *, own: bool = False, replay: bool = False) -> EventRef:
        """Be told of `create`, `modify`, `delete` (file) or `rename` (file, old_path).

        `resync` () says that so much changed at once that single notes are not told: look at all of them.
        What the plugin wrote itself is told only with `own`. `create` is told of notes that were there before the plugin only
        with `replay`.

        Raises:
            UsageError: there is no such event.
        """
        one = Subscription(f"vault.{name}", callback, own, replay)
        self._registry.subscribe(one)
        return EventRef(self._registry, one)

    def get_file_by_path(self, path: str) -> TFile | None:
        """Return a file that is there, None where it is not."""
        return TFile(path) if self._line.ask("exists", path=path) is True else None

    def get_markdown_files(self) -> list[TFile]:
        """Return every note, sorted by path."""
        found = self._line.ask("notes")
        return [TFile(path) for path in found if isinstance(path, str)] if isinstance(found, list) else []

    async def read(self, file: TFile | str) -> str:
        """Return a note's text, line endings as they are.

        Raises:
            UsageError: it is not there.
        """
        return self._read(file)[0]

    async def cached_read(self, file: TFile | str) -> str:
        """Return a note's text, for showing; the same as `read`, which is as quick."""
        return self._read(file)[0]

    async def create(self, path: str, data: str) -> TFile:
        """Make a note.

        Raises:
            RejectedError: something lies there, or plain notes may not.
        """
        return TFile(str(self._line.ask("create", path=path, text=data)))

    async def process(self, file: TFile | str, fn: Callable[[str], str]) -> str:
        """Change a note's text and return it; `fn` may run again, on a text that somebody else just wrote.

        Raises:
            ConflictError: it changed each of five times.
            RejectedError: the change touches the lifecycle.
        """
        return self._process(path_of(file), fn)

    async def append(self, file: TFile | str, data: str) -> None:
        """Add to the end of a note."""
        self._process(path_of(file), lambda text: text + data)

    async def trash(self, file: TFile | str) -> None:
        """Remove a note; its text stays in git.

        Raises:
            RejectedError: it is a memory.
        """
        self._line.ask("trash", path=path_of(file))

    def _read(self, file: TFile | str) -> tuple[str, str]:
        found = self._line.table("read", path=path_of(file))
        text, digest = found.get("text"), found.get("hash")
        if not isinstance(text, str):
            raise UsageError(f"{path_of(file)} is not there")
        return text, str(digest)

    def _process(self, path: str, fn: Callable[[str], str]) -> str:
        for _ in range(_ATTEMPTS):
            text, digest = self._read(path)
            changed = fn(text)
            if changed == text:
                return text
            if self._line.ask("write", path=path, text=changed, expect=digest) is True:
                return changed
        raise ConflictError(f"{path} was changed each time it was to be written", "try again later")


class FileManager:
    """Changes that mind more than one file, or more than text."""

    def __init__(self, line: Line, vault: Vault) -> None:
        self._line = line
        self._vault = vault

    async def process_front_matter(self, file: TFile | str, fn: Callable[[FrontMatter], object]) -> None:
        """Change properties; `fn` sets and deletes keys of a mapping, and every other byte of the note stays.

        Raises:
            RejectedError: it touches the lifecycle.
            NoteFormatError: the frontmatter cannot be edited.
        """
        await self._vault.process(file, lambda text: _with_properties(text, fn))

    async def rename_file(self, file: TFile | str, new_path: str) -> TFile:
        """Give a note another path; every link to it follows, in the same commit."""
        return TFile(str(self._line.ask("rename", path=path_of(file), to=new_path)))

    async def update_links(self, moves: dict[str, str]) -> int:
        """Let links follow files that were moved already, old path to new, and return how many notes changed; one commit."""
        changed = self._line.ask("relink", moves=moves)
        return changed if isinstance(changed, int) else 0

    async def trash_file(self, file: TFile | str) -> None:
        """Remove a note; its text stays in git."""
        await self._vault.trash(file)

    def generate_markdown_link(self, file: TFile | str, source_path: str, subpath: str = "", alias: str = "") -> str:
        """Return a link to a note, as short as it is unambiguous."""
        target = self._line.ask("linktext", path=path_of(file), source=source_path)
        return f"[[{target}{subpath}{'|' + alias if alias else ''}]]"


def _with_properties(text: str, fn: Callable[[FrontMatter], object]) -> str:
    from vaultd.notes.frontmatter import remove_value, set_value  # noqa: PLC0415  -- not every plugin edits properties
    from vaultd.notes.note import parse  # noqa: PLC0415

    data = text.encode("utf-8", "surrogateescape")
    matter = FrontMatter(dict(parse(data).properties))
    fn(matter)
    for key in sorted(matter.gone):
        data = remove_value(data, key)
    for key, value in matter.changes.items():
        data = set_value(data, key, value)
    return data.decode("utf-8", "surrogateescape")
