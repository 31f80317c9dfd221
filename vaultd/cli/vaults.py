"""Verbs that set a vault up: init, hooks."""

import os
import sys
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import opened_app, start_of
from vaultd.cli.visible import readable
from vaultd.commands.init import Plan, plan_init
from vaultd.commands.init import init as carry_out_init
from vaultd.errors import UsageError
from vaultd.history import hooks as git_hooks
from vaultd.lifecycle.ids import new_id


def init(asked: Namespace) -> Outcome:
    """Make a folder a vault."""
    start = start_of(asked.vault)
    vault_id = new_id(int(datetime.now(UTC).timestamp() * 1000), os.urandom(10))
    plan = plan_init(start, git=asked.git, vault_id=vault_id)
    lines = _planned(plan, hooks=asked.hooks)
    if asked.dry_run:
        return Outcome(_document(plan, ""), tuple(lines))
    if not asked.yes and not asked.json and sys.stdin.isatty() and (plan.additions or plan.makes_repository):
        print(readable("\n".join(lines)))
        if input("make it so? [y/N] ").strip().lower() not in ("y", "yes"):
            raise UsageError("nothing was changed", "vaultd init --yes does not ask")
        lines = []
    opened, commit = carry_out_init(plan)
    opened.close()
    if asked.hooks:
        git_hooks.install(opened.recorded, Path(sys.executable))
    done = f"{plan.root} is a vault" + (f" ({commit[:10]})" if commit else ": nothing was missing")
    return Outcome(_document(plan, commit), (*lines, done), talk=("next: vaultd up",))


def _planned(plan: Plan, *, hooks: bool) -> list[str]:
    lines = [f"in {plan.root}:"]
    if plan.makes_repository:
        lines.append("  make a git repository")
    lines += [f"  {'extend' if a.before is not None else 'add'} {a.path}  ({a.what})" for a in plan.additions]
    if hooks:
        lines.append("  install git hooks: " + ", ".join(git_hooks.NAMES))
    if plan.additions:
        lines.append("  commit these files; no note is touched")
    return lines


def _document(plan: Plan, commit: str) -> Document:
    return {
        "vaultd": 1,
        "event": "initialised" if commit else None,
        "vault": str(plan.root),
        "commit": commit or None,
        "paths": [addition.path for addition in plan.additions],
        "notices": [],
    }


def hooks(asked: Namespace) -> Outcome:
    """Install or uninstall the git hooks."""
    with opened_app(start_of(asked.vault)) as app:
        repo = app.opened.require_started()
        install = asked.what == "install"
        names = git_hooks.install(repo, Path(sys.executable)) if install else git_hooks.uninstall(repo)
    said = ", ".join(names) if names else "nothing to change"
    return Outcome({"vaultd": 1, "hooks": names}, (f"{asked.what}ed: {said}",))
