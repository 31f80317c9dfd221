"""A plugin as a stranger writes it; it must type-check under mypy's strict mode, and is not run."""

import asyncio
from collections.abc import Iterator

from vaultd.host.api import (
    CachedMetadata,
    Change,
    FrontMatter,
    Plugin,
    Problem,
    RejectedError,
    TFile,
    normalize_path,
    setting,
)


class Stale(Plugin):
    """Flags memories that nobody has touched for a while."""

    class Settings:
        """What a person can set."""

        days: int = setting(90, ge=1, desc="Report a memory not modified for this many days.")
        folders: list[str] = setting(["memory"], desc="Folders to look at.")

    settings: Settings

    async def onload(self) -> None:
        """Sign up."""
        cache = self.app.metadata_cache
        self.register_event(cache.on("changed", self.on_changed))
        self.register_event(self.app.vault.on("rename", self.on_rename))
        self.register_event(self.app.lifecycle.on("superseded", self.on_superseded))
        self.register_cli_handler("stale:list", "List stale memories.", {"days": int}, self.list_stale)
        self.add_command("sweep", "Sweep", self.sweep, check=lambda: self.settings.days > 0)
        self.register_validator("stale/owner", self.has_owner)
        self.register_indexer("stale_days", int, self.age)
        self.register_interval(24 * 3600, self.sweep)

    async def on_changed(self, file: TFile, data: str, cache: CachedMetadata) -> None:
        """Stamp what was reviewed."""
        if cache.frontmatter.get("reviewed") is False and data:
            await self.app.file_manager.process_front_matter(file, self.stamp)

    def stamp(self, fm: FrontMatter) -> None:
        """Change one property."""
        fm["reviewed"] = True

    async def on_rename(self, file: TFile, old_path: str) -> None:
        """Let links follow."""
        changed: int = await self.app.file_manager.update_links({old_path: file.path})
        self.log.info("%d notes changed", changed)

    async def on_superseded(self, old: TFile, new: TFile) -> None:
        """Hand over again, and mind that it may be refused."""
        try:
            await self.app.lifecycle.supersede(old, new, "again")
        except RejectedError as exc:
            self.log.warning("%s %s", exc.message, exc.hint)

    def has_owner(self, change: Change) -> Iterator[Problem]:
        """Yield what is wrong."""
        if change.cache.frontmatter.get("owner") is None:
            yield change.problem("missing owner", key="owner", level="warning")

    def age(self, file: TFile, cache: CachedMetadata) -> int | None:
        """Return a field's value."""
        return len(cache.tags) if file.extension == "md" else None

    async def list_stale(self, params: dict[str, int]) -> list[dict[str, object]]:
        """Return rows."""
        most = params.get("days", self.settings.days)
        await asyncio.sleep(0)
        return [{"path": file.path, "days": most} for file in self.app.vault.get_markdown_files()]

    async def sweep(self) -> None:
        """Read, make and change notes."""
        text: str = await self.app.vault.read("a.md")
        made: TFile = await self.app.vault.create(normalize_path("b/c.md"), text)
        after: str = await self.app.vault.process(made, lambda old: old + "x")
        await self.app.vault.append(made, after)
        await self.app.vault.trash(made)
        await self.save_settings()
        token: str | None = self.app.secret_storage.get_secret(self.manifest.author)
        self.log.info("%s %s", token is None, cache_link(self, made))


def cache_link(plugin: Plugin, file: TFile) -> str:
    """Return what a link says."""
    return plugin.app.metadata_cache.file_to_linktext(file, "a.md")
