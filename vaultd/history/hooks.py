"""The hooks that hold commits and pushes to the rules, installed beside whatever hooks are there."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vaultd.errors import StorageError, UsageError
from vaultd.history.commit_hooks import BEING_COMMITTED, hooks_folder
from vaultd.history.repository import Repository
from vaultd.history.spelling import decoded, encoded

NAMES = ("pre-commit", "pre-merge-commit", "pre-push")
_MARK = "# Written by `vaultd hooks install`; `vaultd hooks uninstall` takes it away."
_CHAINED = ".vaultd-chained"

_TOP = """\
#!/bin/sh
{mark}
python={python}
vault={vault}
chained="$0{suffix}"
"""
_STAGED = """\
if [ -n "${being_committed}" ] || [ ! -d "$vault/.vaultd" ]; then
  :
elif [ -x "$python" ]; then
  "$python" -m vaultd -C "$vault" check --staged || exit $?
else
  echo "vaultd: $python is gone, the notes were not checked; run: vaultd hooks install" >&2
fi
if [ -x "$chained" ]; then exec "$chained" "$@"; fi
exit 0
"""
_PUSHED = """\
pushed=$(cat)
if [ ! -d "$vault/.vaultd" ]; then
  :
elif [ -x "$python" ]; then
  while read -r _ new _ old; do
    case "$new" in *[!0]*) ;; *) continue ;; esac
    range=$new
    case "$old" in *[!0]*) if git cat-file -e "$old^{{commit}}" 2>/dev/null; then range=$old..$new; fi ;; esac
    "$python" -m vaultd -C "$vault" check --history "$range" </dev/null || exit $?
  done <<VAULTD_PUSHED
$pushed
VAULTD_PUSHED
else
  echo "vaultd: $python is gone, the notes were not checked; run: vaultd hooks install" >&2
fi
if [ -x "$chained" ]; then
  if [ -n "$pushed" ]; then printf '%s\\n' "$pushed"; fi | "$chained" "$@"
  exit $?
fi
exit 0
"""


def install(repo: Repository, python: Path, vault_prefix: str | None = None) -> list[str]:
    """Put the hooks in place and return the names of those that changed; a hook that is there is kept and run after.

    `python` is the interpreter that has vaultd; the vault is found at `vault_prefix` below the work tree.

    Raises:
        UsageError: the hooks folder is shared with other repositories.
        StorageError: it cannot be written.
    """
    folder = _own_folder(repo)
    prefix = repo.prefix if vault_prefix is None else vault_prefix
    with _refusals(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return [name for name in NAMES if _put(folder / name, _script(name, python, prefix))]


def uninstall(repo: Repository) -> list[str]:
    """Take our hooks away, put back what was there before, byte for byte, and return the names of those that changed.

    Raises:
        StorageError: the hooks folder cannot be written.
    """
    folder = hooks_folder(repo)
    with _refusals(folder):
        return [name for name in NAMES if _take(folder / name)]


def installed(repo: Repository) -> list[str]:
    """Return the names of the hooks that are ours now."""
    folder = hooks_folder(repo)
    return [name for name in NAMES if _is_ours(folder / name)]


@contextmanager
def _refusals(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise StorageError(f"{folder} cannot be written: {exc.strerror}", "check its permissions") from exc


def _own_folder(repo: Repository) -> Path:
    asked = repo.git.attempt("config", "--show-scope", "--get", "core.hooksPath")
    scope = decoded(asked.out).partition("\t")[0] if asked.code == 0 else ""
    if scope in {"global", "system"}:
        raise UsageError(
            f"core.hooksPath is {scope}: its hooks run in every repository",
            "give this one its own: git config core.hooksPath .git/hooks",
        )
    return hooks_folder(repo)


def _script(name: str, python: Path, prefix: str) -> bytes:
    top = _TOP.format(
        mark=_MARK, python=shlex.quote(str(python)), vault=shlex.quote(f"./{prefix}".rstrip("/")), suffix=_CHAINED
    )
    body = _PUSHED.format() if name == "pre-push" else _STAGED.format(being_committed=BEING_COMMITTED)
    return encoded(top + body)


def _put(hook: Path, script: bytes) -> bool:
    if _is_ours(hook):
        if hook.read_bytes() == script and os.access(hook, os.X_OK):
            return False
    elif hook.exists() or hook.is_symlink():
        _keep(hook)
    draft = hook.with_name(f".{hook.name}.vaultd-new")
    draft.write_bytes(script)
    draft.chmod(0o755)
    draft.replace(hook)
    return True


def _keep(hook: Path) -> None:
    kept = hook.with_name(hook.name + _CHAINED)
    if kept.exists() or kept.is_symlink():
        raise StorageError(f"{kept} is in the way", f"it was {hook.name} before; move one of the two away")
    hook.rename(kept)


def _take(hook: Path) -> bool:
    if not _is_ours(hook):
        return False
    kept = hook.with_name(hook.name + _CHAINED)
    if kept.exists() or kept.is_symlink():
        kept.replace(hook)
    else:
        hook.unlink()
    return True


def _is_ours(hook: Path) -> bool:
    try:
        return encoded(_MARK) in hook.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return False
