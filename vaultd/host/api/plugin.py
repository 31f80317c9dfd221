"""The class that a plugin derives from."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from vaultd.errors import StorageError, UsageError, VaultdError
from vaultd.host.api.application import App
from vaultd.host.api.components import Component
from vaultd.host.api.files import TFile
from vaultd.host.api.line import Line
from vaultd.host.api.metadata import CachedMetadata
from vaultd.host.api.problems import Change, Problem
from vaultd.host.api.registry import Action, Callback, Registry
from vaultd.host.api.settings import (
    SettingsError,
    as_dataclass,
    read_settings,
    schema_of,
    settings_as_data,
    variable_of,
)

if TYPE_CHECKING:
    from logging import Logger

    from vaultd.host.manifest import Manifest


class Plugin(Component):
    """A plugin: `onload` registers what it does, and all that is registered ends when it unloads.

    A nested class `Settings` declares its settings; annotate `settings: Settings` to have their types known.
    """

    Settings: ClassVar[type | None] = None
    settings: object = None
    app: App

    _registry: Registry

    def __init__(self, said: Mapping[str, object], line: Line, registry: Registry, vault_name: str) -> None:
        super().__init__()
        self.id = str(said["id"])
        self.version = str(said["version"])
        self._said = said
        self.app = App(line, registry, vault_name)
        self._line = line
        self._registry = registry
        self.read_settings()

    @cached_property
    def manifest(self) -> "Manifest":
        """Return what the plugin's `manifest.json` says."""
        from vaultd.host.manifest import manifest_of  # noqa: PLC0415  -- most plugins know what they are

        return manifest_of(self._said)

    @cached_property
    def log(self) -> "Logger":
        """Return what writes to the plugin's own log, with the time before each line."""
        import logging  # noqa: PLC0415  -- a sixth of the time that a start takes, and not every plugin has to say something

        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
        return logging.getLogger(self.id)

    async def on_user_enable(self) -> None:
        """Set up what is set up once, the first time that a person enables the plugin."""

    async def on_external_settings_change(self) -> None:
        """Hear that `data.json` was changed by something else; `settings` are the new ones already."""

    async def load_data(self) -> object:
        """Return what was saved, None where nothing was."""
        return self._line.ask("load_data")

    async def save_data(self, data: object) -> None:
        """Save a value that JSON can hold in the plugin's `data.json`."""
        self._line.ask("save_data", data=data)

    async def save_settings(self) -> None:
        """Save the settings, and keep what else `data.json` holds."""
        await self.save_data(settings_as_data(self.settings, await self.load_data()))

    def read_settings(self) -> None:
        """Read the settings from `data.json`.

        Raises:
            SettingsError: a value does not fit; the file stays as it is.
        """
        if self.Settings is None:
            return
        declared = as_dataclass(self.Settings)
        self._registry.schema = schema_of(declared)
        try:
            data = self._line.ask("load_data")
        except (UsageError, StorageError) as exc:
            raise SettingsError(exc.message, exc.hint) from exc
        self.settings = read_settings(declared, self._filled_in(data))

    def _filled_in(self, data: object) -> object:
        """Return data with values in the place of `{"$env": NAME}`."""
        if not isinstance(data, dict):
            return data
        return {key: self._value_of(key, value) for key, value in data.items()}

    def _value_of(self, key: str, value: object) -> object:
        name = variable_of(value)
        if name is None:
            return value
        try:
            return self._line.secret("environment", name=name)
        except VaultdError as exc:
            raise SettingsError(f"data.json: /{key}: {exc.message}", exc.hint) from exc

    def add_command(
        self,
        id: str,  # noqa: A002  -- Obsidian's word
        name: str,
        callback: Callback,
        check: Callable[[], bool] | None = None,
    ) -> None:
        """Add `vaultd <plugin>:<id>`, without arguments; `check` says whether it can be run now."""
        self._registry.add_command(id, Action(name, callback, {}, check))

    def register_cli_handler(self, command: str, description: str, flags: dict[str, type], handler: Callback) -> None:
        """Add `vaultd <command>`, which is `id:action`; `handler(params)` gives a text, rows or None.

        Flags are of str, int, float or bool; one that was not given is not in `params`.
        """
        self._registry.add_verb(command, Action(description, handler, dict(flags)))

    def register_validator(self, rule: str, fn: Callable[[Change], Iterable[Problem]]) -> None:
        """Have `fn` check notes wherever rules are checked; `rule` is `<id>/<name>`."""
        self._registry.add_validator(rule, fn)

    def register_indexer(
        self,
        field: str,
        type: type,  # noqa: A002  -- what it is
        fn: Callable[[TFile, CachedMetadata], object],
    ) -> None:
        """Add a field of int, float, str or bool to every note, for `search --where` and sorting; None is no value."""
        self._registry.add_indexer(field, type, fn)
