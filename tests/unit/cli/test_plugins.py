"""`vaultd plugin` says what runs and why not, and approves nothing by itself."""

import json
from pathlib import Path

import pytest

from tests.vaults import Vault


@pytest.fixture
def stale(vault: Vault) -> Vault:
    """A vault that holds a plugin."""
    manifest = {
        "id": "stale",
        "name": "Stale",
        "author": "Ada",
        "version": "1.2.0",
        "minAppVersion": "1.0.0",
        "description": "Lists old notes.",
        "permissions": ["vault:read", "vault:write:daily/"],
    }
    vault.write(".vaultd/plugins/stale/manifest.json", json.dumps(manifest))
    vault.write(".vaultd/plugins/stale/main.py", "")
    return vault


def row(vault: Vault, id_: str = "stale") -> dict:
    document = vault.does("plugin", "list", "--json").json
    assert document["vaultd"] == 1
    return next(one for one in document["plugins"] if one["id"] == id_)


def test_the_list_says_what_each_plugin_is_and_whether_it_runs(stale: Vault) -> None:
    assert row(stale) == {"id": "stale", "version": "1.2.0", "source": "vault", "state": "disabled", "reason": ""}


def test_enabled_approved_and_unrestricted_is_what_runs(stale: Vault) -> None:
    assert row_after(stale, "enable", "stale")["reason"].startswith("restricted mode is on")
    assert row_after(stale, "restrict", "off")["reason"].startswith("not approved yet")
    assert row_after(stale, "approve", "stale", "--yes")["state"] == "enabled"
    assert row_after(stale, "disable", "stale")["state"] == "disabled"


def row_after(vault: Vault, *words: str) -> dict:
    vault.does("plugin", *words)
    return row(vault)


def test_tr_e_restricting_stops_approved_plugins(stale: Vault) -> None:
    for words in (("enable", "stale"), ("approve", "stale", "--yes"), ("restrict", "off"), ("restrict", "on")):
        stale.does("plugin", *words)
    assert row(stale)["state"] == "untrusted"


def test_an_approval_shows_what_it_means(stale: Vault) -> None:
    out = stale.does("plugin", "approve", "stale", "--yes").out
    assert "vault:write:daily/       write the notes daily/" in out
    assert "a Python program with your rights" in out


def test_nobody_is_asked_without_a_terminal(stale: Vault) -> None:
    ran = stale.run("plugin", "approve", "stale")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "vaultd: an approval is a person's")


def test_an_approval_lies_outside_the_vault(stale: Vault) -> None:
    stale.commit()
    stale.does("plugin", "approve", "stale", "--yes")
    assert stale.status == []
    assert [*Path.home().parent.glob("state/vaultd/*/trust.json")] != []


@pytest.mark.parametrize("verb", ["enable", "approve"])
def test_a_plugin_that_is_not_there_is_an_error(vault: Vault, verb: str) -> None:
    ran = vault.run("plugin", verb, "nothing")
    assert (ran.code, ran.err.splitlines()[0]) == (8, "vaultd: there is no plugin 'nothing'")


def test_a_broken_plugins_json_is_named_and_kept(stale: Vault) -> None:
    stale.write(".vaultd/plugins.json", "{,}")
    ran = stale.run("plugin", "enable", "stale")
    assert (ran.code, "plugins.json is no JSON" in ran.err) == (2, True)
    assert (stale.root / ".vaultd/plugins.json").read_text() == "{,}"
