"""A manifest is used as it is, or refused with the place that is wrong (MF-01 to MF-09)."""

import json

import pytest

from vaultd.errors import NoteFormatError
from vaultd.host.manifest import incompatible, parse_manifest

GOOD = {
    "id": "stale",
    "name": "Stale",
    "author": "Ada",
    "version": "1.0.0",
    "minAppVersion": "1.0.0",
    "description": "Lists old notes.",
}


def manifest(**changes: object):
    return parse_manifest(json.dumps({**GOOD, **changes}).encode(), "stale")


def test_a_manifest_gives_its_values() -> None:
    found = manifest(permissions=["vault:read", "vault:write:daily/**"])
    assert (found.id, found.main, found.permissions) == ("stale", "main.py", ("vault:read", "vault:write:daily/**"))


def test_mf_02_a_folder_of_another_name_is_refused() -> None:
    with pytest.raises(NoteFormatError, match="the folder is called 'other'"):
        parse_manifest(json.dumps(GOOD).encode(), "other")


def test_mf_03_a_newer_api_names_both_versions_and_one_that_fits() -> None:
    newer = manifest(minAppVersion="9.0.0")
    why = incompatible(newer, b'{"0.9.0": "1.0.0", "0.10.0": "1.0.0", "1.0.0": "9.0.0"}')
    assert why == "needs API 9.0.0, this is 1.0.0; stale 0.10.0 would fit"


def test_mf_04_an_unknown_key_is_a_warning() -> None:
    assert manifest(isDesktopOnly=True, mascot="owl").warnings == ("manifest.json: 'mascot' is not known",)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xef\xbb\xbf{}", r"manifest.json:1: begins with a byte order mark"),
        (b'{\n  // mine\n  "id": 1}', r"manifest.json:2: is no JSON"),
        (b"[]", "holds no object"),
        (b"\xff", "is not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_mf_06_what_is_no_json_object_is_named_with_its_line(data: bytes, says: str) -> None:
    with pytest.raises(NoteFormatError, match=says):
        parse_manifest(data, "stale")


def test_mf_07_a_version_is_three_numbers() -> None:
    for version in ("v1.0", "1.0", "1.0.0-beta", "1.0.0\n", "1.0.\u0663", "1.0." + "1" * 5000):
        with pytest.raises(NoteFormatError, match="version"):
            manifest(version=version)


@pytest.mark.parametrize("id_", ["../x", "a/b", "A", ".hidden", "-x", "x-", "con:x", ""])
def test_mf_08_an_id_is_a_safe_name(id_: str) -> None:
    with pytest.raises(NoteFormatError, match="id"):
        manifest(id=id_)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": None}, "id is missing"),
        ({"name": "a\x1b[2J"}, "control characters"),
        ({"description": "x" * 251}, "longer than 250"),
        ({"main": "../main.py"}, "no Python file beside the manifest"),
        ({"permissions": ["vault:everything"]}, "no permission 'vault:everything'"),
        ({"permissions": "vault:read"}, "permissions is no list"),
        ({"permissions": ["vault:write:a\nvault:read"]}, "no permission"),
        ({"minAppVersion": "1.0." + "1" * 5000}, "minAppVersion"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(changes: dict[str, object], says: str) -> None:
    with pytest.raises(NoteFormatError, match=says):
        manifest(**changes)


def test_a_number_that_python_does_not_read_is_named() -> None:
    with pytest.raises(NoteFormatError, match="is no JSON: Exceeds the limit"):
        parse_manifest(b'{"x": ' + b"1" * 5000 + b"}", "stale")
