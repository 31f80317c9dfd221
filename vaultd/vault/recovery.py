"""At start: finish or drop what a killed command left, where the bytes on disk still prove what it did."""

import os
from pathlib import Path
from typing import Literal

from vaultd.errors import VaultdError
from vaultd.values import dataclass
from vaultd.vault import crashing, intents
from vaultd.vault.intents import Held, Intent, Step, digest
from vaultd.vault.looks import Look
from vaultd.vault.reading import read_stable
from vaultd.vault.temporaries import is_temporary_of, sweep_temporaries
from vaultd.vault.writing import remove, write

Outcome = Literal["finished", "dropped", "reported"]


@dataclass(frozen=True, slots=True)
class Recovered:
    """What became of one killed command's intent."""

    intent: Intent
    outcome: Outcome
    held: Held | None
    """Given with `finished`: the caller commits, then forgets it, so that a crash before the commit loses nothing."""
    notes: tuple[str, ...] = ()
    """For people: what was found at the paths that could not be finished, and what was kept."""


def recover(root: Path, folder: Path) -> list[Recovered]:
    """Settle every intent whose writer is gone, oldest first.

    Where each path holds the bytes of before or after, a changeset that had begun is finished forward and one that had
    not is dropped. Anything else is reported and set aside, and no byte of it is written.
    """
    if not folder.is_dir():
        return []
    intents.sweep_drafts(folder)
    claimed = [held for file in intents.listed(folder) if (held := intents.claim(file)) is not None]
    return [_settled(root, held) for held in claimed]


def _settled(root: Path, held: Held) -> Recovered:
    intents.drop_lock(held)
    try:
        contents = intents.contents_of(held)
    except OSError as exc:
        return _reported(held, (f"its bytes are gone: {exc.strerror}",))
    kept = _sweep(root, held.intent, contents)
    states = {step.path: _state(root, step) for step in held.intent.steps}
    strange = [f"{path} holds neither the old nor the new text" for path, state in states.items() if state == "other"]
    if strange or kept:
        return _reported(held, (*strange, *(f"{name} was kept: it holds text that is nowhere else" for name in kept)))
    if not any(state == "after" for state in states.values()):
        intents.forget(held)
        return Recovered(held.intent, "dropped", None)
    try:
        for step in held.intent.steps:
            if states[step.path] == "before":
                _finish(root, step, contents, held.intent.looks.get(step.path))
    except VaultdError as exc:
        return _reported(held, (exc.message,))
    crashing.point("recovery:finished")
    return Recovered(held.intent, "finished", held)


def _reported(held: Held, notes: tuple[str, ...]) -> Recovered:
    away = intents.set_aside(held)
    return Recovered(held.intent, "reported", None, (*notes, f"the command's own text is kept beside {away}"))


def _state(root: Path, step: Step) -> Literal["before", "after", "both", "other"]:
    try:
        now = digest(read_stable(root, step.path).data)
    except FileNotFoundError:
        now = None
    except VaultdError:
        return "other"
    if step.before == step.after == now:
        return "both"
    if now == step.after:
        return "after"
    return "before" if now == step.before else "other"


def _finish(root: Path, step: Step, contents: dict[str, bytes], look: Look | None) -> None:
    base = read_stable(root, step.path).data if step.before is not None else None
    crashing.point("recovery:step")
    if step.after is not None:
        write(root, step.path, contents[step.path], base, look=look)
    elif base is not None:
        remove(root, step.path, base)


def _sweep(root: Path, intent: Intent, contents: dict[str, bytes]) -> list[str]:
    """Clear the temporaries of this intent's paths and return those that hold somebody else's text."""
    hashes = {step.path: {step.before, step.after} for step in intent.steps}
    places = [Path(os.path.realpath(root / path)) for path in hashes]

    def known(path: str, data: bytes) -> bool:
        return digest(data) in hashes.get(path, ()) or contents.get(path, b"").startswith(data)

    kept = sweep_temporaries(root, known)
    return [
        name for name in kept if any(is_temporary_of(Path(os.path.realpath(root / name)), place) for place in places)
    ]
