"""What a plugin says of itself in `manifest.json`, in Obsidian's words."""

import json
import re
from collections.abc import Mapping

from vaultd.errors import NoteFormatError, UsageError
from vaultd.host.kept import load_json
from vaultd.host.permissions import parse_permission
from vaultd.host.versions import API_VERSION
from vaultd.values import dataclass

FILE = "manifest.json"
_ID = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?")
_VERSION = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}")
_MAIN = re.compile(r"[A-Za-z_]\w*\.py")
_LONGEST_DESCRIPTION = 250
_OPTIONAL = frozenset({"isDesktopOnly", "authorUrl", "fundingUrl", "helpUrl", "main", "permissions"})
_REQUIRED = ("id", "name", "author", "version", "minAppVersion", "description")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that can be used."""

    id: str
    name: str
    author: str
    version: str
    min_app_version: str
    description: str
    main: str = "main.py"
    permissions: tuple[str, ...] = ()
    """What it may ask the host for, as `vault:read`, `vault:write:GLOB`, `lifecycle`, `git`, `network`, `exec`."""
    warnings: tuple[str, ...] = ()


def is_id(text: str) -> bool:
    """Say whether a text may be a plugin's id: then it is also a safe name for a folder and for a verb."""
    return _ID.fullmatch(text) is not None


def parse_manifest(data: bytes, folder: str) -> Manifest:
    """Return what a manifest declares; `folder` is the name of the folder it lies in.

    Raises:
        NoteFormatError: it is no manifest; the message says where.
    """
    table = _object(data)
    texts = {key: _text(table, key) for key in _REQUIRED}
    if not is_id(texts["id"]):
        raise _wrong(f"id {texts['id']!r} is not made of lower-case letters, digits, - and _")
    if texts["id"] != folder:
        raise _wrong(f"id is {texts['id']!r} and the folder is called {folder!r}", "give both the same name")
    for key in ("version", "minAppVersion"):
        if not _VERSION.fullmatch(texts[key]):
            raise _wrong(f"{key} {texts[key]!r} is not three numbers with dots", "write it as 1.0.0")
    if len(texts["description"]) > _LONGEST_DESCRIPTION:
        raise _wrong(f"description is longer than {_LONGEST_DESCRIPTION} characters")
    main = table.get("main", "main.py")
    if not isinstance(main, str) or not _MAIN.fullmatch(main):
        raise _wrong(f"main {main!r} is no Python file beside the manifest", 'leave it out for "main.py"')
    return Manifest(
        id=texts["id"],
        name=texts["name"],
        author=texts["author"],
        version=texts["version"],
        min_app_version=texts["minAppVersion"],
        description=texts["description"],
        main=main,
        permissions=_permissions(table.get("permissions", [])),
        warnings=tuple(f"{FILE}: {key!r} is not known" for key in table if key not in {*_REQUIRED, *_OPTIONAL}),
    )


def manifest_of(said: Mapping[str, object]) -> Manifest:
    """Return a manifest that was judged before, from its fields as JSON carries them."""
    lists = {key: tuple(map(str, value)) for key, value in said.items() if isinstance(value, list)}
    texts = {key: str(value) for key, value in said.items() if isinstance(value, str)}
    return Manifest(
        texts["id"],
        texts["name"],
        texts["author"],
        texts["version"],
        texts["min_app_version"],
        texts["description"],
        texts["main"],
        lists["permissions"],
        lists["warnings"],
    )


def incompatible(manifest: Manifest, versions: bytes | None = None) -> str:
    """Return why this vaultd is too old for a plugin, empty where it is not; `versions` is its `versions.json`."""
    if _numbers(manifest.min_app_version) <= _numbers(API_VERSION):
        return ""
    fits = _fitting(versions)
    instead = f"; {manifest.id} {fits} would fit" if fits else ""
    return f"needs API {manifest.min_app_version}, this is {API_VERSION}{instead}"


def _fitting(versions: bytes | None) -> str:
    """Return the newest version of a plugin that this API runs."""
    try:
        table = load_json(versions or b"{}")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(table, dict):
        return ""
    fits = [
        version
        for version, needs in table.items()
        if _VERSION.fullmatch(version)
        and isinstance(needs, str)
        and _VERSION.fullmatch(needs)
        and _numbers(needs) <= _numbers(API_VERSION)
    ]
    return max(fits, key=_numbers, default="")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _object(data: bytes) -> Mapping[str, object]:
    if data.startswith(b"\xef\xbb\xbf"):
        raise _wrong("begins with a byte order mark, which JSON does not have", "save it as UTF-8 without BOM", line=1)
    try:
        table = load_json(data)
    except UnicodeDecodeError as exc:
        raise _wrong("is not UTF-8") from exc
    except json.JSONDecodeError as exc:
        raise _wrong(f"is no JSON: {exc.msg}", "JSON has no comments and no trailing commas", line=exc.lineno) from exc
    except ValueError as exc:
        raise _wrong(f"is no JSON: {str(exc).partition(';')[0]}") from exc
    except RecursionError as exc:
        raise _wrong("is nested too deep") from exc
    if not isinstance(table, dict):
        raise _wrong("holds no object", "it begins with {", line=1)
    return table


def _text(table: Mapping[str, object], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _wrong(f"{key} is missing", f'add "{key}": "…"')
    if not value.isprintable():
        raise _wrong(f"{key} holds control characters", "write one line of plain text")
    return value


def _permissions(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _wrong("permissions is no list", 'write ["vault:read"]')
    for one in value:
        try:
            parse_permission(str(one))
        except UsageError as exc:
            raise _wrong(exc.message, exc.hint) from exc
    return tuple(str(one) for one in value)


def _wrong(reason: str, hint: str = "", *, line: int = 0) -> NoteFormatError:
    return NoteFormatError(reason, hint, path=FILE, line=line)
