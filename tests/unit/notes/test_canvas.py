"""Canvas cards follow renamed files, and the JSON around them stays byte for byte."""

import pytest

from vaultd.notes.canvas import relink_canvas
from vaultd.notes.resolution import Names
from vaultd.notes.retargeting import Renaming

MOVES = {"a/old.md": "b/né.md", "p.png": "q.png"}


def after(text: str, moves: dict[str, str] = MOVES) -> str:
    how = Renaming(moves, Names(moves), Names(moves.values()))
    done = relink_canvas(text.encode(), "c.canvas", how)
    assert done.refused == ()
    return done.data.decode()


def test_a_file_card_follows_and_order_indentation_and_unknown_keys_stay():
    text = """\
{
\t"mine": "a/old.md",  "nodes":[
\t\t{"x":1e0,"file":"a/old.md","type":"file","subpath":"#old", "id" : "a/old.md"},
\t\t{"type":"group","background":"p.png"}
\t], "edges":[{"file":"a/old.md"}]
}"""
    wanted = text.replace('"file":"a/old.md","type"', '"file":"b/né.md","type"').replace('"p.png"', '"q.png"')
    assert after(text) == wanted


def test_links_of_a_text_card_follow_and_its_escapes_stay():
    text = '{"nodes":[{"type":"text","text":"\\u00e9\\ud83d\\ude00 \\/ \\"[[old|old]]\\"\\n![[p.png]] `[[old]]`"}]}'
    wanted = text.replace('[[old|old]]\\"', '[[n\\u00e9|n\\u00e9]]\\"').replace("p.png", "q.png")
    assert after(text) == wanted


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"nodes":[["a/old.md"]]}', '{"nodes":{"file":"a/old.md"}}'])
def test_what_is_no_canvas_stays(text: str):
    assert after(text) == text


def test_a_link_that_cannot_be_written_is_refused_with_its_line():
    how = Renaming({"old.md": "a#b.md"}, Names(["old.md"]), Names(["a#b.md"]))
    done = relink_canvas(b'{"nodes":[\n{"text":"[[old]]"}]}', "c.canvas", how)
    assert [refused.line for refused in done.refused] == [2]
