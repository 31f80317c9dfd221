"""Small JSON files that the host keeps, read whole and replaced whole."""

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from vaultd.errors import StorageError, UsageError


def read_object(file: Path) -> dict[str, object]:
    """Return the object that a file holds, empty where there is no file.

    Raises:
        UsageError: it holds something else.
        StorageError: it cannot be read.
    """
    try:
        said: object = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as exc:
        raise StorageError(f"{file} cannot be read: {exc.strerror}", "check its permissions") from exc
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"{file.name} is no JSON: {exc}", f"mend {file}, or delete it to begin anew") from exc
    if not isinstance(said, dict):
        raise UsageError(f"{file.name} holds no object", f"mend {file}, or delete it to begin anew")
    return said


def write_object(file: Path, said: Mapping[str, object], mode: int = 0o644) -> None:
    """Replace a file by one that holds this object.

    Raises:
        StorageError: it cannot be written.
    """
    fresh = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.touch(mode)
        fresh.write_text(json.dumps(said, ensure_ascii=False, indent=2) + "\n", "utf-8")
        fresh.replace(file)
    except OSError as exc:
        fresh.unlink(missing_ok=True)
        raise StorageError(f"{file} cannot be written: {exc.strerror}", "check its permissions") from exc


def strings_in(value: object) -> tuple[str, ...]:
    """Return the texts of a list, nothing of anything else."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def texts_in(value: object) -> dict[str, str]:
    """Return the texts of an object by their keys, nothing of anything else."""
    if not isinstance(value, dict):
        return {}
    return {key: text for key, text in value.items() if isinstance(text, str)}
