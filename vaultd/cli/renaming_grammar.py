"""The grammar of the verbs that give files other paths; `parser` puts them among the others."""

from vaultd.cli.writing_grammar import Adder, reasoned


def memory_places(add: Adder) -> None:
    """Add the verbs that give a memory another place."""
    verb = add(
        "rename",
        "renaming:rename",
        "Give a memory another name: file, field and every link, in one commit.",
        "vaultd memory rename radio/decoder decoder-clock",
    )
    verb.add_argument("ref", metavar="REF")
    verb.add_argument("name", metavar="NEW-NAME", help="the file without .md")
    reasoned(verb)
    verb = add(
        "move",
        "renaming:move",
        "Give a memory to another project; every link follows.",
        "vaultd memory move radio/decoder studio",
    )
    verb.add_argument("ref", metavar="REF")
    verb.add_argument("project", metavar="PROJECT", help="_global for none")
    reasoned(verb)
    verb = add(
        "free",
        "renaming:free",
        "Free the name of an ended memory; its file becomes NAME.xxxxxxxx.md, and links keep meaning it.",
        "vaultd memory free radio/decoder",
    )
    verb.add_argument("ref", metavar="NAME")
    reasoned(verb)


def note_places(add: Adder) -> None:
    """Add the verbs that give notes, other files and folders another path."""
    verb = add(
        "rename",
        "renaming:note_rename",
        "Give notes, other files or folders another name; every link follows, in one commit.",
        "vaultd note rename Tasks.md 'To do'",
    )
    verb.add_argument(
        "pairs",
        nargs="+",
        metavar="PATH NEW",
        help="NEW is a name, or a path in the vault; several pairs change at once, so that names can be swapped",
    )
    reasoned(verb)
    verb = add(
        "move",
        "renaming:note_move",
        "Put a note, another file or a folder into a folder; every link follows, in one commit.",
        "vaultd note move Tasks.md Archive/2026",
    )
    verb.add_argument("path", metavar="PATH")
    verb.add_argument("folder", metavar="FOLDER", help="made where it is missing; / is the vault itself")
    reasoned(verb)
    verb = add(
        "relink",
        "renaming:note_relink",
        "Mend the links to what was moved without vaultd: OLD is where it was, NEW where it is.",
        "vaultd note relink Tasks.md 'To do.md'",
    )
    verb.add_argument("pairs", nargs="+", metavar="OLD NEW", help="files or folders; several pairs for a swap")
    reasoned(verb)
