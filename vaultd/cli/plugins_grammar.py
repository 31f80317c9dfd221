"""The grammar of `vaultd plugin`."""

from vaultd.cli.writing_grammar import Adder


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
    verb = add(
        "restrict",
        "plugins:restrict",
        "Run only plugins that come with vaultd (on), or approved ones too (off).",
        "vaultd plugin restrict on",
    )
    verb.add_argument("what", choices=("on", "off"))
