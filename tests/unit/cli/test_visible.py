"""What stands in names and notes commands no terminal and breaks no line; documents are exact."""

import pytest

from tests.vaults import Vault, id_of
from vaultd.cli.visible import visible

NAME = "e\x1b[31m\nvil"


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """A folder with a note whose name, and whose every kind of text, holds control characters."""
    vault = Vault(tmp_path_factory.mktemp("evil"))
    vault.git("init", "-q")
    text = '---\n"k\\e[1m": "v\\e[2m"\ntags: ["t\\e3m"]\n---\n# Head\x1b[4m\n\nwords \x1b[5mblink [[no\x1b[6m]]\n- [\x07] ring\x07\n'
    vault.write(f"{NAME}.md", text)
    return vault


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("search", "words"), r"e\x1b[31m\nvil.md:7:"),
        (("search", "words", "--explain"), r"words \x1b[5mblink"),
        (("check",), r"e\x1b[31m\nvil.md:1:1:"),
        (("orphans",), r"e\x1b[31m\nvil.md"),
        (("links",), r"e\x1b[31m\nvil.md:7:17: no\x1b[6m"),
        (("unresolved",), r"no\x1b[6m  (e\x1b[31m\nvil.md:7)"),
        (("tags",), r"#t\x1b3m"),
        (("tasks",), r"[\x07] ring\x07"),
        (("properties",), r"k\x1b[1m"),
        (("properties", "k\x1b[1m"), r"v\x1b[2m"),
        (("outline", f"{NAME}.md"), r"Head\x1b[4m"),
        (("show", f"{NAME}\x07"), r"x07"),
        (("doctor",), r"e\x1b[31m\nvil.md"),
    ],
)
def test_every_list_shows_control_characters_and_obeys_none(evil: Vault, words: tuple[str, ...], said: str):
    ran = evil.run(*words)
    printed = ran.out + ran.err
    assert said in printed
    assert all(line.isprintable() for line in printed.split("\n"))


def test_what_changes_a_memory_of_such_a_name_obeys_none(vault: Vault):
    vault.remember("a")
    vault.file("a").rename(vault.root / "memory" / "_global" / f"{NAME}.md")
    vault.edit(f"memory/_global/{NAME}.md", "name: a", 'name: "e\\e[31m\\nvil"')
    shown = r"memory/_global/e\x1b[31m\nvil.md"
    for words in (("up", "--once"), ("memory", "archive", id_of("a"), "--dry-run"), ("memory", "archive", id_of("a"))):
        ran = vault.does(*words)
        assert shown in ran.out
        assert all(line.isprintable() for line in (ran.out + ran.err).split("\n")), words


def test_documents_and_the_note_itself_are_exact(evil: Vault):
    assert evil.run("orphans", "--json").json["orphans"] == [f"{NAME}.md"]
    assert evil.run("show", f"{NAME}.md").out == evil.file(f"{NAME}.md").read_text()


@pytest.mark.parametrize("text", ["plain", "Café 日本語 👩‍👧 \udce9", "non\xa0breaking"])
def test_what_moves_nothing_stays_as_it_is(text: str):
    assert visible(text) == text


def test_writing_is_not_turned_round():
    assert visible("a\u202eb\u2066c\u2028d") == r"a\u202eb\u2066c\u2028d"
