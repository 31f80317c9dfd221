"""JSON Schema 2020-12: whether a schema is one, and whether a record's content is what it says."""

from collections.abc import Callable, Mapping

from vaultd.notes.scalars import Value


def schema_problem(schema: Mapping[str, Value]) -> str | None:
    """Return why a schema cannot be one of a collection, or None if it can."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  -- it takes longer to import than most answers,
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415  -- and most vaults declare nothing

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as exc:
        return str(exc.message)
    properties = schema.get("properties")
    text = properties.get("text") if isinstance(properties, dict) else None
    required = schema.get("required")
    if schema.get("type") != "object":
        return "the root has `type: object`"
    if not isinstance(text, dict) or text.get("type") != "string":
        return "`properties.text` has `type: string`"
    if not isinstance(required, list) or "text" not in required:
        return "`required` lists text"
    return None


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
