"""The verb `demo`: a copy of the sample vault, and a tour that types real commands into it."""

import contextlib
import io
import shlex
import shutil
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import vaultd
from vaultd import answers
from vaultd.cli.main import INTERRUPTED, main
from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import opened_app
from vaultd.cli.running import up
from vaultd.cli.steps import Edited, Step, Typed, Written
from vaultd.cli.tours import TOURS
from vaultd.errors import StorageError
from vaultd.history.process import Git
from vaultd.notes.note import parse
from vaultd.search.documents import drafts
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """The vault that a tour goes through, and where what is shown goes."""

    vault: Path
    say: Callable[[str], None]
    now: datetime


def demo(asked: Namespace) -> Outcome:
    """Make the vault, go through the tour and, unless a document is asked for, watch the vault until told to stop."""
    steps = TOURS[asked.name]
    place = Place(_made(), _silent if asked.json else _aloud, datetime.now(UTC) - timedelta(minutes=1))
    place.say(f"A throw-away vault: {place.vault}")
    rows = [_taken(place, step) for step in steps]
    document: Document = {"vaultd": 1, "demo": asked.name, "vault": str(place.vault), "steps": rows}
    if not asked.json:
        place.say(_NOW_YOU.format(vault=shlex.quote(str(place.vault)), folder=Path(sys.executable).parent))
        up(Namespace(vault=str(place.vault), once=False, log_format=None))
    return Outcome(document, (f"The vault stays at {place.vault}",))


def _silent(_line: str) -> None:
    """Say nothing: a document is asked for."""


def _aloud(line: str) -> None:
    print(line, flush=True)


def sample_vault() -> Path:
    """Return the sample vault that came with this vaultd.

    Raises:
        StorageError: it came without one.
    """
    package = Path(vaultd.__file__).parent
    for folder in (package / "_sample_vault", package.parent / "sample-vault"):
        if folder.is_dir():
            return folder
    raise StorageError("this vaultd was installed without its sample vault", "install it again with pip")


def _made() -> Path:
    """Return a new copy of the sample vault, with a history of its own."""
    # Resolved, since a temporary folder is a link on macOS and the vault is to be shown under one name.
    vault = Path(tempfile.mkdtemp(prefix="vaultd-demo-")).resolve()
    shutil.copytree(sample_vault(), vault, dirs_exist_ok=True)
    git = Git(vault)
    git.run("init", "-q")
    git.run("config", "commit.gpgsign", "false")
    for key, value in (("user.email", "you@example.org"), ("user.name", "You")):
        if git.attempt("config", key).code != 0:
            git.run("config", key, value)
    git.run("add", "--all")
    git.run("commit", "-q", "--no-verify", "-m", "sample vault")
    _run(vault, ("init", "--yes"), 0)
    return vault


def _taken(place: Place, step: Step) -> Document:
    """Take a step and return what is told of it."""
    head = _head(place.vault)
    place.say(f"\n# {step.did}")
    match step:
        case Typed():
            words = _filled(place.vault, step.words)
            place.say(f"$ {shlex.join(('vaultd', *words))}")
            place.say(_run(place.vault, words, step.code))
        case Written():
            file = place.vault / step.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, "utf-8")
            place.say(f"  {step.path}\n{step.text}")
        case Edited():
            old, new = step.old, step.new.format(now=place.now.strftime("%Y-%m-%dT%H:%M:%SZ"))
            place.say(f"  {step.path}")
            place.say("\n".join(_edited(place.vault / step.path, old, new)))
    after = _head(place.vault)
    return {
        "did": step.did,
        "current": _current(place.vault, step.path),
        "path": step.path,
        "commit": after if after != head else None,
    }


def _filled(vault: Path, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words with the id of the draft that waits where they say so."""
    if "{draft}" not in words:
        return words
    with opened_app(vault) as app:
        waiting = [one.draft.record.id for one in drafts(app.opened) if one.standing == "pending"]
    return tuple(word.replace("{draft}", waiting[0]) for word in words)


def _run(vault: Path, words: tuple[str, ...], code: int) -> str:
    """Return what a command prints, standing in the vault.

    Raises:
        StorageError: it did not end as the tour says.
    """
    said = io.StringIO()
    with contextlib.chdir(vault), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        ended = main(words)
    if ended == INTERRUPTED:
        raise KeyboardInterrupt
    if ended != code:
        raise StorageError(f"{shlex.join(('vaultd', *words))} ended with {ended}: {said.getvalue().strip()}")
    return said.getvalue().removesuffix("\n")


def _edited(file: Path, start: str, new: str) -> list[str]:
    """Put a line in the place of the one that starts so, as an editor would, and return both."""
    lines = file.read_text("utf-8").split("\n")
    number = next(number for number, line in enumerate(lines) if line.startswith(start))
    old, lines[number] = lines[number], new
    file.write_text("\n".join(lines), "utf-8")
    return [f"  - {old}", f"  + {new}"]


def _head(vault: Path) -> str:
    return Git(vault).text("rev-parse", "HEAD")


def _current(vault: Path, path: str) -> str | None:
    """Return what vaultd believes now of what a memory was about, or what answers a slot."""
    if not path.startswith("memory/"):
        file = vault / path
        return parse(file.read_bytes()).body.strip() if path.endswith(".md") and file.is_file() else None
    with opened_app(vault) as app:
        rows = answers.chain(app, path)["chain"]
        last = rows[-1] if isinstance(rows, list) and rows else None
        data = app.opened.read(last["path"]) if last is not None and last["state"] == "active" else None
        described = parse(data).properties.get("description") if data is not None else None
    return described if isinstance(described, str) else None


_NOW_YOU = """
# Now you

  Open the folder in Obsidian or any editor, and type this in a second terminal:

    cd {vault}
    PATH={folder}:$PATH

    vaultd status                 how many notes, what is rejected, what waits
    vaultd check                  every problem, with the command that mends it
    vaultd search "two words"     what holds now; --all adds what was replaced
    vaultd log                    who, what, why, in which commit

  What you save is judged here, a line each. START HERE.md goes on from there. Ctrl-C stops watching.
"""
