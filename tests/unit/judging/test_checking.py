"""How heavy a violation weighs where it stands."""

import pytest

from tests.vaults import Vault, id_of
from vaultd.judging.checking import LOCKED, weigh
from vaultd.lifecycle.violations import Severity, Violation
from vaultd.settings import parse_settings


def weight(code: str, path: str, config: str = "", severity: Severity = "error") -> str:
    found = weigh(Violation(code, severity, path, 1, "message"), parse_settings(config))
    return found.severity if found is not None else "off"


def test_a_format_error_is_an_error_only_in_managed_folders():
    assert weight("V205", "memory/p/a.md") == "error"
    assert weight("V205", "review/a.md") == "error"
    assert weight("V205", "diary/a.md") == "warning"


def test_severity_may_be_set_for_the_vault_and_for_a_folder():
    config = '[severity]\nV105 = "error"\n[severity."memory/p"]\nV105 = "off"\n'
    assert weight("V105", "memory/q/a.md", config, "warning") == "error"
    assert weight("V105", "memory/p/a.md", config, "warning") == "off"


def test_the_deepest_folder_wins():
    config = '[severity."memory/p"]\nV108 = "off"\n[severity.memory]\nV108 = "error"\n'
    assert weight("V108", "memory/p/a.md", config, "warning") == "off"
    assert weight("V108", "memory/q/a.md", config, "warning") == "error"


@pytest.mark.parametrize("code", ["V100", "V101", "V102", "V103", "V104", "V109", "V111", "V210"])
def test_rules_that_keep_history_honest_cannot_be_softened(code: str):
    assert code in LOCKED
    assert weight(code, "memory/p/a.md", f'[severity]\n{code} = "off"\n') == "error"


def test_ids_that_differ_in_case_alone_are_two_and_each_is_named(vault: Vault):
    vault.remember("p/a", "p/c")
    vault.remember("p/b", id_=id_of("a").lower())
    vault.commit()
    assert set(vault.accepted) == {"p/a", "p/b", "p/c"}
    for scope in ([], ["--head"]):
        (found,) = vault.does("check", *scope, "--json").json["violations"]
        assert (found["code"], found["severity"], found["path"]) == ("V105", "warning", "memory/p/b.md")
        assert f"the id {id_of('a').lower()} is that of memory/p/a.md but for its case" in found["message"]
    vault.does("memory", "delete", id_of("a").lower(), "--yes")
    assert vault.does("check").out == ""
