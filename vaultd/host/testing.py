"""Try a plugin on a small vault: a real one in git, with the plugin in its real process, as it will run.

@pytest.fixture
def tried(tmp_path):
    with vault_with(Path("stale"), tmp_path, {"Old.md": "Text."}) as tried:
        yield tried
"""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree, ignore_patterns

from vaultd.app import App, open_app
from vaultd.commands.init import init, plan_init
from vaultd.errors import ConflictError
from vaultd.host.discovery import FOLDER
from vaultd.host.enabling import Wanted, save_wanted
from vaultd.host.hosted import FOLDER as PLUGIN_LOGS
from vaultd.host.trees import DATA, read_tree
from vaultd.host.trust import Trust, save_trust
from vaultd.lifecycle.ids import new_id
from vaultd.plugged.company import Company

PATIENCE = 60.0
"""Seconds after which a plugin that should have done its work has not."""


class Tried:
    """A vault with one plugin, or several, running in it."""

    def __init__(self, app: App) -> None:
        self.root = app.opened.root
        self._app = app
        self._company = Company(app)

    def write(self, path: str, text: str) -> None:
        """Save a note, as an editor does."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def read(self, path: str) -> str:
        """Return a note's text."""
        return (self.root / path).read_bytes().decode()

    def move(self, old: str, new: str) -> None:
        """Give a file another path, as `mv` does."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def commit(self) -> None:
        """Commit everything, as git does."""
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", "notes")

    def settle(self) -> None:
        """Tell the plugins what changed, and what they change in answer, until nothing changes any more.

        Raises:
            ConflictError: it goes on and on.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            quiet = self._company.settled()
            seen = self._app.look()
            caught = self._app.catching
            changed, removed = (caught.changed, caught.removed) if caught is not None else ((), ())
            self._company.caught(changed, removed)
            self._company.judged(seen)
            while not self._company.settled():
                if time.monotonic() > deadline:
                    raise ConflictError("the plugins have not settled")
                time.sleep(0.01)
            if quiet and not changed and not removed:
                return

    def act(self, verb: str, *words: str) -> object:
        """Return what a verb of the plugin gives: `act("stale:list", "--days", "3")`."""
        return self._company.answer("plugin_act", {"verb": verb, "words": list(words)})["result"]

    def reloaded(self, id_: str) -> None:
        """Start a plugin anew, as `vaultd plugin reload` does.

        Raises:
            PluginError: it cannot be loaded.
        """
        self._company.answer("plugins_changed", {"reload": id_})
        self._company.loaded(id_)

    def log_of(self, id_: str) -> str:
        """Return what a plugin wrote to its log."""
        file = self._app.opened.places.state / PLUGIN_LOGS / f"{id_}.log"
        return file.read_text("utf-8") if file.is_file() else ""

    def problems(self) -> list[Mapping[str, object]]:
        """Return what the plugin's validators find: code, severity, path, line, message."""
        self._app.look()
        empty: dict[str, object] = {"violations": [], "summary": {"error": 0, "warning": 0, "info": 0}}
        found = self._company.check(empty, "tree", (), "info")["violations"]
        return found if isinstance(found, list) else []

    def states(self) -> dict[str, str]:
        """Return, by id, how each plugin stands, with the reason where it does not run."""
        rows = self._company.status()["plugins"]
        told = rows if isinstance(rows, list) else []
        return {row["id"]: f"{row['state']} {row['reason']}".strip() for row in told}

    def log(self) -> list[str]:
        """Return the subjects of the vault's commits, newest first."""
        return git(self.root, "log", "--format=%s").splitlines()

    def start(self) -> None:
        """Load the plugins, as a daemon does when it is ready."""
        self._company.look()
        self.settle()

    def close(self) -> None:
        """End the plugins."""
        self._company.stop()


@contextmanager
def vault_with(
    plugin: Path | Sequence[Path],
    folder: Path,
    notes: Mapping[str, str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> Iterator[Tried]:
    """Give a vault below a folder that holds some notes, all committed, with plugins that are enabled, approved and loaded.

    `settings` is what the first plugin's `data.json` holds. The vault's state is kept apart by the environment's
    `XDG_STATE_HOME`: point it at a temporary folder, else it is left in yours.
    """
    folders = [plugin] if isinstance(plugin, Path) else list(plugin)
    root = folder / "vault"
    _make(root, notes or {})
    trust = Trust(restricted=False)
    wanted = Wanted()
    for one in folders:
        id_ = one.resolve().name
        copytree(one, root / FOLDER / id_, ignore=ignore_patterns("__pycache__"))
        trust = trust.with_approval(id_, read_tree(root / FOLDER / id_).hash)
        wanted = wanted.enable(id_, "vault")
    if settings is not None:
        (root / FOLDER / folders[0].resolve().name / DATA).write_text(json.dumps(settings), "utf-8")
    save_wanted(root, wanted)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "notes and plugins")
    app = open_app(root)
    app.opened.claim()
    save_trust(app.opened.places.state, trust)
    tried = Tried(app)
    try:
        tried.start()
        yield tried
    finally:
        tried.close()
        app.close()


def _make(root: Path, notes: Mapping[str, str]) -> None:
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for name, text in (("user.name", "Author"), ("user.email", "author@example.org"), ("core.fsync", "none")):
        git(root, "config", name, text)
    opened, _ = init(plan_init(root, git=False, vault_id=new_id(int(datetime.now(UTC).timestamp() * 1000), bytes(10))))
    opened.close()
    for path, text in notes.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def git(root: Path, *words: str) -> str:
    """Run git in a vault and return what it prints."""
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout.strip()
