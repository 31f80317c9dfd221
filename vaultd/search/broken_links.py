"""What is wrong with links, asked of the mirror: they lead nowhere, to several files, past a heading, to what was replaced."""

from collections.abc import Iterator, Mapping

from vaultd.index.mirror import Mirror, State
from vaultd.index.rows import row_of
from vaultd.lifecycle.violations import Violation
from vaultd.notes.blocks import Block
from vaultd.notes.markdown import Heading
from vaultd.notes.resolution import resolve_subpath
from vaultd.notes.structure import Structure
from vaultd.search import listing
from vaultd.search.listing import Listed

_TEMPLATE = ("{{", "<%")
_AT_ONCE = 400


def link_violations(mirror: Mirror) -> list[Violation]:
    """Return what breaks V301 to V304, each link once a note and target."""
    found = [
        *_leading_nowhere(mirror),
        *_ambiguous(mirror),
        *_past_their_target(mirror),
        *_to_what_was_replaced(mirror),
    ]
    return [*{violation.identity: violation for violation in reversed(found)}.values()]


def _leading_nowhere(mirror: Mirror) -> Iterator[Violation]:
    """V301: a link names a note or file that is there."""
    for link in listing.leading_nowhere(mirror):
        target = str(link["target"])
        if not any(sign in target for sign in _TEMPLATE):
            yield _violation("V301", link, f"no note or file is called {target!r}", "write the note, or mend the link")


def _ambiguous(mirror: Mirror) -> Iterator[Violation]:
    """V302: a link names one file, not several."""
    for link in listing.ambiguous(mirror):
        whole = str(link["resolved"]).removesuffix(".md")
        message = f"several files are called {link['target']!r}; this one is taken: {link['resolved']}"
        yield _violation("V302", link, message, f"write the whole path: {whole}")


def _past_their_target(mirror: Mirror) -> Iterator[Violation]:
    """V303: a heading or block that a link names stands in the note."""
    known: dict[str, Structure] = {}
    for link in listing.pointed(mirror):
        path, subpath = str(link["resolved"]), str(link["subpath"])
        if path[-3:].lower() != ".md":
            continue
        if path not in known:
            known[path] = _places(mirror, path)
        if resolve_subpath(known[path], subpath) is None:
            message = f"{path} has no {'block' if '#^' in subpath else 'heading'} {subpath!r}"
            yield _violation("V303", link, message, f"vaultd outline '{path}' shows its headings")


def _to_what_was_replaced(mirror: Mirror) -> Iterator[Violation]:
    """V304: a link leads to what holds, not to a memory that was replaced; its successor and what ended may name it."""
    states = mirror.states(mirror.paths().values())
    replaced = {path: state for path, state in states.items() if state.state == "superseded"}
    heirs = {state.id: path for path, state in states.items() if state.id}
    paths = sorted(replaced)
    for start in range(0, len(paths), _AT_ONCE):
        for link in listing.leading_to(mirror, paths[start : start + _AT_ONCE]):
            source = states.get(str(link["path"]), State())
            old = replaced[str(link["resolved"])]
            chain = [*_chain(old, states, heirs)]
            if source.state not in ("superseded", "archived") and source.id not in chain:
                heir = heirs.get(chain[-1], chain[-1]) if chain else "its successor"
                yield _violation("V304", link, f"{link['resolved']} was replaced", f"link to {heir}")


def _chain(old: State, states: Mapping[str, State], heirs: Mapping[str, str]) -> Iterator[str]:
    """Yield the ids of what replaced a memory, one after the other."""
    seen: set[str] = set()
    while (id_ := old.superseded_by) and id_ not in seen:
        seen.add(id_)
        yield id_
        old = states.get(heirs.get(id_, ""), State())


def _places(mirror: Mirror, path: str) -> Structure:
    number = row_of(path)
    headings = mirror.rows("SELECT level, text, line FROM headings WHERE note = ? ORDER BY place", number)
    blocks = mirror.rows("SELECT id, line, last_line FROM blocks WHERE note = ? ORDER BY place", number)
    return Structure(
        headings=tuple(Heading(int(level or 1), str(text), int(line or 1)) for level, text, line in headings),
        blocks=tuple(Block(str(id_), int(line or 1), int(last or 1)) for id_, line, last in blocks),
    )


def _violation(code: str, link: Listed, message: str, hint: str) -> Violation:
    line, column = int(str(link["line"])), int(str(link["column"]))
    subject = f"{link['target']}{link['subpath']}"
    return Violation(code, "info", str(link["path"]), line, message, hint, column, subject)
