"""The bytes git keeps, through long-lived `cat-file` processes."""

import os
import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Self

from vaultd.errors import StorageError
from vaultd.history.process import end
from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded, encoded

_FEW = 16


class Objects:
    """Reads objects one by one from a process that stays, and many at once from one that is gone afterwards."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the process; the next read starts another."""
        with self._lock:
            self._drop()

    def read(self, oid_or_rev: str) -> bytes | None:
        """Return an object's bytes, None when there is no such object; `REV:PATH` takes paths from the work tree's top."""
        name = oid_or_rev
        if "\n" in name:
            name = self._name_of(name)
        if not name:
            return None
        with self._lock:
            try:
                return self._ask(name)
            except (BrokenPipeError, EOFError):
                # The process was killed under us, or repacking took its packs away: a fresh one knows better.
                self._drop()
            try:
                return self._ask(name)
            except (BrokenPipeError, EOFError) as exc:
                self._drop()
                raise StorageError(f"git cat-file ended while it read {name}") from exc

    def read_many(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Give each object that exists with its name, in the order asked for."""
        asked = list(oids)
        if len(asked) <= _FEW:
            for oid in asked:
                data = self.read(oid)
                if data is not None:
                    yield oid, data
            return
        request = "".join(f"{oid}\n" for oid in asked).encode()
        with self._fed(("cat-file", "--batch", "--buffer"), request) as answers:
            for oid in asked:
                data = _answer(answers)
                if data is not None:
                    yield oid, data

    def read_filtered(self, oid: str, path: str) -> bytes | None:
        """Return a blob as git would put it into the work tree at `path`: smudged, decoded, with its line ends."""
        ended = self._repo.git.attempt("cat-file", "--filters", f"--path={self._repo.full(path)}", oid)
        if ended.code == 0:
            return ended.out
        if self.read(oid) is None:
            return None
        raise StorageError(f"{path}: {ended.err}")

    def read_filtered_many(self, wanted: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, bytes]]:
        """Give (blob id, path, bytes in work-tree form) for each blob that exists, in the order asked for."""
        asked = list(wanted)
        if len(asked) <= _FEW or any("\n" in path for _, path in asked):
            for oid, path in asked:
                data = self.read_filtered(oid, path)
                if data is not None:
                    yield oid, path, data
            return
        # The size git announces is that of the stored form, so an answer ends where a name nobody has is not found.
        mark = os.urandom(20).hex()
        request = b"".join(encoded(f"{oid} {self._repo.full(path)}\n{mark}\n") for oid, path in asked)
        with self._fed(("cat-file", "--batch", "--buffer", "--filters"), request) as answers:
            for oid, path in asked:
                data = _marked_answer(answers, encoded(f"{mark} missing\n"))
                if data is not None:
                    yield oid, path, data

    def _name_of(self, rev: str) -> str:
        ended = self._repo.git.attempt("rev-parse", "-q", "--verify", "--end-of-options", rev)
        return decoded(ended.out).strip().split("\n")[-1] if ended.code == 0 else ""

    def _ask(self, name: str) -> bytes | None:
        if self._child is None:
            self._child = self._repo.git.start("cat-file", "--batch")
        writing, reading = _pipes(self._child)
        writing.write(encoded(name) + b"\n")
        writing.flush()
        return _answer(reading)

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        end(child)
        child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            _close_quietly(pipe)

    @contextmanager
    def _fed(self, command: tuple[str, ...], request: bytes) -> Iterator[IO[bytes]]:
        # From a file, not through a pipe: a thread that fed it would wait for its turn more than git does.
        from tempfile import TemporaryFile  # noqa: PLC0415  -- slow to import, and few objects are asked for this way

        with TemporaryFile() as asked:
            asked.write(request)
            asked.seek(0)
            with self._repo.git.started(*command, stdin=asked) as child:
                if child.stdout is None:
                    raise StorageError("git was started without pipes")
                yield child.stdout


def _pipes(child: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    if child.stdin is None or child.stdout is None:
        raise StorageError("git was started without pipes")
    return child.stdin, child.stdout


def _close_quietly(pipe: IO[bytes] | None) -> None:
    if pipe is None:
        return
    try:
        pipe.close()
    except BrokenPipeError:
        return


def _answer(reading: IO[bytes]) -> bytes | None:
    header = reading.readline()
    if not header.endswith(b"\n"):
        raise EOFError
    parts = header.split(b" ")
    if len(parts) < 3 or not parts[-1].strip().isdigit():
        return None
    size = int(parts[-1])
    data = reading.read(size + 1)
    if len(data) != size + 1:
        raise EOFError
    return data[:size]


def _marked_answer(reading: IO[bytes], mark: bytes) -> bytes | None:
    header = reading.readline()
    pieces = []
    while True:
        line = reading.readline()
        if not line:
            raise StorageError("git could not bring a note into its work-tree form", "git status names the filter")
        if line == mark:
            break
        pieces.append(line)
    return b"".join(pieces)[:-1] if pieces and not header.endswith(b" missing\n") else None


def blob_id(data: bytes, object_format: str) -> str:
    """Return the name git gives to these bytes when no filter changes them."""
    import hashlib  # noqa: PLC0415 -- slow to load, and a check of what git holds names no bytes

    digest = hashlib.new(object_format, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()
