"""JSON Schema 2020-12: whether a schema is one, and whether a record's content is what it says."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC
from typing import TYPE_CHECKING

from vaultd.notes.scalars import Value
from vaultd.notes.times import parse_moment

if TYPE_CHECKING:  # it takes longer to import than most answers
    from jsonschema import FormatChecker

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ENDLESS = "the schema refers to itself without an end"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def schema_problem(schema: Mapping[str, Value]) -> tuple[str, str] | None:
    """Return the dotted path and the reason why a schema cannot be one of a collection, or None if it can."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  -- it takes longer to import than most answers,
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415  -- and most vaults declare nothing

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as exc:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in exc.absolute_path)
        return where, str(exc.message)
    if (dialect := schema.get("$schema", _DIALECT)) != _DIALECT:
        return ".$schema", f"{dialect} is another dialect: it is {_DIALECT}, or left out"
    properties = schema.get("properties")
    text = properties.get("text") if isinstance(properties, dict) else None
    required = schema.get("required")
    if schema.get("type") != "object":
        return ".type", "the root has `type: object`"
    if not isinstance(text, dict) or text.get("type") != "string":
        return ".properties.text", "`properties.text` has `type: string`"
    if not isinstance(required, list) or "text" not in required:
        return ".required", "`required` lists text"
    endless = content_problem(schema, {"text": ""})
    return next(_open_ends(schema), ("", endless[1]) if endless == ("", _ENDLESS) else None)


def _open_ends(whole: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Give the references that lead nowhere inside the schema: it is read alone, and nothing is fetched."""
    from referencing import Registry  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

    resolver = Registry[object]().resolver_with_root(DRAFT202012.create_resource(whole))
    waiting: list[tuple[str, object]] = [("", whole)]
    while waiting:
        place, value = waiting.pop()
        pairs = value.items() if isinstance(value, dict) else ()
        for key, inside in pairs:
            if key in ("$ref", "$dynamicRef") and isinstance(inside, str):
                try:
                    resolver.lookup(inside)
                except Unresolvable:
                    yield f"{place}.{key}", f"{inside} is not in this schema, and nothing is fetched"
            waiting.append((f"{place}.{key}", inside))
        if isinstance(value, list):
            waiting += [(f"{place}[{at}]", inside) for at, inside in enumerate(value)]


def leaf_type(schema: Mapping[str, Value], path: str) -> str | None:
    """Return the type of the property at a dotted path as fields spell it; None where the schema declares none."""
    leaf: Value = dict(schema)
    for part in path.split("."):
        inside = leaf.get("properties") if isinstance(leaf, dict) else None
        leaf = inside.get(part) if isinstance(inside, dict) else None
    if not isinstance(leaf, dict):
        return None
    if leaf.get("type") == "array":
        items = leaf.get("items")
        return f"[{_plain_type(items)}]" if isinstance(items, dict) else None
    return _plain_type(leaf)


def _plain_type(leaf: Mapping[str, Value]) -> str:
    said = leaf.get("type")
    return "datetime" if said == "string" and leaf.get("format") == "date-time" else str(said)


def content_problem(schema: Mapping[str, Value], content: Mapping[str, Value]) -> tuple[str, str] | None:
    """Return the dotted path and the reason of the first thing that a schema does not allow, or None."""
    return content_problems(schema)(content)


def content_problems(schema: Mapping[str, Value]) -> Callable[[Mapping[str, Value]], tuple[str, str] | None]:
    """Return what looks for the first thing that a schema does not allow in contents, one after the other."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    validator = Draft202012Validator(schema, format_checker=_formats())

    def problem(content: Mapping[str, Value]) -> tuple[str, str] | None:
        try:
            errors = validator.iter_errors(content)
            return min(((".".join(map(str, one.absolute_path)), str(one.message)) for one in errors), default=None)
        except Unresolvable as exc:
            return "", f"the schema refers to what is not in it: {exc.ref}"
        except RecursionError:
            return "", _ENDLESS

    return problem


def _formats() -> "FormatChecker":
    """Return what checks formats: those of the library, and times, for which it wants a package more."""
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415

    checker = FormatChecker(Draft202012Validator.FORMAT_CHECKER.checkers)
    checker.checks("date-time")(_is_time)
    return checker


def _is_time(value: object) -> bool:
    """Return whether a value is a time as RFC 3339 spells it; what is no text is not asked for one."""
    return not isinstance(value, str) or (_TIME.fullmatch(value) is not None and parse_moment(value, UTC) is not None)
