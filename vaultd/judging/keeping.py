"""The last judgement, kept with all that it hangs on: a start that finds nothing changed reads it and judges nothing."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from vaultd import __version__
from vaultd.history.repository import head_quick, merge_heads
from vaultd.lifecycle.events import NOTHING_EXPLAINED
from vaultd.lifecycle.formats import FORMAT
from vaultd.lifecycle.violations import Violation
from vaultd.values import asdict, dataclass

if TYPE_CHECKING:  # what is kept is read without all that judging takes
    from vaultd.judging.opened import Opened
    from vaultd.judging.present import Present

_NAME = "judged"


@dataclass(frozen=True, slots=True)
class Kept:
    """What was found where the working tree held just what HEAD holds, and nothing was in question."""

    head: str
    memories: Mapping[str, int]
    """How many are active, superseded and archived."""
    violations: tuple[Violation, ...]
    """Those of notes; what the directory has wrong is not among them."""


def moment(opened: "Opened") -> str:
    """Return what a judgement hangs on: HEAD, what is indexed, settings, version; empty where other things count too."""
    head = head_quick(opened.recorded) if opened.started else None
    if head is None or merge_heads(opened.recorded) or opened.explained() != NOTHING_EXPLAINED:
        return ""
    return f"{head} {opened.mirror.generation()} {__version__} {FORMAT} {opened.settings}"


def kept_at(opened: "Opened", at: str) -> Kept | None:
    """Return the judgement kept for a moment."""
    text = opened.mirror.get(_NAME) if at else None
    if not text or not text.startswith(at + "\n"):
        return None
    memories, rows = json.loads(text[len(at) :])
    return Kept(at.partition(" ")[0], memories, tuple(Violation(**row) for row in rows))


def keep(opened: "Opened", at: str, present: "Present", violations: Iterable[Violation]) -> None:
    """Keep a judgement for its moment, or forget the last one where this hangs on more than a moment tells."""
    text = ""
    if at.partition(" ")[0] == present.head and _hangs_on_nothing_else(present):
        rows = [asdict(violation) for violation in violations]
        text = at + "\n" + json.dumps([memories_of(present), rows])
    if text != (opened.mirror.get(_NAME) or ""):
        opened.mirror.put(_NAME, text)


def _hangs_on_nothing_else(present: "Present") -> bool:
    told = present.changes or present.unrecorded or present.notices or present.verdict.violations
    return not told and present.verdict.delta.empty and not present.base.open


def memories_of(present: "Present") -> dict[str, int]:
    """Return how many memories are active, superseded and archived."""
    from vaultd.lifecycle.states import word  # noqa: PLC0415

    counts = Counter(word(standing.state) for standing in present.ground.standings.values() if not standing.gone)
    return {state: counts[state] for state in ("active", "superseded", "archived")}
