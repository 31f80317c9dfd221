"""The grammar of the verbs that write texts and properties; `parser` puts them among the others."""

import argparse
from collections.abc import Callable

Adder = Callable[[str, str, str, str], argparse.ArgumentParser]
"""Adds a verb: its name, what runs it, what it does, an example."""
_BEGINS = "write --with=TEXT where it begins with a dash"


def reasoned(verb: argparse.ArgumentParser) -> None:
    """Add what every verb takes that makes a commit of its own."""
    verb.add_argument("--reason", default="", help="why, in one line; stands in the commit")
    changing(verb)


def changing(verb: argparse.ArgumentParser) -> None:
    """Add what every verb takes that changes notes."""
    verb.add_argument("--dry-run", action="store_true", help="only show the plan")
    verb.add_argument("--expect-hash", metavar="HEX", default="", help="SHA-256 that the file must have")
    verb.add_argument("--now", action="store_true", help="do not wait for an editor that saved the file a moment ago")


def texted(verb: argparse.ArgumentParser) -> None:
    """Add the three places that a text comes from."""
    body = verb.add_mutually_exclusive_group()
    body.add_argument("--body", help="its text")
    body.add_argument("--body-file", metavar="FILE", help="read its text from a file")
    body.add_argument("stdin", nargs="?", choices=("-",), help="read its text from standard input")


def memory_texts(add: Adder) -> None:
    """Add the verbs that change what a memory says."""
    verb = add(
        "write",
        "writing:write",
        "Make a memory, or give the one of this name another text; the same again changes nothing.",
        "vaultd memory write --project radio --name decoder --body 'It drifts by 5 s a day.'",
    )
    verb.add_argument("--project", default="", help="its project; without, it is global")
    verb.add_argument("--name", required=True, help="its name: the file without .md")
    verb.add_argument("--kind", help="constraint, runbook, …; a new memory needs one")
    verb.add_argument("--description", help="one line, at most 150 characters; a new memory needs one")
    texted(verb)
    verb.add_argument("--tags", help="tags, separated by commas, in the place of those it has")
    verb.add_argument("--supersedes", metavar="OLD", default="", help="the memory that this one replaces")
    reasoned(verb)
    verb = add(
        "append",
        "writing:append",
        "Add lines to the end of a memory.",
        "vaultd memory append radio/decoder --body 'Seen again in May.'",
    )
    verb.add_argument("ref", metavar="REF")
    texted(verb)
    reasoned(verb)
    verb = add(
        "edit",
        "writing:edit",
        "Replace words of a memory's text: all of the pairs, or nothing.",
        "vaultd memory edit radio/decoder --replace '3 s' --with '5 s'",
    )
    _pairs(verb)
    verb = add("star", "writing:star", "Mark a memory as a favorite.", "vaultd memory star radio/decoder")
    verb.add_argument("ref", metavar="REF")
    verb.add_argument("--off", action="store_true", help="take the star away")
    reasoned(verb)


def note_verbs(add: Adder) -> None:
    """Add the verbs for work notes and plain notes."""
    verb = add(
        "new",
        "writing:note_new",
        "Make a work note, or with --path a plain note.",
        "vaultd note new --title 'What listeners wrote' --project radio --body 'Forty letters.'",
    )
    verb.add_argument("--title", help="what it is about, in one line")
    verb.add_argument("--path", help="a plain note at this path, with no other keys than its text has")
    texted(verb)
    verb.add_argument("--project", default="", help="its project; without, it is global")
    verb.add_argument("--slug", default="", help="the file without .md (default: made from the title)")
    verb.add_argument("--description", default="", help="one line, at most 150 characters")
    verb.add_argument("--source-url", default="", help="where it comes from")
    verb.add_argument("--tags", default="", help="tags, separated by commas")
    reasoned(verb)
    verb = add(
        "append",
        "writing:note_append",
        "Add lines to the end of a note.",
        "vaultd note append daily/2026-11-30.md --body 'Called Ilse.'",
    )
    verb.add_argument("ref", metavar="REF")
    texted(verb)
    reasoned(verb)
    verb = add(
        "edit",
        "writing:note_edit",
        "Replace words of a note's text: all of the pairs, or nothing.",
        "vaultd note edit daily/2026-11-30.md --replace 'Called' --with 'Wrote to'",
    )
    _pairs(verb)
    verb = add(
        "delete",
        "writing:note_delete",
        "Delete a note; its text stays in git.",
        "vaultd note delete daily/2026-11-30.md --yes",
    )
    verb.add_argument("ref", metavar="REF", help="its id or its path: nothing less exact")
    verb.add_argument("--yes", action="store_true", help="it is meant")
    reasoned(verb)
    verb = add("star", "writing:note_star", "Mark a note as a favorite.", "vaultd note star daily/2026-11-30.md")
    verb.add_argument("ref", metavar="REF")
    verb.add_argument("--off", action="store_true", help="take the star away")
    reasoned(verb)


def property_verbs(add: Adder) -> None:
    """Add the verbs for properties of any note."""
    verb = add(
        "set",
        "writing:set_",
        "Set properties of a note, typed as .obsidian/types.json says.",
        "vaultd set Tasks.md status=open tags+=garden",
    )
    verb.add_argument("ref", metavar="PATH", help="a note")
    verb.add_argument(
        "assignments", metavar="KEY=VALUE", nargs="+", help="key=value; key+=item and key-=item change a list"
    )
    reasoned(verb)
    verb = add("unset", "writing:unset", "Take properties of a note away.", "vaultd unset Tasks.md status")
    verb.add_argument("ref", metavar="PATH", help="a note")
    verb.add_argument("keys", metavar="KEY", nargs="+", help="one that is not there is no error")
    reasoned(verb)


def undo_verb(add: Adder) -> None:
    """Add the verb that takes the last change back."""
    verb = add("undo", "writing:undo", "Take back the last commit of a command.", "vaultd undo --dry-run")
    verb.add_argument("commit", metavar="COMMIT", nargs="?", default="", help="this one instead")
    reasoned(verb)


def import_verb(add: Adder) -> None:
    """Add the verb that brings notes in from another folder."""
    verb = add(
        "import",
        "writing:import_",
        "Bring notes in from another folder; shows what would come, until --apply.",
        "vaultd import ~/old-notes --as-memories garden",
    )
    verb.add_argument("source", metavar="SOURCE", help="a folder with memory/ and notes/, or of plain Markdown")
    verb.add_argument("--as-memories", metavar="PROJECT", help="plain Markdown becomes memories of this project")
    verb.add_argument("--apply", action="store_true", help="do it, in one commit")
    reasoned(verb)


def task_verbs(add: Adder) -> None:
    """Add the verbs for checkboxes in notes."""
    verb = add(
        "toggle",
        "writing:toggle",
        "Check the box of a task, or empty it again.",
        "vaultd tasks toggle Tasks.md:3 --expect 'Water the beans'",
    )
    verb.add_argument("ref", metavar="PATH:LINE", help="as `check` and `search` print it")
    verb.add_argument("--expect", metavar="TEXT", default="", help="the task's text; exit 4 where another stands there")
    reasoned(verb)


def _pairs(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("ref", metavar="REF")
    verb.add_argument(
        "--replace", metavar="OLD", action="append", required=True, help="text that stands there exactly once"
    )
    verb.add_argument("--with", metavar="NEW", dest="new", action="append", required=True, help=_BEGINS)
    verb.add_argument("--all", action="store_true", help="replace every occurrence")
    reasoned(verb)


def whole(verb: argparse.ArgumentParser) -> None:
    """Let a verb that is about a vault as a whole take its folder as a word, too."""
    verb.add_argument(
        "vault",
        nargs="?",
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="the vault, as with -C (default: where you are)",
    )
