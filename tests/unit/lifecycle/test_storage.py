"""What the cache keeps comes back as it was."""

from tests.unit.lifecycle.steps import AT, Line, says
from vaultd.lifecycle.facts import Facts, Odd, dump_facts, facts_of, load_facts
from vaultd.lifecycle.storage import dump_delta, dump_ground, load_delta, load_ground
from vaultd.notes.note import parse


def line() -> Line:
    """Return a history with each kind of state, a question, and one that left."""
    made = Line(a=says("A"), b=says("B"), c=says("C", AT), d=says("D"))
    made.step(commit="c1", a=says("A", AT, "B"), d=None)
    made.step(commit="c2", c=says("C"), b2=says("B"))
    return made


def test_a_ground_comes_back_as_it_was():
    ground = line().ground
    assert ground.open
    assert load_ground(dump_ground(ground)) == ground


def test_a_step_comes_back_as_it_was():
    delta = line().verdict.delta
    assert delta.open
    assert load_delta(dump_delta(delta)) == delta


def test_facts_come_back_as_they_were():
    note = b"---\nid: 01A\nname: a\ninvalid_at: true\nsuperseded_by: [x, y]\nInvalid_At: soon\n---\n\n> Archived on 2025-06-01\n"
    facts = facts_of(parse(note))
    assert facts.odd
    assert facts.findings
    assert facts.tombstone
    assert load_facts(dump_facts(facts)) == facts


def test_text_that_is_no_unicode_survives():
    facts = Facts(id="\udce9", odd=(Odd("id", "é"),))
    assert dump_facts(facts).isascii()
    assert load_facts(dump_facts(facts)) == facts
