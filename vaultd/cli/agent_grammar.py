"""The grammar of the verbs for agents: sessions, the queue, plans, usage, the sidecar, the MCP server."""

import argparse
from collections.abc import Callable

from vaultd.cli.forms import MCP_PORT
from vaultd.cli.project_grammar import project_verbs
from vaultd.cli.writing_grammar import Adder


def session_verbs(add: Adder) -> None:
    """Add the verbs about sessions."""
    verb = add(
        "start",
        "agents:session_start",
        "Begin a session, or go on with the one of that name.",
        "vaultd session start --name ada --project radio",
    )
    verb.add_argument("--name", default="", help="its name (default: one is made)")
    _project(verb)
    verb.add_argument("--cwd", metavar="DIR", default="", help="where the work is: its git work tree names the project")
    verb.add_argument("--client", default="", help="which program runs the agent")
    verb.add_argument("--external-id", metavar="ID", default="", help="the session's id in that program")
    verb.add_argument("--model", default="", help="which model")
    verb = add(
        "update",
        "agents:session_update",
        "Put down what was found so far.",
        "vaultd session update --session ada --findings 'The clock drifts.'",
    )
    _session(verb)
    verb.add_argument("--findings", required=True, help="what was found, in the place of what was put down before")
    verb = add(
        "end",
        "agents:session_end",
        "End a session; its claims are released.",
        "vaultd session end --session ada --findings 'Mended.' --mishap 'Broke the build.'",
    )
    _session(verb)
    verb.add_argument("--findings", default="", help="what was found (default: what was put down)")
    verb.add_argument("--mishap", action="append", default=[], help="what went wrong; may be given several times")
    verb = add("list", "agents:session_list", "List sessions, the latest first.", "vaultd session list --status active")
    verb.add_argument("--status", choices=("active", "completed", "expired"), default="", help="only these")
    _limited(verb, 20)


def task_queue_verbs(add: Adder) -> None:
    """Add the verbs about the queue."""
    verb = add(
        "add",
        "agents:task_add",
        "Add a task.",
        "vaultd task add 'Mend the decoder' --plan autumn --depends-on 01KABCDE",
    )
    verb.add_argument("title", metavar="TITLE", help="what is to be done, in one line")
    verb.add_argument("--body", default="", help="everything else about it")
    verb.add_argument("--project", default="", help="its project (default: the session's, or none)")
    verb.add_argument("--plan", default="", metavar="SLUG", help="the plan that it is a step of")
    verb.add_argument("--depends-on", action="append", default=[], metavar="ID", help="what must be closed first")
    _session(verb)
    verb = add(
        "ready", "agents:task_ready", "List what can be claimed, oldest first, and what waits.", "vaultd task ready"
    )
    verb.add_argument("--project", help="its project (default: the session's, or none; with --plan, all of them)")
    verb.add_argument("--plan", default="", metavar="SLUG", help="the steps of a plan")
    _limited(verb, 100)
    verb = add("list", "agents:task_list", "List tasks, newest first.", "vaultd task list --status done")
    verb.add_argument("--project", help="only those of a project (default: of all)")
    verb.add_argument("--plan", default="", metavar="SLUG", help="the steps of a plan")
    verb.add_argument("--status", choices=("open", "in_progress", "done", "dropped"), default="", help="only these")
    _limited(verb, 100)
    verb = add("show", "agents:task_show", "Show a task.", "vaultd task show 01KABCDE")
    verb.add_argument("id", metavar="ID", help="its id, or at least 8 letters of it")
    _holding_verbs(add)


def _holding_verbs(add: Adder) -> None:
    verb = add(
        "claim",
        "agents:task_claim",
        "Take a task for a while, or keep it for another while; of many exactly one gets it.",
        "vaultd task claim 01KABCDE --session ada --lease 1800",
    )
    verb.add_argument("id", metavar="ID")
    verb.add_argument("--session", metavar="NAME", default="", help="who takes it; begun where there is none")
    verb.add_argument("--lease", type=_number, metavar="SECONDS", default=900, help="for how long (900)")
    verb = add("release", "agents:task_release", "Give a task back.", "vaultd task release 01KABCDE --session ada")
    verb.add_argument("id", metavar="ID")
    _session(verb)
    verb.add_argument("--force", action="store_true", help="take it away from whoever holds it")
    verb = add(
        "update", "agents:task_update", "Change a task.", "vaultd task update 01KABCDE --status done --session ada"
    )
    verb.add_argument("id", metavar="ID")
    verb.add_argument("--status", choices=("open", "in_progress", "done", "dropped"), help="how it is now")
    verb.add_argument("--title", help="another title")
    verb.add_argument("--body", help="another text")
    verb.add_argument("--project", help="another project")
    verb.add_argument("--plan", metavar="SLUG", help="another plan")
    verb.add_argument("--add-depends-on", action="append", default=[], metavar="ID", help="what must be closed first")
    verb.add_argument(
        "--remove-depends-on", action="append", default=[], metavar="ID", help="what to wait for no longer"
    )
    _session(verb)


def plan_verbs(add: Adder) -> None:
    """Add the verbs about plans."""
    add("list", "agents:plan_list", "List plans, the latest worked on first.", "vaultd plan list")
    verb = add(
        "show", "agents:plan_show", "Show a plan: its steps, its notes, how far it is.", "vaultd plan show autumn"
    )
    verb.add_argument("slug", metavar="SLUG")


def state_verbs(add: Adder) -> None:
    """Add the verbs about the sidecar itself."""
    verb = add(
        "export",
        "agents:state_export",
        "Write sessions, tasks and the log as JSON lines; the next commit of vaultd takes them along.",
        "vaultd state export",
    )
    verb.add_argument("folder", nargs="?", metavar="FOLDER", help="a folder outside the vault (default: in the vault)")
    verb = add(
        "import",
        "agents:state_import",
        "Add what an export holds and is not here; what is here stays.",
        "vaultd state import",
    )
    verb.add_argument("folder", nargs="?", metavar="FOLDER", help="where the export lies (default: in the vault)")
    verb.add_argument("--clone", metavar="ID", default="", help="whose export, where the vault holds several")
    verb = add(
        "backup", "agents:state_backup", "Copy the database while it is used.", "vaultd state backup ~/state-copy.db"
    )
    verb.add_argument("file", metavar="FILE", help="where to; nothing may be there yet")


def usage_verb(add: Adder) -> None:
    """Add the verb that counts."""
    verb = add("usage", "agents:usage", "Say what agents did, and what is read most.", "vaultd usage --days 7")
    verb.add_argument("--days", type=_number, default=30, help="within how many days (30)")


def mcp_verb(add: Adder) -> None:
    """Add the MCP server."""
    verb = add(
        "mcp",
        "serving:mcp",
        "Serve agents over MCP: on standard input and output, or over HTTP on this machine only.",
        "vaultd mcp --http --port 8421",
    )
    how = verb.add_mutually_exclusive_group()
    how.add_argument("--http", action="store_true", help="listen on 127.0.0.1; every client needs a token")
    how.add_argument("--new-token", metavar="CLIENT", help="make a token for a client and show it this once")
    how.add_argument("--revoke", metavar="ID", help="take a token back")
    how.add_argument("--tokens", action="store_true", help="list the tokens")
    verb.add_argument(
        "--port", type=_port, default=MCP_PORT, help=f"where to listen ({MCP_PORT}); 0 for any that is free"
    )


Filler = Callable[[Adder], None]
GROUPS: tuple[tuple[str, str, str, Filler], ...] = (
    ("session", "Begin, note down and end an agent's sessions.", "vaultd session start --name ada", session_verbs),
    ("task", "Work through a queue that agents share.", "vaultd task ready", task_queue_verbs),
    ("plan", "See how far plans are.", "vaultd plan list", plan_verbs),
    ("project", "Say which projects there are, and what belongs to them.", "vaultd project list", project_verbs),
    ("state", "Export, import and copy what is not a file of the vault.", "vaultd state export", state_verbs),
)
"""Groups of verbs: name, what it does, an example, what adds its verbs."""


def _project(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--project", default="", help="its project; without, it belongs to none")


def _session(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--session", metavar="NAME", default="", help="the session that acts")


def _limited(verb: argparse.ArgumentParser, number: int) -> None:
    verb.add_argument("--limit", type=_number, default=number, help=f"how many at the most ({number})")


def _number(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)
