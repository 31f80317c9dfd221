"""What is of record and no file of the vault: whether `state.db` can be used."""

from collections.abc import Iterator
from pathlib import Path

from vaultd.doctor.lines import Line
from vaultd.errors import StorageError
from vaultd.state.database import examine
from vaultd.state.tables import FILE


def state_lines(folder: Path) -> Iterator[Line]:
    """Say how the sidecar is; it is not made where there is none."""
    file = folder / FILE
    if not file.exists():
        yield Line("state", "info", "there is none yet; the first session or task makes it")
        return
    try:
        version = examine(file)
    except StorageError as exc:
        yield Line("state", "fail", exc.message, exc.hint)
    else:
        yield Line("state", "ok", f"schema {version}, {file.stat().st_size:,} bytes: {file}")
