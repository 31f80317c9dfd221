"""Whether a plugin runs: enabled, trusted and compatible, or not, and why not."""

import json
from functools import cache
from pathlib import Path
from typing import Literal

from vaultd.errors import VaultdError
from vaultd.host.crashes import Quarantine
from vaultd.host.discovery import Found, discover, versions_of
from vaultd.host.enabling import Wanted, load_wanted
from vaultd.host.manifest import incompatible
from vaultd.host.trees import Tree, read_tree
from vaultd.host.trust import Trust, load_trust
from vaultd.values import dataclass

Word = Literal["enabled", "disabled", "untrusted", "quarantined", "incompatible"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One plugin, and whether it runs."""

    found: Found
    state: Word
    reason: str = ""
    tree: Tree | None = None
    """Its files as they were judged; None where they were not read."""

    @property
    def id(self) -> str:
        """Return its id."""
        return self.found.id

    @property
    def version(self) -> str:
        """Return its version, empty where its manifest cannot be read."""
        return self.found.manifest.version if self.found.manifest is not None else ""


def standings(root: Path, state: Path) -> list[Standing]:
    """Return how every plugin stands, by id; of several with one id the one that is taken comes first.

    Raises:
        UsageError: plugins.json or trust.json is broken.
    """
    wanted, trust, held = load_wanted(root), load_trust(state), Quarantine(state)
    taken: dict[str, Found] = {}
    rows: list[Standing] = []
    found = discover(root)
    for one in sorted(found, key=lambda f: wanted.source.get(f.id, f.source) != f.source):
        first = taken.setdefault(one.id, one)
        if first is one:
            rows.append(judge(one, wanted, trust, held))
        else:
            reason = f"the one of {first.source} is taken; vaultd plugin enable {one.id} --source {one.source}"
            rows.append(Standing(one, "disabled", reason))
    missing = [id_ for id_ in wanted.enabled if id_ not in taken]
    rows += [Standing(Found(id_, "vault", root, None), "incompatible", "it is not there") for id_ in missing]
    return sorted(rows, key=lambda row: row.id)


def enabled(root: Path, state: Path) -> list[Standing]:
    """Return the plugins that the vault wants, as they stand; cheap where it wants none."""
    wanted = load_wanted(root)
    return [one for one in standings(root, state) if one.id in wanted.enabled] if wanted.enabled else []


def judge(found: Found, wanted: Wanted, trust: Trust, held: Quarantine) -> Standing:
    """Return how one plugin stands."""
    if found.manifest is None:
        return Standing(found, "incompatible", found.problem)
    if found.id not in wanted.enabled:
        return Standing(found, "disabled")
    if why := incompatible(found.manifest, versions_of(found)):
        return Standing(found, "incompatible", why)
    try:
        tree = read_tree(found.folder)
    except VaultdError as exc:
        return Standing(found, "untrusted", exc.message)
    if why := _untrusted(found, tree, trust):
        return Standing(found, "untrusted", why, tree)
    if why := held.why_held(found.id):
        return Standing(found, "quarantined", f"{why}; vaultd plugin reload {found.id}", tree)
    return Standing(found, "enabled", "", tree)


def _untrusted(found: Found, tree: Tree, trust: Trust) -> str:
    if found.source == "shipped" and tree.hash == shipped_hashes().get(found.id):
        return ""
    if trust.restricted:
        return "restricted mode is on; vaultd plugin restrict off"
    if found.id in trust.develop:
        return ""
    known = trust.approved.get(found.id)
    if known is None:
        return f"not approved yet; vaultd plugin approve {found.id}"
    return "" if known == tree.hash else f"changed since it was approved; vaultd plugin approve {found.id}"


@cache
def shipped_hashes() -> dict[str, str]:
    """Return the hash of each plugin that comes with vaultd, as it was when vaultd was made."""
    hashes: dict[str, str] = json.loads((Path(__file__).parent / "shipped.json").read_bytes())
    return hashes
