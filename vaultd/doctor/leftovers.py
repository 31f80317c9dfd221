"""What killed commands left: intents, temporaries, a locked index of git."""

import re
from collections.abc import Iterator
from pathlib import Path

from vaultd.doctor.lines import Line, counted, first_of
from vaultd.history.repository import Repository
from vaultd.judging.opened import Opened
from vaultd.vault import intents
from vaultd.vault.locks import pid_lives

_PID = re.compile(r"\.vaultd-tmp-(\d+)")
_OUR_TIME = 10.0
"""Seconds that a commit of vaultd's may take."""
_GITS_TIME = 60.0
"""Seconds that another git may rightly hold its index."""
FIX = "vaultd doctor --fix"


def leftover_lines(opened: Opened, temporaries: tuple[str, ...], now: float) -> Iterator[Line]:
    """Say what was left, and nothing where nothing was."""
    folder = opened.places.intents
    if folder is not None and folder.is_dir():
        yield from _intents(folder)
    dead = [path for path in temporaries if not _is_written(path)]
    if dead:
        yield Line("temporaries", "warn", f"{counted(len(dead), 'file')} of killed writes: {first_of(dead)}", FIX)
    if opened.repo is not None:
        yield from _lock(opened.repo, now)


def _intents(folder: Path) -> Iterator[Line]:
    unfinished = dead_intents(folder)
    if unfinished:
        says = f"{counted(len(unfinished), 'command was', 'commands were')} killed half way"
        yield Line("intents", "warn", says, "vaultd up --once finishes or undoes it")
    aside = sorted((folder / "set-aside").glob("*.json"))
    if aside:
        says = f"{counted(len(aside), 'killed command')} could not be finished and lies in {folder / 'set-aside'}"
        yield Line("set aside", "info", says, "compare the texts there with the notes, then remove the folder")


def dead_intents(folder: Path) -> list[str]:
    """Return the ids of the intents whose writers are gone."""
    alive = {intent.id for intent in intents.live(folder)}
    return [file.stem for file in intents.listed(folder) if file.stem not in alive]


def _is_written(path: str) -> bool:
    found = _PID.search(path)
    return found is not None and pid_lives(int(found[1]))


def _lock(repo: Repository, now: float) -> Iterator[Line]:
    lock = repo.git_dir / "index.lock"
    try:
        age = now - lock.stat().st_mtime
    except FileNotFoundError:
        return
    if lock_is_ours(repo) and age > _OUR_TIME:
        yield Line("index.lock", "warn", "a killed commit of vaultd's may have left git's index locked", FIX)
    elif age > _GITS_TIME:
        says = f"another program has locked git's index for {round(age / 60):,} minutes"
        yield Line("index.lock", "warn", says, f"if no git runs: rm '{lock}'")


def lock_is_ours(repo: Repository) -> bool:
    """Tell whether a commit of vaultd's took the lock that is on git's index."""
    lock = repo.git_dir / "index.lock"
    try:
        return any(lock.samefile(note) for note in (repo.git_dir / "vaultd").glob("commit-*.lock"))
    except FileNotFoundError:
        return False
