"""The plain forms of the verbs that are soon over, and what a command line of such a form asks for.

`argparse` takes longer to import than an answer takes to come. What is written here word for word is read without it;
every other spelling is left to it. The grammar of these verbs has the same options, which a test compares.
"""

from collections.abc import Iterator, Sequence

MANY = 1_000_000
FLAG, TEXT, COUNT, PORT, LIST = "flag", "text", "count", "port", "list"
STATUSES = ("active", "draft")
VERSIONS = ("current", "all")
MCP_PORT = 8421
"""Where `mcp --http` listens unless it is told."""
SEVERITIES = ("error", "warning", "info")
FORMATS = ("text", "json")

Option = tuple[str, str | tuple[str, ...], object]
"""The name of what it sets, what it takes (a tuple: one of these), and what holds without it."""
Asked = dict[str, object]

EVERYWHERE: dict[str, Option] = {
    "-C": ("vault", TEXT, None),
    "--vault": ("vault", TEXT, None),
    "--json": ("json", FLAG, False),
}
FORMS: dict[str, tuple[str, tuple[str, int], dict[str, Option]]] = {
    "search": (
        "asking:search",
        ("query", MANY),
        {
            "--all": ("all", FLAG, False),
            "--in": ("within", TEXT, None),
            "--project": ("project", TEXT, None),
            "--kind": ("kind", TEXT, None),
            "--tag": ("tag", LIST, []),
            "--path": ("path", TEXT, None),
            "--where": ("where", TEXT, None),
            "--collection": ("collection", LIST, []),
            "--entity": ("entity", TEXT, None),
            "--type": ("type", TEXT, None),
            "--status": ("status", STATUSES, None),
            "--versions": ("versions", VERSIONS, None),
            "--as-of": ("as_of", TEXT, None),
            "--sort": ("sort", TEXT, "score"),
            "--explain": ("explain", FLAG, False),
            "--limit": ("limit", COUNT, 20),
            "--min-generation": ("min_generation", COUNT, None),
        },
    ),
    "check": (
        "checking:check",
        ("paths", MANY),
        {
            "--staged": ("staged", FLAG, False),
            "--head": ("head", FLAG, False),
            "--history": ("history", FLAG, False),
            "--format": ("format", FORMATS, "text"),
            "--severity": ("severity", SEVERITIES, "info"),
            "--strict": ("strict", FLAG, False),
        },
    ),
    "status": ("running:status", ("vault", 1), {}),
    "up": (
        "running:up",
        ("vault", 1),
        {"--once": ("once", FLAG, False), "--log-format": ("log_format", FORMATS, None)},
    ),
    "mcp": (
        "serving:mcp",
        ("", 0),
        {
            "--http": ("http", FLAG, False),
            "--new-token": ("new_token", TEXT, None),
            "--revoke": ("revoke", TEXT, None),
            "--tokens": ("tokens", FLAG, False),
            "--port": ("port", PORT, MCP_PORT),
        },
    ),
}
"""Verb to the function that carries it out, the name and number of its words, and its options."""
_ONE_OF = (("staged", "head", "history"), ("http", "new_token", "revoke", "tokens"))
_LONGEST_COUNT = 9
_HIGHEST_PORT = 65_535


def asked_of(words: Sequence[str]) -> Asked | None:
    """Return what a command line asks for, as the full grammar would; None where it takes the full grammar to tell."""
    rest = iter(words)
    given: Asked = {}
    for word in rest:
        if word in FORMS:
            return _filled(word, rest, given)
        if not _take(EVERYWHERE, word, rest, given):
            return None
    return None


def in_json(asked: Asked) -> bool:
    """Return whether the answer is to be a document."""
    return bool(asked["json"]) or asked.get("format") == "json"


def _filled(verb: str, rest: Iterator[str], given: Asked) -> Asked | None:
    run, (naming, most), own = FORMS[verb]
    options = EVERYWHERE | own
    named: list[str] = []
    closed = False
    for word in rest:
        if word.startswith("-"):
            if not _take(options, word, rest, given):
                return None
            closed = bool(named)
        elif closed or len(named) == most:
            return None
        else:
            named.append(word)
            given |= {naming: word} if most == 1 else {}
    if any(sum(name in given for name in names) > 1 for names in _ONE_OF):
        return None
    asked = {name: default for name, _, default in options.values()} | given
    asked |= {"verb": verb, "run": run}
    if most == MANY:
        asked[naming] = named
    return asked


def _take(options: dict[str, Option], word: str, rest: Iterator[str], given: Asked) -> bool:
    """Take an option and what it takes; False where it is none of these, or is given what it does not take."""
    if word not in options:
        return False
    name, takes, _ = options[word]
    if takes == FLAG:
        given[name] = True
        return True
    value = next(rest, "-")
    if value.startswith("-") or not _fits(value, takes):
        return False
    if takes == LIST:
        before = given.get(name)
        given[name] = [*before, value] if isinstance(before, list) else [value]
    else:
        given[name] = int(value) if takes in (COUNT, PORT) else value
    return True


def _fits(value: str, takes: str | tuple[str, ...]) -> bool:
    if takes in (COUNT, PORT):
        most = _HIGHEST_PORT if takes == PORT else 10**_LONGEST_COUNT
        return len(value) <= _LONGEST_COUNT and value.isascii() and value.isdigit() and 0 < int(value) <= most
    return not isinstance(takes, tuple) or value in takes
