"""The command line: words become a call, a document becomes text, an exception becomes an exit code."""

import errno
import gc
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace

from vaultd.cli.forms import asked_of, in_json
from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.quick import SILENCE, answered, begin, go_alone, is_silent
from vaultd.cli.visible import readable
from vaultd.errors import BrokenIndexError, StorageError, UsageError, VaultdError, mend_of
from vaultd.quickly import SELDOM, import_pathlib

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` takes a tenth of an answer's time to import
    from argparse import Namespace

BUG = 70
INTERRUPTED = 130
_REFUSALS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""What a disk says no with: nobody's bug, wherever it is heard first."""
READING = frozenset(
    f"{module}:{function}"
    for module, functions in {
        "asking": "search show log chain",
        "checking": "check",
        "listing": "links backlinks unresolved orphans tags tasks properties outline",
        "records": "read_document read_history read_timeline read_entities read_why",
        "running": "status",
    }.items()
    for function in functions.split()
)
"""What only reads, and needs no index of its own to do so."""


def entry() -> None:
    """Run the command line of this process and exit with its code."""
    gc.set_threshold(SELDOM)
    code = main(sys.argv[1:])
    gc.freeze()  # an interpreter that ends looks for garbage three times, in everything that was ever imported
    sys.exit(code)


def main(words: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="surrogateescape")  # names on disk need not be UTF-8
    as_json = "--json" in words
    begin()
    try:
        plain = asked_of(words)
        asked = _parsed(words) if plain is None else SimpleNamespace(**plain)
        as_json = in_json(vars(asked))
        try:
            if plain is not None and (outcome := answered(plain)) is not None:
                return _show(outcome, as_json=as_json)
            outcome = _run(asked)
        except (BrokenIndexError, StorageError) as exc:
            outcome = _with_another_index(asked, exc)
        return _show(_told(outcome, SILENCE) if is_silent() else outcome, as_json=as_json)
    except VaultdError as exc:
        return _fail(exc, as_json=as_json)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing must be flushed to them at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as exc:  # noqa: BLE001  -- the edge: whatever is left is a bug of ours
        # Any path that is typed may be one that no disk can hold, and asking the disk about it says so this way.
        if isinstance(exc, OSError) and exc.errno == errno.ENAMETOOLONG:
            return _fail(_overlong(exc), as_json=as_json)
        if isinstance(exc, OSError) and exc.errno in _REFUSALS:
            return _fail(_refused(exc), as_json=as_json)
        return _bug(exc, as_json=as_json)


def _overlong(exc: OSError) -> UsageError:
    name = str(exc.filename or "a path")
    return UsageError(f"no file can have a name this long: {name[-60:]!r}", "255 bytes for a name is the limit")


def _refused(exc: OSError) -> StorageError:
    what = f"{exc.filename} cannot be used" if exc.filename else "the disk refused"
    return StorageError(f"{what}: {exc.strerror}", mend_of(exc, "check permissions and the disk"))


def _parsed(words: Sequence[str]) -> "Namespace":
    from vaultd.cli.parser import parse  # noqa: PLC0415  -- a plain form that a daemon answered needs no parser

    return parse(list(words))


def _run(asked: "Namespace | SimpleNamespace") -> Outcome:
    from importlib import import_module  # noqa: PLC0415

    module, _, function = asked.run.partition(":")
    if module != "serving":  # which most often needs neither
        import_pathlib()
    outcome = getattr(import_module(f"vaultd.cli.{module}"), function)(asked)
    if not isinstance(outcome, Outcome):
        raise TypeError(f"{asked.run} gave no outcome")
    return outcome


def _with_another_index(asked: "Namespace | SimpleNamespace", refused: VaultdError) -> Outcome:
    """Answer a verb that only reads from an index that is thrown away, where the vault's own cannot be used.

    Raises:
        VaultdError: the verb does more than read, or it is not the index that is in the way.
    """
    if asked.run not in READING:
        raise refused
    import tempfile  # noqa: PLC0415  -- hardly ever
    from pathlib import Path  # noqa: PLC0415

    from vaultd.vault.places import index_elsewhere  # noqa: PLC0415

    go_alone(refused.message)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="vaultd-index-", ignore_cleanup_errors=True) as folder,
            index_elsewhere(Path(folder)),
        ):
            outcome = _run(asked)
    except (BrokenIndexError, StorageError, OSError):
        raise refused from None
    return _told(outcome, f"{refused.message}: this was answered from an index that was made for it and thrown away")


def _told(outcome: Outcome, notice: str) -> Outcome:
    """Return what was done with a notice before all others."""
    notices = outcome.document.get("notices", [])
    document = {**outcome.document, "notices": [notice, *notices]} if isinstance(notices, list) else outcome.document
    return Outcome(
        document, outcome.lines, outcome.code, (f"vaultd: {notice}", *outcome.talk), verbatim=outcome.verbatim
    )


def _show(outcome: Outcome, *, as_json: bool) -> int:
    if as_json:
        _print_document(outcome.document)
    else:
        for line in outcome.lines:
            print(line if outcome.verbatim else readable(line))
        sys.stdout.flush()  # in a pipe, talk must not overtake the data it is about
        for line in outcome.talk:
            print(readable(line), file=sys.stderr)
    sys.stdout.flush()
    return outcome.code


def _fail(error: VaultdError, *, as_json: bool) -> int:
    if as_json:
        from vaultd.cli.errors import error_document  # noqa: PLC0415  -- not in the way of a verb that works

        _print_document(error_document(error))
    else:
        print(f"vaultd: {readable(error.message)}", file=sys.stderr)
        if error.hint:
            print(f"  hint: {readable(error.hint)}", file=sys.stderr)
    return error.exit_code


def _print_document(document: Document) -> None:
    import json  # noqa: PLC0415

    text = json.dumps(document, ensure_ascii=False)
    # The bytes of a name that is no UTF-8 become JSON's own escapes, so that every parser can read the document.
    print(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def _bug(exc: Exception, *, as_json: bool) -> int:
    from vaultd.cli.errors import bug_document, report_bug  # noqa: PLC0415

    report = report_bug(exc)
    if as_json:
        _print_document(bug_document(exc, report))
    else:
        print(f"vaultd: a bug: {type(exc).__name__}: {readable(str(exc))}\n  report: {report}", file=sys.stderr)
    return BUG
