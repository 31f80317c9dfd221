"""What a tool takes: declared once, shown to clients as JSON Schema, and the only thing arguments are held to."""

import difflib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from vaultd.errors import UsageError
from vaultd.values import dataclass

Kind = Literal["text", "number", "flag", "texts", "edits"]
_LARGEST = 2**53
WORDS = 4_096
"""Characters of the longest text that is a name, a path, a question or a line, and no document."""
DOCUMENT = 4 << 20
_MANY = 1_000
"""Of the longest list."""
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "body": ("content", "text"),
    "name": ("slug",),
    "ref": ("id", "name", "path"),
}
"""What clients call parameters by mistake; an alias counts only where the tool has no parameter of that name."""
_EDIT = {
    "type": "object",
    "properties": {
        "old": {"type": "string", "description": "text that stands there exactly once"},
        "new": {"type": "string", "description": "text to stand there instead"},
    },
    "required": ["old", "new"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that a tool takes."""

    name: str
    says: str
    kind: Kind = "text"
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int = 1
    most: int = _LARGEST
    longest: int = WORDS
    """Characters of a text, and of each in a list."""
    parted: bool = True
    """Whether a text in the place of a list names several things between commas; a sentence does not."""

    def schema(self) -> dict[str, object]:
        """Return its JSON Schema."""
        match self.kind:
            case "text":
                allowed: dict[str, object] = {"enum": list(self.choices)} if self.choices else {}
                return {"type": "string", **allowed, "maxLength": self.longest, "description": self.says}
            case "number":
                return {"type": "integer", "minimum": self.least, "maximum": self.most, "description": self.says}
            case "flag":
                return {"type": "boolean", "description": self.says}
            case "texts":
                items = {"type": "string", "maxLength": self.longest}
                return {"type": "array", "items": items, "maxItems": _MANY, "description": self.says}
            case "edits":
                return {"type": "array", "items": _EDIT, "minItems": 1, "maxItems": _MANY, "description": self.says}


_PART = Parameter("edit", "a text to find, or to put in its place", longest=DOCUMENT)


def schema_of(parameters: Sequence[Parameter]) -> dict[str, object]:
    """Return the JSON Schema of everything that a tool takes."""
    return {
        "type": "object",
        "properties": {one.name: one.schema() for one in parameters},
        "required": [one.name for one in parameters if one.required],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Edit:
    """A text to find and what is to stand there."""

    old: str
    new: str


Value = str | int | bool | tuple[str, ...] | tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """Arguments that hold to what the tool takes; what was not given is not there."""

    values: Mapping[str, Value]

    def text(self, name: str) -> str:
        """Return a text, empty where it was not given."""
        value = self.values.get(name, "")
        return value if isinstance(value, str) else ""

    def maybe(self, name: str) -> str | None:
        """Return a text, None where it was not given."""
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def number(self, name: str, default: int) -> int:
        """Return a number."""
        value = self.values.get(name, default)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        """Return whether something is wanted."""
        return self.values.get(name) is True

    def texts(self, name: str) -> tuple[str, ...]:
        """Return texts, none where they were not given."""
        value = self.values.get(name, ())
        return tuple(one for one in value if isinstance(one, str)) if isinstance(value, tuple) else ()

    def edits(self, name: str) -> tuple[Edit, ...]:
        """Return edits, none where they were not given."""
        value = self.values.get(name, ())
        return tuple(one for one in value if isinstance(one, Edit)) if isinstance(value, tuple) else ()


class _WrongError(Exception):
    """A value that is none of its kind; the message is the end of a sentence that begins with its name."""


def given(parameters: Sequence[Parameter], arguments: Mapping[str, object]) -> Given:
    """Return arguments as the tool takes them: absent ones stay absent, all that is wrong is told at once.

    Converted is only what loses nothing: `"3"` to 3, `"true"` to true, `"a, b"` and a list written as JSON to a list.

    Raises:
        UsageError: something is missing, unknown or of another kind.
    """
    known = {one.name: one for one in parameters}
    problems = list(_unknown(known, arguments))
    values: dict[str, Value] = {}
    for one in parameters:
        try:
            found = _named(one, known, arguments)
            value = _converted(one, found) if found is not None else None
        except _WrongError as wrong:
            problems.append(f"{one.name} {wrong}")
            continue
        if value is not None and value not in ("", ()):
            values[one.name] = value
        elif one.required:
            problems.append(f"{one.name} is missing: {one.says}")
    if problems:
        takes = ", ".join(f"{one.name}{' (required)' if one.required else ''}" for one in parameters) or "nothing"
        raise UsageError("; ".join(problems), f"takes {takes}")
    return Given(values)


def _unknown(known: Mapping[str, Parameter], arguments: Mapping[str, object]) -> Iterator[str]:
    allowed = {alias for name in known for alias in _ALIASES.get(name, ())} | known.keys()
    for name in arguments:
        if name not in allowed:
            near = difflib.get_close_matches(name, known, 1)
            yield f"{name[:60]!r} is no parameter" + (f", {near[0]} is" if near else "")


def _named(one: Parameter, known: Mapping[str, Parameter], arguments: Mapping[str, object]) -> object:
    names = (one.name, *(alias for alias in _ALIASES.get(one.name, ()) if alias not in known))
    found = {name: arguments[name] for name in names if arguments.get(name) is not None}
    if len(found) > 1 and len({repr(value) for value in found.values()}) > 1:
        raise _WrongError(f"is given twice, differently: {', '.join(found)}")
    return next(iter(found.values()), None)


def _converted(one: Parameter, value: object) -> Value | None:
    match one.kind:
        case "text":
            return _text(one, value)
        case "number":
            return _number(one, value)
        case "flag":
            return _flag(value)
        case "texts":
            return _texts(one, value)
        case "edits":
            return _edits(value)


def _text(one: Parameter, value: object) -> str:
    if not isinstance(value, str):
        raise _WrongError(f"must be a text, not {_shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _WrongError("must be text that UTF-8 can write") from None
    if "\0" in value:
        raise _WrongError("must be text without a zero character, which no file can hold in its name")
    if len(value) > one.longest:
        raise _WrongError(f"must have at most {one.longest} characters, not {len(value)}")
    if one.choices and value and value not in one.choices:
        raise _WrongError(f"must be one of {', '.join(one.choices)}, not {_shown(value)}")
    return value if value.strip() or not one.required else ""


def _number(one: Parameter, value: object) -> int | None:
    if isinstance(value, str):
        if not value.strip():
            return None
        try:
            value = int(value)
        except ValueError:
            raise _WrongError(f"must be a whole number, not {_shown(value)}") from None
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _WrongError(f"must be a whole number, not {_shown(value)}")
    if not one.least <= value <= one.most:
        raise _WrongError(f"must be {one.least} to {one.most}, not {_shown(value)}")
    return value


def _flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false", ""):
        return {"true": True, "false": False}.get(value.lower())
    raise _WrongError(f"must be true or false, not {_shown(value)}")


def _texts(one: Parameter, value: object) -> tuple[str, ...]:
    listed = _listed(value)
    if isinstance(listed, str):
        listed = [part.strip() for part in listed.split(",")] if one.parted else [listed.strip()]
    if not isinstance(listed, list):
        raise _WrongError(f"must be a list of texts, not {_shown(value)}")
    if len(listed) > _MANY:
        raise _WrongError(f"must be at most {_MANY} texts, not {len(listed)}")
    for text in listed:
        if not isinstance(text, str):
            raise _WrongError(f"must be a list of texts, and {_shown(text)} is none")
        _text(one, text)
    return tuple(text for text in listed if text)


def _listed(value: object) -> object:
    """Return a list that came written as JSON in a text, as some programs send all they send; all else as it came."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, list) else value


def _edits(given_: object) -> tuple[Edit, ...]:
    value = _listed(given_)
    if not isinstance(value, list):
        raise _WrongError(f"must be a list of {{old, new}}, not {_shown(value)}")
    if len(value) > _MANY:
        raise _WrongError(f"must be at most {_MANY} of {{old, new}}, not {len(value)}")
    edits: list[Edit] = []
    for one in value:
        match one:
            case {"old": str(old), "new": str(new), **rest} if not rest:
                edits.append(Edit(_text(_PART, old), _text(_PART, new)))
            case _:
                raise _WrongError(f"must be a list of {{old, new}}, and {_shown(one)} is none")
    return tuple(edits)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
