"""Keeps a note with a line for each memory that was superseded."""

from datetime import UTC, datetime

from vaultd.host.api import Plugin, TFile, setting

LOG = "Supersessions.md"


class SupersessionLog(Plugin):
    """Writes what happened to memories where a person reads it: in a note."""

    class Settings:
        """What a person can set in `data.json`."""

        heading: str = setting("Supersessions", pattern=r"[^\n]*", desc="The first line of a new log.")

    settings: Settings

    async def onload(self) -> None:
        """Listen for supersessions."""
        self.register_event(self.app.lifecycle.on("superseded", self.superseded))

    async def superseded(self, old: TFile, new: TFile) -> None:
        """Add a line, unless it stands there: what happened may be told twice."""
        links = self.app.file_manager
        said = f"{links.generate_markdown_link(old, LOG)} → {links.generate_markdown_link(new, LOG)}"
        line = f"- {datetime.now(UTC):%Y-%m-%d}: {said}\n"
        if self.app.vault.get_file_by_path(LOG) is None:
            await self.app.vault.create(LOG, f"# {self.settings.heading}\n\n{line}")
            return
        await self.app.vault.process(LOG, lambda text: text if said in text else f"{ended(text)}{line}")


def ended(text: str) -> str:
    """Return a text whose last line is complete."""
    return text if text.endswith("\n") or not text else text + "\n"
