"""Lets links follow notes that something other than vaultd renamed: `mv`, a sync tool, a pull, Obsidian while it was closed."""

from vaultd.host.api import Plugin, TFile, UsageError, setting


class RenameLinks(Plugin):
    """Collects renames, and mends the links to what moved in one commit: at once, or when a person says so."""

    class Settings:
        """What a person can set in `data.json`."""

        apply: bool = setting(False, desc="Mend links at once; else they wait for rename-links:apply.")
        proposed: dict[str, str] = setting({}, desc="Renames that wait: old path to new path. The plugin writes it.")

    settings: Settings

    async def onload(self) -> None:
        """Listen for renames."""
        self.kept = dict(self.settings.proposed)
        self.register_event(self.app.vault.on("rename", self.renamed))
        self.register_event(self.app.metadata_cache.on("resolved", self.all_heard))
        self.register_cli_handler("rename-links:list", "List renames whose links wait to be mended.", {}, self.listed)
        self.register_cli_handler(
            "rename-links:apply", "Mend the links of all that waits, in one commit.", {}, self.mend
        )
        self.register_cli_handler("rename-links:forget", "Leave the links of all that waits alone.", {}, self.forget)

    async def renamed(self, file: TFile, old_path: str) -> None:
        """Remember a rename; one that goes on with an earlier one becomes a longer one."""
        moves = self.settings.proposed
        first = next((old for old, new in moves.items() if new == old_path), old_path)
        moves.pop(first, None)
        if first != file.path:
            moves[first] = file.path

    async def all_heard(self) -> None:
        """Mend or keep what was heard: a pull that renames a hundred notes is one commit."""
        if self.settings.proposed and self.settings.apply:
            await self.mend({})
        elif self.settings.proposed != self.kept:
            await self.keep()

    async def keep(self) -> None:
        """Save what waits."""
        self.kept = dict(self.settings.proposed)
        await self.save_settings()

    async def listed(self, _params: dict[str, object]) -> list[dict[str, str]]:
        """Return what waits."""
        return [{"old": old, "new": new} for old, new in self.settings.proposed.items()]

    async def mend(self, _params: dict[str, object]) -> str:
        """Mend the links of what waits, as far as it is still so: a note may be gone, or back."""
        vault = self.app.vault
        moves = {
            old: new
            for old, new in self.settings.proposed.items()
            if vault.get_file_by_path(new) is not None and vault.get_file_by_path(old) is None
        }
        try:
            changed = await self.app.file_manager.update_links(moves) if moves else 0
        except UsageError as exc:
            self.log.warning("nothing was mended: %s", exc.message)
            raise
        self.settings.proposed.clear()
        await self.keep()
        return f"{changed} notes changed"

    async def forget(self, _params: dict[str, object]) -> str:
        """Forget what waits."""
        count = len(self.settings.proposed)
        self.settings.proposed.clear()
        await self.keep()
        return f"{count} renames forgotten"
