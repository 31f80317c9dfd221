"""Which notes belong to a plan: those that bear its tag."""

from vaultd.index.mirror import Mirror
from vaultd.index.rows import unstored
from vaultd.lifecycle.fields import PLAN_TAG


def plan_notes(mirror: Mirror, slug: str) -> list[str]:
    """Return the paths of a plan's notes, sorted."""
    named = "SELECT DISTINCT n.path FROM properties p JOIN names n ON n.number = p.note"
    rows = mirror.rows(f"{named} WHERE p.folded = 'tags' AND p.text = ?", PLAN_TAG + slug)
    return sorted(unstored(str(path)) for (path,) in rows)
