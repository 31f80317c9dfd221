"""V101: at most one active memory per project and name, compared NFC and case-folded."""

from collections.abc import Mapping, Sequence

from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.states import Standing
from vaultd.lifecycle.violations import Violation


def deny_names(parents: Sequence[Ground], after: Mapping[str, Standing | None]) -> dict[str, Violation]:
    """Return, by id, the newcomers to a name that another active memory has.

    Who was active under the name at a parent keeps it; among newcomers the smaller path does, and where two parents
    each had one, the smaller id.
    """
    denied: dict[str, Violation] = {}
    ground = parents[0]
    for key, newer in sorted(_newer(ground, after).items()):
        rivals = [*(ground.standings[id_] for id_ in ground.active_under(key) if id_ not in after), *newer]
        if len(rivals) < 2:
            continue
        incumbents = [rival for rival in rivals if any(rival.id in p.active_under(key) for p in parents)]
        keeper = min(incumbents, key=lambda s: s.id) if incumbents else min(rivals, key=lambda s: (s.path, s.id))
        for rival in rivals:
            if rival.id != keeper.id and rival.id in after:
                denied[rival.id] = _taken(rival, keeper)
    return denied


def _newer(ground: Ground, after: Mapping[str, Standing | None]) -> dict[tuple[str, str], list[Standing]]:
    """Return, by name, who is active after the step among those that it looked at."""
    found: dict[tuple[str, str], list[Standing]] = {}
    for standing in after.values():
        if standing is not None and standing.active and (place := ground.place(standing.path)):
            found.setdefault(place.key, []).append(standing)
    return found


def _taken(rival: Standing, keeper: Standing) -> Violation:
    return Violation(
        "V101",
        "error",
        rival.path,
        1,
        f"{keeper.path} is the active memory of this name",
        "rename one of the two, or supersede one by the other",
        subject=rival.id,
    )
