"""Which plugins a vault wants: `.vaultd/plugins.json`, text under git like every setting of the vault."""

from collections.abc import Mapping
from pathlib import Path

from vaultd.errors import UsageError
from vaultd.host.kept import read_object, strings_in, texts_in, write_object
from vaultd.values import dataclass, field, replace

FILE = ".vaultd/plugins.json"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the vault wants; that it wants a plugin does not make it trusted."""

    enabled: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """Plugins whose validators must have answered for a check to pass."""
    source: dict[str, str] = field(default_factory=dict)
    """Where to take a plugin from that lies in several places."""

    def enable(self, id_: str, source: str = "", *, required: bool = False) -> "Wanted":
        """Return it with a plugin enabled."""
        chosen = {**self.source, id_: source} if source else self.source
        needed = tuple(sorted({*self.required, id_})) if required else self.required
        return replace(self, enabled=tuple(sorted({*self.enabled, id_})), required=needed, source=chosen)

    def disable(self, id_: str) -> "Wanted":
        """Return it without a plugin."""
        return Wanted(
            tuple(one for one in self.enabled if one != id_),
            tuple(one for one in self.required if one != id_),
            {key: source for key, source in self.source.items() if key != id_},
        )


def load_wanted(root: Path) -> Wanted:
    """Return which plugins a vault wants.

    Raises:
        UsageError: the file is broken.
        StorageError: it cannot be read.
    """
    said = read_object(root / FILE)
    return Wanted(_ids(said, "enabled"), _ids(said, "required"), texts_in(said.get("source")))


def _ids(said: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return the ids that a key lists; what is no list could want anything, so it is not taken for nothing."""
    value = said.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f'plugins.json: "{key}" is no list of ids', f'write "{key}": ["ID"]')
    return strings_in(value)


def save_wanted(root: Path, wanted: Wanted) -> None:
    """Write which plugins a vault wants, keeping keys that are not ours.

    Raises:
        UsageError: the file there is broken.
        StorageError: it cannot be written.
    """
    said = read_object(root / FILE)
    ours: dict[str, object] = {"enabled": list(wanted.enabled)}
    ours |= {"required": list(wanted.required)} if wanted.required else {}
    ours |= {"source": wanted.source} if wanted.source else {}
    others = {key: value for key, value in said.items() if key not in {"enabled", "required", "source"}}
    write_object(root / FILE, {**ours, **others})
