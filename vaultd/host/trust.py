"""What this machine's user approved; it lies outside the vault, so that nothing that is synced can approve itself."""

from pathlib import Path

from vaultd.host.kept import read_object, strings_in, texts_in, write_object
from vaultd.values import dataclass, field, replace

FILE = "trust.json"


@dataclass(frozen=True, slots=True)
class Trust:
    """Approvals of one clone of one vault."""

    restricted: bool = True
    """Run no plugin but those that come with vaultd."""
    approved: dict[str, str] = field(default_factory=dict)
    """Plugin id to the hash of the tree that was approved."""
    develop: tuple[str, ...] = ()
    """Plugins that are being written here: each change of their files is approved as it comes."""

    def with_approval(self, id_: str, tree_hash: str) -> "Trust":
        """Return it with these very files approved, and no others that come later."""
        left = tuple(one for one in self.develop if one != id_)
        return replace(self, approved={**self.approved, id_: tree_hash}, develop=left)

    def with_development(self, id_: str) -> "Trust":
        """Return it with a plugin approved whatever its files become."""
        return replace(self, develop=tuple(sorted({*self.develop, id_})))

    def restrict(self, on: bool) -> "Trust":  # noqa: FBT001  -- it is the one thing that is set
        """Return it with restricted mode on or off."""
        return replace(self, restricted=on)


def load_trust(state: Path) -> Trust:
    """Return what was approved; nothing, and restricted mode, where nobody has decided yet.

    Raises:
        UsageError: the file is broken.
        StorageError: it cannot be read.
    """
    said = read_object(state / FILE)
    return Trust(said.get("restricted") is not False, texts_in(said.get("approved")), strings_in(said.get("develop")))


def save_trust(state: Path, trust: Trust) -> None:
    """Remember what was approved.

    Raises:
        StorageError: it cannot be written.
    """
    said: dict[str, object] = {"restricted": trust.restricted, "approved": trust.approved}
    write_object(state / FILE, said | ({"develop": list(trust.develop)} if trust.develop else {}), 0o600)
