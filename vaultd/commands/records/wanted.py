"""What a caller wants remembered, and the checks that every record passes before it is put down."""

from collections.abc import Mapping

from vaultd.catalog.compiling import projected
from vaultd.catalog.definitions import Collection
from vaultd.catalog.schemas import content_problem
from vaultd.commands.records.desk import Desk, OpenSlot
from vaultd.errors import ConflictError, RejectedError, UsageError
from vaultd.judging.records.files import find_record
from vaultd.lifecycle.records.acceptable import unacceptable
from vaultd.lifecycle.records.envelope import Misread, misnamed, properties_of, record_from
from vaultd.lifecycle.records.provenance import DEEPEST, depth_of
from vaultd.lifecycle.records.values import Record
from vaultd.notes.scalars import Value
from vaultd.values import dataclass, field, replace

NOTHING = "none"
"""What `--expect-head` says for a slot that must be empty."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be remembered; the rest of a record is made by the command."""

    collection: str
    """`name`, or `name@version`."""
    entity: str
    type: str
    text: str = ""
    key: str | None = None
    occurred: str | None = None
    content: Mapping[str, Value] = field(default_factory=dict)
    derived_from: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    dedupe: str | None = None
    reason: str | None = None
    expect_head: str = ""
    """The id that must answer the slot now, `none` for an empty one; empty for any."""


def made(desk: Desk, wanted: Wanted) -> Record:
    """Return the record that a caller wants, with an id and the time.

    Raises:
        UsageError: a name, a key or a value that no record may have.
        RejectedError: what it cites is not there, or too many conclusions lie below it.
    """
    for problem in misnamed(wanted.entity, wanted.key):
        raise _refused(problem)
    design = design_of(desk, wanted)
    name, _, version = (design.contract_name if design is not None else wanted.collection).partition("@")
    record = Record(
        id=desk.asked.new_id(),
        collection=name,
        version=int(version) if version.isdigit() else 1,
        entity=wanted.entity,
        type=wanted.type,
        created=desk.at,
        text=_text(wanted, design),
        key=wanted.key,
        occurred=wanted.occurred,
        derived_from=tuple(sorted(wanted.derived_from)),
        sources=wanted.sources,
        dedupe=wanted.dedupe,
        reason=wanted.reason,
        content=dict(wanted.content),
    )
    for problem in unacceptable(record):
        raise _refused(problem)
    contract = f"{name}@{version}" if version else record.contract
    written = record_from(properties_of(record) | {"collection": contract}, record.text)
    if isinstance(written, Misread) and written.key == "collection":
        raise UsageError(f"no collection can be called {wanted.collection!r}", "write it such as customer_profiles")
    if isinstance(written, Misread):
        raise _refused(written)
    if written.content.keys() != record.content.keys():
        taken = ", ".join(sorted(record.content.keys() - written.content.keys()))
        raise UsageError(f"{taken}: no property may be called so", "the envelope has its own options")
    if design is not None:
        refuse_misfit(written, design)
    refuse_unfounded(desk, written)
    return written


def design_of(desk: Desk, wanted: Wanted) -> Collection | None:
    """Return the collection that a record stands under, None in a vault that publishes none.

    Raises:
        UsageError: the vault has no such collection, or it holds no such records.
    """
    if not desk.lock.declares:
        return None
    design = desk.lock.catalog.resolve(wanted.collection)
    if design is None:
        known = ", ".join(sorted(desk.lock.catalog.collections))
        raise UsageError(f"no collection is {wanted.collection!r}", f"there are: {known}; vaultd catalog publish")
    if design.mode == ("keyed" if wanted.key is None else "event"):
        kind = "a key" if wanted.key is None else "no key"
        raise UsageError(f"{design.contract_name} is {design.mode}: its records have {kind}", "vaultd record --help")
    return design


def refuse_misfit(record: Record, design: Collection) -> None:
    """Refuse content that the collection's schema does not allow; a retraction has none.

    Raises:
        RejectedError: V405.
    """
    found = content_problem(design.schema, {**record.content, "text": record.text})
    if found is not None and not record.retracted:
        where, why = found
        raise RejectedError(
            f"V405 {record.label}: {where + ': ' if where else ''}{why}", "see its schema in the catalog"
        )


def _text(wanted: Wanted, design: Collection | None) -> str:
    if wanted.text or design is None or design.text_projection is None:
        return wanted.text
    text = projected(design.text_projection, wanted.content)
    if text is None:
        raise UsageError(f"{design.contract_name} makes its text of properties, and one is missing", "give the text")
    return text


def _refused(problem: Misread) -> UsageError:
    return UsageError(f"{problem.key} {problem.what}", "vaultd record --help")


def refuse_unfounded(desk: Desk, record: Record) -> None:
    """Refuse a record that cites what is not there, what is younger, or conclusions upon conclusions.

    Raises:
        RejectedError: V407 or V408.
    """

    def found(id_: str) -> Record | None:
        try:
            return find_record(desk.opened, id_).record
        except UsageError:
            return None

    for id_ in record.derived_from:
        parent = found(id_)
        if parent is None or parent.id != id_:
            raise RejectedError(f"V407 {record.label}: it cites {id_}, and no record is called so", "cite whole ids")
        if parent.created > record.created:
            raise RejectedError(f"V407 {record.label}: {id_} is younger than what cites it", "check the clock")
    if record.derived_from and (depth := depth_of(record, found)) > DEEPEST:
        raise RejectedError(
            f"V408 {record.label}: {depth} conclusions lie between it and what was observed, {DEEPEST} at the most",
            "cite what was observed",
        )


def refuse_other_head(slot: OpenSlot, expected: str) -> None:
    """Refuse a slot that another record answers than the caller saw.

    Raises:
        ConflictError: the slot moved on.
    """
    if not expected:
        return
    answer = slot.lane().answer
    there = answer.id if answer is not None else NOTHING
    if there != expected:
        raise ConflictError(
            f"{slot.slot.label}: its head is {there}, not {expected}", "read it again, and repeat with its head"
        )


def superseding(record: Record, slot: OpenSlot) -> Record:
    """Return a record that takes over from everything that answers its slot."""
    return replace(record, supersedes=slot.lane().ids)
