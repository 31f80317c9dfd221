"""Commands, hand edits, kills, restarts and other people's git, in whatever order: after each start the promises hold.

What is shown once a killed command was recovered from, after every step:

* git is whole, no lock, intent or temporary of ours lies about, and what a person staged is staged as it was;
* no text that a person saved, or that a command said it wrote, is lost, and none is written twice;
* every link means what it meant, so that a rename is done or not begun;
* what is accepted is a function of git and the files: a machine that never saw the vault accepts the same;
* at most one active memory has a name, no edge leads in a circle, and no handover is told twice;
* a command that refused changed nothing.

`SEED=… pytest tests/crash/test_random_kills.py` runs the same steps again.
"""

import json
import os
import random
import re
import shutil
import signal
import tempfile
from collections.abc import Container, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.crash.dying import Mortals
from tests.vaults import AT, Vault, memory, new_vault
from vaultd.lifecycle.states import Superseded
from vaultd.vault.intents import digest, listed, read_intent

SEED = int(os.environ.get("SEED") or (1 if os.environ.get("CI") else random.SystemRandom().randrange(1_000_000)))
"""What a change is judged by hangs on no luck; at a desk, and in `make soak`, every run does something else."""
STEPS, BATCH = 25, 2
"""Steps in one history, and histories in one go."""
SELDOM, AFRESH = 5, 8
"""At every how many steps everything is judged where nobody was killed, and a machine looks that never saw the vault."""
TOKEN = re.compile(rb"said-\d+")
MEMORIES = ("ada", "bea", "p/cyd", "p/dot")
NOTE = "WORD and [[{next}]], [{next}](<{path}>), [[ada]].\n\n- [ ] task of [[{next}|{next}]]\n"
PICK = st.integers(0, 11)
AT_STEP = st.integers(1, 20)
OTHERS = (
    *("command", "command", "writes", "writes", "stamps"),
    *("commit", "stage", "unstage", "revert", "rebase", "branch", "stash", "gc"),
)
VERBS = st.sampled_from(
    [
        *("memory append", "memory edit", "memory write", "memory new", "memory supersede", "memory archive"),
        *("memory restore", "memory rename", "memory move", "memory free", "memory star", "note append", "note edit"),
        *("note rename", "note rename", "folder rename", "note new", "note delete", "set", "unset", "tasks toggle"),
        *("undo", "adopt", "revert", "record set", "up"),
    ]
)


class Counted:
    """How many commands were killed so far, and who starts them."""

    kills = 0
    mortals: Mortals
    fresh: Path


class Hands(RuleBasedStateMachine):
    """A small vault in many hands, some of which die."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp(prefix="kills-"))
        shutil.copytree(Counted.fresh, self.top / "vault", symlinks=True)
        self.vault = Vault(self.top / "vault")
        self.said = 0
        self.open: set[bytes] = set()
        """What must stand in a file."""
        self.kept: set[bytes] = set()
        """What must stand in a file or in history: something that may take text away came since."""
        self.staged: dict[str, str] = {}
        self.looks = 0
        self.dead = self.healed = False
        self.reported = False

    def teardown(self) -> None:
        shutil.rmtree(self.top, ignore_errors=True)

    # Commands ---------------------------------------------------------------------------------------------------------

    @rule(verb=VERBS, one=PICK, two=PICK, step=AT_STEP)
    def is_killed(self, verb: str, one: int, two: int, step: int) -> None:
        self._is_killed(verb, one, two, step)

    @rule(verb=VERBS, one=PICK, two=PICK, step=AT_STEP)
    def is_killed_and_started_again(self, verb: str, one: int, two: int, step: int) -> None:
        if self._is_killed(verb, one, two, step):
            self.starts_again()

    @rule(verb=VERBS, one=PICK, two=PICK, step=AT_STEP, later=AT_STEP)
    def dies_again_at_its_recovery(self, verb: str, one: int, two: int, step: int, later: int) -> None:
        if self._is_killed(verb, one, two, step) and self._dies(later, "up", "--once"):
            self.starts_again()

    def _runs(self, verb: str, one: int, two: int) -> None:
        words, token = self._words(verb, one, two)
        before = self._bytes()
        head = self.vault.head
        ran = self.vault.run(*words)
        assert ran.code in (0, 2, 3, 4, 5, 6), (words, ran)
        if ran.code == 0:
            self._promised(verb, token)
        elif not self.dead:
            assert "hint:" in ran.err, (words, ran)
            assert (self._bytes(), self.vault.head) == (before, head), (words, ran)
        self.reported |= "reported" in ran.err

    def _is_killed(self, verb: str, one: int, two: int, step: int) -> bool:
        words, token = self._words(verb, one, two)
        dead = self._dies(step, *words)
        if not dead:
            self._promised(verb, b"")  # it may have refused, so nothing is promised of what it was to write
        elif verb in TAKING:
            self._may_leave()
        if token and token in self._all():
            self.open.add(token)
        self._checked()
        return dead

    def _dies(self, step: int, *words: str) -> bool:
        code = Counted.mortals.run(self.vault.root, step, *words)
        assert code in (0, 2, 3, 4, 5, 6, -signal.SIGKILL), (words, code)
        if code == -signal.SIGKILL:
            Counted.kills += 1
            self.dead = True
        return code == -signal.SIGKILL

    @precondition(lambda self: self.dead)
    @rule()
    def starts_again(self) -> None:
        ran = self.vault.run("up", "--once")
        assert ran.code in (0, 6), ran
        self.reported |= "reported" in ran.err
        self.dead = "waiting" in ran.err and "recovered" in ran.err
        self.healed = True
        self._checked()

    # Others -----------------------------------------------------------------------------------------------------------

    @rule(who=st.sampled_from(OTHERS), one=PICK, two=PICK, verb=VERBS)
    def somebody_else(self, who: str, one: int, two: int, verb: str) -> None:
        """Have a command that lives, a person in an editor, or other people's git do something."""
        if who == "command":
            self._runs(verb, one, two)
        elif who == "writes":
            self._writes(_pick(self._notes(), one))
        elif who == "stamps":
            self._stamps(one, two)
        elif not self.dead:
            self._works_with_git(who, one)
        self._checked()

    def _writes(self, path: str) -> None:
        token = self._token()
        text = self.vault.read(path)
        self.vault.write(path, text + ("" if text.endswith("\n") else "\n") + f"{token.decode()}\n")
        self.open.add(token)

    def _stamps(self, one: int, two: int) -> None:
        if there := self._memories():
            old, new = _pick(there, one), _pick(there, two)
            by = (self._id(new), "null", "nobody", "null")[two % 4]
            self.vault.stamp(old, at="null" if two % 4 == 3 else AT, by=by)

    def _works_with_git(self, what: str, one: int) -> None:
        clean = self.vault.status == []
        if what == "commit":
            self.vault.commit("backup")
            self.staged.clear()
        elif what == "stage":
            path = _pick(self._notes(), one)
            self._writes(path)
            self.vault.git("add", "--", path)
            self.staged[path] = self.vault.git("ls-files", "-s", "--", path)
        elif what == "unstage":
            for path in self.staged:
                self.vault.git("restore", "--staged", "--", path)
            self.staged.clear()
        elif not self.staged:
            self._may_leave()
            self._rewrites_history(what, clean=clean)

    def _rewrites_history(self, what: str, *, clean: bool) -> None:
        git = self.vault.git
        if what == "gc":
            git("gc", "-q")
        elif what == "stash" and not clean:
            git("stash", "-q")
            git("stash", "pop", "-q", ok=(0, 1))
        elif what == "branch" and clean:
            there = git("branch", "--format=%(refname:short)").splitlines()
            other = "side" if git("branch", "--show-current") == "main" else "main"
            git("switch", "-q", *(() if other in there else ("-c",)), other)
        elif what == "rebase" and clean and len(self.vault.log) > 4:
            git("rebase", "-q", "--force-rebase", "HEAD~2")
        elif what == "revert" and clean and len(self.vault.log) > 4:
            git("revert", "--no-edit", "HEAD", ok=(0, 1))
            git("revert", "--abort", ok=(0, 128))

    # What always holds ------------------------------------------------------------------------------------------------

    def _checked(self) -> None:
        counts = TOKEN.findall(self._all())
        # what moves is in its new place before it leaves the old one: until the next start it may be in both
        once = TOKEN.findall(self._all(besides=self._still_to_come())) if self.dead else counts
        assert len(once) == len(set(once)), "a text was written twice"
        if self.dead:
            return
        self._nothing_is_lost(set(counts))
        self.looks += 1
        thorough = self.healed or self.looks % SELDOM == 0
        self.healed = False
        self._nothing_lies_about(thorough=thorough)
        for path, entry in self.staged.items():
            assert self.vault.git("ls-files", "-s", "--", path) == entry
        if thorough:
            self._is_lawful()

    def _nothing_is_lost(self, there: set[bytes]) -> None:
        assert self.open <= there, (self.open - there, "lost from the files")
        if missing := self.kept - there:
            history = self.vault.git("log", "-p", "--all", "--format=").encode()
            assert missing <= set(TOKEN.findall(history)), (missing, "lost")

    def _nothing_lies_about(self, *, thorough: bool) -> None:
        git = self.vault.root / ".git"
        assert not (git / "index.lock").exists()
        assert list(git.glob("vaultd/commit-*")) == []
        if not self.reported:
            assert list(git.glob("vaultd/intents/*.json")) == []
            hidden = {path.name for path in self.vault.root.glob("**/.*vaultd*")} - {".vaultd"}
            assert hidden == set()
        if thorough:
            assert self.vault.git("fsck", "--no-dangling", "--connectivity-only") == ""

    def _is_lawful(self) -> None:
        with self.vault.app() as app:
            seen = app.look()
            ground = seen.present.ground
            if not self.reported:
                broken = [one.path for one in app.judged_links(seen) if one.code == "V301"]
                assert broken == [], "a link was left behind"
        active = [ground.place(standing.path) for standing in ground.standings.values() if standing.active]
        assert len(active) == len(set(active))
        for standing in ground.standings.values():
            chain = [standing.id]
            while isinstance(standing.state, Superseded) and standing.state.by in ground.standings:
                standing = ground.standings[standing.state.by]  # noqa: PLW2901  -- following the chain
                assert standing.id not in chain
                chain.append(standing.id)
        if self.looks % AFRESH:
            return
        with tempfile.TemporaryDirectory() as state, pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_STATE_HOME", state)
            afresh = self.vault.look()
        assert (afresh.present.ground.standings, afresh.rejected) == (ground.standings, seen.rejected)

    # What there is ----------------------------------------------------------------------------------------------------

    def _bytes(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for folder, below, names in os.walk(self.vault.root):
            below[:] = [name for name in below if name not in {".git", ".vaultd"}]
            for name in names:
                file = Path(folder, name)
                found[file.relative_to(self.vault.root).as_posix()] = file.read_bytes()
        return found

    def _all(self, besides: Container[str] = ()) -> bytes:
        """Return the text of every note, besides some; temporaries of a killed command count as none."""
        texts = self._bytes().items()
        return b"\n".join(data for path, data in texts if "/." not in f"/{path}" and path not in besides)

    def _still_to_come(self) -> set[str]:
        """Return the files that a killed command was about to change or take away, and had not come to."""
        there = self._bytes()
        steps = (step for file in listed(self.vault.root / ".git/vaultd/intents") for step in read_intent(file).steps)
        return {
            step.path
            for step in steps
            if step.after is None or digest(there.get(step.path)) == step.before != step.after
        }

    def _notes(self) -> list[str]:
        return sorted(
            path
            for path, data in self._bytes().items()
            if path.endswith(".md") and "/." not in f"/{path}" and not path.startswith("records/") and data
        )

    def _memories(self) -> list[str]:
        return [path for path in self._notes() if path.startswith("memory/")]

    def _id(self, path: str) -> str:
        found = re.search(r"(?m)^id: (\S+)$", self.vault.read(path))
        return found[1] if found else "null"

    def _token(self) -> bytes:
        self.said += 1
        return f"said-{self.said:05}".encode()

    def _promised(self, verb: str, token: bytes) -> None:
        if verb in TAKING:
            self._may_leave()
        if token:
            self.open.add(token)

    def _may_leave(self) -> None:
        self.kept |= self.open
        self.open = set()

    def _words(self, verb: str, one: int, two: int) -> tuple[list[str], bytes]:
        """Return a command line and, where it writes one, the text that it must not lose."""
        token = self._token()
        text = token.decode()
        memory_, note = _pick(self._memories(), one), _pick(self._plain(), one)
        any_ = _pick(self._notes(), one)
        new = f"{'xyz'[two % 3]}{one % 4}"
        swap = ("WORD", "OTHER") if "WORD" in self.vault.read(any_) else ("OTHER", "WORD")
        told = {
            "memory append": ["memory", "append", memory_, "--body", text],
            "memory edit": ["memory", "edit", memory_, "--replace", "The text", "--with", f"{text} The text"],
            "memory write": ["memory", "write", "--name", _stem(memory_), *_project(memory_), "--body", text],
            "memory new": [*NEW, "--name", new, "--body", text, *(("--supersedes", memory_) if two % 2 else ())],
            "memory supersede": ["memory", "supersede", memory_, _pick(self._memories(), two)],
            "memory archive": ["memory", "archive", memory_],
            "memory restore": ["memory", "restore", memory_],
            "memory rename": ["memory", "rename", memory_, new],
            "memory move": ["memory", "move", memory_, ("p", "q", "_global")[two % 3]],
            "memory free": ["memory", "free", memory_],
            "memory star": ["memory", "star", memory_, *(("--off",) if two % 2 else ())],
            "note append": ["note", "append", note, "--body", text],
            "note edit": ["note", "edit", any_, "--replace", swap[0], "--with", swap[1]],
            "note rename": ["note", "rename", note, new],
            "folder rename": ["note", "rename", note.rpartition("/")[0] or note, f"f{two % 3}"],
            "note new": ["note", "new", "--path", f"spare/{text}", "--body", text],
            "note delete": ["note", "delete", _pick(self._spare(), one), "--yes"],
            "set": ["set", any_, f"mood={text}x", "seen+=a"],
            "unset": ["unset", any_, "mood"],
            "tasks toggle": ["tasks", "toggle", f"{note}:3"],
            "undo": ["undo"],
            "adopt": ["adopt", memory_],
            "revert": ["revert", memory_],
            "record set": ["record", "set", "c", "--entity", "e", "--key", "k", "--body", text],
            "up": ["up", "--once"],
        }[verb]
        now = () if verb == "up" else ("--now",)
        return [*told, *now], token if verb in WRITING else b""

    def _plain(self) -> list[str]:
        return [path for path in self._notes() if not path.startswith(("memory/", "spare/"))]

    def _spare(self) -> list[str]:
        return [path for path in self._notes() if path.startswith("spare/")] or ["spare/none.md"]


NEW = ("memory", "new", "--kind", "gotcha", "--description", "d")
WRITING = {"memory append", "memory edit", "memory new", "note append", "note new"}
"""Verbs whose text must stand in a file once they are done."""
TAKING = {"memory write", "undo", "note delete", "revert", "set", "unset", "adopt"}
"""Verbs that may take text out of the files: it stays in history."""


def _pick(there: list[str], number: int) -> str:
    return there[number % len(there)] if there else "none.md"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _project(path: str) -> tuple[str, ...]:
    parts = path.split("/")
    return ("--project", parts[1]) if len(parts) == 3 and parts[1] != "_global" else ()


def with_links(root: Path) -> Vault:
    """Make a vault whose notes link to each other, and to memories, in several ways."""
    vault = new_vault(root)
    for name in MEMORIES:
        project, _, stem = name.rpartition("/")
        vault.write(
            f"memory/{project or '_global'}/{stem}.md", memory(stem, project=project, body=f"WORD. The text of {stem}.")
        )
    paths = ["n0.md", "sub/n1.md", "sub/n2.md", "n3.md"]
    for path, after in zip(paths, [*paths[1:], paths[0]], strict=True):
        vault.write(path, NOTE.format(next=_stem(after), path=after))
    vault.write("board.canvas", json.dumps({"nodes": [{"id": "1", "type": "file", "file": "sub/n1.md"}]}))
    vault.commit()
    shutil.rmtree(root / ".git/vaultd")  # each copy gets an identity of its own
    return vault


@pytest.fixture(scope="module")
def _ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    Counted.mortals = Mortals()
    Counted.fresh = tmp_path_factory.mktemp("fresh") / "vault"
    yield
    Counted.mortals.close()


@pytest.mark.usefixtures("_ready")
@pytest.mark.parametrize("wanted", [200, pytest.param(1000, marks=pytest.mark.soak)])
def test_after_kills_at_random_steps_the_promises_hold(wanted: int):
    if not Counted.fresh.exists():
        with_links(Counted.fresh)
    Counted.kills = 0
    number = SEED
    while Counted.kills < wanted:
        print(f"SEED={number} after {Counted.kills} kills")
        one_go = settings(
            max_examples=BATCH,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        run_state_machine_as_test(seed(number)(Hands), settings=one_go)
        number += 1
    print(f"{Counted.kills} kills")
