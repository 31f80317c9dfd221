"""How far each consumer has read: the set of what it was given, so that nothing that arrives late is passed over."""

from vaultd.errors import ConflictError
from vaultd.state.options import Options
from vaultd.values import dataclass

_PREFIX = "delta:"


@dataclass(frozen=True, slots=True)
class Cursor:
    """What one consumer has read, of which part of the vault."""

    scope: str
    """Spells out what it asks for; another scope needs another consumer."""
    seen: frozenset[str] = frozenset()


def cursor_of(options: Options, consumer: str, scope: str) -> Cursor:
    """Return a consumer's cursor; a new one has seen nothing.

    Raises:
        ConflictError: it reads another part of the vault.
    """
    return _checked(options.get(_PREFIX + consumer), consumer, scope)


def advance(options: Options, consumer: str, scope: str, ids: frozenset[str]) -> Cursor:
    """Add to what a consumer has read; nothing is ever taken away, and two that advance at once lose nothing.

    Raises:
        ConflictError: it reads another part of the vault.
    """

    def more(before: object) -> object:
        cursor = _checked(before, consumer, scope)
        return {"scope": scope, "seen": sorted(cursor.seen | ids)}

    return _checked(options.change(_PREFIX + consumer, more), consumer, scope)


def _checked(stored: object, consumer: str, scope: str) -> Cursor:
    if not isinstance(stored, dict):
        return Cursor(scope)
    if stored.get("scope") != scope:
        raise ConflictError(
            f"{consumer} reads {stored.get('scope')}, not {scope}", "ask as before, or use another consumer name"
        )
    seen = stored.get("seen")
    return Cursor(scope, frozenset(map(str, seen)) if isinstance(seen, list) else frozenset())
