"""Plans: a slug over tasks; the work notes tagged with it are the vault's to know."""

from dataclasses import dataclass

from vaultd.state.claims import HELD
from vaultd.state.means import Means


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

    def list(self, slug: str = "") -> list[Plan]:
        """Return plans, the latest worked on first; one where its slug is given."""
        held = HELD.replace(":now", "?1")
        query = (
            "SELECT plan AS slug, COUNT(*) AS total, SUM(status IN ('done', 'dropped')) AS done,"
            f" SUM({held}) AS in_flight, SUM((status = 'in_progress' AND NOT ({held})) OR (status = 'open' AND NOT"
            " EXISTS (SELECT 1 FROM task_deps d JOIN tasks b ON b.id = d.depends_on WHERE d.task = tasks.id AND"
            " b.status IN ('open', 'in_progress')))) AS claimable, MAX(updated_at) AS last_activity"
            " FROM tasks WHERE plan <> '' AND ?2 IN ('', plan) GROUP BY plan ORDER BY last_activity DESC, plan"
        )
        rows = self.means.database.rows(query, self.means.now(), slug)
        return [Plan(**{**dict(row), "in_flight": row["in_flight"] or 0}) for row in rows]
