"""A request's arguments as the values that answers take; the socket and the command line share it."""

from collections.abc import Mapping
from typing import Literal

from vaultd.search.query import Question


def question_of(arguments: Mapping[str, object]) -> Question:
    """Return the question that a request asks."""
    limit = arguments.get("limit")
    project, kind = arguments.get("project"), arguments.get("kind")
    return Question(
        str(arguments.get("query", "")),
        all=arguments.get("all") is True,
        limit=limit if isinstance(limit, int) else 20,
        project=project if isinstance(project, str) else None,
        kind=kind if isinstance(kind, str) else None,
    )


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
