"""What a plugin reaches everything through."""

from collections.abc import Callable

from vaultd.host.api.components import EventRef
from vaultd.host.api.files import TFile, path_of
from vaultd.host.api.line import Line
from vaultd.host.api.metadata import MetadataCache
from vaultd.host.api.registry import Callback, Registry, Subscription
from vaultd.host.api.secrets import SecretStorage
from vaultd.host.api.vault import FileManager, Vault


class Lifecycle:
    """What happens to memories."""

    def __init__(self, line: Line, registry: Registry) -> None:
        self._line = line
        self._registry = registry

    def on(self, name: str, callback: Callback, *, own: bool = False) -> EventRef:
        """Be told, once it is committed, of `superseded` (old, new), `created`, `archived` or `restored` (file).

        `rejected` (file, code) tells of an edit that is not accepted. What the plugin did itself is told only with `own`.

        Raises:
            UsageError: there is no such event.
        """
        one = Subscription(f"lifecycle.{name}", callback, own, replay=False)
        self._registry.subscribe(one)
        return EventRef(self._registry, one)

    async def supersede(self, old: TFile | str, new: TFile | str, reason: str = "") -> None:
        """Hand over from a memory to its successor.

        Raises:
            RejectedError: a rule forbids it.
        """
        self._line.ask("supersede", old=path_of(old), new=path_of(new), reason=reason)

    async def archive(self, file: TFile | str, reason: str = "") -> None:
        """End a memory without a successor.

        Raises:
            RejectedError: a rule forbids it.
        """
        self._line.ask("archive", path=path_of(file), reason=reason)

    def chain(self, file: TFile | str) -> list[TFile]:
        """Return what a memory replaced and what replaced it, the oldest first."""
        return [TFile(str(row["path"])) for row in self._line.rows("chain", path=path_of(file))]


class Search:
    """Finding notes."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def query(self, text: str, limit: int = 20, where: str = "") -> list[dict[str, object]]:
        """Return what `vaultd search` finds: rows with path, title, score, line and snippet among others."""
        return self._line.rows("search", query=text, limit=limit, where=where)


class Git:
    """The ledger."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def ledger(self, limit: int = 20) -> list[dict[str, object]]:
        """Return what happened to memories, newest first: event, id, at, actor, reason and commit among others."""
        return self._line.rows("ledger", limit=limit)


class App:
    """The vault and all around it."""

    def __init__(self, line: Line, registry: Registry, vault_name: str) -> None:
        self._registry = registry
        self.vault = Vault(line, registry, vault_name)
        self.metadata_cache = MetadataCache(line, registry)
        self.file_manager = FileManager(line, self.vault)
        self.lifecycle = Lifecycle(line, registry)
        self.search = Search(line)
        self.git = Git(line)
        self.secret_storage = SecretStorage(line)

    def on_layout_ready(self, callback: Callable[[], object]) -> None:
        """Have something called once the daemon has seen the whole vault."""
        self._registry.ready.append(callback)
