"""The plugins that come with vaultd are strangers like any other: public imports, a manifest, a README, a known hash."""

import ast
import json
import sys
from pathlib import Path

import pytest

from tests.vaults import Vault
from vaultd.host.manifest import parse_manifest
from vaultd.host.standing import shipped_hashes
from vaultd.host.trees import read_tree

pytestmark = pytest.mark.usefixtures("_no_hurry")

PLUGINS = Path(__file__).parents[2] / "plugins"
SHIPPED = sorted(folder.name for folder in PLUGINS.iterdir() if (folder / "manifest.json").is_file())


def imported(module: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("name", SHIPPED)
def test_it_imports_the_public_api_and_the_standard_library(name: str) -> None:
    modules = [one for file in (PLUGINS / name).rglob("*.py") for one in imported(file)]
    assert [m for m in modules if m != "vaultd.host.api" and m.partition(".")[0] not in sys.stdlib_module_names] == []


@pytest.mark.parametrize("name", SHIPPED)
def test_its_manifest_has_no_warning_and_it_says_what_it_does(name: str) -> None:
    assert parse_manifest((PLUGINS / name / "manifest.json").read_bytes(), name).warnings == ()
    assert f"{name}" in (PLUGINS / name / "README.md").read_text()


def test_the_hashes_on_record_are_those_of_the_files() -> None:
    assert shipped_hashes() == {name: read_tree(PLUGINS / name).hash for name in SHIPPED}, "make docs writes them"


@pytest.mark.parametrize("name", SHIPPED)
def test_it_runs_in_restricted_mode_without_an_approval(vault: Vault, name: str) -> None:
    vault.does("plugin", "enable", name)
    (row,) = [one for one in vault.does("plugin", "list", "--json").json["plugins"] if one["id"] == name]
    assert (row["source"], row["state"]) == ("shipped", "enabled")


def test_what_one_saves_lies_in_the_vault_and_is_no_plugin(vault: Vault) -> None:
    vault.does("plugin", "enable", "link-health")
    vault.write(".vaultd/plugins/link-health/data.json", json.dumps({"ignore": ["old"]}))
    vault.write("old/a.md", "[[gone]]")
    assert vault.does("link-health:unresolved").out == ""
    rows = vault.does("plugin", "list", "--json").json["plugins"]
    assert [row["state"] for row in rows if row["id"] == "link-health"] == ["enabled"]
