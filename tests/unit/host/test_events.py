"""What waits for a plugin is coalesced per path, in order, and bounded."""

import random
import time

import pytest

from vaultd.host.events import LifecycleEvent, NoteEvent, Queue, Resync


def create(path: str = "a", **more: object) -> NoteEvent:
    return NoteEvent("create", path, **more)


def modify(path: str = "a", **more: object) -> NoteEvent:
    return NoteEvent("modify", path, **more)


def delete(path: str = "a", **more: object) -> NoteEvent:
    return NoteEvent("delete", path, **more)


def rename(old: str, new: str) -> NoteEvent:
    return NoteEvent("rename", new, old)


def told(*events: NoteEvent | LifecycleEvent) -> list[object]:
    queue = Queue()
    for event in events:
        queue.put(event)
    return [event for _ in range(2 * len(events)) if (event := queue.take(0)) is not None]


@pytest.mark.parametrize(
    ("events", "left"),
    [
        ([modify(), modify()], [modify()]),
        ([create(), modify()], [create()]),
        ([create(), delete()], []),
        ([delete(), create()], [modify()]),
        ([modify(), delete()], [delete()]),
        ([rename("a", "b"), modify("b")], [rename("a", "b"), modify("b")]),
        ([modify("a"), rename("a", "b")], [rename("a", "b"), modify("b")]),
        ([rename("a", "b"), rename("b", "c")], [rename("a", "c")]),
        ([rename("a", "b"), modify("b"), rename("b", "c")], [rename("a", "c"), modify("c")]),
        ([rename("a", "b"), modify("b"), modify("b")], [rename("a", "b"), modify("b")]),
        ([rename("a", "b"), delete("b")], [delete("a")]),
        ([rename("a", "b"), modify("b"), delete("b")], [delete("a")]),
        ([create("a"), rename("a", "b")], [create("b")]),
        ([modify("a"), modify("b"), modify("a")], [modify("b"), modify("a")]),
    ],
)
def test_events_of_one_path_become_what_is_left_to_tell(events: list[NoteEvent], left: list[NoteEvent]) -> None:
    assert told(*events) == left


def test_an_edit_behind_an_echo_is_no_echo() -> None:
    (one,) = told(modify(origin="external"), modify(origin="plugin:stale", depth=2))
    assert isinstance(one, NoteEvent)
    assert (one.own("stale"), one.depth) == (False, 2)


def test_more_than_a_thousand_paths_become_one_resync() -> None:
    queue = Queue()
    for number in range(3000):
        queue.put(modify(str(number)))
    assert (queue.take(0), queue.take(0)) == (Resync(), None)


def test_after_a_resync_events_are_told_again() -> None:
    queue = Queue(most=1)
    for path in ("a", "b"):
        queue.put(modify(path))
    queue.take(0)
    queue.put(modify("c"))
    assert queue.take(0) == modify("c")


def test_who_is_woken_before_it_waits_does_not_wait() -> None:
    queue = Queue()
    queue.wake()
    began = time.monotonic()
    assert queue.take(60) is None
    assert time.monotonic() - began < 30


def test_who_was_woken_waits_the_next_time() -> None:
    queue = Queue()
    queue.wake()
    queue.take(0)
    began = time.monotonic()
    assert queue.take(0.1) is None
    assert time.monotonic() - began >= 0.1


def test_what_happened_to_memories_is_told_each() -> None:
    events = [LifecycleEvent("archived", "a"), LifecycleEvent("restored", "a")]
    assert told(*events) == events


def test_whatever_happens_a_path_tells_what_is_there_in_the_end() -> None:
    """A plugin that follows the events knows the same notes as one that looks, whatever was coalesced on the way."""
    for seed in range(300):
        dice = random.Random(seed)
        there, known, queue = {"a", "b"}, {"a", "b"}, Queue()
        for _ in range(12):
            path = dice.choice("abcd")
            if path not in there:
                there.add(path)
                queue.put(create(path))
            elif dice.random() < 0.3:
                there.discard(path)
                queue.put(delete(path))
            elif dice.random() < 0.5 and (free := sorted(set("abcd") - there)):
                there ^= {path, free[0]}
                queue.put(rename(path, free[0]))
            else:
                queue.put(modify(path))
        while event := queue.take(0):
            assert isinstance(event, NoteEvent)
            known -= {event.path if event.name == "delete" else event.old_path}
            known |= set() if event.name == "delete" else {event.path}
        assert known == there, seed
