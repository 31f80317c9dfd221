"""Whatever people, commands, other tools, restarts and lost indexes do, in whatever order: the promises hold.

After every step: what is accepted is a function of git and the files alone (an index kept all along and one made afresh
agree), at most one active memory has a name, every accepted edge leads to a memory and none runs in a circle, the text
index holds exactly the files, and a command that refused changed no byte.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.vaults import AT, LATER, Vault, new_vault
from vaultd.lifecycle.states import Superseded

NAMES = st.sampled_from(["ada", "bea", "cyd", "dot"])
TIMES = st.sampled_from([AT, LATER, "2025-06-01", "yesterday", "2999-01-01T00:00:00Z"])


class Interleaving(RuleBasedStateMachine):
    """A small vault in many hands."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp(prefix="interleaved-"))
        self.state = os.environ["XDG_STATE_HOME"]
        self.vault = Vault(self.top)

    @initialize()
    def begin(self) -> None:
        self.vault = new_vault(self.top / "vault", "ada", "bea", "cyd")

    def teardown(self) -> None:
        shutil.rmtree(self.top, ignore_errors=True)

    # A person in an editor

    @rule(name=NAMES, at=TIMES, by=st.one_of(st.just("null"), NAMES, st.just("nobody")))
    def types_a_stamp(self, name: str, at: str, by: str) -> None:
        if self.vault.file(name).is_file():
            self.vault.stamp(name, at=at, by=by)

    @rule(name=NAMES)
    def clears_a_stamp(self, name: str) -> None:
        if self.vault.file(name).is_file():
            self.vault.clear(name)

    @rule(name=NAMES)
    def writes_prose(self, name: str) -> None:
        if self.vault.file(name).is_file():
            self.vault.write(f"memory/_global/{name}.md", self.vault.read(name) + "More.\n")

    @rule(name=NAMES)
    def deletes_a_file(self, name: str) -> None:
        self.vault.file(name).unlink(missing_ok=True)

    @rule(name=NAMES)
    def writes_a_memory(self, name: str) -> None:
        if not self.vault.file(name).exists():
            self.vault.remember(name)

    @rule(one=NAMES, two=NAMES)
    def swaps_two_files(self, one: str, two: str) -> None:
        if one != two and self.vault.file(one).is_file() and self.vault.file(two).is_file():
            first, second = self.vault.read(one), self.vault.read(two)
            self.vault.write(f"memory/_global/{one}.md", second)
            self.vault.write(f"memory/_global/{two}.md", first)

    @rule(name=NAMES)
    def breaks_the_yaml(self, name: str) -> None:
        if self.vault.file(name).is_file():
            self.vault.write(f"memory/_global/{name}.md", "---\nid: [\n---\n")

    # Commands

    @rule(words=st.sampled_from(["archive", "restore"]), name=NAMES)
    def ends_or_restores(self, words: str, name: str) -> None:
        self.commands("memory", words, name)

    @rule(old=NAMES, new=NAMES)
    def supersedes(self, old: str, new: str) -> None:
        self.commands("memory", "supersede", old, new)

    @rule(verb=st.sampled_from(["adopt", "revert"]), name=NAMES)
    def adopts_or_reverts(self, verb: str, name: str) -> None:
        self.commands(verb, f"memory/_global/{name}.md")

    @rule()
    def looks_once(self) -> None:
        assert self.vault.run("up", "--once").code in (0, 6)

    def commands(self, *words: str) -> None:
        before = self.bytes()
        ran = self.vault.run(*words)
        assert ran.code in (0, 2, 3, 4, 5, 6), (words, ran)
        if ran.code:
            assert self.bytes() == before, (words, ran)
            assert "hint:" in ran.err, (words, ran)

    # Other tools, and accidents

    @rule()
    def another_tool_commits(self) -> None:
        self.vault.commit("backup")

    @rule()
    def git_reverts_head(self) -> None:
        if self.vault.git("status", "--porcelain") == "" and len(self.vault.log) > 3:
            self.vault.git("revert", "--no-edit", "HEAD", ok=(0, 1))
            self.vault.git("revert", "--abort", ok=(0, 128))

    @precondition(lambda self: self.vault.root.exists())
    @rule()
    def the_index_is_lost(self) -> None:
        for index in Path(self.state).glob("vaultd/*/index"):
            shutil.rmtree(index)

    # What always holds

    def bytes(self) -> dict[str, bytes]:
        return {str(file): file.read_bytes() for file in self.vault.root.glob("memory/**/*.md")}

    @invariant()
    def promises_hold(self) -> None:
        if not (self.vault.root / ".vaultd").exists():
            return
        with self.vault.app() as app:
            seen = app.look()
            ground = seen.present.ground
            assert app.opened.mirror.documents() == len(seen.notes) == app.fulltext.count()
        names = [ground.place(s.path) for s in ground.standings.values() if s.active]
        assert len(names) == len(set(names))
        for standing in ground.standings.values():
            seen_ids = [standing.id]
            while isinstance(standing.state, Superseded) and standing.state.by in ground.standings:
                standing = ground.standings[standing.state.by]  # noqa: PLW2901  -- following the chain
                assert standing.id not in seen_ids
                seen_ids.append(standing.id)
        assert self.afresh() == (ground.standings, seen.rejected)

    def afresh(self) -> tuple[object, object]:
        """Return what a machine that never saw this vault accepts and rejects."""
        with tempfile.TemporaryDirectory() as state, pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_STATE_HOME", state)
            seen = self.vault.look()
        return seen.present.ground.standings, seen.rejected


TestInterleavings = Interleaving.TestCase
TestInterleavings.settings = settings(
    max_examples=15,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
