"""One changeset, one commit."""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.git_fixtures import Scratch, scratch
from vaultd.history import index_lock
from vaultd.history.committing import Refused, commit_paths, obstacle
from vaultd.history.index_lock import heal, held_index
from vaultd.history.objects import blob_id
from vaultd.history.repository import Repository

MESSAGE = "memory: archive a\n\nVaultd-Event: archived\nVaultd-Id: 01A\n"
POINTS = [
    "commit:blobs",
    "commit:lock",
    "commit:index",
    "commit:tree",
    "commit:object",
    "commit:ref",
    "commit:publish",
    "commit:unlocked",
]


def _write_and_commit(vault: Scratch, path: str, text: str, message: str = MESSAGE) -> str | Refused:
    vault.write(path, text)
    return commit_paths(vault.repo, {path: text.encode()}, message)


def _show(vault: Scratch, rev: str = "HEAD") -> list[str]:
    return vault.git("-c", "core.quotePath=off", "show", "--format=", "--name-status", rev).split("\n")


def test_the_commit_is_on_the_branch_with_the_users_name(vault):
    first = vault.commit(a="1\n")
    made = _write_and_commit(vault, "a.md", "2\n")
    assert made == vault.head == vault.git("rev-parse", "main")
    assert vault.git("rev-parse", "HEAD~1") == first
    assert vault.git("log", "-1", "--format=%an <%ae> %cn") == "Ada <ada@example.org> Ada"
    assert vault.git("log", "-1", "--format=%B") == MESSAGE.strip()
    assert vault.git("show", "HEAD:a.md") == "2"
    assert vault.status == ""


def test_a_new_file_in_a_new_folder(below):
    below.commit(a="1\n")
    assert isinstance(_write_and_commit(below, "memory/new/b.md", "b\n"), str)
    assert _show(below) == ["A\tmy notes/memory/new/b.md"]
    assert below.status == ""


def test_a_removal_takes_the_empty_folder_with_it(vault):
    vault.commit(**{"memory/x/a": "1", "b": "1"})
    vault.root.joinpath("memory/x/a.md").unlink()
    assert isinstance(commit_paths(vault.repo, {"memory/x/a.md": None}, MESSAGE), str)
    assert vault.git("ls-tree", "--name-only", "HEAD") == "b.md"
    assert vault.status == ""


def test_the_last_file_can_be_removed(vault):
    vault.commit(a="1")
    vault.root.joinpath("a.md").unlink()
    assert isinstance(commit_paths(vault.repo, {"a.md": None}, MESSAGE), str)
    assert vault.git("ls-tree", "HEAD") == vault.status == ""


def test_a_file_becomes_a_folder_and_back(vault):
    vault.commit(a="1")
    assert isinstance(commit_paths(vault.repo, {"a.md": None, "a.md/b.md": b"2"}, MESSAGE), str)
    assert vault.git("ls-tree", "-r", "--name-only", "HEAD") == "a.md/b.md"
    assert isinstance(commit_paths(vault.repo, {"a.md": b"1", "a.md/b.md": None}, MESSAGE), str)
    assert vault.git("ls-tree", "-r", "--name-only", "HEAD") == "a.md"
    assert vault.status == ""


def test_a_file_that_is_gone_does_not_take_a_folder_of_its_name_with_it(vault):
    vault.commit(**{"a.md/b": "1"})
    commit_paths(vault.repo, {"a.md": None}, MESSAGE)
    assert vault.git("ls-tree", "-r", "--name-only", "HEAD") == "a.md/b.md"


def test_several_paths_make_one_commit(vault):
    vault.commit(**{f"n{number}": "1" for number in range(20)})
    contents = {f"n{number}.md": f"{number}\n".encode() for number in range(20)}
    for path, data in contents.items():
        vault.write(path, data)
    commit_paths(vault.repo, contents, MESSAGE)
    assert len(_show(vault)) == 20
    assert vault.status == ""
    assert vault.git("fsck", "--strict") == ""


def test_the_first_commit_of_a_repository(vault):
    made = _write_and_commit(vault, "a.md", "1\n")
    assert made == vault.head
    assert vault.git("rev-list", "--count", "HEAD") == "1"
    assert vault.git("reflog", "-1", "--format=%gs") == "commit (initial): memory: archive a"
    assert vault.status == ""


def test_what_head_already_holds_gets_a_commit_with_the_same_tree(vault):
    vault.commit(a="1\n")
    made = commit_paths(vault.repo, {"a.md": b"1\n"}, MESSAGE)
    assert made == vault.head
    assert vault.git("rev-parse", "HEAD^{tree}") == vault.git("rev-parse", "HEAD~1^{tree}")


def test_no_paths_make_a_commit_that_only_tells(vault):
    vault.commit(a="1\n")
    vault.write("b.md", "staged")
    vault.git("add", "b.md")
    assert commit_paths(vault.repo, {}, MESSAGE) == vault.head
    assert _show(vault) == [""]
    assert vault.status == "A  b.md"


def test_the_given_bytes_are_committed_not_what_the_file_says_by_now(vault):
    vault.commit(a="1\n")
    vault.write("a.md", "typed since\n")
    commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE)
    assert vault.git("show", "HEAD:a.md") == "2"
    assert vault.root.joinpath("a.md").read_text() == "typed since\n"


def test_an_edit_in_the_tick_of_its_staging_is_seen_after_our_commit(vault):
    """Git knows such a file by nothing but an index that is no younger: the copy we publish must not make it so."""
    vault.commit(a="1\n", b="1\n")
    tick = 1_700_000_000 * 10**9
    vault.git("config", "core.trustctime", "false")
    os.utime(vault.write("b.md", "2\n"), ns=(tick, tick))
    vault.git("add", "b.md")
    os.utime(vault.root / ".git" / "index", ns=(tick, tick))
    os.utime(vault.write("b.md", "3\n"), ns=(tick, tick))
    _write_and_commit(vault, "a.md", "2\n")
    assert vault.status == "MM b.md"


def test_what_else_is_staged_stays_staged(vault):
    vault.commit(a="1\n", b="1\n", c="1\n")
    vault.write("b.md", "2\n")
    vault.root.joinpath("c.md").unlink()
    vault.write("d.md", "new\n")
    vault.git("add", "-A")
    vault.write("b.md", "3\n")
    _write_and_commit(vault, "a.md", "2\n")
    assert _show(vault) == ["M\ta.md"]
    assert vault.status.split("\n") == ["MM b.md", "D  c.md", "A  d.md"]
    assert vault.git("show", ":b.md") == "2"


def test_the_next_commit_of_the_user_does_not_revert_ours(vault):
    vault.commit(a="1\n", b="1\n")
    _write_and_commit(vault, "a.md", "2\n")
    vault.write("b.md", "2\n")
    vault.git("commit", "-q", "-m", "mine", "b.md")
    assert vault.git("show", "HEAD:a.md") == "2"


def test_a_file_that_is_executable_stays_so(vault):
    vault.write("run.md", "1").chmod(0o755)
    vault.commit()
    commit_paths(vault.repo, {"run.md": b"2"}, MESSAGE)
    assert vault.git("ls-tree", "HEAD").startswith("100755")
    assert vault.git("diff", "--cached", "HEAD", "--name-only") == ""


@pytest.mark.parametrize(
    "name", ["new\nline", "tab\there", "latin\udce9", "-n", 'dou"ble', ":(top)x", "*", "日本語", "sp ace"]
)
def test_odd_paths_are_committed(below, name):
    below.commit(a="1")
    assert isinstance(_write_and_commit(below, f"{name}.md", "x\n"), str)
    assert below.git("ls-tree", "-z", "--name-only", "HEAD", "my notes/").split("\0")[:-1] == sorted(
        ["my notes/a.md", f"my notes/{name}.md"], key=lambda path: path.encode("utf-8", "surrogateescape")
    )
    assert below.status == ""


def test_a_sha_256_repository(tmp_path):
    made = scratch(tmp_path / "r", "sub", "--object-format=sha256")
    made.commit(a="1")
    assert isinstance(_write_and_commit(made, "memory/b.md", "x\n"), str)
    assert made.git("fsck", "--strict") == made.status == ""


def test_a_linked_work_tree_commits_to_its_own_branch(vault, tmp_path):
    main = vault.commit(a="1\n")
    vault.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Scratch(tmp_path / "linked", tmp_path / "linked")
    assert _write_and_commit(linked, "a.md", "2\n") == linked.head
    assert (vault.head, vault.status, linked.status) == (main, "", "")


@pytest.mark.parametrize("count", [1, 6])
def test_a_filtered_note_is_never_stored_in_the_clear(vault, count):
    vault.git("config", "filter.rot.clean", "tr a-z n-za-m")
    vault.git("config", "filter.rot.smudge", "tr a-z n-za-m")
    vault.write(".gitattributes", "*.md filter=rot\n")
    contents = {f"n{number}.md": b"secret\n" for number in range(count)}
    for path, data in contents.items():
        vault.write(path, data)
    vault.git("add", ".gitattributes")
    vault.git("commit", "-q", "-m", "attributes")
    commit_paths(vault.repo, contents, MESSAGE)
    assert {vault.git("cat-file", "blob", f"HEAD:{path}") for path in contents} == {"frperg"}
    assert vault.status == ""


def test_a_filter_that_fails_refuses_the_commit(vault):
    first = vault.commit(a="1\n")
    vault.git("config", "filter.no.clean", "false")
    vault.git("config", "filter.no.required", "true")
    vault.write(".git/info/attributes", "*.md filter=no\n")
    refused = commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE)
    assert isinstance(refused, Refused)
    assert refused.reason == "git"
    assert "a.md" in refused.detail
    assert vault.head == first


@pytest.mark.parametrize("count", [1, 6])
def test_line_ends_are_stored_as_git_would(vault, count):
    vault.git("config", "core.autocrlf", "true")
    contents = {f"n{number}.md": b"1\r\n2\r\n" for number in range(count)}
    for path, data in contents.items():
        vault.write(path, data)
    commit_paths(vault.repo, contents, MESSAGE)
    assert vault.git("cat-file", "blob", "HEAD:n0.md") == "1\n2"
    assert vault.status == ""


@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize("how", ["attribute", "setting"])
def test_line_ends_that_were_stored_as_crlf_stay_so(vault, how, count):
    contents = {f"n{number}.md": b"1\r\n2\r\n" for number in range(count)}
    for path, data in contents.items():
        vault.write(path, data)
    vault.commit()
    vault.write(".git/info/attributes", "* text=auto\n" if how == "attribute" else "")
    vault.git("config", "core.autocrlf", "false" if how == "attribute" else "input")
    changed = dict.fromkeys(contents, b"1\r\n3\r\n")
    for path, data in changed.items():
        vault.write(path, data)
    commit_paths(vault.repo, changed, MESSAGE)
    assert vault.git("diff", "--numstat", "HEAD~1", "HEAD", "--", "n0.md") == "1\t1\tn0.md"
    assert vault.status == ""


def _refused(vault: Scratch, reason: str, paths: tuple[str, ...] = ()) -> None:
    """Expect the refusal before and at the commit, and nothing changed by it."""
    index, head = (vault.top / ".git/index").read_bytes(), vault.git("rev-parse", "HEAD")
    before = obstacle(vault.repo, ["a.md"])
    made = commit_paths(vault.repo, {"a.md": b"ours\n"}, MESSAGE)
    assert isinstance(before, Refused)
    assert isinstance(made, Refused)
    assert (before.reason, made.reason) == (reason, reason)
    assert (before.paths, made.paths) == (paths, paths)
    assert ((vault.top / ".git/index").read_bytes(), vault.git("rev-parse", "HEAD")) == (index, head)
    assert not (vault.top / ".git/index.lock").exists()


def test_nothing_stops_a_commit_in_a_quiet_repository(vault):
    vault.commit(a="1\n")
    assert obstacle(vault.repo, ["a.md", "new.md"]) is None


def test_nothing_stops_the_first_commit(vault):
    assert obstacle(vault.repo, ["a.md"]) is None


def test_a_detached_head_is_refused(vault):
    vault.commit(a="1\n")
    vault.git("checkout", "-q", "--detach")
    _refused(vault, "detached")


@pytest.mark.parametrize("doing", ["merge", "rebase", "cherry-pick"])
def test_an_operation_in_progress_is_refused(vault, doing):
    vault.commit("base", b="1\n")
    vault.git("checkout", "-qb", "other")
    vault.commit("other", b="2\n")
    vault.git("checkout", "-q", "main")
    vault.commit("mine", b="3\n")
    vault.git(doing, "other", ok=(1,))
    _refused(vault, doing)


def test_a_bisect_is_refused(vault):
    vault.commit(a="1\n")
    vault.git("bisect", "start")
    _refused(vault, "bisect")


def test_a_revert_in_progress_is_refused(vault):
    first = vault.commit(a="1\n")
    vault.commit(a="2\n")
    vault.git("revert", first, ok=(1,))
    _refused(vault, "revert")


def test_a_path_with_staged_changes_is_refused(vault):
    vault.commit(a="1\n")
    vault.write("a.md", "2\n")
    vault.git("add", "a.md")
    vault.write("a.md", "3\n")
    _refused(vault, "staged", ("a.md",))


def test_a_path_staged_for_removal_is_refused(vault):
    vault.commit(a="1\n", b="1\n")
    vault.git("rm", "-q", "--cached", "a.md")
    _refused(vault, "staged", ("a.md",))


def test_an_ignored_path_is_refused(vault):
    vault.commit(b="1\n")
    vault.write(".gitignore", "a.md\n")
    _refused(vault, "ignored", ("a.md",))


def test_a_path_only_meant_to_be_added_is_committed(vault):
    vault.commit(b="1\n")
    vault.write("a.md", "1\n")
    vault.git("add", "-N", "a.md")
    assert commit_paths(vault.repo, {"a.md": b"1\n"}, MESSAGE) == vault.head
    assert vault.status == ""


def test_a_commit_message_being_written_is_an_obstacle(vault):
    vault.commit(a="1\n")
    message = vault.top / ".git/COMMIT_EDITMSG"
    message.write_text("\n# Please enter\n")
    begun = (vault.top / ".git/logs/HEAD").stat().st_mtime + 1  # the clock of files may stand still for 10 ms
    os.utime(message, (begun, begun))
    found = obstacle(vault.repo, ["a.md"], time.time())
    assert found is not None
    assert found.reason == "message"


def test_without_an_identity_there_is_no_commit(vault):
    vault.commit(a="1\n")
    vault.git("config", "--unset", "user.name")
    vault.git("config", "--unset", "user.email")
    vault.git("config", "user.useConfigOnly", "true")
    _refused(vault, "identity")


def test_a_busy_index_is_refused_after_a_while(vault, monkeypatch):
    monkeypatch.setattr(index_lock, "_PATIENCE", 0.2)
    first = vault.commit(a="1\n")
    (vault.top / ".git/index.lock").touch()
    begun = time.monotonic()
    refused = commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE)
    assert isinstance(refused, Refused)
    assert refused.reason == "busy"
    assert 0.2 < time.monotonic() - begun < 60
    assert (vault.top / ".git/index.lock").exists()
    assert vault.head == first
    found = obstacle(vault.repo, ["a.md"])
    assert found is not None
    assert found.reason == "busy"


def test_an_index_that_is_free_again_is_waited_for(vault, monkeypatch):
    monkeypatch.setattr(index_lock, "_PATIENCE", 60.0)
    vault.commit(a="1\n")
    lock = vault.top / ".git/index.lock"
    lock.touch()
    with subprocess.Popen(["sh", "-c", f"sleep 0.3; rm '{lock}'"]):
        assert isinstance(commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE), str)


def test_a_broken_signing_setup_refuses_the_commit(vault):
    vault.commit(a="1\n")
    vault.git("config", "commit.gpgsign", "true")
    vault.git("config", "user.signingkey", "nobody@example.org")
    vault.git("config", "gpg.program", "false")
    refused = commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE)
    assert isinstance(refused, Refused)
    assert refused.reason == "signing"
    assert vault.git("show", "HEAD:a.md") == "1"
    assert not (vault.top / ".git/index.lock").exists()


def test_a_signed_commit_is_signed(vault, tmp_path):
    key = tmp_path / "key"
    if subprocess.run(["sh", "-c", "command -v ssh-keygen"], capture_output=True, check=False).returncode:
        pytest.skip("ssh-keygen is missing")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    vault.commit(a="1\n")
    for name, value in {"commit.gpgsign": "true", "gpg.format": "ssh", "user.signingkey": f"{key}.pub"}.items():
        vault.git("config", name, value)
    assert _write_and_commit(vault, "a.md", "2\n") == vault.head
    assert "gpgsig" in vault.git("cat-file", "commit", "HEAD")


def _race(vault: Scratch, change: str) -> str | Refused:
    """Let a foreign commit slip in between our tree and our move of HEAD, once."""
    waiting = [change]

    def point(name: str) -> None:
        if name == "commit:ref" and waiting:
            path = waiting.pop()
            blob = vault.git("hash-object", "-w", "--stdin", stdin=b"foreign\n")
            vault.git("read-tree", "HEAD", GIT_INDEX_FILE=".git/foreign")
            vault.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", GIT_INDEX_FILE=".git/foreign")
            tree = vault.git("write-tree", GIT_INDEX_FILE=".git/foreign")
            vault.git("update-ref", "HEAD", vault.git("commit-tree", tree, "-p", "HEAD", "-m", "foreign"))

    return commit_paths(vault.repo, {"a.md": b"ours\n"}, MESSAGE, point=point)


def test_a_foreign_commit_to_another_file_is_kept(vault):
    vault.commit(a="1\n", b="1\n")
    assert _race(vault, "b.md") == vault.head
    assert vault.git("log", "--format=%s").split("\n") == ["memory: archive a", "foreign", "change"]
    assert vault.git("show", "HEAD:b.md") == "foreign"


def test_a_foreign_commit_to_the_same_file_is_not_overwritten(vault):
    vault.commit(a="1\n", b="1\n")
    refused = _race(vault, "a.md")
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.paths) == ("busy", ("a.md",))
    assert vault.git("show", "HEAD:a.md") == "foreign"


FOREIGN = """
import subprocess, sys, time
for number in range(25):
    open(f"foreign{number}.md", "w").write("x")
    while subprocess.run(["git", "add", f"foreign{number}.md"], capture_output=True).returncode: pass
    begun = time.monotonic()
    while subprocess.run(["git", "commit", "-qm", "foreign", f"foreign{number}.md"], capture_output=True).returncode:
        begun = time.monotonic()
    print(begun, time.monotonic())
"""


def test_our_commits_and_those_of_another_process_lose_nothing(vault):
    vault.commit(**{f"ours{number}": "0" for number in range(100)})
    repo = vault.repo
    published = dict[str, tuple[float, float]]()
    last: list[float] = []

    def point(name: str) -> None:
        if name == "commit:publish":
            last.append(time.monotonic())

    with subprocess.Popen([sys.executable, "-c", FOREIGN], cwd=vault.top, stdout=subprocess.PIPE, text=True) as foreign:
        for number in range(100):
            path = f"ours{number}.md"
            vault.write(path, "1")
            while isinstance(commit_paths(repo, {path: b"1"}, MESSAGE, hooks="none", point=point), Refused):
                pass
            published[path] = last[-1], time.monotonic()
        said, _ = foreign.communicate(timeout=600)
        assert foreign.returncode == 0
    commits = [tuple(map(float, line.split())) for line in said.splitlines()]
    assert vault.git("rev-list", "--count", "HEAD") == "126"
    assert len(vault.git("grep", "-l", "1", "HEAD", "--", "ours*").split("\n")) == 100
    assert len(vault.git("ls-tree", "--name-only", "HEAD").split("\n")) == 125
    # `git commit` reads the index before it locks it, and so may write back what it read of a path of ours: an older
    # entry, beside a HEAD and a file that have ours. How many it meets says how busy the machine is.
    older = vault.status.splitlines()
    assert all(line.startswith("MM ours") for line in older)
    for path in (line.removeprefix("MM ") for line in older):
        begun, done = published[path]
        assert any(begun < end and start < done for start, end in commits), (path, published[path], commits)


def test_the_lock_is_told_of_while_it_is_held(vault):
    vault.commit(a="1\n")
    heard = []
    commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE, on_lock=lambda path: heard.append((path, Path(path).exists())))
    assert heard == [(str(vault.top / ".git/index.lock"), True)]
    assert not (vault.top / ".git/index.lock").exists()


def test_every_step_is_announced(vault):
    vault.commit(a="1\n")
    steps: list[str] = []
    commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE, point=steps.append)
    assert steps == POINTS


def test_a_repository_that_only_we_commit_to_is_packed_in_time(vault):
    vault.commit(a="1\n")
    vault.git("config", "gc.autoDetach", "false")
    texts = (f"{number}".encode() for number in itertools.count())
    for text in itertools.islice((text for text in texts if blob_id(text, "sha1").startswith("17")), 30):
        vault.git("hash-object", "-w", "--stdin", stdin=text)
    commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE)
    assert list((vault.top / ".git/objects/pack").glob("*.pack")) != []


def test_nothing_of_ours_is_left_in_the_git_folder(vault):
    vault.commit(a="1\n")
    _write_and_commit(vault, "a.md", "2\n")
    assert list((vault.top / ".git/vaultd").iterdir()) == []


def _killed_at(repo: Repository, name: str) -> None:
    def point(reached: str) -> None:
        if reached == name:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        commit_paths(repo, {"a.md": b"2\n"}, MESSAGE, point=point)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("lock_taken_away", [False, True])
def test_a_killed_commit_is_whole_or_not_there(vault, name, lock_taken_away):
    before = vault.commit(a="1\n", b="1\n")
    vault.write("b.md", "2\n")
    vault.git("add", "b.md")
    _killed_at(vault.repo, name)
    lock = vault.top / ".git/index.lock"
    if lock_taken_away:
        lock.unlink(missing_ok=True)
    finished = heal(vault.repo)
    assert not lock.exists()
    assert finished == ([vault.head] if name == "commit:publish" else [])
    assert (vault.head != before) == (name in {"commit:publish", "commit:unlocked"})
    assert vault.git("diff", "--cached", "HEAD", "--name-only") == "b.md"
    assert list((vault.top / ".git").glob("vaultd/*")) == []


def test_the_next_commit_clears_what_a_killed_one_left(vault):
    vault.commit(a="1\n", b="1\n")
    _killed_at(vault.repo, "commit:publish")
    assert isinstance(commit_paths(vault.repo, {"b.md": b"2\n"}, MESSAGE), str)
    assert vault.git("diff", "--cached", "HEAD", "--name-only") == ""


def test_a_read_only_git_folder_is_said(vault):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    vault.commit(a="1\n")
    (vault.top / ".git").chmod(0o555)
    refused = commit_paths(vault.repo, {"a.md": b"1\n"}, MESSAGE)
    (vault.top / ".git").chmod(0o755)
    assert isinstance(refused, Refused)
    assert refused.reason == "git"


def test_a_git_folder_that_cannot_take_our_files_is_said(vault):
    vault.commit(a="1\n")
    (vault.top / ".git/vaultd").write_text("in the way")
    refused = commit_paths(vault.repo, {"a.md": b"2\n"}, MESSAGE)
    assert isinstance(refused, Refused)
    assert refused.reason == "git"


def test_committing_does_not_load_gitpython():
    code = "import sys, vaultd.history.committing, vaultd.history.hooks, vaultd.history.ledger; sys.exit('git' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=False).returncode == 0


def test_a_copy_of_the_index_that_git_wrote_after_a_kill_is_swept(vault):
    folder = vault.repo.git_dir / "vaultd"
    folder.mkdir()
    (folder / "commit-1-ab.index").write_bytes(b"x")
    with held_index(vault.repo, lambda _path: None) as held:
        assert held is not None
        held.copy.write_bytes(b"x")
        heal(vault.repo)
        assert held.copy.exists()
    assert list(folder.glob("commit-*")) == []
