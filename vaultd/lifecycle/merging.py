"""At a merge: which parents count for a memory, and what holds where the merged file says none of their values."""

from collections.abc import Iterable, Mapping, Sequence

from vaultd.lifecycle.ground import Ground
from vaultd.lifecycle.states import Active, Archived, Standing, State, Superseded


def priors_of(id_: str, parents: Sequence[Ground], bases: Sequence[Mapping[str, Standing]]) -> tuple[Standing, ...]:
    """Return the accepted standings a memory may go on from.

    A parent does not count if its values are those of a merge base and another parent's are not, so that "keep mine"
    cannot undo what the other side did, unseen. A memory that no merge base knows began as an active one.
    """
    standings = [parent.standings.get(id_) for parent in parents]
    if len(standings) == 1:
        return (standings[0],) if standings[0] is not None else ()
    old = [_value(base.get(id_)) for base in bases]
    if not any(old):
        old += [None, (Active(), False)]
    moved_on = [standing for standing in standings if _value(standing) not in old]
    counting = moved_on or standings
    return tuple(standing for standing in counting if standing is not None)


def disagreeing(one: Ground, other: Ground) -> Iterable[str]:
    """Return the ids for which two parents hold different standings."""
    for id_, standing in other.standings.items():
        mine = one.standings.get(id_)
        if mine is not standing and mine != standing:
            yield id_
    yield from one.standings.keys() - other.standings.keys()


def held_of(priors: Sequence[Standing]) -> Standing | None:
    """Return what holds where no written value is valid: chosen by value, never by the order of parents."""
    return min(priors, key=_precedence, default=None)


def _precedence(standing: Standing) -> tuple[bool, str, str]:
    match standing.state:
        case Active():
            return (True, "", "")
        case Archived(at):
            return (False, at, "")
        case Superseded(at, by):
            return (False, at, by)


def _value(standing: Standing | None) -> tuple[State, bool] | None:
    if standing is None:
        return None
    state = standing.state
    return (Superseded(state.at, state.by, "") if isinstance(state, Superseded) else state, standing.gone)
