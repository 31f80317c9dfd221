"""What a plugin's process sends, as messages that can be stored and shown."""

import pytest

from vaultd.host.lines import Lines, heard
from vaultd.host.protocol import Untrue, encode


def test_a_message_may_come_in_pieces_and_several_at_once() -> None:
    lines = Lines()
    assert [*lines.feed(b'{"a"')] == []
    assert [*lines.feed(b':1}\n{"b":2}\n{"c"')] == [{"a": 1}, {"b": 2}]
    assert [*lines.feed(b":3}\n")] == [{"c": 3}]


def test_half_a_surrogate_pair_becomes_a_sign_that_can_be_stored() -> None:
    assert heard(rb'{"\ud800":["x\uDFFFy","\ud83d\ude00"]}') == {"\ufffd": ["x\ufffdy", "\U0001f600"]}


def test_a_file_name_that_is_no_utf_8_stays() -> None:
    name = b"caf\xe9.md".decode("utf-8", "surrogateescape")
    assert heard(encode({"path": name})) == {"path": name}


@pytest.mark.parametrize("line", [b'{"a":NaN}', b'{"a":-Infinity}', b"{\xff}", b'{"a":"\0', b"[]", b"", b"1" * 5000])
def test_what_json_does_not_know_is_no_message(line: bytes) -> None:
    with pytest.raises(Untrue):
        heard(line)


def test_a_number_that_json_does_not_know_is_not_sent() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode({"a": float("nan")})
