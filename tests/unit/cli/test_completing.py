"""What bash, zsh and fish offer, asked of the real ones; one that is not here skips its rows by name."""

import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from vaultd.cli.completing import grammar, places
from vaultd.cli.parser import build
from vaultd.cli.shells import SHELLS
from vaultd.cli.tours import TOURS

ASKED = {
    "bash": 'COMP_WORDS=(vaultd {words}); COMP_CWORD={last}; _vaultd; printf "%s\\n" "${{COMPREPLY[@]}}"',
    # what zsh's own functions show is kept from them here: they need a line that is being typed
    "zsh": (
        "compadd() {{ shift; local it; for it; do [[ $it == ${{words[-1]}}* ]] && print -r -- $it; done; true; }}\n"
        "_files() {{ print -rl -- ${{words[-1]}}*(N); }}\nwords=(vaultd {words}); CURRENT={after}; _vaultd"
    ),
    "fish": "complete -C {line}",
}
BEFORE = {"bash": "", "zsh": "compdef() { true; }\n", "fish": ""}


@cache
def script(shell: str) -> str:
    return SHELLS[shell](grammar(build()))


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not here")
    return str(request.param)


def offered(shell: str, *words: str, folder: Path = Path("/")) -> set[str]:
    """Return what a shell would offer for the last of the words typed after `vaultd`."""
    typed = " ".join(f"'{word}'" if shell != "zsh" or word else "''" for word in words)
    line = shlex.quote(" ".join(("vaultd", *(word.replace(" ", "\\ ") for word in words))))
    asked = ASKED[shell].format(words=typed, last=len(words), after=len(words) + 1, line=line)
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [shell, *options, "-c", f"{BEFORE[shell]}{script(shell)}\n{asked}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return {row.partition("\t")[0] for row in done.stdout.split("\n")} - {""}


def test_every_verb_is_offered(shell: str):
    assert offered(shell, "") == {place.verbs[0] for place in places(build()) if place.verbs}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("memory", "arc"), {"archive"}),
        (("-C", "somewhere", "hooks", ""), {"install", "uninstall"}),
        (("--vault", "init", "servi"), {"service"}),
        (("check", "--severity", ""), {"error", "warning", "info"}),
        (("log", "--since", ""), set()),
        (("demo", ""), set(TOURS)),
        (("completion", ""), set(SHELLS)),
    ],
)
def test_what_may_follow_is_offered(shell: str, words: tuple[str, ...], expected: set[str]):
    assert offered(shell, *words) == expected


def test_only_the_options_of_the_verb_are_offered(shell: str):
    options = offered(shell, "check", "--")
    assert {"--staged", "--json"} <= options
    assert "--dry-run" not in options


def test_files_are_offered_with_spaces_in_their_names(shell: str, tmp_path: Path):
    (tmp_path / "A note.md").touch()
    (tmp_path / "Another.md").touch()
    assert offered(shell, "adopt", "A", folder=tmp_path) == {"A note.md", "Another.md"}
    assert offered(shell, "memory", "new", "--body-file", "A n", folder=tmp_path) == {"A note.md"}


def test_the_script_is_whole(shell: str):
    done = subprocess.run([shell, "-n"], input=script(shell), text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
