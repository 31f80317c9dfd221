"""The quick reader of a config says what a TOML parser says, or leaves the config to it."""

import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from vaultd import settings
from vaultd.commands.init import _CONFIG

NAMES = st.sampled_from(
    ["commit", "quiet", "hooks", "V101", "a-b", "-", "9", "_", '"q"', "a.b", "a b", "é", "true", ""]
)
VALUES = st.sampled_from(
    [
        "1",
        "0",
        "01",
        "-1",
        "+1",
        "1_000",
        "1.5",
        "1e3",
        "1234567890123",
        "true",
        "false",
        "True",
        '"text"',
        "'text'",
        '""',
        '"a\\tb"',
        '"a"b"',
        '"""a"""',
        '"é"',
        '"tab\t"',
        "",
        "[1]",
        "{}",
        "2026-12-01",
        "1 # comment",
        '"#"',
        '"a',
        '"',
        "²",
    ]
)
SPACES = st.sampled_from(["", " ", "\t", "  "])
KEYS = st.builds("{0}{1}{2}={3}{4}{5}".format, SPACES, NAMES, SPACES, SPACES, VALUES, SPACES)
TABLES = st.builds("{0}[{1}]{2}".format, SPACES, NAMES, st.sampled_from(["", " ", " # comment", "]", "x"]))
COMMENTS = st.sampled_from(
    ["", "# comment", "#é", "#\x01", "#\t", " # a = 1", "\x0c", "\ufeff", "[[commit]]", "[]", "["]
)
TEXTS = st.builds(
    lambda lines, ends: "".join(map("".join, zip(lines, ends, strict=False))),
    st.lists(KEYS | TABLES | COMMENTS, max_size=6),
    st.lists(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", ""]), min_size=6, max_size=6),
)


@given(TEXTS)
@example(_CONFIG)
@example('format = 1\n[commit]\nquiet = 1\nhooks = "none"\n')
@example("[a]\nb = 1\n[a]\n")
@example("a = 1\n[a]\n")
@example("a = 1\na = 2\n")
def test_plain_lines_say_what_toml_says(text: str):
    plainly = settings._read_plainly(text)
    try:
        carefully = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert plainly is None
        return
    assert plainly in (None, carefully)
    if plainly is not None:
        assert repr(plainly) == repr(carefully)  # 1 is no true


def test_an_everyday_config_needs_no_toml_parser():
    assert settings._read_plainly(_CONFIG) == {"format": 1, "commit": {}}
    assert settings._read_plainly(
        '\ttimezone = "UTC"\n[severity]\nV301 = "off"\n[mcp]\ntools="all"\n[x]\ny = true'
    ) == {
        "timezone": "UTC",
        "severity": {"V301": "off"},
        "mcp": {"tools": "all"},
        "x": {"y": True},
    }
