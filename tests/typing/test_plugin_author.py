"""Code that strangers write against vaultd type-checks."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PLUGINS = sorted((HERE.parents[1] / "plugins").glob("*/main.py"))


@pytest.mark.parametrize(
    "file", [HERE / "plugin_author.py", *PLUGINS], ids=lambda file: f"{file.parent.name}-{file.name}"
)
def test_a_plugin_type_checks_in_strict_mode(file: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary", str(file)]
    done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
