"""The command line: words become a call, a document becomes text, an exception becomes an exit code."""

import contextlib
import importlib
import json
import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from vaultd.cli.outcome import Outcome
from vaultd.cli.parser import parse
from vaultd.errors import VaultdError

BUG = 70
INTERRUPTED = 130


def entry() -> None:
    """Run the command line of this process and exit with its code."""
    sys.exit(main(sys.argv[1:]))


def main(words: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    with contextlib.suppress(AttributeError, ValueError):
        sys.stdout.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]  # names on disk need not be UTF-8
    try:
        asked = parse(list(words))
    except VaultdError as exc:
        return _fail(exc, as_json="--json" in words)
    try:
        return _show(_run(asked), as_json=asked.json)
    except VaultdError as exc:
        return _fail(exc, as_json=asked.json)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing must be flushed to them at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as exc:  # noqa: BLE001  -- the edge: whatever is left is a bug of ours
        return _bug(exc)


def _run(asked: Namespace) -> Outcome:
    module, _, function = asked.run.partition(":")
    outcome = getattr(importlib.import_module(f"vaultd.cli.{module}"), function)(asked)
    if not isinstance(outcome, Outcome):
        raise TypeError(f"{asked.run} gave no outcome")
    return outcome


def _show(outcome: Outcome, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps(outcome.document, ensure_ascii=False))
    else:
        for line in outcome.lines:
            print(line)
        sys.stdout.flush()  # in a pipe, talk must not overtake the data it is about
        for line in outcome.talk:
            print(line, file=sys.stderr)
    sys.stdout.flush()
    return outcome.code


def _fail(error: VaultdError, *, as_json: bool) -> int:
    if as_json:
        from vaultd.cli.errors import error_document  # noqa: PLC0415  -- not in the way of a verb that works

        print(json.dumps(error_document(error), ensure_ascii=False))
    else:
        print(f"vaultd: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  hint: {error.hint}", file=sys.stderr)
    return error.exit_code


def _bug(exc: Exception) -> int:
    from vaultd.cli.errors import report_bug  # noqa: PLC0415

    print(f"vaultd: a bug: {type(exc).__name__}: {exc}\n  report: {report_bug(exc)}", file=sys.stderr)
    return BUG
