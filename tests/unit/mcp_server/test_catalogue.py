"""The tools: few by default, each with hints and a schema, the essence in what clients show first."""

import re
from pathlib import Path

import pytest

from vaultd.mcp_server.catalogue import INSTRUCTIONS, TOOLS, Tool, tools_of
from vaultd.mcp_server.speaking import _declared

PAGE = (Path(__file__).parents[3] / "docs/reference/mcp.md").read_text(encoding="utf-8")


def test_the_daily_loop_is_at_most_14_tools() -> None:
    assert len(tools_of("daily")) <= 14
    assert tools_of("daily").keys() < tools_of("all").keys()


def test_the_essence_is_in_the_first_512_characters() -> None:
    start = INSTRUCTIONS[:512]
    for word in ("session_start", "search", "memory_write", "supersedes", "tasks_claim", "session_end"):
        assert word in start


def test_c39_the_page_lists_every_tool_and_every_parameter() -> None:
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", PAGE, flags=re.DOTALL | re.MULTILINE))
    assert sections.keys() == {tool.name for tool in TOOLS}
    for tool in TOOLS:
        assert re.findall(r"^\| `(\w+)`", sections[tool.name], flags=re.MULTILINE) == [p.name for p in tool.parameters]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_says_what_it_may_do(tool: Tool) -> None:
    hints = _declared(tool).annotations
    assert hints is not None
    assert hints.read_only_hint is (tool.effect == "reads")
    assert hints.open_world_hint is False
    assert hints.read_only_hint or hints.destructive_hint is (tool.effect == "replaces")
