"""The tutorial of plugins is typed line by line, its code saved where it says, and what it shows is what comes out."""

import re
import subprocess
from pathlib import Path

from tests.docs.test_tutorial import pattern, surroundings

PAGE = Path(__file__).parents[2] / "docs/tutorial/first-plugin.md"


def test_every_line_of_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    environment, folder = surroundings(tmp_path), tmp_path
    blocks = re.findall(r"^```(console|python)\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    for kind, text in blocks:
        if kind == "python":
            (folder / ".vaultd/plugins/todo/main.py").write_text(text, "utf-8")
            continue
        for part in filter(None, re.split(r"^\$ ", text, flags=re.MULTILINE)):
            command, _, shown = part.partition("\n")
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
            assert done.returncode == 0, f"$ {command}\n{done.stdout}"
            assert re.fullmatch(pattern(shown), done.stdout, flags=re.DOTALL), f"$ {command}\n{done.stdout}"
