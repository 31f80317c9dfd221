"""Starting git."""

import os
import time

import pytest

from vaultd.errors import StorageError
from vaultd.history.process import Git, run_program
from vaultd.history.spelling import decoded, encoded


def test_the_answer_comes_back_as_bytes(vault):
    assert Git(vault.top).run("hash-object", "--stdin", stdin=b"x") == b"c1b0730e0133447badcfd47fd144e254807b06e1\n"


def test_a_failure_speaks_in_gits_own_words(vault):
    with pytest.raises(StorageError, match="fatal: Not a valid object name nope"):
        Git(vault.top).run("cat-file", "-p", "nope")


def test_an_exit_code_may_be_expected(vault):
    assert Git(vault.top).run("check-ignore", "x", env={"GIT_LITERAL_PATHSPECS": "0"}, ok=(0, 1)) == b""


def test_a_command_that_hangs_is_killed(vault):
    vault.git("config", "alias.hang", "!sleep 600")
    begun = time.monotonic()
    with pytest.raises(StorageError, match=r"did not end within 0\.2 s"):
        Git(vault.top).attempt("hang", timeout=0.2)
    assert time.monotonic() - begun < 300


def test_input_larger_than_a_pipe_reaches_git(vault):
    data = b"x" * 3_000_000
    oid = Git(vault.top).text("hash-object", "-w", "--stdin", stdin=data)
    assert Git(vault.top).run("cat-file", "blob", oid) == data


def test_input_to_a_command_that_reads_none_is_no_failure(vault):
    assert Git(vault.top).run("version", stdin=b"x" * 1_000_000).startswith(b"git version")


def test_a_path_argument_is_taken_literally(vault):
    vault.commit(**{"a*b": "x", "axb": "y"})
    assert Git(vault.top).text("ls-files", "--", "a*b.md") == "a*b.md"


def test_any_bytes_survive_as_text():
    every = bytes(range(256))
    assert encoded(decoded(every)) == every


def test_a_folder_that_is_gone_is_said(tmp_path):
    with pytest.raises(StorageError, match="no such folder"):
        Git(tmp_path / "gone").run("version")


def test_a_background_process_of_a_hook_is_not_waited_for(tmp_path):
    hook = tmp_path / "hook"
    hook.write_text("#!/bin/sh\necho said\nsleep 600 &\necho $! > pid\n")
    hook.chmod(0o755)
    begun = time.monotonic()
    ended = run_program([str(hook)], tmp_path, {}, 240)
    os.kill(int((tmp_path / "pid").read_text()), 9)
    assert (ended.code, ended.err) == (0, "said")
    assert time.monotonic() - begun < 300


def test_a_hook_that_hangs_is_killed(tmp_path):
    hook = tmp_path / "hook"
    hook.write_text("#!/bin/sh\nsleep 60\n")
    hook.chmod(0o755)
    with pytest.raises(StorageError, match="did not end"):
        run_program([str(hook)], tmp_path, {}, 0.2)
