"""A plugin's own verb: `vaultd ID:ACTION`."""

import csv
import io
import json
from argparse import Namespace
from collections.abc import Mapping

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import ask_daemon, opened_app, start_of
from vaultd.cli.visible import readable, visible


def act(asked: Namespace) -> Outcome:
    """Run a plugin's verb, in the daemon where one runs."""
    start = start_of(asked.vault)
    document = ask_daemon(start, "plugin_act", {"verb": asked.verb, "words": asked.words})
    if document is None:
        from vaultd.plugged.alone import act_alone  # noqa: PLC0415  -- a daemon's answer needs none of it

        with opened_app(start) as app:
            app.opened.claim()
            app.look()
            document = act_alone(app, asked.verb, asked.words)
    return Outcome(document, tuple(lines_of(document, asked.format)), verbatim=True)


def lines_of(document: Document, form: str) -> list[str]:
    """Return a result as text: rows as columns, as CSV or as JSON, a text as it is."""
    result = document["result"]
    if form == "json":
        return [json.dumps(document, ensure_ascii=False)]
    if not isinstance(result, list):
        return [readable(line) for line in str(result).splitlines()] if result is not None else []
    rows: list[Mapping[str, object]] = [row for row in result if isinstance(row, dict)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if form == "csv":
        return _as_csv(names, rows)
    cells = [[_cell(row.get(name)) for name in names] for row in rows]
    widths = [max((len(line[column]) for line in cells), default=0) for column in range(len(names))]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]


def _as_csv(names: list[str], rows: list[Mapping[str, object]]) -> list[str]:
    out = io.StringIO()
    writing = csv.writer(out, lineterminator="\n")
    writing.writerow(names)
    writing.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return out.getvalue().removesuffix("\n").split("\n")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible(" ".join(text.split()))
