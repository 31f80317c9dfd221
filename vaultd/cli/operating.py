"""Verbs that keep vaultd running: start, restart, service; and completion for shells."""

import os
from argparse import Namespace

from vaultd.cli import background
from vaultd.cli.completing import grammar
from vaultd.cli.outcome import Document, Outcome
from vaultd.cli.parser import build
from vaultd.cli.reaching import opened_app, start_of
from vaultd.cli.running import STOP_PATIENCE, stop
from vaultd.cli.shells import SHELLS
from vaultd.vault.places import Places


def start(asked: Namespace) -> Outcome:
    """Begin a daemon in the background and wait until it is ready."""
    where = _claimed(asked)
    running = background.status_of(where, 1.0)
    if running is not None:
        return _told(running, where, "runs already")
    log_from = background.size_of_log(where)
    installed = background.installation_of(where.root.resolve(), where.state, os.environ)
    child = None
    if background.is_installed(installed):
        background.tell(installed.start)
    else:
        child = background.spawn(where)
    ready = background.wait_until_ready(where, child, log_from)
    if ready is not None:
        return _told(ready, where, "started")
    document: Document = {"vaultd": 1, "state": "starting", "pid": child.pid if child else None, "log": str(where.log)}
    return Outcome(document, ("still starting",), talk=("vaultd: it reads the notes; vaultd status waits for it",))


def _claimed(asked: Namespace) -> Places:
    from vaultd.app import require_vault  # noqa: PLC0415  -- completion does without it

    with opened_app(start_of(asked.vault)) as app:
        require_vault(app)
        app.opened.claim()
        return app.opened.places


def _told(status: Document, where: Places, how: str) -> Outcome:
    document: Document = {"vaultd": 1, "state": status["state"], "pid": status["pid"], "log": str(where.log)}
    return Outcome(document, (f"{how}: {status['state']} (pid {status['pid']}), {status['notes']:,} notes",))


def restart(asked: Namespace) -> Outcome:
    """Stop the daemon where one runs, and begin one."""
    where = _claimed(asked)
    stop(asked)
    background.wait_until_gone(where, STOP_PATIENCE)
    return start(asked)


def in_the_background(asked: Namespace) -> Outcome:
    """Install, uninstall or show what starts the daemon at every login."""
    where = _claimed(asked)
    wanted = background.installation_of(where.root.resolve(), where.state, os.environ)
    document: Document = {"vaultd": 1, "name": wanted.name, "file": str(wanted.file), "text": wanted.text}
    if asked.what == "show":
        there = background.is_installed(wanted)
        talk = f"vaultd: {wanted.file}, {'installed' if there else 'not installed'} as {wanted.name}"
        return Outcome({**document, "installed": there}, (wanted.text.removesuffix("\n"),), talk=(talk,), verbatim=True)
    background.require_session(os.environ)
    if asked.what == "install":
        changed = background.install(wanted)
        lines = (f"installed: {wanted.name}" if changed else f"{wanted.name} is installed",)
        return Outcome({**document, "installed": True}, lines, talk=(f"vaultd: kept by {wanted.system}",))
    gone = background.uninstall(wanted)
    return Outcome({**document, "installed": False}, (f"uninstalled: {wanted.name}" if gone else "nothing installed",))


def completion(asked: Namespace) -> Outcome:
    """Print what teaches a shell the verbs and options."""
    script = SHELLS[asked.shell](grammar(build()))
    return Outcome({"vaultd": 1, "shell": asked.shell, "script": script}, (script.removesuffix("\n"),), verbatim=True)
