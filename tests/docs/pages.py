"""Write the reference pages that are made from code: `python -m tests.docs.pages`."""

import inspect
from pathlib import Path

from tests.docs.plugin_pages import HASHES, hashes_text, plugin_page
from vaultd import errors
from vaultd.lifecycle.rule_book import rules_page
from vaultd.mcp_server.catalogue import TOOLS, Tool
from vaultd.mcp_server.parameters import Parameter

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def errors_page() -> str:
    """Return the reference page of errors, as Markdown."""
    tree = inspect.getdoc(errors) or ""
    lines = [
        "# Errors and exit codes",
        "",
        "Made from `vaultd/errors.py` by `make docs`; edit it there.",
        "",
        "```text",
        tree.partition("\n\n")[2].rstrip(),
        "```",
        "",
        "| exit | means |",
        "|---|---|",
        "| 0 | fine |",
        "| 1 | `check` found an error (with `--strict`, a warning) |",
    ]
    lines += [f"| {kind.exit_code} | `{kind.__name__}`: {_promise(kind)} |" for kind in _kinds()]
    lines += [
        "| 70 | a bug: a report file was written, its path is printed |",
        "| 130 | interrupted |",
        "",
        "Every error says what happened, then `hint:` with what to do. With `--json` it is one document on stdout:",
        '`{"vaultd":1,"error":"RejectedError","message":…,"hint":…,"violations":[…]}`.',
    ]
    return "\n".join(lines) + "\n"


def _promise(kind: type[errors.VaultdError]) -> str:
    return (inspect.getdoc(kind) or "").splitlines()[0]


def _kinds() -> list[type[errors.VaultdError]]:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind is not errors.VaultdError]
    return sorted((k for k in kinds if issubclass(k, errors.VaultdError)), key=lambda kind: kind.exit_code)


_MCP = """\
# MCP tools

Made from `vaultd/mcp_server/catalogue.py` by `make docs`; edit it there. [Use with agents](../how-to/use-with-agents.md)
says how a client is connected.

Arguments are held to what is declared here: what is absent, null or empty counts as not given; what is of another kind is an
error that says so; all that is missing is told at once. `"3"` is taken for 3, `"true"` for true and `"a, b"` or a list
written as JSON for a list, because nothing is lost by it. A name, a path or a line has at most 4,096 characters, a list 1,000 entries, a message 4 MiB. A refused call
is a result with `isError`, whose text is `tool: reason` and a `hint`, and whose structured content is the error's document; nothing
was changed by it. What is no JSON-RPC message at all is answered with an error of that protocol. Every other result is one JSON document, as text and structured.

Every change is a commit whose `Vaultd-Actor` names the client and the session: `some-client/ada`. What is asked next has seen it.
"""


def mcp_page() -> str:
    """Return the reference page of the MCP tools, as Markdown."""
    daily = [_tool(tool) for tool in TOOLS if tool.daily]
    beyond = [_tool(tool) for tool in TOOLS if not tool.daily]
    more = "Offered when `mcp.tools` is `all` in [`config.toml`](settings.md).\n"
    return "\n".join([_MCP, "## The daily loop\n", *daily, "## Beyond it\n", more, *beyond]).rstrip() + "\n"


def _tool(tool: Tool) -> str:
    lines = [f"### {tool.name}", "", f"{tool.says} ({tool.effect})", ""]
    if tool.parameters:
        lines += ["| parameter | kind | means |", "|---|---|---|"]
        lines += [
            f"| `{one.name}`{' (required)' if one.required else ''} | {_kind(one)} | {one.says} |"
            for one in tool.parameters
        ]
        lines.append("")
    return "\n".join(lines)


def _kind(one: Parameter) -> str:
    return ", ".join(f"`{choice}`" for choice in one.choices) or {"texts": "list", "edits": "list"}.get(
        one.kind, one.kind
    )


PAGES = {"rules.md": rules_page, "errors.md": errors_page, "mcp.md": mcp_page, "plugin-api.md": plugin_page}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), "utf-8")
    HASHES.write_text(hashes_text(), "utf-8")
