"""Which notes a search may find at all: where they lie, what they are, which tags and properties they have."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import reduce

from vaultd.index.mirror import Mirror, State
from vaultd.index.wanted import Need
from vaultd.search.conditions import Compare, Condition, literally
from vaultd.search.properties import Types, holding
from vaultd.search.record_limits import RecordLimits, limited
from vaultd.values import dataclass, field

PARTS = ("notes", "memories", "work", "records")
_TYPES = {"memories": "memory", "work": "work", "records": "record"}
_PLAIN = State()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search is limited to; nothing set limits nothing."""

    within: tuple[str, ...] = ()
    """Of `notes`, `memories`, `work` and `records` those to look in; none: all of them."""
    project: str | None = None
    """None: any; the empty string: memories and work notes of no project."""
    kind: str | None = None
    tags: tuple[str, ...] = ()
    """Each must be there, itself or below it: `to` is there where `#to/do` is."""
    path: str = ""
    """A folder, a path, or a pattern of `*`, `**` and `?`."""
    where: Condition | None = None
    record: RecordLimits = field(default_factory=RecordLimits)
    inside: tuple[str, ...] = ()
    """The only folders to look in; none: the whole vault."""
    outside: tuple[str, ...] = ()
    """Folders that are not there for whoever asks."""

    @property
    def of_notes(self) -> bool:
        """Return whether it asks for what only notes have: tags, properties, a project, a kind."""
        return bool(self.tags or self.where is not None or self.project is not None or self.kind is not None)

    def __bool__(self) -> bool:
        return self != Limits()


@dataclass(frozen=True, slots=True)
class Vault:
    """What a vault has on record about its notes as a whole."""

    records: str = "records"
    """The folder of records."""
    review: str = "review"
    """The folder of drafts."""
    types: Types = field(default_factory=dict)


def allowed(mirror: Mirror, limits: Limits, needs: tuple[Need, ...], vault: Vault) -> frozenset[int] | None:
    """Return the numbers of the notes that may be found, None where all may."""
    found = [*_limited(mirror, limits, vault), *(_needed(mirror, need, vault.types) for need in needs)]
    return reduce(frozenset.__and__, found) if found else None


def _limited(mirror: Mirror, limits: Limits, vault: Vault) -> Iterator[frozenset[int]]:
    if limits.within or limits.project is not None or limits.kind is not None:
        states = mirror.states_by_row()
        belongs = _belonging(limits, vault.records)
        yield frozenset(note for note, path in mirror.paths().items() if belongs(path, states.get(note, _PLAIN)))
    if limits.record:
        yield limited(mirror, limits.record, vault.records, vault.review)
    for tag in limits.tags:
        yield _tagged(mirror, tag)
    if limits.path:
        fits = glob(limits.path)
        yield frozenset(note for note, path in mirror.paths().items() if fits(path))
    if limits.where is not None:
        yield holding(mirror, limits.where, vault.types)
    if limits.inside or limits.outside:
        yield frozenset(note for note, path in mirror.paths().items() if _shown(limits, path))


def unused(mirror: Mirror, limits: Limits) -> Iterator[str]:
    """Yield what to say of a kind or a tag that no note has; whoever may not look everywhere is not told."""
    if limits.inside or limits.outside:
        return
    if limits.kind is not None and all(state.kind != limits.kind for state in mirror.states_by_row().values()):
        yield f"no memory is of the kind {limits.kind!r}"
    for tag in limits.tags:
        if not _tagged(mirror, tag):
            yield f"no note has the tag #{tag.strip('#/')}"


def _shown(limits: Limits, path: str) -> bool:
    """Return whether a note lies where whoever asks may look at all."""
    return (not limits.inside or _lies_in(limits.inside, path)) and not _lies_in(limits.outside, path)


def _lies_in(folders: tuple[str, ...], path: str) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _belonging(limits: Limits, records: str) -> Callable[[str, State], bool]:
    types = {_TYPES[part] for part in limits.within if part in _TYPES}

    def belongs(path: str, state: State) -> bool:
        if limits.project is not None and (state.type in ("note", "record") or state.project != limits.project):
            return False
        if limits.kind is not None and state.kind != limits.kind:
            return False
        if not limits.within or state.type in types:
            return True
        part = "records" if path.startswith(records + "/") else "notes"
        return state.type == "note" and part in limits.within

    return belongs


def _tagged(mirror: Mirror, tag: str) -> frozenset[int]:
    folded, within = tag_range(tag)
    rows = mirror.rows(f"SELECT DISTINCT note FROM tags WHERE {within}", folded)  # noqa: S608 — always the same text
    return frozenset(int(note or 0) for (note,) in rows)


def tag_range(tag: str) -> tuple[str, str]:
    """Return a tag as the mirror folds it, and the condition on `?1` that it, or one below it, fulfils."""
    folded = "#" + unicodedata.normalize("NFC", tag.strip("#/")).casefold()
    return folded, "(folded = ?1 OR (folded > ?1 || '/' AND folded < ?1 || '0'))"


def _needed(mirror: Mirror, need: Need, types: Types) -> frozenset[int]:
    if need.name == "task" or need.name.startswith("task-"):
        found = _with_task(mirror, need)
    elif not need.values:
        found = holding(mirror, Compare(need.name, "exists"), types)
    else:
        several = (holding(mirror, Compare(need.name, sign, (literally(text),)), types) for sign, text in need.values)
        found = frozenset[int]().union(*several)
    return frozenset(mirror.paths()) - found if need.excluded else found


def _with_task(mirror: Mirror, need: Need) -> frozenset[int]:
    words = task_words(need)
    rows = mirror.rows(f"SELECT note, text FROM tasks WHERE 1 {with_status(need)}")  # noqa: S608 — one of three
    return frozenset(int(note or 0) for note, text in rows if all(word in str(text).casefold() for word in words))


def task_words(need: Need) -> list[str]:
    """Return the words, folded, that a checkbox must have to fulfil a need."""
    return " ".join(text for _, text in need.values).casefold().split()


def with_status(need: Need) -> str:
    """Return the condition on a checkbox's status that a need sets."""
    return {"task-todo": "AND status = ' '", "task-done": "AND status <> ' '"}.get(need.name, "")


def glob(pattern: str) -> Callable[[str], bool]:
    """Return whether a path fits: a pattern without `/` fits the file's name, one without wildcards also a folder.

    A pattern that is a path letter for letter fits it, so that a name with `[x]` in it can be asked for.
    """
    wanted = unicodedata.normalize("NFC", pattern.replace("\\", "/").removeprefix("./").strip("/"))
    if not wanted:
        return lambda _path: True
    inside = "" if "/" in wanted else "(?:.*/)?"
    below = "" if re.search(r"[*?]|\[[^\]]+\]", wanted) else "(?:\\.md|/.*)?"
    pattern_or_itself = f"{_translated(wanted)}{below}|{re.escape(wanted)}"
    compiled = re.compile(f"{inside}(?:{pattern_or_itself})", re.IGNORECASE | re.DOTALL)
    return lambda path: compiled.fullmatch(path if path.isascii() else unicodedata.normalize("NFC", path)) is not None


def _translated(pattern: str) -> str:
    """Return a pattern as a regular expression that tries no more ways to fit it than a path has letters, squared.

    What follows a wildcard is looked for where it stands first, and nowhere else once it was found: what comes later
    can begin no sooner elsewhere. Only the last wildcard has to reach the end. `**` is tried anew as a whole with every
    `*` up to the next `**`, because they cannot cross a `/`.
    """
    deep: list[tuple[str, list[str]]] = [("", [""])]
    for sign in re.findall(r"(?<![^/])\*\*/|\*\*|\*|\?|\[[^\]]+\]|[\s\S]", pattern):
        if sign in _DEEP:
            deep.append((_DEEP[sign], [""]))
        elif sign == "*":
            deep[-1][1].append("")
        else:
            deep[-1][1][-1] += _sign(sign)
    *before, (opening, (first, *rest)) = deep
    fixed = "".join(f"(?>{opens}{head}{_each_once(tail)})" for opens, (head, *tail) in before)
    end = f"{_each_once(rest[:-1])}[^/]*{rest[-1]}" if rest else ""
    return f"{fixed}{opening}{first}{end}"


_DEEP = {"**/": "(?:.*?/)??", "**": ".*?"}


def _each_once(texts: list[str]) -> str:
    return "".join(f"(?>[^/]*?{text})" for text in texts)


def _sign(sign: str) -> str:
    match sign:
        case "?":
            return "[^/]"
        case _ if len(sign) > 2:
            return _letters(sign[1:-1])
        case _:
            return re.escape(sign)


def _letters(inside: str) -> str:
    negated = inside[0] in "!^" and len(inside) > 1
    letters = re.sub(r"([\\\]\[^&~|])", r"\\\1", inside[1:] if negated else inside)
    try:
        re.compile(f"[{letters}]")
    except re.error:
        letters = re.escape(inside)
    return f"[{'^' if negated else ''}{letters}]"
