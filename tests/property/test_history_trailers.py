"""What is told comes back, and nothing else can be told by the same message."""

from hypothesis import given
from hypothesis import strategies as st

from vaultd.history.trailers import Told, one_line, tell, told

WORDS = st.text(max_size=80)
SOMETHING = WORDS.filter(lambda text: one_line(text) != "")
THINGS = st.builds(Told, event=SOMETHING, id=SOMETHING, successor=WORDS, actor=WORDS, reason=WORDS)


@given(subject=WORDS, things=st.lists(THINGS, max_size=4))
def test_what_is_told_comes_back(subject, things):
    cleaned = [
        Told(*(one_line(value) for value in (one.event, one.id, one.successor, one.actor, one.reason)))
        for one in things
    ]
    assert told(tell(subject, things)) == cleaned


@given(subject=WORDS, thing=THINGS, indent=st.sampled_from(["", " ", "    ", "\t"]))
def test_a_squash_keeps_what_is_told(subject, thing, indent):
    squashed = "Squashed\n\n" + "".join(f"{indent}{line}\n" for line in tell(subject, [thing]).split("\n"))
    assert told(squashed) == told(tell(subject, [thing]))


@given(text=st.text(max_size=400))
def test_one_line_is_one_line(text):
    line = one_line(text)
    assert len(line) <= 300
    assert len(line.splitlines()) <= 1
    assert one_line(line) == line
