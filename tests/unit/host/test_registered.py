"""What a process says its plugin signed up for is believed only in the shape that the API gives it."""

import pytest

from vaultd.host.api.registry import TAKEN, Action, Registry, Subscription
from vaultd.host.protocol import Message, Untrue, decode, encode
from vaultd.host.registered import registered_of
from vaultd.lifecycle.facts import LIFECYCLE_KEYS, TEXT_KEYS


def signed_up() -> Message:
    registry = Registry("stale")
    registry.subscribe(Subscription("vault.modify", print, own=False, replay=True))
    registry.add_interval(0, print)
    registry.add_validator("stale/x", print)
    registry.add_indexer("age", float, print)
    registry.add_command("now", Action("Now", print))
    registry.add_verb("stale:list", Action("List", print, {"days": int, "all": bool}))
    return registry.told()


def test_what_the_api_sends_is_taken_as_it_is() -> None:
    assert registered_of(decode(encode(signed_up())), "stale") == signed_up()


@pytest.mark.parametrize(
    "lie",
    [
        {"events": 5}, {"events": [5]}, {"own": {}}, {"replay": "yes"}, {"ready": 1}, {"schema": []},
        {"intervals": ["x"]}, {"intervals": [0]}, {"intervals": [True]}, {"intervals": [float("inf")]}, {"intervals": {}},
        {"validators": ["other/x"]}, {"validators": ["V102"]}, {"validators": {"a": 1}},
        {"indexers": ["age"]}, {"indexers": {"age": "date"}}, {"indexers": {"invalid_at": "text"}},
        {"indexers": {f"f{n}": "number" for n in range(65)}},
        {"verbs": {"stale:x": 5}}, {"verbs": {"stale:x": {}}}, {"verbs": {"other:x": {"description": "", "flags": {}}}},
        {"verbs": {"stale:x": {"description": "", "flags": {"days": "date"}}}}, {"verbs": ["stale:x"]},
    ],
)  # fmt: skip
def test_what_the_api_does_not_send_breaks_the_protocol(lie: Message) -> None:
    with pytest.raises(Untrue):
        registered_of(signed_up() | lie, "stale")


@pytest.mark.parametrize("said", [None, [], {}, "all"])
def test_something_else_altogether_breaks_it_too(said: object) -> None:
    with pytest.raises(Untrue):
        registered_of(said, "stale")


def test_the_properties_of_a_memory_are_no_plugins() -> None:
    assert {*LIFECYCLE_KEYS, *TEXT_KEYS} == TAKEN
