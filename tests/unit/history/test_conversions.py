"""Which paths git converts."""

import pytest

from vaultd.history.configured import settings_asked
from vaultd.history.conversions import conversions, conversions_asked, filtered_paths


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", "none"),
        ("*.md filter=crypt", "full"),
        ("*.md working-tree-encoding=UTF-16", "full"),
        ("*.md ident", "full"),
        ("*.md text eol=crlf", "full"),
        ("*.md eol=crlf", "full"),
        ("*.md text", "lines"),
        ("* text=auto", "lines"),
        ("* text=auto eol=lf", "lines"),
        ("*.md -text", "none"),
        ("*.md binary", "none"),
        ("*.md -filter", "none"),
        ("*.md crlf", "lines"),
        ("*.md -crlf", "none"),
    ],
)
def test_attributes_decide(below, attributes, expected):
    (below.top / ".gitattributes").write_text(attributes + "\n")
    assert conversions(below.repo, ["a.md"]) == {"a.md": expected}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("autocrlf", "true", "full"),
        ("autocrlf", "input", "lines"),
        ("autocrlf", "false", "none"),
        ("eol", "crlf", "none"),
    ],
)
def test_settings_decide_where_attributes_are_silent(vault, name, value, expected):
    vault.git("config", f"core.{name}", value)
    assert conversions(vault.repo, ["a.md"]) == {"a.md": expected}


def test_only_paths_that_may_differ_by_more_than_line_ends_count_as_filtered(vault):
    vault.write(".gitattributes", "* text=auto\nsecret/** filter=crypt\n")
    odd = "secret/new\nline \udce9.md"
    assert filtered_paths(vault.repo, ["a.md", "secret/b.md", odd]) == {"secret/b.md", odd}


def test_no_paths_no_question(vault):
    assert filtered_paths(vault.repo, []) == set()


@pytest.mark.parametrize("place", [".gitattributes", "deep/.gitattributes", ".git/info/attributes"])
def test_attributes_that_were_changed_a_moment_ago_count(vault, place):
    assert conversions(vault.repo, ["deep/a.md"]) == {"deep/a.md": "none"}
    file = vault.top / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("*.md filter=crypt\n")
    assert conversions(vault.repo, ["deep/a.md"]) == {"deep/a.md": "full"}
    file.unlink()
    assert conversions(vault.repo, ["deep/a.md"]) == {"deep/a.md": "none"}


def test_what_was_said_a_moment_ago_is_not_asked_again(vault, monkeypatch):
    repo = vault.repo
    first = conversions(repo, ["a.md"])
    monkeypatch.setattr(type(repo.git), "start", None)
    assert conversions(repo, ["a.md"]) == first


def test_what_git_said_meanwhile_is_not_asked_again(vault, monkeypatch):
    vault.write(".gitattributes", "*.md filter=crypt\n")
    repo = vault.repo
    with settings_asked(repo), conversions_asked(repo, ["a.md", "b.txt"]):
        monkeypatch.setattr(type(repo.git), "start", None)
    assert conversions(repo, ["b.txt", "a.md"]) == {"b.txt": "none", "a.md": "full"}


def test_attributes_that_are_changed_while_git_is_asked_count(vault):
    with conversions_asked(vault.repo, ["a.md"]):
        vault.write(".gitattributes", "*.md filter=crypt\n")
    assert conversions(vault.repo, ["a.md"]) == {"a.md": "full"}


def test_settings_that_are_changed_while_git_is_asked_count(vault):
    with settings_asked(vault.repo):
        vault.git("config", "core.autocrlf", "true")
    assert conversions(vault.repo, ["a.md"]) == {"a.md": "full"}
