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
