"""What bash offers, asked of a real bash."""

import shutil
import subprocess
from pathlib import Path

import pytest

from vaultd.cli.completing import bash_completion, places
from vaultd.cli.parser import build

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")


def offered(*words: str, folder: Path = Path("/")) -> set[str]:
    """Return what bash would offer for the last of the words typed after `vaultd`."""
    script = bash_completion(build())
    line = " ".join(f"'{word}'" for word in ("vaultd", *words))
    asked = f'COMP_WORDS=({line}); COMP_CWORD={len(words)}; _vaultd; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{asked}"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


def test_every_verb_is_offered():
    assert offered("") == {place.verbs[0] for place in places(build()) if place.verbs}


def test_a_verb_is_completed_from_its_beginning():
    assert offered("memory", "arc") == {"archive"}


def test_only_the_options_of_the_verb_are_offered():
    assert {"--staged", "--json"} <= offered("check", "--")
    assert "--dry-run" not in offered("check", "--")


def test_an_option_before_the_verb_hides_nothing():
    assert offered("-C", "somewhere", "hooks", "") == {"install", "uninstall"}


def test_a_value_is_not_taken_for_a_verb():
    assert offered("--vault", "init", "servi") == {"service"}


def test_the_few_values_of_an_option_are_offered():
    assert offered("check", "--severity", "") == {"error", "warning", "info"}


def test_a_free_value_offers_nothing():
    assert offered("log", "--since", "") == set()


def test_files_are_offered_with_spaces_in_their_names(tmp_path: Path):
    (tmp_path / "A note.md").touch()
    (tmp_path / "Another.md").touch()
    assert offered("adopt", "A", folder=tmp_path) == {"A note.md", "Another.md"}
    assert offered("memory", "new", "--body-file", "A n", folder=tmp_path) == {"A note.md"}


def test_the_script_is_whole_bash():
    done = subprocess.run(["bash", "-n"], input=bash_completion(build()), text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
