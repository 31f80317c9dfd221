"""Write a batch of records in one commit: all of them, or none."""

import json
from collections.abc import Callable, Mapping

from vaultd.commands.asking import Asked, Done
from vaultd.commands.carry_out import carry_out
from vaultd.commands.records.desk import Desk
from vaultd.commands.records.event import put_event
from vaultd.commands.records.retract import put_retraction
from vaultd.commands.records.set import put_down, put_draft
from vaultd.commands.records.wanted import Wanted
from vaultd.errors import UsageError, VaultdError
from vaultd.judging.opened import Opened
from vaultd.lifecycle.records.values import Record, Slot
from vaultd.notes.scalars import Value
from vaultd.values import replace

MOST = 10_000
_TEXTS = ("collection", "entity", "type", "text", "key", "occurred", "dedupe", "reason", "expect_head")
_LISTS = ("derived_from", "sources")
_KNOWN = frozenset({*_TEXTS, *_LISTS, "op", "content"})


def apply_records(opened: Opened, asked: Asked, text: str, *, reason: str = "") -> Done:
    """Carry out a file of requests, one a line: `set`, `event`, `draft` or `retract`.

    Raises:
        UsageError: a line cannot be read; the message names it, as for every other refusal.
    """
    opened.require_started()
    desk = Desk(opened, asked)
    split = text.removeprefix("\ufeff").split("\n")  # a line ends nowhere else: JSON may hold U+2028 as it is
    lines = [(number, line) for number, line in enumerate(split, 1) if line.strip()]
    if not lines or len(lines) > MOST:
        raise UsageError(f"{len(lines)} requests in the file", f"a batch holds 1 to {MOST}")
    for number, line in lines:
        try:
            _apply(desk, line)
        except VaultdError as exc:
            exc.message = f"line {number}: {exc.message}"
            exc.args = (exc.message,)
            raise
    if not desk.events:
        return Done(None, "", "", notices=(f"all {len(lines)} were written before",))
    return carry_out(opened, desk.changeset(f"record: apply {len(lines)} requests", reason), asked)


def _apply(desk: Desk, line: str) -> None:
    request = _request(line)
    operation = request.get("op", "set")
    put = _OPERATIONS.get(operation) if isinstance(operation, str) else None
    if put is None:
        raise UsageError(f"op: {operation!r} is none of {', '.join(_OPERATIONS)}", "see docs/reference/records.md")
    wanted = _wanted(request)
    if put is not _retract and not (wanted.text or wanted.content):
        raise UsageError("a text is needed", '"text":"…", or properties below "content"')
    put(desk, wanted)


def _request(line: str) -> Mapping[str, Value]:
    try:
        request = json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError) as exc:
        raise UsageError("it is not JSON", 'such as {"op":"set","collection":…,"entity":…,"key":…,"text":…}') from exc
    if not isinstance(request, dict):
        raise UsageError("it is no object", 'such as {"op":"set","collection":…,"entity":…,"key":…,"text":…}')
    if unknown := request.keys() - _KNOWN:
        raise UsageError(f"no such key: {', '.join(sorted(unknown))}", "properties stand below `content`")
    return request


def _texts(value: Value) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _once(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise UsageError(f"{twice} stands there twice", "leave one of the two out")
    return found


def _wanted(request: Mapping[str, Value]) -> Wanted:
    texts = {key: request[key] for key in _TEXTS if request.get(key) is not None}
    lists = {key: request[key] for key in _LISTS if request.get(key) is not None}
    content = request.get("content", {})
    wrong = [key for key, value in texts.items() if not isinstance(value, str)]
    wrong += [key for key, value in lists.items() if not _texts(value)]
    if wrong or not isinstance(content, dict):
        raise UsageError(f"{', '.join(wrong) or 'content'}: of the wrong kind", "texts, lists of texts, an object")
    said = {key: value for key, value in texts.items() if isinstance(value, str)}
    listed = {key: tuple(map(str, value)) for key, value in lists.items() if isinstance(value, list)}
    wanted = Wanted(said.pop("collection", ""), said.pop("entity", ""), said.pop("type", "fact"), content=content)
    return replace(wanted, **said, **listed)  # type: ignore[arg-type]  # the keys are those of a request


def _retract(desk: Desk, wanted: Wanted) -> Record:
    if wanted.key is None:
        raise UsageError("key is missing", "a retraction empties a slot")
    if wanted != replace(
        Wanted(wanted.collection, wanted.entity, wanted.type, key=wanted.key),
        reason=wanted.reason,
        expect_head=wanted.expect_head,
    ):
        raise UsageError("a retraction says nothing but its reason", "op set answers the slot anew")
    slot = Slot(wanted.collection.partition("@")[0], wanted.entity, wanted.key)
    return put_retraction(desk, slot, expect_head=wanted.expect_head, reason=wanted.reason or "")


_OPERATIONS: Mapping[str, Callable[[Desk, Wanted], object]] = {
    "set": put_down,
    "event": put_event,
    "draft": put_draft,
    "retract": _retract,
}
