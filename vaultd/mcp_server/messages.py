"""A line of MCP as those see it who carry it: which call it is, if any, and what is said to a line that is none."""

import json

LONGEST = 4 << 20
"""Bytes of the longest message."""
NO_JSON, NO_MESSAGE = -32_700, -32_600
TOO_LONG = f"a message has at most {LONGEST} bytes: say it in several, or put it into a file of the vault by hand"


class Peeked:
    """What a line says of itself. No dataclass: to import those takes a tenth of a proxy's start."""

    __slots__ = ("cancels", "id", "method", "mislabelled", "refuses")

    def __init__(
        self,
        method: str | None = None,
        id_: str | int | None = None,
        cancels: str | int | None = None,
        *,
        mislabelled: bool = False,
        refuses: bool = False,
    ) -> None:
        self.method = method
        """None for an answer, and for what is no message at all."""
        self.id = id_
        """None where it has none, or one that no answer could bear."""
        self.cancels = cancels
        """The id of the call that is not waited for any more."""
        self.mislabelled = mislabelled
        """Whether it has an id that none can be: it wants an answer, and could not be told apart from others."""
        self.refuses = refuses
        """Whether it is an answer that says why there is none."""


def peeked(line: bytes) -> Peeked | None:
    """Return what a line says of itself, None where it is no JSON that anybody reads."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict):
        return Peeked()
    method, params, id_ = message.get("method"), message.get("params"), _id(message.get("id"))
    cancels = params.get("requestId") if method == "notifications/cancelled" and isinstance(params, dict) else None
    return Peeked(
        method if isinstance(method, str) else None,
        id_,
        _id(cancels),
        mislabelled="method" in message and "id" in message and id_ is None,
        refuses="error" in message,
    )


def _id(value: object) -> str | int | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    try:
        str(value).encode()
    except ValueError:  # half a character, or a number of more digits than Python spells
        return None
    return value


def refusal(id_: object, code: int, why: str) -> bytes:
    """Return the line that refuses a message."""
    return json.dumps({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": why}}).encode() + b"\n"
