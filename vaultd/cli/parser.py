"""The grammar of the command line: verbs, options, and an example for each."""

import argparse
from collections.abc import Callable, Sequence
from typing import NoReturn

from vaultd import __version__
from vaultd.cli.agent_grammar import GROUPS, mcp_verb, usage_verb
from vaultd.cli.asking_grammar import listed_tasks, listing_verbs, search_verb
from vaultd.cli.mistyped import misplaced, refused, unknown
from vaultd.cli.plugins_grammar import plugin_action, plugin_verbs
from vaultd.cli.record_grammar import RECORD_GROUPS, document_verbs
from vaultd.cli.renaming_grammar import memory_places, note_places
from vaultd.cli.writing_grammar import (
    Adder,
    changing,
    import_verb,
    memory_texts,
    note_verbs,
    property_verbs,
    reasoned,
    task_verbs,
    texted,
    undo_verb,
    whole,
)


class _Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that a mistyped option is an error like any other."""

    def error(self, message: str) -> NoReturn:
        raise refused(self, message)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> object:
        """Take `--body=--` at its word: argparse loses a `--` that is an option's value."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)


class _Unasked(argparse.ArgumentParser):
    """Takes the grammar of verbs that a command line does not name and keeps none of it."""

    def __init__(self) -> None:
        super().__init__(add_help=False)
        self._nothing = argparse.Action([], "")

    def add_argument(self, *_words: object, **_how: object) -> argparse.Action:
        return self._nothing

    def add_mutually_exclusive_group(self, **_how: object) -> "_Unasked":  # type: ignore[override]  # keeps nothing
        return self


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return what a command line asks for.

    Raises:
        UsageError: it asks for nothing vaultd knows.
    """
    words = _for_help(words)
    verb = _first_word(words)
    if ":" in verb:
        return plugin_action(words, verb)
    parser = build(verb, _second_word(words, verb))
    if not verb and (error := misplaced(parser, words)):
        raise error
    asked, left = parser.parse_known_args(words)
    if left == ["-"] and _takes_stdin(asked):
        return argparse.Namespace(**{**vars(asked), "stdin": "-"})
    if left:
        raise unknown(parser, asked, left)
    return asked


def _takes_stdin(asked: argparse.Namespace) -> bool:
    """Say whether a `-` that was left over is the text: argparse takes none behind options, once a word stood before."""
    return getattr(asked, "stdin", "") is None and asked.body is None and asked.body_file is None


def _for_help(words: Sequence[str]) -> Sequence[str]:
    """Return `memory --help` for `help memory`; other words as they are."""
    return [*words[1:], "--help"] if words and words[0] == "help" else words


def _first_word(words: Sequence[str]) -> str:
    """Return the verb of a command line, empty where it takes a closer look to tell."""
    rest = iter(words)
    for word in rest:
        if word in ("-C", "--vault"):
            next(rest, None)
        elif word != "--json":
            return "" if word.startswith("-") else word
    return ""


def _second_word(words: Sequence[str], verb: str) -> str:
    """Return the word that stands right behind the verb, empty where an option does, or nothing."""
    behind = words[words.index(verb) + 1 :] if verb else ()
    return behind[0] if behind and not behind[0].startswith("-") else ""


def build(only: str = "", kind: str = "") -> argparse.ArgumentParser:
    """Return the parser of all verbs, of one, or of one kind of it: to build them all takes longer than most answers."""
    parser = _Parser(
        prog="vaultd",
        description="Keep a folder of Markdown honest, findable and reversible.",
        epilog="Example: vaultd check\nEvery verb has its own help: vaultd VERB --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"vaultd {__version__}")
    _where(parser, default=None)
    # with the name said, argparse does not import what it would measure the terminal with
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=_Parser, prog=parser.prog)
    add = _adder(verbs, only)
    _vault_verbs(add)
    _daemon_verbs(add)
    _operating_verbs(add)
    _reading_verbs(add)
    _lifecycle_verbs(add)
    memory = add("memory", "", "Make, hand over, end and restore memories.", "vaultd memory chain decisions/old")
    _kinds(memory, "memory", kind, _memory_verbs, memory_texts, memory_places)
    note = add("note", "", "Make and change work notes and plain notes.", "vaultd note append Tasks.md --body 'x'")
    _kinds(note, "note", kind, note_verbs, note_places)
    document_verbs(add)
    for name, says, example, fill in (*GROUPS, *RECORD_GROUPS):
        _kinds(add(name, "", says, example), name, kind, fill)
    usage_verb(add)
    mcp_verb(add)
    property_verbs(add)
    undo_verb(add)
    import_verb(add)
    tasks = add("tasks", "", "List the tasks in notes, or check their boxes.", "vaultd tasks --due-before 2026-12-24")
    if not isinstance(tasks, _Unasked):
        listed_tasks(tasks)
        _kinds(tasks, "tasks", kind, task_verbs, required=False)
    plugin = add("plugin", "", "Say which plugins run; see also ID:ACTION.", "vaultd plugin list")
    _kinds(plugin, "plugin", kind, plugin_verbs)
    return parser if not only or only in verbs.choices else build()


def _kinds(
    group: argparse.ArgumentParser, name: str, kind: str, *fills: Callable[[Adder], None], required: bool = True
) -> None:
    """Give a verb its kinds, or the one that is asked for; all of them where there is none of that name."""
    if isinstance(group, _Unasked):
        return
    kinds = group.add_subparsers(
        dest=f"{name}_verb", metavar="VERB", required=required, parser_class=_Parser, prog=group.prog
    )
    for fill in fills:
        fill(_adder(kinds, kind))
    if kind and not kinds.choices:
        for fill in fills:
            fill(_adder(kinds))


def _adder(verbs: "argparse._SubParsersAction[_Parser]", only: str = "") -> Adder:
    unasked = _Unasked()

    def add(name: str, run: str, says: str, example: str) -> argparse.ArgumentParser:
        if only and name != only:
            return unasked
        verb = verbs.add_parser(
            name,
            help=says,
            description=says,
            epilog=f"Example: {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        _where(verb, default=argparse.SUPPRESS)
        if run:
            verb.set_defaults(run=run)
        return verb

    return add


def _where(parser: argparse.ArgumentParser, *, default: str | None) -> None:
    """Add what every verb takes; at both levels, so that `vaultd --json status` and `vaultd status --json` agree."""
    parser.add_argument("-C", "--vault", metavar="PATH", default=default, help="the vault (default: where you are)")
    parser.add_argument(
        "--json",
        action="store_true",
        default=False if default is None else default,
        help="print one JSON document",
    )


def _vault_verbs(add: Adder) -> None:
    verb = add(
        "init", "vaults:init", "Make a folder a vault: shows what it adds, then adds it.", "vaultd init ~/notes --git"
    )
    whole(verb)
    verb.add_argument("--git", action="store_true", help="make a git repository where there is none")
    verb.add_argument("--hooks", action="store_true", help="also install the git hooks that check before a commit")
    verb.add_argument("--yes", action="store_true", help="do not ask")
    verb.add_argument("--dry-run", action="store_true", help="only show what would be added")
    verb = add("hooks", "vaults:hooks", "Check in git's own hooks, before a commit and a push.", "vaultd hooks install")
    verb.add_argument("what", choices=("install", "uninstall"), help="put the hooks in place, or take them away")


def _daemon_verbs(add: Adder) -> None:
    verb = add("up", "running:up", "Watch the vault in the foreground until told to stop.", "vaultd up ~/notes --once")
    whole(verb)
    verb.add_argument("--once", action="store_true", help="judge, commit what is accepted, and leave")
    verb.add_argument(
        "--log-format", choices=("text", "json"), help="also log to stderr, a line an event, in this form"
    )
    verb = add(
        "status",
        "running:status",
        "Say how the vault is: daemon, memories, problems, what waits.",
        "vaultd status --json",
    )
    whole(verb)
    whole(add("stop", "running:stop", "Stop the daemon; what waits stays in the files.", "vaultd stop"))
    verb = add(
        "resume", "running:resume", "Go on after a suspension: the missing notes are meant to be gone.", "vaultd resume"
    )
    whole(verb)


def _operating_verbs(add: Adder) -> None:
    whole(add("start", "operating:start", "Watch the vault in the background.", "vaultd start ~/notes"))
    whole(add("restart", "operating:restart", "Stop the daemon where one runs, and start it.", "vaultd restart"))
    verb = add(
        "service",
        "operating:in_the_background",
        "Have the daemon started at every login, by systemd, launchd or the task scheduler.",
        "vaultd service show",
    )
    verb.add_argument("what", choices=("install", "uninstall", "show"), help="show prints the text and writes nothing")
    verb = add(
        "doctor",
        "examined:doctor",
        "Look at everything around the notes: git, the index, leftovers, other programs.",
        "vaultd doctor --fix",
    )
    whole(verb)
    verb.add_argument(
        "--fix", action="store_true", help="mend what is safe to mend: leftovers, locks of ours, the index"
    )
    verb = add("demo", "showing:demo", "Show vaultd at work on a throw-away vault, then watch it.", "vaultd demo")
    verb.add_argument(
        "name",
        nargs="?",
        default="tour",
        metavar="NAME",
        choices=("tour", "five-writes", "support-desk"),
        help="which one: tour, five-writes, support-desk",
    )
    verb = add(
        "completion",
        "operating:completion",
        "Print what teaches a shell the verbs and options.",
        "source <(vaultd completion bash)",
    )
    verb.add_argument("shell", choices=("bash", "zsh", "fish"), help="for which shell")


def _reading_verbs(add: Adder) -> None:
    verb = add("check", "checking:check", "List every broken rule; exit 1 if one is an error.", "vaultd check --staged")
    verb.add_argument("paths", nargs="*", help="only these notes or folders")
    scope = verb.add_mutually_exclusive_group()
    scope.add_argument("--staged", action="store_true", help="judge what git would commit now, not the files on disk")
    scope.add_argument("--head", action="store_true", help="judge what HEAD holds")
    scope.add_argument(
        "--history",
        action="store_true",
        help="find commits with changes that are not accepted; PATHS are ranges (A..B)",
    )
    verb.add_argument("--format", choices=("text", "json"), default="text", help="json is the same as --json")
    verb.add_argument(
        "--severity", choices=("error", "warning", "info"), default="info", help="list nothing below this"
    )
    verb.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    search_verb(add)
    listing_verbs(add)
    verb = add(
        "show", "asking:show", "Print a note, and of a memory what is accepted of it.", "vaultd show radio/decoder"
    )
    verb.add_argument("ref", help="a path, an id or its beginning, project/name, or a name")
    verb.add_argument("--html", action="store_true", help="print the note rendered as HTML")
    verb = add(
        "log", "asking:log", "Tell who did what to which memory, and why; newest first.", "vaultd log radio/decoder"
    )
    verb.add_argument("ref", nargs="?", help="one memory (default: all)")
    verb.add_argument("--since", help="a date, or what git understands: '2 weeks ago'")
    verb.add_argument("--limit", type=_positive, help="how many entries at the most")
    verb = add(
        "rebuild", "running:rebuild", "Throw the index away and make it again; no note is touched.", "vaultd rebuild"
    )
    whole(verb)


def _lifecycle_verbs(add: Adder) -> None:
    verb = add(
        "adopt", "changing:adopt", "Complete a hand edit and record it now.", "vaultd adopt memory/radio/decoder.md"
    )
    verb.add_argument("paths", nargs="+", metavar="PATH", help="memories, or files with records")
    changing(verb)
    verb = add(
        "revert",
        "changing:revert",
        "Put back accepted lifecycle values, and what records first said; other edits stay.",
        "vaultd revert memory/radio/decoder.md",
    )
    verb.add_argument("paths", nargs="+", metavar="PATH", help="memories, or files with records")
    changing(verb)


def _memory_verbs(add: Adder) -> None:
    verb = add(
        "new",
        "changing:new",
        "Make a memory; with --supersedes hand over to it in the same commit.",
        "vaultd memory new --project radio --kind gotcha --name decoder-clock --description 'Clock drifts' --body 'text'",
    )
    verb.add_argument("--project", default="", help="its project; without, it is global")
    verb.add_argument("--kind", required=True, help="constraint, runbook, protocol, gotcha, decision, refuted, …")
    verb.add_argument("--name", required=True, help="its name: the file without .md")
    verb.add_argument("--description", required=True, help="one line, at most 150 characters")
    texted(verb)
    verb.add_argument("--tags", default="", help="tags, separated by commas")
    verb.add_argument("--supersedes", metavar="OLD", default="", help="the memory that this one replaces")
    reasoned(verb)
    verb = add(
        "supersede",
        "changing:supersede",
        "Hand over from OLD to NEW; both stay.",
        "vaultd memory supersede decoder decoder-v2",
    )
    verb.add_argument("old", metavar="OLD")
    verb.add_argument("new", metavar="NEW")
    verb.add_argument("--at", metavar="TIME", help="when it ended (default: now)")
    reasoned(verb)
    verb = add(
        "archive",
        "changing:archive",
        "End a memory without a successor.",
        "vaultd memory archive decoder --reason 'sold'",
    )
    verb.add_argument("ref", metavar="REF")
    verb.add_argument("--at", metavar="TIME", help="when it ended (default: now)")
    reasoned(verb)
    verb = add("restore", "changing:restore", "Bring an ended memory back.", "vaultd memory restore decoder")
    verb.add_argument("ref", metavar="REF")
    reasoned(verb)
    verb = add(
        "delete",
        "changing:delete",
        "Delete a memory for good; its text stays in git.",
        "vaultd memory delete radio/decoder --yes",
    )
    verb.add_argument("ref", metavar="REF", help="its id, its path or project/name: nothing less exact")
    verb.add_argument("--yes", action="store_true", help="it is meant")
    reasoned(verb)
    verb = add(
        "chain", "asking:chain", "Show what a memory replaced and what replaced it.", "vaultd memory chain decoder"
    )
    verb.add_argument("ref", metavar="REF")


def _positive(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number
