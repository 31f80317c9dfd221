"""Typed settings: a class whose fields are checked when a plugin loads, and told as JSON Schema."""

import re
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from types import NoneType
from typing import Literal, TypeVar, get_args, get_origin

from vaultd.errors import UsageError

T = TypeVar("T")
Schema = dict[str, object]


class SettingsError(UsageError):
    """`data.json` does not fit the plugin's settings; the message holds a JSON pointer to the place."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a setting's value is held to beside its type."""

    ge: float | None = None
    le: float | None = None
    pattern: str | None = None
    desc: str = ""


def setting(
    default: T, *, ge: float | None = None, le: float | None = None, pattern: str | None = None, desc: str = ""
) -> T:
    """Declare what a field of settings is by default, and what it is held to."""
    metadata = {"limits": Limits(ge, le, pattern, desc)}
    made: object
    if isinstance(default, list | dict):
        made = field(default_factory=default.copy, metadata=metadata)
    else:
        made = field(default=default, metadata=metadata)
    # what stands in the class is a field, what an author reads from an instance is a value of the declared type
    return typing.cast("T", made)


def as_dataclass(cls: type) -> type:
    """Return the class of settings as a dataclass, whether or not its author said so."""
    return cls if is_dataclass(cls) else dataclass(cls)


def read_settings(cls: type, data: object) -> object:
    """Return the settings that a plugin's data holds; keys that it does not name have their defaults.

    Raises:
        SettingsError: a value does not fit.
    """
    if data is not None and not isinstance(data, dict):
        raise SettingsError("data.json: : is no object", "it begins with {")
    said: Mapping[str, object] = data or {}
    hints = typing.get_type_hints(cls)
    values = {one.name: _value(one, hints[one.name], said[one.name]) for one in fields(cls) if one.name in said}
    return cls(**values)


def settings_as_data(settings: object, data: object) -> dict[str, object]:
    """Return what to save: the settings, and every key of the data that is none of them.

    A setting that comes from the environment is saved as it stood: by its variable's name.
    """
    there = data if isinstance(data, dict) else {}
    named = {key for key, value in there.items() if variable_of(value) is not None}
    ours = [one.name for one in fields(typing.cast("type", settings)) if one.name not in named]
    return {**there, **{name: getattr(settings, name) for name in ours}}


def variable_of(value: object) -> str | None:
    """Return the variable of the environment that a value stands for, None where it stands for itself."""
    match value:
        case {"$env": str(name), **rest} if not rest:
            return name
        case _:
            return None


def schema_of(cls: type) -> Schema:
    """Return the JSON Schema of settings."""
    hints = typing.get_type_hints(cls)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {one.name: _schema(one, hints[one.name]) for one in fields(cls)},
        "additionalProperties": True,
    }


def _schema(one: "Field[object]", hint: object) -> Schema:
    limits = _limits(one)
    default = one.default if one.default is not MISSING else None
    if one.default_factory is not MISSING:
        default = one.default_factory()
    told: Schema = {**_type_schema(hint), "default": default}
    if limits.desc:
        told["description"] = limits.desc
    for key, value in (("minimum", limits.ge), ("maximum", limits.le), ("pattern", limits.pattern)):
        if value is not None:
            told[key] = value
    return told


def _type_schema(hint: object) -> Schema:
    plain = {bool: "boolean", int: "integer", float: "number", str: "string"}
    if hint == list[str]:
        return {"type": "array", "items": {"type": "string"}}
    if hint == dict[str, str]:
        return {"type": "object", "additionalProperties": {"type": "string"}}
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if isinstance(hint, type) and hint in plain:
        return {"type": plain[hint]}
    raise UsageError(f"a setting cannot be of {hint}", "bool, int, float, str, list[str], dict[str, str] or Literal")


def _limits(one: "Field[object]") -> Limits:
    found = one.metadata.get("limits")
    return found if isinstance(found, Limits) else Limits()


def _value(one: "Field[object]", hint: object, value: object) -> object:
    why = _unfit(hint, value) or _beyond(_limits(one), value)
    if why:
        raise SettingsError(f"data.json: /{one.name}: {why}", "mend the value, or take the key out for the default")
    return float(value) if hint is float and isinstance(value, int) else value


def _unfit(hint: object, value: object) -> str:
    """Return why a value is not of a type, empty where it is."""
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        return "" if value in choices else f"{value!r} is none of {', '.join(map(str, choices))}"
    if hint == list[str]:
        return "" if isinstance(value, list) and all(isinstance(i, str) for i in value) else "is no list of texts"
    if hint == dict[str, str]:
        texts = isinstance(value, dict) and all(isinstance(i, str) for i in value.values())
        return "" if texts else "is no object of texts"
    if hint is float:
        return "" if isinstance(value, int | float) and not isinstance(value, bool) else f"{value!r} is no number"
    if hint is int:
        return "" if isinstance(value, int) and not isinstance(value, bool) else f"{value!r} is no whole number"
    names = {bool: "true or false", str: "text", NoneType: "null"}
    if isinstance(hint, type) and isinstance(value, hint):
        return ""
    return f"{value!r} is not {names.get(typing.cast('type', hint), hint)}"


def _beyond(limits: Limits, value: object) -> str:
    if isinstance(value, int | float):
        if limits.ge is not None and value < limits.ge:
            return f"{value} is below {limits.ge:g}"
        if limits.le is not None and value > limits.le:
            return f"{value} is above {limits.le:g}"
    if limits.pattern is not None and isinstance(value, str) and not re.fullmatch(limits.pattern, value):
        return f"{value!r} does not match {limits.pattern}"
    return ""
