"""A vault that a test drives as a person, an agent and other tools do: with vaultd, git and an editor."""

import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from vaultd.app import App, Overview, open_app
from vaultd.cli.main import main
from vaultd.lifecycle.places import place_of
from vaultd.lifecycle.states import Standing, successor_of, word

EARLY = "2025-01-01T00:00:00Z"
"""When every memory was made and became valid."""
AT = "2025-06-01T12:00:00Z"
"""When memories end, unless a test says otherwise."""
LATER = "2025-07-01T12:00:00Z"

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RELAXED = ("-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "maintenance.auto=false")


@dataclass(frozen=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        """The document it printed."""
        return json.loads(self.out)

    @property
    def codes(self) -> list[str]:
        """The errors that a check printed, sorted."""
        return sorted(re.findall(r": error (V\d{3}) ", self.out))


def id_of(name: str) -> str:
    """Return the id that memories of this name have in tests."""
    digest = hashlib.sha256(name.encode()).digest()
    return "01JV" + "".join(_ALPHABET[byte & 31] for byte in digest[:22])


def memory(name: str, *, at: str = "null", by: str = "null", id_: str = "", project: str = "", body: str = "") -> str:
    """Return the text of a memory; active unless told otherwise."""
    project_line = f"project: {project}\n" if project else ""
    return f"""\
---
id: {id_ or id_of(name)}
kind: decision
name: {name}
description: About {name}.
{project_line}created: {EARLY}
updated: {EARLY}
valid_from: {EARLY}
invalid_at: {at}
superseded_by: {by}
---

{body or f"The text of {name}."}
"""


def path_of(name: str) -> str:
    """Return where a memory lies: `name` is global, `project/name` of a project, a path itself."""
    if name.endswith((".md", ".toml")):
        return name
    return f"memory/{name}.md" if "/" in name else f"memory/_global/{name}.md"


@dataclass(frozen=True)
class Vault:
    """One vault; memories are called `name` (global), `project/name`, or by their path in it."""

    root: Path

    # The person and the editor ----------------------------------------------------------------------------------------

    def file(self, name: str) -> Path:
        """Return the file of a memory."""
        return self.root / path_of(name)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write any file of the vault."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def remember(self, *names: str, **fields: str) -> None:
        """Write memories as an editor would, without a commit."""
        for name in names:
            project, _, stem = name.rpartition("/")
            self.write(path_of(name), memory(stem, project=project, **fields))

    def read(self, name: str) -> str:
        """Return a memory's text."""
        return self.file(name).read_bytes().decode()

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that stands in a memory."""
        text = self.read(name)
        assert old in text, (old, text)
        self.file(name).write_bytes(text.replace(old, new).encode())

    def stamp(self, name: str, *, at: str = AT, by: str = "null") -> None:
        """Type an end into a memory; `by` is the name of another memory or any YAML value."""
        successor = id_of(by.rpartition("/")[2]) if self.file(by).is_file() else by
        text = re.sub(r"(?m)^invalid_at:.*$", lambda _: f"invalid_at: {at}", self.read(name))
        text = re.sub(r"(?m)^superseded_by:.*$", lambda _: f"superseded_by: {successor}", text)
        self.file(name).write_bytes(text.encode())

    def clear(self, name: str) -> None:
        """Take an end out of a memory."""
        self.stamp(name, at="null")

    # Git, and other tools ---------------------------------------------------------------------------------------------

    def git(self, *args: str, ok: tuple[int, ...] = (0,), stdin: str = "", **env: str) -> str:
        """Run git in the vault as a user would; the trimmed output comes back."""
        done = subprocess.run(
            ["git", *_RELAXED, *args],
            cwd=self.root,
            input=stdin.encode(),
            capture_output=True,
            check=False,
            env={**os.environ, "GIT_EDITOR": "true", **env},
        )
        assert done.returncode in ok, (args, done.returncode, done.stdout.decode(), done.stderr.decode())
        return done.stdout.decode("utf-8", "surrogateescape").rstrip().lstrip("\n")

    def commit(self, message: str = "notes", *options: str) -> str:
        """Commit everything as another tool does, past every hook, and return the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message, *options)
        return self.head

    @property
    def head(self) -> str:
        """Where HEAD stands."""
        return self.git("rev-parse", "HEAD")

    @property
    def status(self) -> list[str]:
        """What `git status` lists."""
        return self.git("status", "--porcelain", "-uall").splitlines()

    @property
    def left(self) -> list[str]:
        """What `git status` lists but for what a daemon exports by itself, which the next commit takes along."""
        return [line for line in self.status if not line.startswith("?? .vaultd/state/")]

    @property
    def log(self) -> list[str]:
        """The subjects of the commits, newest first."""
        return self.git("log", "--format=%s").splitlines()

    def trailers(self, commit: str = "HEAD") -> dict[str, str]:
        """Return the Vaultd trailers of a commit."""
        lines = self.git("show", "-s", "--format=%B", commit).splitlines()
        return dict(line.split(": ", 1) for line in lines if line.startswith("Vaultd-"))

    # vaultd -----------------------------------------------------------------------------------------------------------

    def run(self, *words: str, stdin: str = "") -> Ran:
        """Run a vaultd command line, standing in the vault."""
        out, err = io.StringIO(), io.StringIO()
        talk = contextlib.redirect_stderr(err)
        with contextlib.chdir(self.root), _typing(stdin), contextlib.redirect_stdout(out), talk:
            code = main(list(words))
        return Ran(code, out.getvalue(), err.getvalue())

    def does(self, *words: str) -> Ran:
        """Run a command line that must succeed."""
        ran = self.run(*words)
        assert ran.code == 0, (words, ran)
        return ran

    def errors(self, *options: str) -> list[str]:
        """Return the codes of the errors that a check finds, sorted."""
        ran = self.run("check", *options)
        assert ran.code == bool(ran.codes), ran
        return ran.codes

    @contextlib.contextmanager
    def app(self):
        """Give the vault, open."""
        opened: App = open_app(self.root)
        try:
            yield opened
        finally:
            opened.close()

    def look(self) -> Overview:
        """Return the vault as vaultd sees it now."""
        with self.app() as app:
            return app.look()

    @property
    def accepted(self) -> dict[str, str]:
        """What is believed of each memory: `active`, `archived`, `superseded by NAME`, and ` (gone)` if it left."""
        standings = self.look().present.ground.standings
        return {_label(standing): _told(standing, standings) for standing in standings.values()}

    @property
    def rejected(self) -> dict[str, str]:
        """Which rule keeps the edit of which memory from being accepted."""
        return {_name(path): code for path, code in self.look().rejected.items()}


def _name(path: str) -> str:
    place = place_of(path, "memory")
    return place.label.removeprefix("_global/") if place is not None else path


def _label(standing: Standing) -> str:
    return _name(standing.path)


def _told(standing: Standing, standings: dict[str, Standing]) -> str:
    successor = successor_of(standing.state)
    by = ""
    if successor is not None:
        by = f" by {_label(standings[successor]) if successor in standings else successor}"
    return word(standing.state) + by + (" (gone)" if standing.gone else "")


@contextlib.contextmanager
def _typing(text: str):
    before, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before


def new_vault(root: Path, *names: str, started: bool = True, inside: Path | None = None) -> Vault:
    """Make a vault with some memories, all of it committed; `inside` is the repository where it is not the vault."""
    root.mkdir(parents=True, exist_ok=True)
    vault = Vault(root)
    if inside is None:
        vault.git("init", "-q", "-b", "main")
    if started:
        vault.does("init", "--yes")
    else:
        vault.git("commit", "-q", "--allow-empty", "-m", "begin")
    if names:
        vault.remember(*names)
        vault.commit("memories")
    return vault


def with_memories(vault: Vault, *names: str) -> Vault:
    """Add committed memories to a vault and return it."""
    vault.remember(*names)
    vault.commit("memories")
    return vault
