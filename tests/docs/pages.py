"""Write the reference pages that are made from code: `python -m tests.docs.pages`."""

import inspect
from pathlib import Path

from vaultd import errors
from vaultd.lifecycle.rule_book import rules_page

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def errors_page() -> str:
    """Return the reference page of errors, as Markdown."""
    tree = inspect.getdoc(errors) or ""
    lines = [
        "# Errors and exit codes",
        "",
        "Made from `vaultd/errors.py` by `make docs`; edit it there.",
        "",
        "```text",
        tree.partition("\n\n")[2].rstrip(),
        "```",
        "",
        "| exit | means |",
        "|---|---|",
        "| 0 | fine |",
        "| 1 | `check` found an error (with `--strict`, a warning) |",
    ]
    lines += [f"| {kind.exit_code} | `{kind.__name__}`: {_promise(kind)} |" for kind in _kinds()]
    lines += [
        "| 70 | a bug: a report file was written, its path is printed |",
        "| 130 | interrupted |",
        "",
        "Every error says what happened, then `hint:` with what to do. With `--json` it is one document on stdout:",
        '`{"vaultd":1,"error":"RejectedError","message":…,"hint":…,"violations":[…]}`.',
    ]
    return "\n".join(lines) + "\n"


def _promise(kind: type[errors.VaultdError]) -> str:
    return (inspect.getdoc(kind) or "").splitlines()[0]


def _kinds() -> list[type[errors.VaultdError]]:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind is not errors.VaultdError]
    return sorted((k for k in kinds if issubclass(k, errors.VaultdError)), key=lambda kind: kind.exit_code)


PAGES = {"rules.md": rules_page, "errors.md": errors_page}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), "utf-8")
