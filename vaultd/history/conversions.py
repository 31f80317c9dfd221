"""Which paths git stores in another form than the work tree holds."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Literal

from vaultd.history.configured import configured
from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded, encoded
from vaultd.values import dataclass

Conversion = Literal["none", "lines", "full"]
"""`lines`: CRLF becomes LF on the way in and nothing changes on the way out; `full`: either way may change bytes."""

_ATTRIBUTES = ("filter", "working-tree-encoding", "ident", "text", "eol", "crlf")
_COMMAND = ("check-attr", "-z", "--stdin", *_ATTRIBUTES)
_MORE_THAN_LINES = ("filter", "working-tree-encoding", "ident")
_GUESSING = {"true", "yes", "on", "1", "input"}
_UNSET = {"unspecified", "unset", ""}
_FEW = 16
_FRESH = 1.0
"""Seconds for which an answer is good at the most."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What git said of one path, when, and of which files."""

    stamps: tuple[tuple[str, int, int, int], ...]
    at: float
    attributes: Mapping[str, str]


_known: dict[str, dict[str, _Said]] = {}


def filtered_paths(repo: Repository, paths: Sequence[str]) -> set[str]:
    """Return the paths whose work-tree form may differ from the stored one by more than CRLF turned into LF."""
    return {path for path, conversion in conversions(repo, paths).items() if conversion == "full"}


def conversions(repo: Repository, paths: Sequence[str]) -> dict[str, Conversion]:
    """Return what git's attributes and line-end settings do to each path."""
    settings = _line_settings(repo) if paths else {}
    return {path: _conversion(found, settings) for path, found in _attributes(repo, paths).items()}


def decided_by_content(repo: Repository, paths: Sequence[str]) -> set[str]:
    """Return the paths whose CRLF git keeps once CRLF has been stored: text by guess, not by a rule."""
    guessing = _line_settings(repo).get("core.autocrlf", "false") in _GUESSING if paths else False
    return {path for path, found in _attributes(repo, paths).items() if _is_guessed(found, guessing=guessing)}


def _is_guessed(attributes: Mapping[str, str], *, guessing: bool) -> bool:
    if any(attributes.get(name, "") not in _UNSET for name in _MORE_THAN_LINES):
        return False
    text, eol = attributes.get("text", ""), attributes.get("eol", "")
    if text == "auto":
        return True
    silent = text in {"unspecified", ""} and attributes.get("crlf", "") in {"unspecified", ""}
    return silent and eol not in {"lf", "crlf"} and guessing


def _attributes(repo: Repository, paths: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the attributes of paths; one change asks several times, and of few paths what was said a moment ago counts."""
    if not paths or len(paths) > _FEW:
        return _asked(repo, paths)
    with _fewer_asked(repo, paths) as known:
        pass
    return {path: dict(known[path].attributes) for path in paths}


@contextmanager
def conversions_asked(repo: Repository, paths: Sequence[str]) -> Iterator[None]:
    """Have git say what it does to paths while the block does something else; who asks for it next has it."""
    if not paths or len(paths) > _FEW:
        yield
        return
    with _fewer_asked(repo, paths):
        yield


@contextmanager
def _fewer_asked(repo: Repository, paths: Sequence[str]) -> Iterator[dict[str, _Said]]:
    """Give what is known of few paths; all of them are when the block is left."""
    place, now = os.fspath(repo.git_dir), time.monotonic()
    stamps = {path: tuple(_stamps(repo, path)) for path in paths}
    known = {path: said for path, said in _known.get(place, {}).items() if now - said.at < _FRESH}
    unknown = [path for path in paths if path not in known or known[path].stamps != stamps[path]]
    if unknown:
        with repo.git.begun(*_COMMAND, stdin=_request(repo, unknown)) as pending:
            yield known
            out = pending.answer()
        for path, attributes in _said(repo, unknown, out).items():
            known[path] = _Said(stamps[path], now, attributes)
    else:
        yield known
    _known[place] = known


def _stamps(repo: Repository, path: str) -> Iterator[tuple[str, int, int, int]]:
    """Give what tells the files apart that say a path's attributes; the system's own is looked at by git alone."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    chosen = configured(repo).get("core.attributesfile", "")
    folders = (repo.work_tree / above for above in PurePosixPath(repo.full(path)).parents)
    own = Path(chosen).expanduser() if chosen else home / "git" / "attributes"
    for file in (own, repo.common_dir / "info" / "attributes", *(folder / ".gitattributes" for folder in folders)):
        with suppress(OSError):
            found = file.stat()
            yield os.fspath(file), found.st_mtime_ns, found.st_size, found.st_ino


def _asked(repo: Repository, paths: Sequence[str]) -> dict[str, dict[str, str]]:
    return _said(repo, paths, repo.git.run(*_COMMAND, stdin=_request(repo, paths))) if paths else {}


def _request(repo: Repository, paths: Sequence[str]) -> bytes:
    return b"".join(encoded(repo.full(path)) + b"\0" for path in paths)


def _said(repo: Repository, paths: Sequence[str], answer: bytes) -> dict[str, dict[str, str]]:
    out = decoded(answer).split("\0")
    found: dict[str, dict[str, str]] = {}
    for full, attribute, value in zip(out[0::3], out[1::3], out[2::3], strict=False):
        found.setdefault(full, {})[attribute] = value
    return {path: found.get(repo.full(path), {}) for path in paths}


def _line_settings(repo: Repository) -> Mapping[str, str]:
    return {name: value.lower() for name, value in configured(repo).items() if name in {"core.autocrlf", "core.eol"}}


def _conversion(attributes: Mapping[str, str], settings: Mapping[str, str]) -> Conversion:
    if any(attributes.get(name, "") not in _UNSET for name in _MORE_THAN_LINES):
        return "full"
    text, crlf = attributes.get("text", ""), attributes.get("crlf", "")
    if text == "unspecified" and crlf not in _UNSET:
        text = crlf
    if text == "unset" or (text == "unspecified" and crlf == "unset"):
        return "none"
    eol, automatic = attributes.get("eol", ""), settings.get("core.autocrlf", "false")
    converted = text not in _UNSET or eol in {"lf", "crlf"} or automatic in _GUESSING
    if not converted:
        return "none"
    if eol == "lf" or (eol != "crlf" and automatic == "input"):
        return "lines"
    carriage = eol == "crlf" or automatic in {"true", "yes", "on", "1"} or settings.get("core.eol") == "crlf"
    return "full" if carriage else "lines"
