"""What a save made wrong or right again, as lines for whoever watches: names and rules, no text of notes."""

from collections.abc import Callable, Collection

from vaultd.app import Overview

_MOST = 5
"""Notes that are named after one look; a checkout may bring hundreds."""


class Verdicts:
    """Says what became wrong and what is right again since the last look; what was wrong before that is counted elsewhere."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._known: dict[str, dict[str, int]] | None = None

    def judged(self, seen: Overview) -> None:
        """Hear what was judged."""
        known, now = self._known, _errors(seen)
        self._known = now
        if known is None:
            return
        wrong = [path for path, codes in now.items() if codes.keys() - known.get(path, {}).keys()]
        for path in wrong[:_MOST]:
            new = {code: line for code, line in now[path].items() if code not in known.get(path, {})}
            word = "rejected" if path in seen.rejected else "wrong"
            rules = ", ".join(sorted(new))
            self._say(f"{word}: {path}:{min(new.values())} {rules}\n  vaultd check says why, and how to mend it")
        right = [path for path in known if path not in now]
        for path in right[:_MOST]:
            self._say(f"right again: {path}")
        self._count(wrong, "wrong")
        self._count(right, "right again")

    def _count(self, paths: Collection[str], word: str) -> None:
        if len(paths) > _MOST:
            self._say(f"{word}: {len(paths) - _MOST} more")


def _errors(seen: Overview) -> dict[str, dict[str, int]]:
    """Return, by path, the rules that are broken there and the first line of each."""
    found: dict[str, dict[str, int]] = {}
    for one in seen.violations:
        if one.severity == "error":
            codes = found.setdefault(one.path, {})
            codes[one.code] = min(one.line, codes.get(one.code, one.line))
    return found
