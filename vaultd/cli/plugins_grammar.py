"""The grammar of `vaultd plugin`."""

from argparse import Namespace
from collections.abc import Iterator, Sequence

from vaultd.cli.writing_grammar import Adder
from vaultd.errors import UsageError


def plugin_verbs(add: Adder) -> None:
    """Add the verbs below `plugin`."""
    add("list", "plugins:list_", "Show every plugin, whether it runs, and why not.", "vaultd plugin list")
    verb = add("enable", "plugins:enable", "Have the vault want a plugin.", "vaultd plugin enable link-health")
    verb.add_argument("id", metavar="ID")
    verb.add_argument(
        "--source", choices=("shipped", "vault", "installed"), help="which, where several have the same id"
    )
    verb.add_argument("--required", action="store_true", help="fail checks where its validators do not answer")
    verb = add("disable", "plugins:disable", "Have the vault want it no more.", "vaultd plugin disable link-health")
    verb.add_argument("id", metavar="ID")
    verb = add(
        "approve",
        "plugins:approve",
        "Show what a plugin asks for, and trust these very files on this machine.",
        "vaultd plugin approve stale",
    )
    verb.add_argument("id", metavar="ID")
    verb.add_argument("--yes", action="store_true", help="do not ask")
    verb.add_argument(
        "--develop", action="store_true", help="trust also what its files become: you are writing it, here"
    )
    verb = add(
        "secret",
        "plugins:secret",
        "Keep a secret for a plugin on this machine: asked for, or read from standard input.",
        "vaultd plugin secret stale mail-token",
    )
    verb.add_argument("id", metavar="ID")
    verb.add_argument("name", metavar="NAME", help="what the plugin's settings call it")
    verb.add_argument("--remove", action="store_true", help="forget it")
    verb = add("reload", "plugins:reload", "Start it anew, and forget that it failed.", "vaultd plugin reload stale")
    verb.add_argument("id", metavar="ID")
    verb = add("new", "plugins:new", "Write the beginning of a plugin into the vault.", "vaultd plugin new stale")
    verb.add_argument("id", metavar="ID", help="lower-case letters, digits, - and _")
    verb.add_argument("--name", help="what people call it (default: the id)")
    verb = add(
        "doctor", "plugins:doctor", "Start the enabled plugins, and say what becomes of it.", "vaultd plugin doctor"
    )
    verb.add_argument("id", metavar="ID", nargs="?", help="only this one")
    verb = add(
        "restrict",
        "plugins:restrict",
        "Run only plugins that come with vaultd (on), or approved ones too (off).",
        "vaultd plugin restrict on",
    )
    verb.add_argument("what", choices=("on", "off"))


def plugin_action(words: Sequence[str], verb: str) -> Namespace:
    """Return what a command line asks for whose verb is a plugin's: its words are the plugin's own.

    Raises:
        UsageError: an option of ours has no value.
    """
    found = Namespace(run="acting:act", verb=verb, vault=None, json=False, format="text", words=[])
    rest = iter(words)
    for word in rest:
        if word in ("-C", "--vault"):
            found.vault = _given(word, rest)
        elif word == "--format":
            found.format = _given(word, rest)
        elif word == "--json":
            found.json = True
        elif word != verb or found.words:
            found.words.append(word)
    if found.format not in ("text", "json", "csv"):
        raise UsageError(f"--format {found.format!r} is none of text, json, csv")
    return found


def _given(option: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise UsageError(f"{option} needs a value")
    return value
