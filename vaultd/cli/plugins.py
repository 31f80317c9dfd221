"""The verbs below `plugin`: which there are, which the vault wants, which this machine trusts."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.reaching import ask_daemon, opened_app, start_of
from vaultd.cli.visible import readable, visible
from vaultd.errors import PluginError, UsageError, VaultdError
from vaultd.host.beginning import begin_plugin
from vaultd.host.crashes import Quarantine
from vaultd.host.discovery import Found, chosen, discover
from vaultd.host.enabling import load_wanted, save_wanted
from vaultd.host.manifest import Manifest
from vaultd.host.permissions import meaning
from vaultd.host.secrets import keep_secret
from vaultd.host.standing import Standing, standings
from vaultd.host.trees import read_tree
from vaultd.host.trust import load_trust, save_trust
from vaultd.judging.opened import Opened
from vaultd.values import replace

PLAIN_WORDS = (
    "A plugin is a Python program with your rights: it can read your files, use the network and start programs.",
    "The permissions above hold for what it asks vaultd for, and for nothing else.",
)


def list_(asked: Namespace) -> Outcome:
    """Show every plugin."""
    with _vault(asked) as opened:
        rows = standings(opened.root, opened.places.state)
        restricted = load_trust(opened.places.state).restricted
    rows = _as_they_run(rows, _status(asked))
    document: Document = {"vaultd": 1, "plugins": [plugin_row(row) for row in rows]}
    width = max((len(row.id) for row in rows), default=0)
    lines = [f"{row.id:<{width}}  {row.version:<8} {row.found.source:<9} {row.state:<12} {row.reason}" for row in rows]
    warnings = [
        f"vaultd: {row.id}: {warning}"
        for row in rows
        if row.found.manifest is not None
        for warning in row.found.manifest.warnings
    ]
    talk = ("vaultd: restricted mode is on: only plugins that come with vaultd run",) if restricted else ()
    return Outcome(document, tuple(line.rstrip() for line in lines), talk=(*warnings, *talk))


def plugin_row(row: Standing) -> Document:
    """Return how a plugin stands as a JSON object."""
    found = row.found
    return {"id": row.id, "version": row.version, "source": found.source, "state": row.state, "reason": row.reason}


def enable(asked: Namespace) -> Outcome:
    """Have the vault want a plugin."""
    with _claimed(asked) as opened:
        source = asked.source or load_wanted(opened.root).source.get(asked.id, "")
        found = chosen(discover(opened.root, asked.id), asked.id, source)
        if found.manifest is None:
            raise PluginError(f"{asked.id}: {found.problem}")
        wanted = load_wanted(opened.root).enable(asked.id, asked.source or "", required=asked.required)
        save_wanted(opened.root, wanted)
        return _stands(opened, asked, "enabled")


def disable(asked: Namespace) -> Outcome:
    """Have the vault want a plugin no more."""
    with _claimed(asked) as opened:
        save_wanted(opened.root, load_wanted(opened.root).disable(asked.id))
        _tell_daemon(asked)
    return Outcome({"vaultd": 1, "id": asked.id, "state": "disabled"}, (f"{asked.id}: disabled",))


def approve(asked: Namespace) -> Outcome:
    """Trust a plugin's files as they are."""
    with _claimed(asked) as opened:
        source = load_wanted(opened.root).source.get(asked.id, "")
        found = chosen(discover(opened.root, asked.id), asked.id, source)
        if found.manifest is None:
            raise PluginError(f"{asked.id}: {found.problem}")
        tree = read_tree(found.folder)
        shown = _approval(found, found.manifest, tree.hash)
        if not asked.yes:
            _ask(shown)
        trust = load_trust(opened.places.state).with_approval(asked.id, tree.hash)
        save_trust(opened.places.state, trust.with_development(asked.id) if asked.develop else trust)
        outcome = _stands(opened, asked, "approved")
    document = {**outcome.document, "hash": tree.hash, "permissions": list(found.manifest.permissions)}
    return Outcome(document, (*(shown if asked.yes else ()), *outcome.lines), talk=outcome.talk)


def reload(asked: Namespace) -> Outcome:
    """Start a plugin anew, and forget that it failed."""
    with _claimed(asked) as opened:
        Quarantine(opened.places.state).clear(asked.id)
        chosen(discover(opened.root, asked.id), asked.id)
        return _stands(opened, asked, "reloaded")


def new(asked: Namespace) -> Outcome:
    """Write the beginning of a plugin into the vault."""
    with _claimed(asked) as opened:
        paths = begin_plugin(opened.root, asked.id, asked.name or asked.id)
    lines = tuple(f"made {path}" for path in paths)
    next_ = f"vaultd: next: vaultd plugin enable {asked.id}; vaultd plugin approve {asked.id} --develop"
    return Outcome({"vaultd": 1, "id": asked.id, "paths": list(paths)}, lines, talk=(next_,))


def doctor(asked: Namespace) -> Outcome:
    """Start the plugins that the vault wants, apart from any daemon, and say what becomes of it."""
    from vaultd.plugged.examining import examine  # noqa: PLC0415  -- no other verb here starts a plugin

    with opened_app(_start(asked)) as app:
        app.opened.claim()
        rows = examine(app, asked.id or "")
    well = all(row["state"] == "enabled" for row in rows)
    lines = [line for row in rows for line in _examined(row)]
    return Outcome({"vaultd": 1, "plugins": rows}, tuple(lines), 0 if well else 1)


def _examined(row: Document) -> list[str]:
    if row["state"] != "enabled":
        return [f"fail  {row['id']}: {row['state']}: {row['reason']}", f"      its log is {row['log']}"]
    registered = row["registered"]
    signed_up = registered if isinstance(registered, dict) else {}
    return [
        f"ok    {row['id']} {row['version']}: loaded in {row['ms']} ms, {row['kilobytes']:,} kB",
        *(f"      {name}: {', '.join(map(str, has))}" for name, has in signed_up.items() if has and name != "schema"),
    ]


def secret(asked: Namespace) -> Outcome:
    """Keep a secret for a plugin, or forget it."""
    with _claimed(asked) as opened:
        chosen(discover(opened.root, asked.id), asked.id)
        keep_secret(opened.places.state, asked.id, asked.name, None if asked.remove else _typed(asked.name))
    done = "forgotten" if asked.remove else "kept"
    return Outcome(
        {"vaultd": 1, "id": asked.id, "name": asked.name, "kept": not asked.remove}, (f"{done}: {asked.name}",)
    )


def _typed(name: str) -> str:
    """Return what a person types unseen, or the one line that another program gives."""
    if not sys.stdin.isatty():
        return sys.stdin.read().rstrip("\r\n")
    from getpass import getpass  # noqa: PLC0415  -- only a person at a terminal is asked

    return getpass(f"{name}: ")


def restrict(asked: Namespace) -> Outcome:
    """Turn restricted mode on or off."""
    with _claimed(asked) as opened:
        on = asked.what == "on"
        save_trust(opened.places.state, load_trust(opened.places.state).restrict(on))
        _tell_daemon(asked)
    said = "only plugins that come with vaultd run" if on else "plugins that you approved run too"
    return Outcome({"vaultd": 1, "restricted": on}, (f"restricted mode is {asked.what}: {said}",))


def _approval(found: Found, manifest: Manifest, tree_hash: str) -> tuple[str, ...]:
    asks = [f"  {one:<24} {meaning(one)}" for one in manifest.permissions] or ["  nothing"]
    return (
        visible(f"{manifest.name} {manifest.version} by {manifest.author} ({found.source})"),
        f"  {visible(manifest.description)}",
        f"files {tree_hash[:16]} in {found.folder}",
        "asks for:",
        *asks,
        *PLAIN_WORDS,
    )


def _ask(shown: tuple[str, ...]) -> None:
    if not sys.stdin.isatty():
        raise UsageError("an approval is a person's", "vaultd plugin approve ID shows what it asks for; --yes is a yes")
    print(readable("\n".join(shown)), file=sys.stderr)
    if input("trust it? [y/N] ").strip().lower() not in ("y", "yes"):
        raise UsageError("nothing was changed", "vaultd plugin approve --yes does not ask")


def _stands(opened: Opened, asked: Namespace, done: str) -> Outcome:
    """Tell what was done to a plugin, and what still keeps it from running."""
    _tell_daemon(asked)
    rows = [row for row in standings(opened.root, opened.places.state) if row.id == asked.id]
    document: Document = {"vaultd": 1, **plugin_row(rows[0])}
    left = (f"vaultd: it does not run yet: {rows[0].reason}",) if rows[0].reason else ()
    return Outcome(document, (f"{asked.id}: {done}",), talk=left)


def _tell_daemon(asked: Namespace) -> None:
    """Have a running daemon look again; one that cannot now looks by itself within seconds."""
    try:
        ask_daemon(_start(asked), "plugins_changed", {"reload": asked.id} if asked.plugin_verb == "reload" else {})
    except VaultdError:
        return


def _status(asked: Namespace) -> Document | None:
    """Return what a running daemon says of the vault, None where it cannot or none runs."""
    try:
        return ask_daemon(_start(asked), "status", {})
    except VaultdError:
        return None


def _as_they_run(rows: list[Standing], told: Document | None) -> list[Standing]:
    """Return how plugins stand with what only the daemon knows that runs them: that one failed, or has what another wants."""
    live = told["plugins"] if told is not None else []
    known = {row["id"]: row for row in live} if isinstance(live, list) else {}
    return [
        replace(row, state=known[row.id]["state"], reason=known[row.id]["reason"])
        if row.state == "enabled" and row.id in known
        else row
        for row in rows
    ]


def _start(asked: Namespace) -> Path:
    return start_of(asked.vault)


@contextmanager
def _vault(asked: Namespace) -> Iterator[Opened]:
    with opened_app(_start(asked)) as app:
        yield app.opened


@contextmanager
def _claimed(asked: Namespace) -> Iterator[Opened]:
    with _vault(asked) as opened:
        opened.claim()
        yield opened
