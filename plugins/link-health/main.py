"""Lists links that lead nowhere, notes that nothing links to, and notes that link to nothing."""

import re
from collections.abc import Iterator

from vaultd.host.api import Change, Plugin, Problem, setting

_MACHINE = re.compile(r"\]\(<?(file://[^)>\s]*|[A-Za-z]:[\\/][^)>]*|/(?:home|Users)/[^)>]*)")
Rows = list[dict[str, object]]


class LinkHealth(Plugin):
    """Answers three questions about links, and warns of those that work on one machine only."""

    class Settings:
        """What a person can set in `data.json`."""

        ignore: list[str] = setting([], desc="Folders to leave out.")

    settings: Settings

    async def onload(self) -> None:
        """Sign up for the verbs and the rule."""
        self.register_cli_handler("link-health:unresolved", "List links that lead nowhere.", {}, self.unresolved)
        self.register_cli_handler("link-health:orphans", "List notes that nothing links to.", {}, self.orphans)
        self.register_cli_handler("link-health:deadends", "List notes that link to nothing.", {}, self.deadends)
        self.register_validator("link-health/machine", self.one_machine)

    async def unresolved(self, _params: dict[str, object]) -> Rows:
        """Return a row for each link that leads nowhere."""
        return [row for row in self.app.metadata_cache.link_places() if self.heeded(str(row["path"]))]

    async def orphans(self, _params: dict[str, object]) -> Rows:
        """Return the notes that no other note links to."""
        links = self.app.metadata_cache.resolved_links
        linked = {target for path, targets in links.items() for target in targets if target != path}
        return [{"path": path} for path in self.paths() if path not in linked]

    async def deadends(self, _params: dict[str, object]) -> Rows:
        """Return the notes from which no link leads to another file."""
        links = self.app.metadata_cache.resolved_links
        return [{"path": path} for path in self.paths() if not links.get(path, {}).keys() - {path}]

    def one_machine(self, change: Change) -> Iterator[Problem]:
        """Yield the links to places that only one machine has."""
        if not self.heeded(change.file.path):
            return
        for number, line in enumerate(change.data.splitlines(), 1):
            for match in _MACHINE.finditer(line):
                yield change.problem(
                    f"{match[1]} is a place on one machine",
                    line=number,
                    column=match.start(1) + 1,
                    subject=match[1],
                    hint="link to a file of the vault, or write a web address",
                )

    def paths(self) -> list[str]:
        """Return the notes to look at."""
        return [file.path for file in self.app.vault.get_markdown_files() if self.heeded(file.path)]

    def heeded(self, path: str) -> bool:
        """Say whether a note is to be looked at."""
        return not any(path.startswith(folder.rstrip("/") + "/") for folder in self.settings.ignore)
