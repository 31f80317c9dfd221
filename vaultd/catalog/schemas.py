"""JSON Schema 2020-12: whether a schema is one, and whether a record's content is what it says."""

from collections.abc import Callable, Mapping

from vaultd.notes.scalars import Value


def schema_problem(schema: Mapping[str, Value]) -> tuple[str, str] | None:
    """Return the dotted path and the reason why a schema cannot be one of a collection, or None if it can."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  -- it takes longer to import than most answers,
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415  -- and most vaults declare nothing

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as exc:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in exc.absolute_path)
        return where, str(exc.message)
    properties = schema.get("properties")
    text = properties.get("text") if isinstance(properties, dict) else None
    required = schema.get("required")
    if schema.get("type") != "object":
        return ".type", "the root has `type: object`"
    if not isinstance(text, dict) or text.get("type") != "string":
        return ".properties.text", "`properties.text` has `type: string`"
    if not isinstance(required, list) or "text" not in required:
        return ".required", "`required` lists text"
    return None


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

    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)

    def problem(content: Mapping[str, Value]) -> tuple[str, str] | None:
        errors = validator.iter_errors(content)
        return min(((".".join(map(str, one.absolute_path)), str(one.message)) for one in errors), default=None)

    return problem
