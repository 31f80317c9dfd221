"""Small JSON files that the host keeps, read whole and replaced whole."""

import json
import math
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from vaultd.errors import StorageError, UsageError
from vaultd.host.lines import whole

MOST_BYTES = 8_000_000
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read_file(file: Path, most: int = MOST_BYTES) -> bytes:
    """Return what a file holds, whatever it is that stands there: a pipe, a device and a huge file are refused.

    Raises:
        FileNotFoundError: nothing is there.
        StorageError: it is no file, cannot be read, or holds more than so many bytes.
    """
    try:
        with os.fdopen(os.open(file, _FLAGS), "rb") as reading:
            mode = os.fstat(reading.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise StorageError(f"{file} is no file", "put one there, or take it away")
            data = reading.read(most + 1)
    except FileNotFoundError:
        raise
    except OSError as exc:
        raise StorageError(f"{file} cannot be read: {exc.strerror}", "check its permissions") from exc
    if len(data) > most:
        raise StorageError(f"{file} holds more than {most:,} bytes", "nothing that belongs there is so large")
    return data


def load_json(data: bytes) -> object:
    """Return the value that JSON stands for, every text and number in it one that can be stored and told.

    Raises:
        ValueError: it is no JSON; a JSONDecodeError says where.
        RecursionError: it is nested too deep.
    """
    return whole(json.loads(data, parse_constant=_no_number, parse_float=_finite))


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _no_number(text)
    return number


def read_object(file: Path) -> dict[str, object]:
    """Return the object that a file holds, empty where there is no file.

    Raises:
        UsageError: it holds something else.
        StorageError: it cannot be read.
    """
    try:
        said = load_json(read_file(file))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"{file.name} is no JSON: {exc}", f"mend {file}, or delete it to begin anew") from exc
    if not isinstance(said, dict):
        raise UsageError(f"{file.name} holds no object", f"mend {file}, or delete it to begin anew")
    return said


def write_object(file: Path, said: Mapping[str, object], mode: int = 0o644) -> None:
    """Replace a file by one that holds this object.

    Raises:
        UsageError: it holds a text that is no Unicode.
        StorageError: it cannot be written.
    """
    fresh = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        data = (json.dumps(said, ensure_ascii=False, indent=2) + "\n").encode()
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.touch(mode)
        fresh.write_bytes(data)
        fresh.replace(file)
    except OSError as exc:
        fresh.unlink(missing_ok=True)
        raise StorageError(f"{file} cannot be written: {exc.strerror}", "check its permissions") from exc
    except UnicodeEncodeError as exc:
        raise UsageError(f"{file.name}: {exc.object[exc.start]!r} cannot be written as UTF-8") from exc


def strings_in(value: object) -> tuple[str, ...]:
    """Return the texts of a list, nothing of anything else."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def texts_in(value: object) -> dict[str, str]:
    """Return the texts of an object by their keys, nothing of anything else."""
    if not isinstance(value, dict):
        return {}
    return {key: text for key, text in value.items() if isinstance(text, str)}
