"""Records as frontmatter and as lines of JSON, there and back."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC

from vaultd.lifecycle.records.values import PASSED_THROUGH, Record, Review, Stamps, Status, Wish
from vaultd.notes.frontmatter import new_block, set_value
from vaultd.notes.note import Note
from vaultd.notes.scalars import Value
from vaultd.notes.times import parse_moment
from vaultd.values import dataclass

ENVELOPE = (
    "id",
    "collection",
    "entity",
    "key",
    "type",
    "status",
    "created",
    "occurred",
    "supersedes",
    "replaces",
    "superseded_by",
    "invalid_at",
    "retracted",
    "corrects",
    "derived_from",
    "sources",
    "run",
    "dedupe",
    "reason",
    "review",
    "review_reason",
)
NAME = r"[a-z][a-z0-9._-]{0,63}"
_CONTRACT = re.compile(rf"({NAME})@([1-9][0-9]{{0,8}})")
_KEY_LENGTH = 128
_ENTITY_LENGTH = 255
_REVIEWS: dict[str, Review] = {"pending": "pending", "approved": "approved", "rejected": "rejected"}
_WISHES: dict[str, Wish] = {"approve": "approve", "reject": "reject"}
_STATUSES: dict[str, Status] = {"active": "active", "draft": "draft"}


@dataclass(frozen=True, slots=True)
class Misread:
    """A note that claims to be a record and cannot be read as one: the key at fault, and what is wrong."""

    key: str
    what: str


def read_record(note: Note) -> Record | Misread | None:
    """Return the record that a note holds, what is wrong with it, or None for a note that claims to be none."""
    if "collection" not in note.properties or "id" not in note.properties:
        return None
    return record_from(note.properties, note.body)


def record_from(values: Mapping[str, Value], text: str) -> Record | Misread:
    """Return the record that properties and a text make, or what is wrong with them."""
    reader = _Reader(values)
    contract = _CONTRACT.fullmatch(reader.text("collection") or "")
    if contract is None:
        reader.wrong("collection", "is not NAME@VERSION, such as customer_profiles@1")
    status = _STATUSES.get(reader.text("status") or "active")
    if status is None:
        reader.wrong("status", "is neither active nor draft")
    created = reader.needed("created")
    if created and parse_moment(created, UTC) is None:
        reader.wrong("created", "is no time, such as 2026-11-30T18:00:00Z")
    record = Record(
        id=reader.needed("id"),
        collection=contract[1] if contract else "",
        version=int(contract[2]) if contract else 0,
        entity=reader.needed("entity"),
        type=reader.needed("type"),
        created=created,
        text=plain_text(text),
        key=reader.text("key") if values.get("key") is not None else None,
        status=status or "active",
        occurred=reader.text("occurred"),
        supersedes=reader.several("supersedes"),
        replaces=reader.text("replaces"),
        retracted=values.get("retracted") is True,
        corrects=reader.text("corrects"),
        derived_from=reader.several("derived_from"),
        sources=reader.several("sources"),
        run=reader.text("run"),
        dedupe=reader.text("dedupe"),
        reason=reader.text("reason") or reader.text("review_reason"),
        content={k: v for k, v in values.items() if k not in _RESERVED and k not in PASSED_THROUGH},
        stamps=Stamps(reader.text("invalid_at"), reader.text("superseded_by"), *reader.review()),
    )
    for problem in (reader.first, *misnamed(record.entity, record.key if "key" in values else None)):
        if problem is not None:
            return problem
    return record


def misnamed(entity: str, key: str | None) -> Iterator[Misread]:
    """Give what is wrong with the names a record stands under."""
    if not entity.strip() or entity == "*" or len(entity) > _ENTITY_LENGTH:
        yield Misread("entity", "is empty, `*`, or longer than 255 characters")
    if key is not None and (not key.strip() or len(key) > _KEY_LENGTH):
        yield Misread("key", "is empty or longer than 128 characters; an event has no key at all")


def plain_text(body: str) -> str:
    """Return a body as it counts: LF line ends, no blank lines around it."""
    return body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def properties_of(record: Record) -> dict[str, Value]:
    """Return a record's envelope and content in canonical order; what says nothing is left out."""
    values: dict[str, Value] = {
        "id": record.id,
        "collection": record.contract,
        "entity": record.entity,
        "key": record.key,
        "type": record.type,
        "status": record.status,
        "created": record.created,
        "occurred": record.occurred,
        "supersedes": _one_or_list(record.supersedes),
        "replaces": record.replaces,
        "superseded_by": record.stamps.superseded_by,
        "invalid_at": record.stamps.invalid_at,
        "retracted": record.retracted or None,
        "corrects": record.corrects,
        "derived_from": list(record.derived_from) or None,
        "sources": list(record.sources) or None,
        "run": record.run,
        "dedupe": record.dedupe,
        "reason": record.reason,
        "review": record.stamps.review if record.status == "draft" else None,
    }
    return {key: value for key, value in values.items() if value is not None} | dict(record.content)


def record_text(record: Record) -> bytes:
    """Return the bytes of a new record's file."""
    body = f"{record.text}\n" if record.text else ""
    return (new_block(properties_of(record)) + body).encode()


def record_line(record: Record) -> bytes:
    """Return a record as one line of a `.jsonl` file."""
    values = properties_of(record) | {"text": record.text}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def lines_of(data: bytes) -> Iterator[tuple[int, Record | Misread]]:
    """Give the records of a `.jsonl` file with their 1-based lines; a line that two clones both hold comes once."""
    seen: set[bytes] = set()
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip() and line not in seen:
            seen.add(line)
            yield number, _line(line)


def _line(line: bytes) -> Record | Misread:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return Misread("line", "is not JSON")
    if not isinstance(values, dict) or not isinstance(values.get("text", ""), str):
        return Misread("line", "is not an object with a text")
    text = values.pop("text", "")
    return record_from(values, text)


def stamped(data: bytes, stamps: Mapping[str, str]) -> bytes:
    """Return a record's file with stamps added and every other byte kept."""
    for key, value in stamps.items():
        data = set_value(data, key, value)
    return data


def _one_or_list(ids: tuple[str, ...]) -> Value:
    if len(ids) > 1:
        return list(ids)
    return ids[0] if ids else None


_RESERVED = frozenset(ENVELOPE)


class _Reader:
    """Takes values out of properties and keeps the first thing that is wrong."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = values
        self.first: Misread | None = None

    def wrong(self, key: str, what: str) -> None:
        self.first = self.first or Misread(key, what)

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is None or isinstance(value, str):
            return value
        self.wrong(key, "is not text: put it in quotes")
        return None

    def needed(self, key: str) -> str:
        value = self.text(key)
        if not value:
            self.wrong(key, "is missing")
        return value or ""

    def several(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key)
        items = value if isinstance(value, list) else [value] if value is not None else []
        found = tuple(item for item in items if isinstance(item, str))
        if len(found) != len(items) or len(set(found)) != len(found):
            self.wrong(key, "is not a list of different texts")
        return found

    def review(self) -> tuple[Review, Wish | None]:
        said = self.text("review") or "pending"
        if (wish := _WISHES.get(said)) is not None:
            return "pending", wish
        found = _REVIEWS.get(said)
        if found is None:
            self.wrong("review", "is none of pending, approved, rejected, or approve and reject")
        return found or "pending", None
