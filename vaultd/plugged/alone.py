"""Plugins where no daemon runs: started for one command, and ended with it."""

import contextlib
from collections.abc import Sequence

from vaultd.app import App
from vaultd.checks import Document
from vaultd.errors import UsageError
from vaultd.host.enabling import load_wanted
from vaultd.host.trust import load_trust
from vaultd.index.fields import drop_fields
from vaultd.lifecycle.violations import Severity
from vaultd.plugged.indexing import index_all
from vaultd.plugged.plugins import Plugins, plugins_of
from vaultd.plugged.validating import Validating, in_scope, joined


def check_alone(app: App, document: Document, scope: str, paths: Sequence[str], severity: Severity) -> Document:
    """Return a check with what plugins find wrong; as it is where the vault wants none."""
    plugins = Plugins(app)
    with contextlib.suppress(UsageError):
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
    except UsageError:
        return
    if not enabled:
        drop_fields(app.opened.mirror, ())
        return
    with plugins_of(app) as plugins:
        index_all(app, plugins)


def status_alone(app: App) -> Document:
    """Return how the plugins stand that the vault wants, none of them started."""
    plugins = Plugins(app)
    with contextlib.suppress(UsageError):
        plugins.look()
    return {"plugins": plugins.rows(), "restricted": load_trust(app.opened.places.state).restricted}
