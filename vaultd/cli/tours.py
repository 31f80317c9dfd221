"""What the demos do, step by step: commands that are typed, and lines that are changed by hand."""

from collections.abc import Mapping
from types import MappingProxyType

from vaultd.cli.record_tours import FIVE_WRITES, SUPPORT_DESK
from vaultd.cli.steps import Edited, Step, Typed

_LAYOUT = "memory/photo-archive/storage-layout-2027.md"
_MIRROR = "memory/photo-archive/storage-on-a-mirror.md"
_CLOCK = "memory/river-radio/studio-clock-drifts.md"
_TOUR: tuple[Step, ...] = (
    Typed(
        "How the pictures are stored was decided three times. The old decisions are still there, and marked.",
        _MIRROR,
        ("memory", "chain", "photo-archive/storage-layout"),
    ),
    Typed(
        "It changes again: one command, two files, one commit.",
        _LAYOUT,
        (
            *("memory", "new", "--project", "photo-archive", "--kind", "decision", "--name", "storage-layout-2027"),
            *("--description", "As before, but the nightly copy runs at 03:30"),
            *("--body", "The nightly copy moved to 03:30.", "--supersedes", "photo-archive/storage-layout"),
            *("--reason", "the line is free at night"),
        ),
    ),
    Typed("Search answers with what holds now.", _LAYOUT, ("search", "nightly copy", "--limit", "2")),
    Edited(
        "Break a rule by hand: bring a decision back to life that was replaced.",
        _MIRROR,
        "invalid_at:",
        "invalid_at: null",
    ),
    Typed("Check names the rule and what mends it; nothing was committed.", _MIRROR, ("check", _MIRROR), 1),
    Typed(
        "Search is not fooled: the file says active, the answer says what was accepted.",
        _MIRROR,
        ("search", "mirror attic", "--all", "--project", "photo-archive", "--limit", "2"),
    ),
    Typed("Put the lifecycle back; any other edit in the file would stay.", _MIRROR, ("revert", _MIRROR)),
    Edited("End a memory by hand: the studio clock was mended.", _CLOCK, "invalid_at:", "invalid_at: {now}"),
    Typed("That is allowed. adopt adds the line that says so, and commits it now.", _CLOCK, ("adopt", _CLOCK)),
    Typed("Who did what, and why.", _CLOCK, ("log", "--limit", "3")),
)
TOURS: Mapping[str, tuple[Step, ...]] = MappingProxyType(
    {"tour": _TOUR, "five-writes": FIVE_WRITES, "support-desk": SUPPORT_DESK}
)
"""Name to steps."""
