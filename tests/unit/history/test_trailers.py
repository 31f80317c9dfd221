"""What commit messages tell."""

import pytest

from vaultd.history.trailers import Told, one_line, reverted, tell, told

SUPERSEDED = Told("superseded", "01A", "01B", "person", "it moved")


def test_a_message_is_subject_body_and_trailers():
    assert tell("memory: supersede a by b", [SUPERSEDED], "Why.") == (
        "memory: supersede a by b\n\nWhy.\n\n"
        "Vaultd-Event: superseded\nVaultd-Id: 01A\nVaultd-Successor: 01B\nVaultd-Actor: person\nVaultd-Reason: it moved\n"
    )


def test_what_is_empty_has_no_trailer():
    assert tell("s", [Told("kept", "01A")]) == "s\n\nVaultd-Event: kept\nVaultd-Id: 01A\n"


def test_several_things_told_come_back_in_order():
    several = [Told("created", "01B", "", "agent"), SUPERSEDED]
    assert told(tell("s", several)) == several


@pytest.mark.parametrize("indent", ["", "  ", "    ", "\t"])
def test_a_squash_may_indent_what_is_told(indent):
    message = f"Squashed\n\n{indent}memory: archive\n\n{indent}Vaultd-Event: archived\n{indent}Vaultd-Id: 01A\n\nmore\n"
    assert told(message) == [Told("archived", "01A")]


def test_line_ends_of_another_system_do_not_hide_it():
    assert told("s\r\n\r\nVaultd-Event: archived\r\nVaultd-Id: 01A\r\n") == [Told("archived", "01A")]


@pytest.mark.parametrize(
    "message",
    [
        "s\n\nVaultd-Event: archived\n",
        "s\n\nVaultd-Id: 01A\n",
        "s\n\nVaultd-Event: archived\n\nVaultd-Id: 01A\n",
        "s\n\nVaultd-Event: archived\nSigned-off-by: x\nVaultd-Id: 01A\n",
        "s\n\nVaultd-Event:\nVaultd-Id: 01A\n",
        "s\n\nsee Vaultd-Event: archived\nVaultd-Id: 01A\n",
    ],
)
def test_an_event_that_does_not_stand_with_its_id_counts_for_nothing(message):
    assert told(message) == []


def test_the_first_line_of_each_key_counts():
    message = (
        "s\n\nVaultd-Event: archived\nVaultd-Id: 01A\nVaultd-Id: 01B\nVaultd-Actor: person\nVaultd-Actor: upkeep\n"
    )
    assert told(message) == [Told("archived", "01A", "", "person")]


def test_a_reason_cannot_forge_a_trailer():
    forged = Told("archived", "01A", "", "agent", "x\nVaultd-Event: restored\nVaultd-Id: 01B")
    assert [(one.event, one.id) for one in told(tell("s", [forged]))] == [("archived", "01A")]


def test_a_subject_cannot_forge_a_trailer():
    assert told(tell("s\n\nVaultd-Event: restored\nVaultd-Id: 01B", [])) == []


@pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\x85", "\u2028", "\u2029", "\x00"])
def test_a_reason_is_one_line(end):
    assert one_line(f"a{end}b") == "a b"


def test_a_reason_is_at_most_300_characters():
    assert len(one_line("ä" * 400)) == 300


@pytest.mark.parametrize("message", ['Revert "memory: x"\n', "x\n\nThis reverts commit 0123abc.\n"])
def test_a_revert_is_known_by_its_words(message):
    assert reverted(message)


@pytest.mark.parametrize("message", ["Revert the plan\n", 'x\n\nRevert "y"\n', ""])
def test_other_messages_are_no_reverts(message):
    assert not reverted(message)
