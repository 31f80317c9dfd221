"""Plugins where no daemon runs: started for one command, and ended with it."""

import contextlib
from collections.abc import Sequence

from vaultd.app import App
from vaultd.documents import Document
from vaultd.errors import VaultdError
from vaultd.host.enabling import load_wanted
from vaultd.index.fields import drop_fields
from vaultd.lifecycle.violations import Severity
from vaultd.plugged.acting import act
from vaultd.plugged.indexing import index_all, index_some
from vaultd.plugged.plugins import Plugins, plugins_of
from vaultd.plugged.validating import Validating, in_scope, joined


def check_alone(app: App, document: Document, scope: str, paths: Sequence[str], severity: Severity) -> Document:
    """Return a check with what plugins find wrong; as it is where the vault wants none."""
    plugins = Plugins(app)
    with contextlib.suppress(VaultdError):
        plugins.look()
        if not plugins.rows():
            return document
    try:
        return joined(document, in_scope(Validating(), scope, app.opened, plugins), paths, severity)
    finally:
        plugins.close()


def index_alone(app: App) -> None:
    """Bring the fields of plugins to what the notes say, and forget those of plugins that the vault wants no more."""
    try:
        enabled = load_wanted(app.opened.root).enabled
    except VaultdError:
        return
    if not enabled:
        drop_fields(app.opened.mirror, ())
        return
    with plugins_of(app) as plugins:
        index_all(app, plugins)


def act_alone(app: App, verb: str, words: Sequence[str]) -> Document:
    """Return what a plugin's verb gives, with the plugin's own fields up to date.

    Raises:
        UsageError: the plugin has no such verb, or no such flag.
        PluginError: it does not run, or failed.
    """
    with plugins_of(app) as plugins:
        hosted = plugins.named(verb.partition(":")[0])
        while index_some(app, hosted):
            pass
        return act(plugins, verb, words)


def status_alone(app: App) -> Document:
    """Return how the plugins stand that the vault wants, none of them started."""
    plugins = Plugins(app)
    with contextlib.suppress(VaultdError):
        plugins.look()
    problems = {"problems": {"error": 1}} if plugins.broken else {}
    return {"plugins": plugins.rows(), "restricted": plugins.restricted, **problems}
