"""The grammar of verbs that ask: search, and the lists of what notes hold."""

import argparse

from vaultd.cli.forms import STATUSES, VERSIONS
from vaultd.cli.writing_grammar import Adder, whole


def search_verb(add: Adder) -> None:
    """Add `search`."""
    verb = add("search", "asking:search", "Find notes by their words; best first.", 'vaultd search "boot race" --all')
    verb.add_argument(
        "query", nargs="*", help='words, "a phrase", start*, typo~, -without, one OR other, tag:x, [property:value]'
    )
    verb.add_argument("--all", action="store_true", help="also what was superseded or archived")
    verb.add_argument(
        "--in", dest="within", metavar="WHAT", help="notes, memories, work, records: one, or several with commas"
    )
    verb.add_argument("--project", help="only memories and work notes of this project")
    verb.add_argument("--kind", help="only memories of this kind")
    verb.add_argument(
        "--tag", action="append", default=[], help="only notes with this tag, or one below it; may be repeated"
    )
    verb.add_argument("--path", metavar="GLOB", help="only notes in this folder, or that fit this pattern")
    verb.add_argument(
        "--where", metavar="EXPR", help="only notes whose properties hold: 'status = done and due < 2026-12-01'"
    )
    verb.add_argument(
        "--collection",
        action="append",
        default=[],
        metavar="NAME",
        help="only records of this collection; may be repeated",
    )
    verb.add_argument("--entity", help="only records of this entity")
    verb.add_argument("--type", help="only records of this type")
    verb.add_argument("--status", choices=STATUSES, help="active records (default), or drafts that wait")
    verb.add_argument(
        "--versions", choices=VERSIONS, help="only records that hold now (current), or all that were ever written"
    )
    verb.add_argument(
        "--as-of",
        metavar="TIME",
        help="what was believed then: memories and records that held, with their text of then",
    )
    verb.add_argument(
        "--sort",
        metavar="BY",
        default="score",
        help="best first (score), newest first (updated, created), by path, or by a property: rating, rating:asc",
    )
    verb.add_argument("--explain", action="store_true", help="also say which words stand in which fields")
    verb.add_argument("--limit", type=_positive, default=20, help="how many at the most (20)")
    verb.add_argument(
        "--min-generation",
        type=_positive,
        metavar="N",
        help="wait up to 5 s until the index has seen what a command told",
    )


def listing_verbs(add: Adder) -> None:
    """Add the verbs that list what notes hold; `tasks` has a grammar of its own."""
    verb = add("links", "listing:links", "List the links of a note, or of all notes.", "vaultd links Projects/Radio.md")
    verb.add_argument("ref", nargs="?", help="a path, an id or its beginning, project/name, or a name (default: all)")
    _cut(verb)
    verb = add("backlinks", "listing:backlinks", "List what links to a note.", "vaultd backlinks 'River Radio'")
    verb.add_argument("ref", help="a path, an id or its beginning, project/name, or a name")
    _cut(verb)
    _cut(add("unresolved", "listing:unresolved", "List links that lead nowhere.", "vaultd unresolved --json"))
    _cut(add("orphans", "listing:orphans", "List notes that nothing links to.", "vaultd orphans"))
    _cut(add("tags", "listing:tags", "List tags and how often each is used.", "vaultd tags"))
    verb = add("properties", "listing:properties", "List properties, or the values of one.", "vaultd properties status")
    verb.add_argument("name", nargs="?", help="list where this one stands, and its values")
    _cut(verb)
    verb = add("outline", "listing:outline", "Print the headings of a note.", "vaultd outline 'START HERE'")
    verb.add_argument("ref", help="a path, an id or its beginning, project/name, or a name")
    verb = add(
        "reconcile", "listing:reconcile", "Compare every file with the index and catch up now.", "vaultd reconcile"
    )
    whole(verb)


def listed_tasks(verb: argparse.ArgumentParser) -> None:
    """Add what `tasks` without another verb takes."""
    verb.set_defaults(run="listing:tasks")
    verb.add_argument("--status", metavar="C", help="only with this character in the box: ' ' is open, x is done")
    verb.add_argument("--due-before", metavar="D", help="only those due before this date")
    _cut(verb)


def _cut(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--limit", type=_positive, help="how many at the most (default: all)")


def _positive(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number
