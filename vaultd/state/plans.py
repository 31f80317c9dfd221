"""Plans: a slug over tasks; the work notes tagged with it are the vault's to know."""

import sqlite3
from collections.abc import Callable

from vaultd.state.claims import HELD
from vaultd.state.means import Means
from vaultd.values import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """How far a plan is."""

    slug: str
    total: int
    done: int
    """Steps that are done or dropped."""
    in_flight: int
    claimable: int
    last_activity: str

    @property
    def active(self) -> bool:
        """Return whether something is left to do."""
        return self.done < self.total


@dataclass(frozen=True, slots=True)
class Plans:
    """What is known of plans."""

    means: Means

    def list(self, slug: str = "", reads: Callable[[str], bool] = lambda _project: True) -> list[Plan]:
        """Return plans, the latest worked on first, as far as their steps are of projects that may be read.

        Where a slug is given, that plan.
        """
        held = HELD.replace(":now", "?1")
        query = (
            "SELECT project, plan AS slug, COUNT(*) AS total, SUM(status IN ('done', 'dropped')) AS done,"
            f" SUM({held}) AS in_flight, SUM((status = 'in_progress' AND NOT ({held})) OR (status = 'open' AND NOT"
            " EXISTS (SELECT 1 FROM task_deps d JOIN tasks b ON b.id = d.depends_on WHERE d.task = tasks.id AND"
            " b.status IN ('open', 'in_progress')))) AS claimable, MAX(updated_at) AS last_activity"
            " FROM tasks WHERE plan <> '' AND ?2 IN ('', plan) GROUP BY plan, project"
        )
        found: dict[str, Plan] = {}
        for row in self.means.database.rows(query, self.means.now(), slug):
            if reads(row["project"]):
                found[row["slug"]] = _together(found.get(row["slug"]), row)
        return sorted(sorted(found.values(), key=lambda one: one.slug), key=lambda one: one.last_activity, reverse=True)


def _together(so_far: Plan | None, row: sqlite3.Row) -> Plan:
    """Return a plan with the steps of one more project."""
    one = Plan(
        row["slug"], row["total"], row["done"], row["in_flight"] or 0, row["claimable"] or 0, row["last_activity"]
    )
    if so_far is None:
        return one
    return Plan(
        one.slug,
        so_far.total + one.total,
        so_far.done + one.done,
        so_far.in_flight + one.in_flight,
        so_far.claimable + one.claimable,
        max(so_far.last_activity, one.last_activity),
    )
