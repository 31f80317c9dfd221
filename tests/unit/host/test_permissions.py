"""A glob gives the paths that it says and no others."""

import pytest

from vaultd.errors import UsageError
from vaultd.host.permissions import meaning, parse_permission, permissions_of


@pytest.mark.parametrize(
    ("glob", "path", "may"),
    [
        ("**", "a/b.md", True),
        ("daily/", "daily/2026/x.md", True),
        ("daily/*.md", "daily/x.md", True),
        ("daily/*.md", "daily/2026/x.md", False),
        ("daily/**/x.md", "daily/x.md", True),
        ("Log.md", "Log.md", True),
        ("Log.md", "LogXmd", False),
        ("Log.md", "a/Log.md", False),
        ("n?te.md", "note.md", True),
        ("n?te.md", "n/te.md", False),
    ],
)
def test_a_glob_stays_inside_a_folder_unless_it_has_two_stars(glob: str, path: str, *, may: bool) -> None:
    assert permissions_of([f"vault:write:{glob}"]).may_write(path) is may


@pytest.mark.parametrize(
    "text",
    [
        "vault:write:",
        "vault:write:../x",
        "vault:write:/etc/*",
        "vault",
        "vault:write:a\n  nothing",
        "vault:write:\u202ea",
        "vault:write:\ud800",
    ],
)
def test_what_gives_nothing_inside_the_vault_is_no_permission(text: str) -> None:
    with pytest.raises(UsageError):
        parse_permission(text)


def test_a_permission_is_told_in_words() -> None:
    assert meaning("vault:write:daily/**") == "write the notes daily/**"
