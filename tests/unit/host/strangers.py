"""Plugins written into a folder by a test, and run by the host in their own process."""

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

from vaultd.errors import UsageError
from vaultd.host.discovery import Found
from vaultd.host.hosted import Asking, Hosted
from vaultd.host.manifest import parse_manifest
from vaultd.host.process import DEFAULT_LIMITS, Limits
from vaultd.host.protocol import Message
from vaultd.host.standing import Standing
from vaultd.host.trees import read_tree

HEAD = "from vaultd.host.api import *\n"
EDIT = (
    "import os, time\n"
    "class P(Plugin):\n async def onload(self):\n  self.app.vault.on('modify', self.go)\n async def go(self, file):\n"
)
"""A plugin that does what follows each time that a note is saved."""
_SAY = "  for fd in range(3, 9):\n   try: os.write(fd, {})\n   except OSError: pass"
HOSTILE = {
    "crash-import": "1 / 0",
    "crash-onload": "class P(Plugin):\n async def onload(self): 1 / 0",
    "leaves": EDIT + "  os._exit(3)",
    "third": EDIT + "  self.n = getattr(self, 'n', 0) + 1\n  if self.n > 2: os._exit(3)",
    "segfault": EDIT + "  import ctypes; ctypes.string_at(0)",
    "closes-pipes": EDIT + "  os.closerange(0, 99)",
    "half-line": EDIT + _SAY.format("b'{}\\n{\\n'"),
    "false-number": EDIT + _SAY.format("b'{\"done\": 77}\\n'"),
    "long-line": EDIT + _SAY.format("b'x' * 9_000_000"),
    "spins": EDIT + "  while True: pass",
    "computes": EDIT + "  sum(range(10**13))",
    "hangs": EDIT + "  time.sleep(999)",
    "flood": EDIT + "  while True: print('x' * 1000)",
    "asks": EDIT + "  while True: self.app.search.query('frost')",
    "huge": EDIT + "  await self.save_data({'x': 'x' * 9_000_000})",
    "memory": EDIT + "  x = bytearray(1 << 40)",
    "reads-outside": EDIT + "  await self.app.vault.read('../../../etc/passwd')",
    "storm": EDIT + "  await self.app.vault.append(file, 'more\\n')",
    "forks": EDIT + "  for _ in range(10):\n   if os.fork() == 0: time.sleep(9)\n  os._exit(1)",
}
"""One plugin for each way to be in the way."""


def nothing(_asking: Asking, name: str, _args: Message) -> object:
    """Answer a plugin that has saved nothing."""
    if name in ("load_data", "save_data"):
        return None
    raise UsageError(f"nobody answers {name}")


def write_plugin(folder: Path, code: str, **manifest: object) -> Path:
    """Write a plugin whose id is the folder's name."""
    folder.mkdir(parents=True, exist_ok=True)
    said = {
        "id": folder.name,
        "name": folder.name,
        "author": "Ada",
        "version": "1.0.0",
        "minAppVersion": "1.0.0",
        "description": "Does it.",
        **manifest,
    }
    (folder / "manifest.json").write_text(json.dumps(said))
    (folder / "main.py").write_text(HEAD + textwrap.dedent(code))
    return folder


def hosted(
    tmp_path: Path,
    code: str,
    answer: Callable[[Asking, str, Message], object] = nothing,
    limits: Limits = DEFAULT_LIMITS,
    **manifest: object,
) -> Hosted:
    """Return a plugin that is trusted and was not started yet."""
    folder = write_plugin(tmp_path / "plugins/stale", code, **manifest)
    found = Found("stale", "vault", folder, parse_manifest((folder / "manifest.json").read_bytes(), "stale"))
    return Hosted(Standing(found, "enabled", "", read_tree(folder)), tmp_path / "state", "vault", answer, limits)
