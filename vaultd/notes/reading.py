"""What reading a YAML block gives: properties, where they stand, and what is wrong with them."""

from collections.abc import Mapping

from vaultd.notes.findings import Finding
from vaultd.notes.scalars import Value
from vaultd.values import dataclass, field

LIFECYCLE_KEYS = frozenset(
    ("id", "kind", "name", "project", "created", "updated", "valid_from", "invalid_at", "superseded_by")
)
ID_KEYS = frozenset(("id", "superseded_by"))
FIRST_LINE = 2
"""The file line of the first line of YAML: the opening fence is line 1."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of one YAML block; `properties` is empty where it is not readable."""

    properties: Mapping[str, Value] = field(default_factory=dict)
    key_lines: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    readable: bool = True
