"""The user's hooks around our commits."""

import pytest

from tests.git_fixtures import Scratch
from vaultd.history.committing import Refused, commit_paths
from vaultd.settings import HookPolicy

MESSAGE = "memory: archive a\n\nVaultd-Event: archived\nVaultd-Id: 01A\n"


def _hook(vault: Scratch, name: str, script: str) -> None:
    hook = vault.top / ".git/hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(script)
    hook.chmod(0o755)


def _commit(vault: Scratch, hooks: HookPolicy = "message") -> str | Refused:
    vault.write("a.md", "2\n")
    return commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE, hooks=hooks)


def test_a_commit_msg_hook_that_refuses_is_heard(vault):
    first = vault.commit(a="1\n")
    _hook(vault, "commit-msg", "#!/bin/sh\necho no ticket >&2\nexit 1\n")
    assert _commit(vault) == Refused("hook", detail="no ticket")
    assert vault.head == first
    assert vault.git("diff", "--cached", "--name-only") == ""


def test_a_commit_msg_hook_may_add_to_the_message(vault):
    vault.commit(a="1\n")
    _hook(vault, "commit-msg", '#!/bin/sh\necho "Change-Id: I1  " >> "$1"\n')
    assert _commit(vault) == vault.head
    assert vault.git("log", "-1", "--format=%B") == MESSAGE + "Change-Id: I1"


def test_a_commit_msg_hook_may_not_take_away_what_is_told(vault):
    first = vault.commit(a="1\n")
    _hook(vault, "commit-msg", '#!/bin/sh\necho other > "$1"\n')
    refused = _commit(vault)
    assert isinstance(refused, Refused)
    assert refused.reason == "hook"
    assert vault.head == first


def test_a_hook_without_a_first_line_is_a_shell_script(vault):
    vault.commit(a="1\n")
    _hook(vault, "commit-msg", "echo said; exit 1\n")
    assert _commit(vault) == Refused("hook", detail="said")


def test_a_hook_that_is_not_executable_is_not_run(vault):
    vault.commit(a="1\n")
    _hook(vault, "commit-msg", "#!/bin/sh\nexit 1\n")
    (vault.top / ".git/hooks/commit-msg").chmod(0o644)
    assert _commit(vault) == vault.head


def test_post_commit_runs_when_the_commit_stands(vault):
    vault.commit(a="1\n")
    _hook(vault, "post-commit", "#!/bin/sh\ngit rev-parse HEAD > seen; git status --porcelain > state; exit 1\n")
    made = _commit(vault)
    assert (vault.top / "seen").read_text().strip() == made
    assert (vault.top / "state").read_text().split("\n") == ["?? seen", "?? state", ""]


def test_hooks_come_from_where_the_settings_say(vault):
    vault.commit(a="1\n")
    vault.git("config", "core.hooksPath", "my hooks")
    vault.write("my hooks/commit-msg", "#!/bin/sh\necho elsewhere; exit 1\n").chmod(0o755)
    assert _commit(vault) == Refused("hook", detail="elsewhere")


@pytest.mark.parametrize("hooks", ["none", "message"])
def test_pre_commit_is_not_run_by_these_policies(vault, hooks):
    vault.commit(a="1\n")
    _hook(vault, "pre-commit", "#!/bin/sh\nexit 1\n")
    assert _commit(vault, hooks) == vault.head


def test_no_hook_runs_where_none_is_wanted(vault):
    vault.commit(a="1\n")
    _hook(vault, "commit-msg", "#!/bin/sh\nexit 1\n")
    _hook(vault, "post-commit", "#!/bin/sh\ntouch seen\n")
    assert _commit(vault, "none") == vault.head
    assert not (vault.top / "seen").exists()


def test_pre_commit_sees_exactly_our_commit_and_touches_nobodys_files(vault):
    vault.commit(a="1\n", b="1\n")
    vault.write("b.md", "unsaved work\n")
    _hook(vault, "pre-commit", f"#!/bin/sh\ngit diff --cached --name-only > '{vault.top}/.git/seen'; echo x > b.md\n")
    assert _commit(vault, "all") == vault.head
    assert (vault.top / ".git/seen").read_text() == "a.md\n"
    assert vault.root.joinpath("b.md").read_text() == "unsaved work\n"
    assert vault.git("worktree", "list").count("\n") == 0


def test_pre_commit_can_refuse(vault):
    first = vault.commit(a="1\n")
    _hook(vault, "pre-commit", "#!/bin/sh\ngrep -q 2 a.md && echo no twos && exit 1\n")
    assert _commit(vault, "all") == Refused("hook", detail="no twos")
    assert vault.head == first
    assert vault.git("worktree", "list").count("\n") == 0
