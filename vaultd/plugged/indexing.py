"""Bring the fields that plugins add to notes to what the notes say."""

from vaultd.app import App
from vaultd.errors import PluginError
from vaultd.host.api.registry import fits
from vaultd.host.hosted import VALIDATE, Hosted
from vaultd.host.process import PluginRaisedError
from vaultd.index.fields import Fielded, Fields, Value, drop_fields
from vaultd.plugged.plugins import Plugins

_AT_ONCE = 200
PATIENCE = 10.0


def index_all(app: App, plugins: Plugins) -> None:
    """Have every plugin say what it adds to notes that changed; one that fails adds nothing.

    Raises:
        ConflictError: another process writes the index.
    """
    for hosted in plugins.running():
        while index_some(app, hosted):
            pass
    drop_fields(app.opened.mirror, [one.id for one in plugins.running() if not one.unfit])


def index_some(app: App, hosted: Hosted) -> bool:
    """Have a plugin say what it adds to some notes, and return whether there may be more of them.

    Raises:
        ConflictError: another process writes the index.
    """
    try:
        if not hosted.registered.get("indexers"):
            return False
        fields = Fields(app.opened.mirror, hosted.id, hosted.tree.hash)
        missing = fields.missing(_AT_ONCE)
        said = [_fielded(app, hosted, path, key) for path, key in missing.items()]
    except PluginError:
        return False
    if said:
        with app.writing_index(PATIENCE):
            fields.put(said)
    return len(missing) == _AT_ONCE


def _fielded(app: App, hosted: Hosted, path: str, key: str) -> Fielded:
    """Return what a plugin says of a note."""
    data = app.opened.read(path)
    if data is None or app.opened.blob_id(data) != key:
        return Fielded(path, "", {})
    args: dict[str, object] = {"path": path, "text": data.decode("utf-8", "replace")}
    try:
        said = hosted.call("index", args, VALIDATE)
    except PluginRaisedError:
        # its log has it; one note that it fails on keeps it from no other
        said = {}
    return Fielded(path, key, _values(said, hosted.registered.get("indexers")))


def _values(said: object, declared: object) -> dict[str, Value]:
    """Return the values that are of a field's type, of fields that the plugin signed up for."""
    if not isinstance(said, dict) or not isinstance(declared, dict):
        return {}
    return {name: said[name] for name, kind in declared.items() if name in said and fits(said[name], kind)}
