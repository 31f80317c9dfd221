"""What a short process does without until it needs it."""

import re
import subprocess
import sys

import pytest

from vaultd.quickly import pattern


def test_a_pattern_answers_as_a_compiled_one():
    late, now = pattern(r"(?P<word>[a-z]+)", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)
    text = "One two"
    assert [found["word"] for found in late.finditer(text)] == [found["word"] for found in now.finditer(text)]
    assert late.sub("x", text) == now.sub("x", text)
    assert (late.fullmatch("one") is not None, late.pattern, late.flags) == (True, now.pattern, now.flags)
    assert pattern(rb"\d").findall(b"a1b2") == [b"1", b"2"]


def test_a_pattern_is_compiled_at_its_first_question():
    late = pattern("(")
    with pytest.raises(re.error):
        late.search("(")


@pytest.mark.parametrize("module", ["tomllib", "dataclasses", "yaml", "tempfile", "shutil", "random", "urllib.parse"])
def test_a_check_of_what_git_holds_imports_nothing_that_it_seldom_needs(module: str):
    said = f"import sys; import vaultd.cli.main as m; m.import_pathlib(); import vaultd.cli.checking, vaultd.checks; print({module!r} in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", said], check=True, capture_output=True, text=True)
    assert ended.stdout == "False\n"


@pytest.mark.parametrize(
    "module", ["vaultd.app", "vaultd.search", "tantivy", "yaml", "vaultd.catalog", "vaultd.notes.markdown"]
)
def test_a_verb_that_writes_imports_nothing_that_it_seldom_needs(module: str):
    verb = "import vaultd.cli.main, vaultd.cli.changing, vaultd.commands.memories.supersede"
    said = f"import sys; {verb}; print({module!r} in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", said], check=True, capture_output=True, text=True)
    assert ended.stdout == "False\n"
