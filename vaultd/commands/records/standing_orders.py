"""What a vault's config lets vaultd do by itself with records: adopt edited answers, carry out decisions in drafts."""

from collections.abc import Iterable, Iterator
from typing import Literal

from vaultd.commands.asking import Asked, Done
from vaultd.commands.records.adopt import adopt_record
from vaultd.commands.records.approve import approve_records
from vaultd.commands.records.reject import reject_record
from vaultd.errors import NoteFormatError
from vaultd.judging.designs import in_force
from vaultd.judging.opened import Opened
from vaultd.judging.records.files import Placed, placed_at
from vaultd.judging.records.presence import keeps_records
from vaultd.judging.records.survey import survey
from vaultd.lifecycle.records.places import is_head_path
from vaultd.lifecycle.violations import Violation
from vaultd.notes.note import parse
from vaultd.values import dataclass

IN_NOTE = "decided in the note"
"""Why a draft was rejected, where its `review_reason` does not say."""


@dataclass(frozen=True, slots=True)
class Order:
    """Something to do with one file, once it has been quiet."""

    path: str
    what: Literal["adopt", "approve", "reject"]


def standing_orders(opened: Opened, violations: Iterable[Violation]) -> tuple[Order, ...]:
    """Return what is to be done, given what is wrong; nothing, unless the config or a collection says so."""
    if not opened.started or not keeps_records(opened):
        return ()
    edited = sorted({one.path for one in violations if one.code == "V402"})
    orders = tuple(Order(path, "adopt") for path in edited if _adopts(opened, path))
    return (*orders, *_wishes(opened)) if opened.settings.review == "in-notes" else orders


def _wishes(opened: Opened) -> Iterator[Order]:
    for one in survey(opened, [opened.settings.folders.review]).records:
        wish = one.record.stamps.wish
        if wish is not None and one.record.status == "draft" and one.record.stamps.superseded_by is None:
            yield Order(one.path, wish)


def obey(opened: Opened, asked: Asked, order: Order) -> Done:
    """Carry one order out, as the command of its name would.

    Raises:
        VaultdError: as the command would; nothing was written then.
    """
    match order.what:
        case "adopt":
            return adopt_record(opened, asked, order.path)
        case "approve":
            return approve_records(opened, asked, [order.path])
        case "reject":
            said = parse(opened.read(order.path) or b"").properties.get("review_reason")
            return reject_record(opened, asked, order.path, reason=said if isinstance(said, str) and said else IN_NOTE)


def _adopts(opened: Opened, path: str) -> bool:
    data = opened.read(path) if is_head_path(path, opened.settings.folders.records) else None
    found = placed_at(path, data) if data is not None else None
    if not isinstance(found, Placed):
        return False
    try:
        design = in_force(opened).catalog.collections.get(found.record.contract)
    except NoteFormatError:
        return False
    return design is not None and design.adopt == "auto"
