"""Where records lie. Collections, entities and keys may be any text; a path holds what every system can check out."""

import re
import unicodedata
from collections.abc import Iterator
from hashlib import sha256

from vaultd.lifecycle.records.values import Record, Slot
from vaultd.notes.names import is_temporary, slug, unportable
from vaultd.values import dataclass

HISTORY = "_history"
_LONGEST = 120
_NO_LINK = re.compile(r"[\[\]#^|]")
_YEAR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class SlotPlace:
    """The files of one slot: its head and its history."""

    folder: str
    """Of the entity, in its collection."""
    name: str
    """What the key is called in paths."""

    @property
    def head(self) -> str:
        """Return the stable path of the current answer."""
        return f"{self.folder}/{self.name}.md"

    @property
    def history(self) -> str:
        """Return the folder of what answered before, and of retractions."""
        return f"{self.folder}/{HISTORY}/{self.name}"

    def past(self, id_: str) -> str:
        """Return where a record lies once it answers no more."""
        return f"{self.history}/{id_}.md"


def plain_name(text: str) -> str:
    """Return what an entity or key is called in paths: itself where every system takes it, else a slug with a digest."""
    return text if _is_plain(text) else distinct_name(text)


def distinct_name(text: str) -> str:
    """Return a name that no other text has: a slug and a piece of the text's digest."""
    readable = slug(text).encode()[: _LONGEST - 8].decode("utf-8", "ignore").strip("-_.")
    return f"{readable or 'x'}-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


def _is_plain(text: str) -> bool:
    return (
        unportable(f"{text}.md") is None
        and len(text.encode()) <= _LONGEST
        and _NO_LINK.search(text) is None
        and unicodedata.normalize("NFC", text) == text
        and not text.startswith(("_", ".", "-"))
        and not is_temporary(text)
    )


def event_path(folder: str, record: Record) -> str:
    """Return where an event of its own file lies in the folder of its entity."""
    return f"{folder}/{_month(record)[:4]}/{record.id}.md"


def lines_path(folder: str, record: Record) -> str:
    """Return which file of lines holds an event in the folder of its entity."""
    return f"{folder}/{_month(record)}.jsonl"


def draft_path(review: str, record: Record) -> str:
    """Return where a draft waits: its name tells a person what it is about."""
    parts = [record.collection, plain_name(record.entity), *([plain_name(record.key)] if record.key else [])]
    return f"{review}/{' · '.join(parts)} ({record.id[-6:]}).md"


def entity_folder(records: str, collection: str, name: str) -> str:
    """Return the folder of an entity."""
    return f"{records}/{collection}/{name}"


def is_head_path(path: str, records: str) -> bool:
    """Return whether a path is that of a slot's current answer."""
    parts = path.removeprefix(records + "/").split("/")
    return path.startswith(records + "/") and len(parts) == 3 and path.endswith(".md")


def head_paths(slot: Slot, records: str) -> Iterator[str]:
    """Give the paths where the answer of a slot may lie, the likely one first: names may have a digest."""
    yield f"{records}/{slot.collection}/{slot.entity}/{slot.key}.md"
    entities, keys = ((plain_name(text), distinct_name(text)) for text in (slot.entity, slot.key))
    yield from (f"{records}/{slot.collection}/{entity}/{key}.md" for entity in entities for key in keys)


def slot_place_of(path: str, records: str) -> SlotPlace | None:
    """Return the slot that a file is of: its head, or something in its history."""
    if is_head_path(path, records):
        folder, _, name = path.rpartition("/")
        return SlotPlace(folder, name.removesuffix(".md"))
    folder, apart, rest = path.partition(f"/{HISTORY}/")
    inside = folder.startswith(records + "/") and rest.count("/") == 1
    return SlotPlace(folder, rest.partition("/")[0]) if apart and inside else None


def is_event_path(path: str, records: str) -> bool:
    """Return whether a path is that of an event with a file of its own."""
    parts = path.removeprefix(records + "/").split("/")
    return path.startswith(records + "/") and len(parts) == 4 and _YEAR.fullmatch(parts[2]) is not None


def _month(record: Record) -> str:
    return record.created[:7]
