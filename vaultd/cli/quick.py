"""The quick lane: ask the daemon, put its answer into words, import next to nothing."""

# ruff: noqa: PTH109, PTH111, PTH118  -- pathlib takes as long to import as a daemon takes to answer

import os

from vaultd.cli.forms import Asked
from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.wording import checked, found, state
from vaultd.daemon.wire import ask
from vaultd.errors import ConflictError, PluginError, RejectedError, StorageError, UsageError, VaultdError
from vaultd.vault.addresses import git_dir_above, root_above, socket_above

_KINDS: dict[str, type[VaultdError]] = {
    kind.__name__: kind for kind in (UsageError, RejectedError, ConflictError, StorageError, PluginError)
}


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
    start = _start(asked)
    match asked["verb"]:
        case "search":
            return ask_daemon(start, "search", search_arguments(asked))
        case "check" if asked["staged"]:
            return _staged(start, asked) if stages_as_usual(start) else None
        case "check" if not asked["head"] and not asked["history"]:
            return ask_daemon(start, "check", _check_arguments(asked))
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
    """Return the daemon's answer, None where none runs.

    Raises:
        VaultdError: what the daemon answered with.
    """
    place = socket_above(os.fspath(start))
    answer = ask(place, verb, arguments) if place is not None else None
    if answer is not None and "error" in answer:
        kind = _KINDS.get(str(answer["error"]), VaultdError)
        raise kind(str(answer.get("message", "")), str(answer.get("hint", "")))
    return answer


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
        "as_of": asked["as_of"],
        "sort": asked["sort"],
        "explain": asked["explain"],
        "min_generation": asked["min_generation"],
    }


def stages_as_usual(start: str | os.PathLike[str]) -> bool:
    """Return whether what is staged stands in git's own index; a hook of `git commit -a` is given another."""
    named = os.environ.get("GIT_INDEX_FILE")
    if not named:
        return True
    root = root_above(os.fspath(start))
    git_dir = git_dir_above(root) if root is not None else None
    if git_dir is None:
        return False
    # git names it from the top of the work tree, where it also starts its hooks
    return os.path.realpath(named) == os.path.realpath(os.path.join(git_dir, "index"))


def _staged(start: str, asked: Asked) -> Document | None:
    answer = ask_daemon(start, "check_staged", _check_arguments(asked))
    return answer if answer is not None and "violations" in answer else None


def _check_arguments(asked: Asked) -> Document:
    return {"paths": asked["paths"], "severity": asked["severity"]}


def _start(asked: Asked) -> str:
    return os.path.expanduser(str(asked["vault"])) if asked["vault"] else os.getcwd()
