"""The tutorial is typed line by line, and what it shows is what comes out."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/tutorial/first-vault.md"


def steps() -> list[tuple[str, str]]:
    """Return each command of the console blocks with the output shown below it."""
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    typed = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part]
    return [(command, output) for command, _, output in (part.partition("\n") for part in typed)]


def pattern(shown: str) -> str:
    """Return a regular expression in which `…` stands for any text, and a line of its own for any lines or none."""
    lines = [r"(?:.*\n)?" if line == "…" else re.escape(line).replace("…", ".*") + "\n" for line in shown.splitlines()]
    return "".join(lines)


def surroundings(home: Path) -> dict[str, str]:
    """Return an environment in which nothing of this machine's user is seen."""
    (home / ".gitconfig").write_text("[user]\nname = You\nemail = you@example.org\n[init]\ndefaultBranch = main\n")
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_RUNTIME_DIR": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        # a terminal shows what goes to the two outputs in the order it was written
        "PYTHONUNBUFFERED": "1",
    }


def test_every_line_of_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    environment, folder = surroundings(tmp_path), tmp_path
    for command, shown in steps():
        if command.startswith("cd "):
            folder /= command.removeprefix("cd ")
            continue
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
        )
        output = done.stdout if not done.stdout or done.stdout.endswith("\n") else done.stdout + "\n"
        assert done.returncode == 0, f"$ {command}\n{output}"
        assert re.fullmatch(pattern(shown), output, flags=re.DOTALL), f"$ {command}\n{output}\nshown:\n{shown}"


def test_the_tutorial_has_steps() -> None:
    assert len(steps()) > 20
