"""Plugins where no daemon runs: started for one command, and ended with it."""

from collections.abc import Sequence

from vaultd.app import App
from vaultd.checks import Document
from vaultd.host.enabling import load_wanted
from vaultd.host.trust import load_trust
from vaultd.index.fields import drop_fields
from vaultd.lifecycle.violations import Severity
from vaultd.plugged.indexing import index_all
from vaultd.plugged.plugins import Plugins, plugins_of
from vaultd.plugged.validating import Validating, in_scope, joined


def check_alone(app: App, document: Document, scope: str, paths: Sequence[str], severity: Severity) -> Document:
    """Return a check with what plugins find wrong; as it is where the vault wants none."""
    if not load_wanted(app.opened.root).enabled:
        return document
    with plugins_of(app) as plugins:
        return joined(document, in_scope(Validating(), scope, app.opened, plugins), paths, severity)


def index_alone(app: App) -> None:
    """Bring the fields of plugins to what the notes say, and forget those of plugins that the vault wants no more."""
    if not load_wanted(app.opened.root).enabled:
        drop_fields(app.opened.mirror, ())
        return
    with plugins_of(app) as plugins:
        index_all(app, plugins)


def status_alone(app: App) -> Document:
    """Return how the plugins stand that the vault wants, none of them started."""
    plugins = Plugins(app)
    plugins.look()
    return {"plugins": plugins.rows(), "restricted": load_trust(app.opened.places.state).restricted}
