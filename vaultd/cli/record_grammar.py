"""The grammar of the verbs about records; `parser` puts them among the others."""

import argparse
from collections.abc import Callable

from vaultd.cli.writing_grammar import Adder, reasoned, texted


def record_verbs(add: Adder) -> None:
    """Add the verbs that remember, take back and correct."""
    verb = add(
        "set",
        "records:set_",
        "Answer a slot; what answered before becomes its history. With --draft propose it.",
        "vaultd record set customer_profiles --entity acme-corp --key needs --body 'Evaluating SSO options'",
    )
    _about(verb)
    verb.add_argument("--key", required=True, help="the name of the question")
    _described(verb, "fact")
    verb.add_argument("--draft", action="store_true", help="only propose it: it counts when it is approved")
    _expecting(verb)
    reasoned(verb)
    verb = add(
        "event",
        "records:event",
        "Remember something that happened.",
        "vaultd record event customer_events --entity acme-corp --type email --body 'Asked about SSO pricing.'",
    )
    _about(verb)
    _described(verb, "event")
    verb.add_argument(
        "--store",
        choices=("file", "jsonl"),
        help="a file of its own, or a line of its month's (default: as the collection says)",
    )
    verb.add_argument("--draft", action="store_true", help="only propose it: it counts when it is approved")
    reasoned(verb)
    verb = add(
        "retract",
        "records:retract",
        "Empty a slot; what answered it stays in its history.",
        "vaultd record retract customer_profiles --entity acme-corp --key needs --reason 'they left'",
    )
    _about(verb)
    verb.add_argument("--key", required=True, help="the name of the question")
    _expecting(verb)
    reasoned(verb)
    verb = add(
        "correct",
        "records:correct",
        "Say how an event really was; the first account stays.",
        "vaultd record correct 01K2F4AB --body 'Asked about SCIM pricing.'",
    )
    verb.add_argument("ref", metavar="ID", help="the event: its id or the beginning of it, or its path")
    texted(verb)
    reasoned(verb)
    _batches(add)


def _batches(add: Adder) -> None:
    verb = add(
        "apply",
        "records:apply",
        "Write a batch of records in one commit: all of them, or none.",
        "vaultd record apply calls.jsonl",
    )
    verb.add_argument("file", metavar="FILE", help="a file of JSON lines, or - for standard input")
    reasoned(verb)
    verb = add(
        "merge",
        "records:merge",
        "Resolve what git left in conflict among records: both answers stay, the later one answers.",
        "vaultd record merge",
    )
    verb.add_argument("--dry-run", action="store_true", help="only show which files it would write")
    verb.set_defaults(expect_hash="", now=False)


def review_verbs(add: Adder) -> None:
    """Add the verbs that decide on drafts."""
    verb = add("list", "record_reading:review_list", "List the drafts that wait for a decision.", "vaultd review list")
    verb.add_argument("--all", action="store_true", help="also those that were decided on")
    verb = add(
        "approve",
        "records:approve",
        "Make drafts count, all of them or none; each stays beside what it became.",
        "vaultd review approve 01K2F4AB",
    )
    verb.add_argument("refs", metavar="ID", nargs="+", help="a draft: its id or the beginning of it, or its path")
    reasoned(verb)
    verb = add(
        "reject",
        "records:reject",
        "Turn a draft down; it stays, with the reason.",
        "vaultd review reject 01K2F4AB --reason 'said by one customer only'",
    )
    verb.add_argument("ref", metavar="ID", help="a draft: its id or the beginning of it, or its path")
    reasoned(verb)


def catalog_verbs(add: Adder) -> None:
    """Add the verbs about declared collections."""
    add(
        "check",
        "records:catalog_check",
        "Say what is wrong with the catalog, and what publishing it would change.",
        "vaultd catalog check",
    )
    verb = add(
        "publish",
        "records:catalog_publish",
        "Put the catalog in force; no record is touched.",
        "vaultd catalog publish --reason 'risks get a level'",
    )
    reasoned(verb)
    add("prune", "records:catalog_prune", "Say which old versions no record needs.", "vaultd catalog prune")


def document_verbs(add: Adder) -> None:
    """Add the verbs that read records."""
    verb = add(
        "document", "record_reading:read_document", "Print what holds of an entity.", "vaultd document acme-corp"
    )
    verb.add_argument("entity", metavar="ENTITY", help="whose memory it is")
    _collections(verb)
    verb.add_argument("--drafts", action="store_true", help="the drafts that wait, instead")
    verb = add(
        "history",
        "record_reading:read_history",
        "Print everything that was ever written in a slot, the latest first.",
        "vaultd history customer_profiles acme-corp needs",
    )
    verb.add_argument("collection", metavar="COLLECTION", help="in any version")
    verb.add_argument("entity", metavar="ENTITY", help="whose memory it is")
    verb.add_argument("key", metavar="KEY", help="the name of the question")
    verb = add(
        "timeline",
        "record_reading:read_timeline",
        "Print the events of an entity, the latest first.",
        "vaultd timeline acme-corp",
    )
    verb.add_argument("entity", metavar="ENTITY", help="whose memory it is")
    _collections(verb)
    verb.add_argument("--type", action="append", default=[], metavar="TYPE", help="only of this type; may be repeated")
    verb.add_argument("--all", action="store_true", help="also events that were corrected")
    verb.add_argument("--limit", type=_positive, default=50, help="how many at the most (50)")
    add(
        "entities",
        "record_reading:read_entities",
        "List the entities of which something is remembered.",
        "vaultd entities",
    )
    verb = add(
        "delta",
        "record_reading:read_delta",
        "Print the records that a consumer was not given yet, the oldest first.",
        "vaultd delta nightly-report --entity acme-corp --advance",
    )
    verb.add_argument("consumer", metavar="CONSUMER", help="a name; what it was given is remembered under it")
    verb.add_argument("--entity", help="only of this entity")
    _collections(verb)
    verb.add_argument("--limit", type=_positive, default=500, help="how many at the most (500)")
    verb.add_argument("--advance", action="store_true", help="remember that these were given")
    verb.add_argument(
        "--done", action="extend", nargs="+", default=[], metavar="ID", help="first remember that these were given"
    )
    verb = add(
        "why",
        "record_reading:read_why",
        "Print what a record rests on, down to what was observed.",
        "vaultd why 01K2F4AB",
    )
    verb.add_argument("ref", metavar="ID", help="a record: its id or the beginning of it, or its path")


def _collections(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--collection", action="append", default=[], metavar="NAME", help="only of this collection; may be repeated"
    )


def _about(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("collection", metavar="COLLECTION", help="NAME, or NAME@VERSION")
    verb.add_argument("--entity", required=True, help="whose memory it is: any text")


def _described(verb: argparse.ArgumentParser, kind: str) -> None:
    verb.add_argument("--type", default=kind, help=f"what kind of record, in a word ({kind})")
    texted(verb)
    verb.add_argument("--property", action="append", default=[], metavar="KEY=VALUE", help="a property beside the text")
    verb.add_argument("--occurred", metavar="TIME", help="when it happened (default: it is not said)")
    verb.add_argument("--derived-from", action="append", default=[], metavar="ID", help="a record that it rests on")
    verb.add_argument("--source", action="append", default=[], metavar="LINK", help="a note that it comes from")
    verb.add_argument("--dedupe", metavar="TEXT", help="written once under this key, however often it is sent")


def _expecting(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--expect-head", metavar="ID", default="", help="the record that must answer now; `none` for an empty slot"
    )


def _positive(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number


RECORD_GROUPS: tuple[tuple[str, str, str, Callable[[Adder], None]], ...] = (
    (
        "record",
        "Remember answers and events, take them back, correct them.",
        "vaultd record retract c --entity e --key k",
        record_verbs,
    ),
    ("review", "Decide on drafts of records.", "vaultd review list", review_verbs),
    ("catalog", "Declare collections, and put them in force.", "vaultd catalog check", catalog_verbs),
)
"""Groups of verbs: name, what it does, an example, what adds its verbs."""
