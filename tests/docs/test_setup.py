"""What a fresh machine relies on: the pins, the hooks offered to pre-commit, the targets of make."""

import re
import subprocess
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def pins() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_a_pin_is_a_name_and_a_version_and_no_address() -> None:
    assert [pin for pin in pins() if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", pin)] == []


def test_everything_that_is_asked_for_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["dev"]
    wanted = {canonical(re.split(r"[<>=!~; \[]", requirement)[0]) for requirement in asked}
    assert wanted <= {canonical(pin.partition("==")[0]) for pin in pins()}


def test_the_hooks_judge_the_commit_as_a_whole() -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    assert set(hooks) == {"vaultd-check", "vaultd-check-vault", "vaultd-no-workspace"}
    assert hooks["vaultd-check"]["stages"] == ["pre-commit", "pre-merge-commit"]
    judged = [hooks["vaultd-check"], hooks["vaultd-check-vault"]]
    assert [(hook["always_run"], hook["pass_filenames"]) for hook in judged] == [(True, False)] * 2


def test_the_workspace_hook_knows_every_workspace_file_of_obsidian() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (pattern,) = [hook["files"] for hook in hooks if hook["id"] == "vaultd-no-workspace"]
    kept_out = [".obsidian/workspace.json", "a/.obsidian/workspaces.json", ".obsidian-phone/workspace-mobile.json"]
    let_in = [".obsidian/app.json", "notes/workspace.json"]
    assert [path for path in kept_out + let_in if re.search(pattern, path)] == kept_out


def test_make_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
    listed = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    assert re.findall(r"^  make (\w+)", listed, flags=re.MULTILINE) == phony.split()
