"""The grammar of the verbs about projects."""

import argparse

from vaultd.cli.writing_grammar import Adder


def project_verbs(add: Adder) -> None:
    """Add the verbs about projects."""
    add(
        "list",
        "projects:project_list",
        "List projects, with the folders of code that belong to them.",
        "vaultd project list",
    )
    verb = add(
        "add",
        "projects:project_add",
        "Register a project; what is put into one registers it too.",
        "vaultd project add radio --parent broadcast",
    )
    _slug(verb)
    verb.add_argument("--name", default="", help="what people call it (default: the slug)")
    verb.add_argument("--description", default="", help="one line about it")
    verb.add_argument("--parent", default="", metavar="SLUG", help="the project that it is a part of")
    verb = add(
        "describe",
        "projects:project_describe",
        "Say something else about a project; what is not named stays.",
        "vaultd project describe radio --description 'The pirate station'",
    )
    _slug(verb)
    verb.add_argument("--name", help="what people call it")
    verb.add_argument("--description", help="one line about it")
    verb.add_argument("--parent", metavar="SLUG", help="the project that it is a part of; '' for none")
    verb = add(
        "retire",
        "projects:project_retire",
        "Close a project: it can be read, and agents put nothing new into it.",
        "vaultd project retire radio",
    )
    _slug(verb)
    verb = add("revive", "projects:project_revive", "Open a retired project again.", "vaultd project revive radio")
    _slug(verb)
    verb = add(
        "isolate",
        "projects:project_isolate",
        "Set a project apart: confidential lets nothing out to agents of others, sealed nothing in either; or open it.",
        "vaultd project isolate payroll sealed",
    )
    _slug(verb)
    verb.add_argument("isolation", choices=("open", "confidential", "sealed"))
    _family_verbs(add)
    verb = add(
        "map",
        "projects:project_map",
        "Say that work in a folder, and below it, belongs to a project.",
        "vaultd project map ~/code/radio radio",
    )
    verb.add_argument("folder", metavar="FOLDER")
    _slug(verb)
    verb = add(
        "unmap",
        "projects:project_unmap",
        "Forget which project work in a folder belongs to.",
        "vaultd project unmap ~/code/radio",
    )
    verb.add_argument("folder", metavar="FOLDER")


def _family_verbs(add: Adder) -> None:
    verb = add(
        "join",
        "projects:project_join",
        "Make a project one of a family, which is there once somebody has joined it.",
        "vaultd project join broadcast radio",
    )
    verb.add_argument("family", metavar="FAMILY")
    _slug(verb)
    verb = add(
        "leave", "projects:project_leave", "Take a project out of a family.", "vaultd project leave broadcast radio"
    )
    verb.add_argument("family", metavar="FAMILY")
    _slug(verb)


def _slug(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("slug", metavar="PROJECT", help="its slug, the name of its folder")
