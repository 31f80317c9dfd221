"""A request's arguments as the values that answers take; the socket and the command line share it."""

from collections.abc import Mapping
from typing import Literal

from vaultd.errors import UsageError
from vaultd.lifecycle.records.values import Status
from vaultd.search.conditions import condition
from vaultd.search.filters import PARTS, Limits
from vaultd.search.query import Question
from vaultd.search.record_limits import RecordLimits


def question_of(arguments: Mapping[str, object]) -> Question:
    """Return the question that a request asks.

    Raises:
        UsageError: it cannot be asked.
    """
    limit, sort = arguments.get("limit"), arguments.get("sort")
    return Question(
        str(arguments.get("query", "")),
        all=arguments.get("all") is True,
        limit=limit if isinstance(limit, int) else 20,
        limits=_limits_of(arguments),
        sort=sort if isinstance(sort, str) and sort else "score",
        explain=arguments.get("explain") is True,
        as_of=text(arguments, "as_of"),
    )


def _limits_of(arguments: Mapping[str, object]) -> Limits:
    where = text(arguments, "where")
    within = strings(arguments.get("in"))
    for part in within:
        if part not in PARTS:
            raise UsageError(f"there is no {part!r} to look in", "--in " + ",".join(PARTS))
    return Limits(
        within=tuple(within),
        project=text(arguments, "project"),
        kind=text(arguments, "kind"),
        tags=tuple(strings(arguments.get("tags"))),
        path=text(arguments, "path") or "",
        where=condition(where) if where is not None else None,
        record=_record_limits(arguments),
        inside=tuple(strings(arguments.get("inside"))),
        outside=tuple(strings(arguments.get("outside"))),
    )


def _record_limits(arguments: Mapping[str, object]) -> RecordLimits:
    versions = text(arguments, "versions")
    return RecordLimits(
        collections=tuple(strings(arguments.get("collections"))),
        entity=text(arguments, "entity"),
        type=text(arguments, "type"),
        status=_STATUSES.get(text(arguments, "status") or ""),
        every_version=None if versions is None else versions == "all",
    )


_STATUSES: dict[str, Status] = {"active": "active", "draft": "draft"}


def text(arguments: Mapping[str, object], name: str) -> str | None:
    """Return an argument that is a text, None where it is not given."""
    value = arguments.get(name)
    return value if isinstance(value, str) else None


def severity_of(arguments: Mapping[str, object]) -> Literal["error", "warning", "info"]:
    """Return the severity below which a check lists nothing."""
    match arguments.get("severity"):
        case "error":
            return "error"
        case "warning":
            return "warning"
        case _:
            return "info"


def strings(value: object) -> list[str]:
    """Return the strings of a list that a request holds."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
