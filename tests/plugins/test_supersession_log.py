"""supersession-log writes one line for each supersession, however it came about."""

import re

from tests.plugins.conftest import Try
from tests.vaults import memory
from vaultd.commands.asking import Asked
from vaultd.commands.memories.supersede import supersede
from vaultd.host.testing import Tried

NOTES = {f"memory/_global/{name}.md": memory(name) for name in ("a", "b", "c")}


def hand_over(tried: Tried, old: str, new: str) -> None:
    app = tried._app
    supersede(
        app.opened, Asked("person", app.clock(), lambda: ""), f"memory/_global/{old}.md", f"memory/_global/{new}.md"
    )
    tried.settle()


def test_each_supersession_is_a_line_with_both_links(try_shipped: Try) -> None:
    tried = try_shipped("supersession-log", NOTES, {"heading": "What changed"})
    hand_over(tried, "a", "b")
    hand_over(tried, "b", "c")
    text = tried.read("Supersessions.md")
    assert re.sub(r"\d{4}-\d\d-\d\d", "DAY", text) == ("# What changed\n\n- DAY: [[a]] → [[b]]\n- DAY: [[b]] → [[c]]\n")


def test_its_own_line_makes_no_more_lines(try_shipped: Try) -> None:
    tried = try_shipped("supersession-log", NOTES)
    hand_over(tried, "a", "b")
    before = tried.log()
    tried.settle()
    assert tried.log() == before


def test_a_log_without_a_last_line_end_gets_one(try_shipped: Try) -> None:
    tried = try_shipped("supersession-log", {**NOTES, "Supersessions.md": "mine"})
    hand_over(tried, "a", "b")
    assert tried.read("Supersessions.md").splitlines()[0] == "mine"
