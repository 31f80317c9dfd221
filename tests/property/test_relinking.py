"""After any rename every link that meant a file means it still, and nothing but targets and old names changed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from vaultd.notes.links import scan
from vaultd.notes.masking import flatten, masked
from vaultd.notes.note import parse
from vaultd.notes.relinking import relink
from vaultd.notes.resolution import Names
from vaultd.notes.retargeting import Renaming
from vaultd.notes.structure import Link, structure

NAMES = ("n", "N", "m", "a b", "é", "e\u0301", "x(1)", "100%25", "it's", "夜", "n.md", "y, z")
FOLDERS = ("", "a/", "b/", "a/b/", "b/a/", "a b/")
PATHS = st.builds(lambda folder, name: f"{folder}{name}.md", st.sampled_from(FOLDERS), st.sampled_from(NAMES))
TARGETS = st.builds(
    lambda head, name, tail: head + name + tail,
    st.sampled_from((*FOLDERS, "./", "../", "/", "/a/", "../a/", "a/../b/", "./b/")),
    st.sampled_from(NAMES),
    st.sampled_from(("", "", ".md", "#h", "#^b")),
)
FORMS = (
    "[[{}]]",
    "![[{}]]",
    "[[{}|n]]",
    "[[ {} | x]]",
    "| [[{}\\|n]] |",
    "[n](<{}>)",
    "![n](<{}> 'n')",
    "\n[n]: <{}>\n",
    "%%[[{}]]%%",
    "`[[{}]]`",
    "[[n]] [[{}|n|n]]",
)
ENCODED = ("[n]({})", "[n]({} 'n')", "\n\n[n]: {}\n\n")
PROPERTIES = ("'[[{}]]'", '"[[{}|n]]"', "['[[{}]]', n]", '\n  - "![[{}]]"', "'see [[{}]]'", "[[{}]]")


def encoded(target: str) -> str:
    return target.replace("%", "%25").replace(" ", "%20").replace("(", "%28").replace(")", "%29")


LINKS = st.builds(str.format, st.sampled_from(FORMS), TARGETS) | st.builds(
    lambda form, target: form.format(encoded(target)), st.sampled_from(ENCODED), TARGETS
)
BODIES = st.lists(LINKS | st.sampled_from((" ", "\n", "\r\n", "text n", "# h\n", "[[nowhere]]", "$")), max_size=8)
HEADS = st.lists(
    st.builds(lambda form, target: form.replace("{}", target.replace("'", "")), st.sampled_from(PROPERTIES), TARGETS)
)


@st.composite
def notes(draw: st.DrawFn) -> str:
    head = "".join(f"k{number}: {value}\n" for number, value in enumerate(draw(HEADS)))
    return (f"---\n{head}---\n" if head else "") + " ".join(draw(BODIES))


@st.composite
def vaults(draw: st.DrawFn) -> tuple[list[str], dict[str, str]]:
    paths = draw(st.lists(PATHS, min_size=1, max_size=6, unique=True))
    moved = draw(st.lists(st.sampled_from(paths), min_size=1, max_size=3, unique=True))
    free = [*moved, *draw(st.lists(PATHS.filter(lambda path: path not in paths), max_size=3, unique=True))]
    return paths, dict(zip(moved, draw(st.permutations(free)), strict=False))


def rest(text: str) -> list[str]:
    """Return a body without its links."""
    shown = flatten(text)
    parts, at = [], 0
    for link in scan(masked(shown), shown):
        if link.start >= at:
            parts.append(text[at : link.start])
            at = link.end
    return [*parts, text[at:]]


def meant(names: Names, link: Link, source: str) -> str | None:
    return names.resolve(link.target, source)


@settings(deadline=None, max_examples=400)
@given(vaults(), notes(), st.sampled_from((None, "shortest", "absolute", "relative")), st.data())
def test_links_keep_what_they_mean(vault, text, form, data):
    paths, moves = vault
    source = data.draw(st.sampled_from(paths))
    before, after = Names(paths), Names(moves.get(path, path) for path in paths)
    done = relink(text.encode(), source, Renaming(moves, before, after, form, form))
    now = moves.get(source, source)
    old, new = structure(parse(text.encode())).links, structure(parse(done.data)).links
    assert not done.refused
    assert [(x.subpath, x.embed, x.kind, x.key) for x in old] == [(x.subpath, x.embed, x.kind, x.key) for x in new]
    for one, other in zip(old, new, strict=True):
        if (target := meant(before, one, source)) is not None:
            assert meant(after, other, now) == moves.get(target, target), (one, other, moves)
        else:
            assert other == one._replace(line=other.line, column=other.column, start=other.start, end=other.end)
    assert rest(parse(done.data).body) == rest(parse(text.encode()).body)


@settings(deadline=None, max_examples=200)
@given(vaults(), notes(), st.data())
def test_a_renaming_of_other_files_to_the_same_names_changes_nothing(vault, text, data):
    paths, moves = vault
    source = data.draw(st.sampled_from(paths))
    how = Renaming({path: path for path in moves}, Names(paths), Names(paths))
    assert relink(text.encode(), source, how).data == text.encode()
