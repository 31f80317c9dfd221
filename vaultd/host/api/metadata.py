"""What a note's text says, read in the plugin's own process, and what links lead where."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from vaultd.host.api.components import EventRef
from vaultd.host.api.files import TFile, path_of
from vaultd.host.api.line import Line
from vaultd.host.api.registry import Callback, Registry, Subscription

if TYPE_CHECKING:
    from vaultd.notes.markdown import Heading
    from vaultd.notes.note import Note
    from vaultd.notes.scalars import Value
    from vaultd.notes.structure import Link, Structure, Tag
    from vaultd.notes.tasks import Task


class CachedMetadata:
    """A note's properties and structure; read when first asked for."""

    def __init__(self, data: str) -> None:
        self._data = data

    @cached_property
    def _note(self) -> "Note":
        from vaultd.notes.note import parse  # noqa: PLC0415  -- most calls of most plugins read no note

        return parse(self._data.encode("utf-8", "surrogateescape"))

    @cached_property
    def _structure(self) -> "Structure":
        from vaultd.notes.structure import structure  # noqa: PLC0415

        return structure(self._note)

    @property
    def frontmatter(self) -> "Mapping[str, Value]":
        """Return the properties; empty where there are none or they cannot be read."""
        return self._note.properties

    @property
    def body(self) -> str:
        """Return the text behind the frontmatter."""
        return self._note.body

    @property
    def headings(self) -> "tuple[Heading, ...]":
        """Return the headings, in order."""
        return self._structure.headings

    @property
    def links(self) -> "tuple[Link, ...]":
        """Return every link that is no embed, those of the frontmatter first."""
        return tuple(link for link in self._structure.links if not link.embed)

    @property
    def embeds(self) -> "tuple[Link, ...]":
        """Return every embed."""
        return tuple(link for link in self._structure.links if link.embed)

    @property
    def tags(self) -> "tuple[Tag, ...]":
        """Return every use of a tag, with its `#`."""
        return self._structure.tags

    @property
    def tasks(self) -> "tuple[Task, ...]":
        """Return the checkboxes."""
        return self._structure.tasks

    def line_of(self, key: str) -> int:
        """Return the line on which a property stands, 1 where it does not."""
        return self._note.key_lines.get(key, 1)


class MetadataCache:
    """What is known of every note."""

    def __init__(self, line: Line, registry: Registry) -> None:
        self._line = line
        self._registry = registry

    def on(self, name: str, callback: Callback, *, own: bool = False) -> EventRef:
        """Be told of `changed` (file, data, cache), `deleted` (file), `resolve` (file) or `resolved` ().

        `resolve` says that the links of a note were looked up anew, `resolved` that those of all that changed were.

        Raises:
            UsageError: there is no such event.
        """
        one = Subscription(f"metadata.{name}", callback, own, replay=False)
        self._registry.subscribe(one)
        return EventRef(self._registry, one)

    def get_file_cache(self, file: TFile | str) -> CachedMetadata | None:
        """Return what a note says, None where it is not there."""
        data = self._line.table("read", path=path_of(file)).get("text")
        return CachedMetadata(data) if isinstance(data, str) else None

    @property
    def resolved_links(self) -> dict[str, dict[str, int]]:
        """Return, by note, the files that its links lead to, and how often."""
        return self._links("resolved_links")

    @property
    def unresolved_links(self) -> dict[str, dict[str, int]]:
        """Return, by note, the texts of its links that lead nowhere, and how often."""
        return self._links("unresolved_links")

    def _links(self, name: str) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for row in self._line.rows(name):
            targets = found.setdefault(str(row["path"]), {})
            targets[str(row["target"])] = targets.get(str(row["target"]), 0) + 1
        return found

    def link_places(self) -> list[dict[str, object]]:
        """Return a row for each link that leads nowhere: path, target, line, column."""
        return self._line.rows("unresolved_links")

    def file_to_linktext(self, file: TFile | str, source_path: str, omit_md_extension: bool = True) -> str:  # noqa: FBT001, FBT002  -- Obsidian's
        """Return what a link from a note to a file says, as short as it is unambiguous."""
        found = str(self._line.ask("linktext", path=path_of(file), source=source_path))
        ending = not omit_md_extension and path_of(file).endswith(".md") and not found.endswith(".md")
        return f"{found}.md" if ending else found

    def get_first_linkpath_dest(self, linkpath: str, source_path: str) -> TFile | None:
        """Return the file that a link means where it stands in a note, None where it leads nowhere."""
        found = self._line.ask("resolve", target=linkpath, source=source_path)
        return TFile(found) if isinstance(found, str) else None
