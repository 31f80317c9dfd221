"""The quick lane: ask the daemon, put its answer into words, import next to nothing."""

# ruff: noqa: PTH109, PTH111, PTH112  -- pathlib takes as long to import as a daemon takes to answer

import os

from vaultd.cli.forms import Asked
from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.wording import checked, found, state
from vaultd.daemon.wire import ask
from vaultd.errors import (
    BrokenIndexError,
    ConflictError,
    NoteFormatError,
    PluginError,
    RejectedError,
    StorageError,
    UsageError,
    VaultdError,
)
from vaultd.vault.addresses import socket_above

_KINDS: dict[str, type[VaultdError]] = {
    kind.__name__: kind
    for kind in (
        UsageError,
        RejectedError,
        ConflictError,
        NoteFormatError,
        StorageError,
        BrokenIndexError,
        PluginError,
    )
}
SILENCE = "the daemon does not answer: this was done without it"
_SILENT: set[str] = set()
"""Where a daemon listens that did not answer this command line: it is not asked, nor waited for, a second time."""
_ALONE: set[str] = set()
"""Why this command line asks no daemon at all; empty: it may."""


def answered(asked: Asked) -> Outcome | None:
    """Return what the daemon answers to a verb, None where none runs or the verb is not for it.

    Raises:
        VaultdError: what the daemon answered with.
    """
    document = answer(asked)
    return told(asked, document) if document is not None else None


def answer(asked: Asked) -> Document | None:
    """Return the daemon's answer as a document, None where none runs or the verb is not for it.

    Raises:
        VaultdError: what the daemon answered with.
    """
    start = folder_meant(asked["vault"])
    match asked["verb"]:
        case "search":
            return ask_daemon(start, "search", search_arguments(asked))
        case "check" if not asked["staged"] and not asked["head"] and not asked["history"]:
            return _check(start, asked)
        case "status":
            return ask_daemon(start, "status", {})
        case _:
            return None


def told(asked: Asked, document: Document) -> Outcome:
    """Return an answer in words, whoever gave it."""
    match asked["verb"]:
        case "search":
            return found(document, everything=bool(asked["all"]))
        case "check":
            return checked(document, strict=bool(asked["strict"]))
        case _:
            return state(document)


def ask_daemon(start: str | os.PathLike[str], verb: str, arguments: Document) -> Document | None:
    """Return the daemon's answer, None where none runs or it does not answer.

    Raises:
        VaultdError: what the daemon answered with.
    """
    place = socket_above(os.fspath(start))
    if place is None or place in _SILENT or _ALONE:
        return None
    try:
        answer = ask(place, verb, arguments)
    except TimeoutError:
        _SILENT.add(place)
        return None
    if answer is not None and "error" in answer:
        kind = _KINDS.get(str(answer["error"]), VaultdError)
        raise kind(str(answer.get("message", "")), str(answer.get("hint", "")))
    return answer


def begin() -> None:
    """Begin a command line: whether the daemon answers is not known yet."""
    _SILENT.clear()
    _ALONE.clear()


def go_alone(why: str) -> None:
    """Ask no daemon any more in this command line."""
    _ALONE.add(why)


def is_silent() -> bool:
    """Tell whether a daemon runs that did not answer this command line."""
    return bool(_SILENT)


def search_arguments(asked: Asked) -> Document:
    """Return what a search asks, as the daemon takes it."""
    within, query = asked["within"], asked["query"]
    return {
        "query": " ".join(query) if isinstance(query, list) else "",
        "all": asked["all"],
        "limit": asked["limit"],
        "in": [part for part in str(within or "").split(",") if part],
        "project": asked["project"],
        "kind": asked["kind"],
        "tags": asked["tag"],
        "path": asked["path"],
        "where": asked["where"],
        "collections": asked["collection"],
        "entity": asked["entity"],
        "type": asked["type"],
        "status": asked["status"],
        "versions": asked["versions"],
        "as_of": asked["as_of"],
        "sort": asked["sort"],
        "explain": asked["explain"],
        "min_generation": asked["min_generation"],
    }


def folder_meant(vault: object) -> str:
    """Return the folder that a command line points at.

    Raises:
        UsageError: there is no such folder.
    """
    if not vault:
        try:
            return os.getcwd()
        except FileNotFoundError as exc:
            raise UsageError("the folder you stand in is gone", "cd to one that is there, or vaultd -C PATH") from exc
    folder = os.path.expanduser(str(vault))
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is no folder", "mend the spelling, or make the folder first")
    return folder


def _check(start: str, asked: Asked) -> Document | None:
    paths = asked["paths"]
    if not isinstance(paths, list) or not paths:
        return ask_daemon(start, "check", {"paths": [], "severity": asked["severity"]})
    from vaultd.cli.targets import require_known, targets_of  # noqa: PLC0415  -- most checks are of the whole vault

    targets = targets_of(start, paths)
    document = ask_daemon(start, "check", {"paths": targets, "severity": asked["severity"]})
    if document is not None:
        require_known(start, targets, document)
    return document
