"""settings.md shows the file that vaultd reads, with the defaults that it has."""

import re
from pathlib import Path

from vaultd.settings import Folders, Settings, parse_settings

PAGE = (Path(__file__).parents[2] / "docs/reference/settings.md").read_text(encoding="utf-8")


def shown() -> Settings:
    block = re.search(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    assert block
    return parse_settings(block[1])


def test_the_values_shown_are_the_defaults() -> None:
    defaults, found = Settings(), shown()
    assert (found.folders, found.timezone, found.large_bytes) == (Folders(), defaults.timezone, defaults.large_bytes)
    assert (found.commit_quiet, found.commit_hooks) == (defaults.commit_quiet, defaults.commit_hooks)


def test_a_severity_is_set_for_the_vault_and_for_a_folder_as_shown() -> None:
    found = shown()
    assert (found.severity, found.folder_severity) == ({"V105": "warning"}, {"notes/drafts": {"V205": "info"}})


def test_every_folder_is_listed() -> None:
    assert set(re.findall(r"`folders\.(\w+)`", PAGE)) == set(Folders.__slots__)


def test_what_agents_get_is_shown_with_its_defaults() -> None:
    defaults, found = Settings(), shown()
    assert (found.state_export, found.mcp_tools) == (defaults.state_export, defaults.mcp_tools)
