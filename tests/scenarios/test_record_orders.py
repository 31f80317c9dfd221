"""Standing orders about records: what is off by default, and what vaultd does by itself once a config says so."""

import os
import time

import pytest

from tests.daemons import daemon, until
from tests.scenarios.test_records import HEAD, HISTORY, NEEDS, everything, prop, put
from tests.vaults import Vault

CATALOG = """\
search_profiles: [{name: default}]
collections:
  - name: customer_profiles
    version: 1
    active: true
    mode: keyed
    adopt: auto
    search_profile: default
    schema: {type: object, required: [text], properties: {text: {type: string}}}
"""
IN_NOTES = 'review = "in-notes"\n'


def configured(vault: Vault, *lines: str) -> None:
    vault.write(".vaultd/config.toml", "format = 1\n" + "".join(lines) + "[commit]\nquiet = 0.3\n")
    vault.commit("config")


@pytest.fixture
def adopting(vault: Vault) -> Vault:
    vault.write(".vaultd/catalog/c.yaml", CATALOG)
    vault.does("catalog", "publish")
    return vault


def wish(vault: Vault, word: str) -> str:
    """Propose an answer, write a decision into the draft, and return its path."""
    path = vault.does("record", "set", *NEEDS, "--body", "b", "--draft", "--json").json["path"]
    vault.edit(path, "review: pending", f"review: {word}")
    return path


def test_without_an_order_nothing_is_done(vault: Vault):
    put(vault, "a")
    path = wish(vault, "approve")
    vault.edit(HEAD, "\na\n", "\nedited\n")
    before = everything(vault)
    vault.run("up", "--once")
    assert everything(vault) == before
    rows = vault.run("check", path, "--json").json["violations"]
    assert [(row["code"], row["severity"]) for row in rows] == [("V411", "warning")]
    assert "vaultd review approve" in rows[0]["hint"]


def test_the_decision_in_a_draft_may_be_given_as_a_command_too(vault: Vault):
    put(vault, "a")
    path = wish(vault, "approve")
    vault.does("review", "approve", path)
    assert (vault.root / HEAD).read_text().endswith("\nb\n")
    assert prop(vault, path, "review") == "approved"
    assert vault.status == []


def test_an_edited_answer_becomes_its_successor_where_its_collection_says_so(adopting: Vault):
    first = put(adopting, "a")
    adopting.edit(HEAD, "\na\n", "\nedited\n")
    out = adopting.does("up", "--once").out
    assert f"adopted: {HEAD}" in out
    assert prop(adopting, HEAD, "supersedes") == first
    assert (adopting.root / f"{HISTORY}/{first}.md").is_file()
    assert adopting.trailers()["Vaultd-Actor"] == "unknown"
    assert (adopting.status, adopting.errors()) == ([], [])


def test_what_an_order_may_not_do_is_told_and_left(adopting: Vault):
    put(adopting, "a")
    adopting.edit(HEAD, "key: needs", "key: risks")
    before = everything(adopting)
    for _ in range(2):
        ran = adopting.run("up", "--once", "--json")
        assert (ran.code, [one["reason"] for one in ran.json["pending"]]) == (6, ["refused"])
    assert everything(adopting) == before


@pytest.mark.parametrize(("word", "standing"), [("approve", "approved"), ("reject", "rejected")])
def test_frontmatter_command_roundtrip(vault: Vault, word: str, standing: str):
    configured(vault, IN_NOTES)
    put(vault, "a")
    path = wish(vault, word)
    assert vault.errors() == []
    vault.does("check")
    vault.does("up", "--once")
    assert prop(vault, path, "review") == standing
    assert (vault.root / HEAD).read_text().endswith("\nb\n" if word == "approve" else "\na\n")
    assert prop(vault, path, "review_reason") == (None if word == "approve" else "decided in the note")
    assert (vault.status, vault.errors()) == ([], [])


def test_a_stale_draft_is_refused_by_what_stands_in_it_too(vault: Vault):
    configured(vault, IN_NOTES)
    path = wish(vault, "approve")
    put(vault, "c")
    before = (vault.root / path).read_bytes()
    ran = vault.run("up", "--once", "--json")
    (refused,) = ran.json["pending"]
    assert (refused["path"], refused["detail"][:4]) == (path, "V411")
    assert (vault.root / path).read_bytes() == before


def test_the_daemon_waits_until_the_editor_is_done(adopting: Vault):
    configured(adopting, IN_NOTES)
    put(adopting, "a")
    with daemon(adopting) as running:
        path = wish(adopting, "approve")
        until(lambda: prop(adopting, path, "review") == "approved")
        until(lambda: running.said("approved: "))
        head = (adopting.root / HEAD).read_text().rpartition("---\n")[0]
        for text in ("\nbe", "\nbett"):  # an editor that saves while somebody types is one successor
            beside = adopting.write(".saved", f"{head}---{text}")
            os.utime(beside, (time.time() + 600,) * 2)  # never quiet yet, however slow the machine is
            beside.rename(adopting.root / HEAD)
            time.sleep(0.7)  # longer than it takes to be judged
        adopting.write(HEAD, f"{head}---\nbetter\n")
        until(lambda: running.said("adopted: "))
        until(lambda: running.status()["pending"] == [])
    assert (adopting.root / HEAD).read_text().endswith("\nbetter\n")
    assert len(adopting.does("history", "customer_profiles", "acme-corp", "needs", "--json").json["versions"]) == 4
    assert (adopting.left, adopting.errors()) == ([], [])
