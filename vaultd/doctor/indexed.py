"""The index against itself and against the files."""

from collections.abc import Iterator

from vaultd.app import App
from vaultd.doctor.lines import Line, counted
from vaultd.errors import ConflictError
from vaultd.index.mirror import INO_BITS
from vaultd.index.tables import FILE
from vaultd.vault.scanning import Scan


def index_lines(app: App, found: Scan) -> Iterator[Line]:
    """Say how the index is, before anything brings it up to date."""
    if not (app.opened.places.index / FILE).exists():
        yield Line("index", "info", "there is none yet; the first search makes it")
        return
    try:
        wrong = disagreement(app)
    except ConflictError as exc:
        yield Line("index", "info", exc.message)
        return
    if wrong:
        yield Line("index", "warn", wrong, "vaultd rebuild")
        return
    mirror = app.opened.mirror
    says = f"schema {mirror.schema}, {counted(mirror.documents(), 'document')}, {mirror.bytes():,} bytes"
    yield Line("index", "ok", says)
    behind = _behind(app, found)
    if behind:
        says = f"{counted(behind, 'note')} changed since the index was written"
        yield Line("index age", "info", says, "the next search reads them; vaultd start keeps up")


def disagreement(app: App) -> str:
    """Return what is wrong inside the index, empty where nothing is; what a writer has half done is not wrong.

    Raises:
        ConflictError: somebody is writing it for longer.
    """
    if not _disagreeing(app):
        return ""
    with app.writing_index():
        return _disagreeing(app)


def _disagreeing(app: App) -> str:
    mirror, fulltext = app.opened.mirror, app.fulltext
    if mirror.rebuilt or fulltext.rebuilt:
        return "it could not be used and begins anew"
    if mirror.expected():
        return "a writer was killed"
    documents, texts = mirror.documents(), fulltext.count()
    if documents != texts:
        return f"{documents:,} notes are listed, and {texts:,} can be searched"
    return ""


def _behind(app: App, found: Scan) -> int:
    known = app.opened.mirror.stamps()
    same = sum(
        path in known and known[path][:3] == (stamp.mtime_ns, stamp.size, stamp.ino & INO_BITS)
        for path, stamp in found.notes.items()
    )
    return len(found.notes.keys() | known.keys()) - same
