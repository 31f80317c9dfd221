"""Where the benchmark runs: a temporary folder with a vault, its copies, and a daemon for as long as one is asked for."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests.bench.bare import BareIndex
from tests.bench.generate import generate
from vaultd.daemon.sockets import ask
from vaultd.vault.places import places

CONFIG = 'format = 1\n[commit]\nquiet = 1\nhooks = "none"\n'
"""The daemon waits a second, and git's own side runs no hooks either."""
_PATIENCE = 300.0
_PAUSE = 0.002


@dataclass
class Ground:
    """A vault of so many notes below a folder that is thrown away afterwards."""

    folder: Path
    notes: int
    edits: int = field(default=0)

    @cached_property
    def vault(self) -> Path:
        """Return a vault that `init` made, indexed once, clean in git."""
        root = self.folder / "vault"
        generate(root, self.notes)
        git(root, "init", "-q", "-b", "main")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "notes")
        run("init", str(root), "--yes")
        (root / ".vaultd" / "config.toml").write_text(CONFIG)
        git(root, "commit", "-qam", "settings")
        run("up", "--once", str(root))
        return root

    @cached_property
    def bare(self) -> BareIndex:
        """Return a bare index of the vault's files."""
        index = BareIndex(self.folder / "bare")
        index.fill(self.files())
        return index

    def files(self) -> list[Path]:
        """Return the vault's notes, in an order that does not change."""
        return sorted(file for file in self.vault.rglob("*.md") if ".vaultd" not in file.parts)

    def active(self) -> list[Path]:
        """Return the memories that have not ended, nor been touched by a row before."""
        found = [
            file for file in self.files() if file.parts[-3] == "memory" and b"\ninvalid_at: null\n" in file.read_bytes()
        ]
        self.edits, start = self.edits + 40, self.edits
        return found[start : start + 40]

    def copy(self, name: str) -> Path:
        """Return a repository with the same files and index as the vault, and no vaultd."""
        target = self.folder / name
        shutil.copytree(self.vault, target)
        git(target, "status")
        return target

    def clean(self) -> None:
        """Commit whatever a row left, so that the next one starts from nothing changed."""
        git(self.vault, "add", "-A")
        git(self.vault, "commit", "-q", "--allow-empty", "-m", "left by a row")
        run("up", "--once", str(self.vault))

    @contextlib.contextmanager
    def daemon(self) -> "Iterator[Watched]":
        """Give a daemon that is ready, and stop it in the end."""
        root = self.vault
        child = subprocess.Popen(command("up", str(root)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            for line in child.stdout or ():
                if line.startswith("ready"):
                    break
            yield Watched(root, child.pid, places(root, root / ".git").socket)
        finally:
            child.terminate()
            child.wait(30)
            if child.stdout is not None:
                child.stdout.close()


@dataclass(frozen=True, slots=True)
class Watched:
    """A vault with a daemon."""

    root: Path
    pid: int
    socket: Path

    def ask(self, verb: str, **arguments: object) -> dict[str, object]:
        """Return the daemon's answer."""
        answer = ask(self.socket, verb, arguments)
        if answer is None:
            raise RuntimeError(f"the daemon gave no answer to {verb}")
        return answer

    def finds(self, words: str) -> bool:
        """Tell whether a search for the words has hits."""
        return bool(self.ask("search", query=words, all=True, limit=5)["hits"])

    def kilobytes(self, what: str) -> int:
        """Return a line of the kernel's account of its memory, such as `Rss` or `Pss`."""
        text = Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        found = re.search(rf"^{what}:\s+(\d+) kB", text, re.MULTILINE)
        return int(found[1]) if found else 0

    def used(self) -> tuple[float, int]:
        """Return CPU seconds and voluntary wake-ups of all its threads so far."""
        nanoseconds = wakes = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            nanoseconds += int((task / "schedstat").read_text().split()[0])
            switches = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.MULTILINE)
            wakes += int(switches[1]) if switches else 0
        return nanoseconds / 1e9, wakes


def until(true: Callable[[], bool], since: float) -> float:
    """Return how many seconds after `since` a condition came true, asking every other millisecond."""
    while not true():
        if time.perf_counter() - since > _PATIENCE:
            raise RuntimeError("waited too long")
        time.sleep(_PAUSE)
    return time.perf_counter() - since


def command(*words: str) -> list[str]:
    """Return a vaultd command line as its installed script runs it."""
    return [str(Path(sys.executable).with_name("vaultd")), *words]


def run(*words: str) -> None:
    """Run a vaultd command whose findings do not matter here."""
    ended = subprocess.run(command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, text=True)
    if ended.returncode not in {0, 1}:
        raise RuntimeError(f"vaultd {' '.join(words)}: {ended.stderr}")


def git(root: Path, *words: str) -> None:
    """Run git and let it fail loudly."""
    subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.DEVNULL)


def python(*words: str) -> None:
    """Run an interpreter of its own."""
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)


def save(file: Path, text: str) -> float:
    """Save a file as most editors do, by a rename, and return when it was done."""
    fresh = file.with_name(f".{file.name}.tmp")
    fresh.write_text(text, "utf-8")
    fresh.replace(file)
    return time.perf_counter()


def settle(folder: Path) -> None:
    """Keep everything that vaultd and git remember inside the folder, and start vaultd as a person's shell would."""
    for name, path in (
        ("XDG_STATE_HOME", folder / "state"),
        ("XDG_RUNTIME_DIR", folder / "run"),
        ("HOME", folder / "home"),
    ):
        path.mkdir(parents=True, exist_ok=True)
        os.environ[name] = str(path)
    # an installed program is compiled once, not at each start
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    (folder / "home" / ".gitconfig").write_text(
        "[user]\nname = Bench\nemail = bench@example.org\n[gc]\nauto = 0\n[maintenance]\nauto = false\n"
    )
