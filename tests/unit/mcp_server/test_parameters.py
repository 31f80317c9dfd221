"""Arguments: absent is absent, wrong is an error that teaches, everything missing is told at once."""

import pytest

from vaultd.errors import UsageError
from vaultd.mcp_server.parameters import DOCUMENT, WORDS, Edit, Parameter, given, schema_of

PARAMETERS = (
    Parameter("name", "its name", required=True),
    Parameter("kind", "its kind", choices=("gotcha", "decision")),
    Parameter("body", "its text", required=True, longest=DOCUMENT),
    Parameter("limit", "how many", "number", most=200),
    Parameter("all", "also old ones", "flag"),
    Parameter("tags", "its tags", "texts"),
    Parameter("edits", "what to change", "edits"),
    Parameter("mishaps", "what went wrong", "texts", parted=False),
)
WHOLE = {"name": "n", "body": "b"}


def refusal(**arguments: object) -> UsageError:
    with pytest.raises(UsageError) as caught:
        given(PARAMETERS, {**WHOLE, **arguments})
    return caught.value


def test_what_is_absent_null_or_empty_is_not_there() -> None:
    found = given(PARAMETERS, {**WHOLE, "kind": None, "tags": [], "limit": ""})
    assert found.values == WHOLE
    assert (found.maybe("kind"), found.number("limit", 7), found.texts("tags")) == (None, 7, ())


def test_everything_missing_is_told_at_once_with_what_it_is() -> None:
    with pytest.raises(UsageError) as caught:
        given(PARAMETERS, {"name": "  "})
    assert caught.value.message == "name is missing: its name; body is missing: its text"
    assert "name (required), kind, body (required)" in caught.value.hint


@pytest.mark.parametrize(
    ("argument", "value", "converted"),
    [
        ("limit", "12", 12),
        ("limit", 12.0, 12),
        ("all", "true", True),
        ("all", "False", False),
        ("tags", "a, b", ("a", "b")),
        ("tags", ["a", "b"], ("a", "b")),
        ("tags", '["a", "b"]', ("a", "b")),
        ("tags", "[a", ("[a",)),
        ("mishaps", "It broke, twice.", ("It broke, twice.",)),
        ("mishaps", '["It broke, twice."]', ("It broke, twice.",)),
        ("edits", '[{"old": "x", "new": "y"}]', (Edit("x", "y"),)),
        ("edits", [{"old": "x", "new": ""}], (Edit("x", ""),)),
    ],
)
def test_what_loses_nothing_is_converted(argument: str, value: object, converted: object) -> None:
    assert given(PARAMETERS, {**WHOLE, argument: value}).values[argument] == converted


@pytest.mark.parametrize(
    ("argument", "value", "says"),
    [
        ("kind", "fact", "kind must be one of gotcha, decision"),
        ("kind", 3, "kind must be a text"),
        ("limit", 0, "limit must be 1 to 200"),
        ("limit", 201, "limit must be 1 to 200"),
        ("limit", True, "limit must be a whole number"),
        ("limit", 1.5, "limit must be a whole number"),
        ("limit", 2**60, "limit must be 1 to 200"),
        ("limit", "many", "limit must be a whole number"),
        ("limit", float("nan"), "limit must be a whole number"),
        ("all", 1, "all must be true or false"),
        ("tags", ["a", 2], "2 is none"),
        ("tags", '["a", 2]', "2 is none"),
        ("edits", "[x", "edits must be a list"),
        ("tags", {"a": 1}, "tags must be a list of texts"),
        ("edits", [{"old": "x"}], "edits must be a list"),
        ("edits", [{"old": "x", "new": "y", "more": 1}], "edits must be a list"),
        ("body", "\udcff", "UTF-8"),
        ("body", "a\0b", "zero character"),
        ("body", "x" * (DOCUMENT + 1), "body must have at most 4194304 characters"),
        ("kind", "x" * 5_000, "kind must have at most 4096 characters, not 5000"),
        ("tags", ["x" * 5_000], "tags must have at most 4096 characters"),
        ("tags", "x," * 5_000, "tags must be at most 1000 texts"),
        ("tags", ["a\0b"], "zero character"),
        ("edits", [{"old": "x", "new": "a\0b"}], "zero character"),
        ("edits", [{"old": "x", "new": "y"}] * 2_000, "at most 1000"),
    ],
)
def test_what_is_present_and_wrong_is_an_error(argument: str, value: object, says: str) -> None:
    assert says in refusal(**{argument: value}).message


def test_a_mistyped_parameter_is_told_the_right_one() -> None:
    assert "'limt' is no parameter, limit is" in refusal(limt=3).message


def test_an_alias_counts_and_two_that_disagree_do_not() -> None:
    assert given(PARAMETERS, {"slug": "n", "content": "b"}).values == WHOLE
    assert "given twice" in refusal(content="another").message


def test_the_schema_refuses_what_is_not_declared() -> None:
    schema = schema_of(PARAMETERS)
    assert (schema["required"], schema["additionalProperties"]) == (["name", "body"], False)


def test_the_schema_says_how_long_a_text_may_be() -> None:
    properties = schema_of(PARAMETERS)["properties"]
    assert isinstance(properties, dict)
    assert (properties["name"]["maxLength"], properties["body"]["maxLength"]) == (WORDS, DOCUMENT)
    assert properties["tags"]["items"] == {"type": "string", "maxLength": WORDS}
