"""Value classes that do what those of `dataclasses` do, and cost a twentieth of it to define.

A command defines more than a hundred of them and uses a few dozen, most of those once or twice, so a function that takes values in,
compares or hashes them is written when it is called; `dataclasses` writes and compiles six for each class at once. What nobody asks
of a value at work, such as its fields or its signature, a class of `dataclasses` with the same fields answers.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` is slow to import, and short commands do without it
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import asdict, dataclass, field, replace
    from typing import Any, NoReturn

__all__ = ["asdict", "dataclass", "field", "replace"]

_FEW = 16
"""So many values of a class are taken in step by step; to write the function for it costs as much as thirty."""


class _Anew:
    """A default that is made for each value."""

    __slots__ = ("make",)

    def __init__(self, make: "Callable[[], object]") -> None:
        self.make = make


class _OfTheSame:
    """An attribute of a class that a class of `dataclasses` with the same fields has, found when it is asked for."""

    __slots__ = ("_declare", "_found", "_name")

    def __init__(self, name: str, declare: "Callable[[], type]") -> None:
        self._name = name
        self._declare = declare
        self._found: object = None

    def __get__(self, value: object, cls: type) -> object:
        if self._found is None:
            from inspect import signature  # noqa: PLC0415  -- slow to import, and nobody asks in a short command

            same = self._declare()
            self._found = signature(same) if self._name == "__signature__" else getattr(same, self._name)
        return self._found


def _dataclass(*, frozen: bool = False, slots: bool = False) -> "Callable[[type], type]":
    def declared(cls: "Any") -> type:
        names = tuple(cls.__annotations__)
        defaults = {name: vars(cls)[name] for name in names if name in vars(cls)}
        for name, default in defaults.items():
            if isinstance(default, _Anew):
                delattr(cls, name)
            elif type(default).__hash__ is None:
                raise ValueError(
                    f"{cls.__name__}.{name}: a default that can change would be every value's: use a factory"
                )
        made = _with_slots(cls, names) if slots else cls
        _equip(made, names, defaults, frozen=frozen)
        return made

    return declared


def _field(*, default_factory: "Callable[[], object]") -> _Anew:
    return _Anew(default_factory)


def _replace(value: "Any", /, **changes: object) -> object:
    kept = {name: getattr(value, name) for name in value.__match_args__ if name not in changes}
    return type(value)(**kept, **changes)


def _asdict(value: "Any") -> dict[str, object]:
    return {name: _plain(getattr(value, name)) for name in value.__match_args__}


def _plain(thing: "Any") -> object:
    if "__dataclass_fields__" in vars(type(thing)):
        return _asdict(thing)
    if isinstance(thing, (list, tuple)):
        return type(thing)(map(_plain, thing))
    return {name: _plain(part) for name, part in thing.items()} if isinstance(thing, dict) else thing


if not TYPE_CHECKING:
    asdict, dataclass, field, replace = _asdict, _dataclass, _field, _replace


def _with_slots(cls: type, names: "Sequence[str]") -> type:
    """Return the class once more, with room for its fields alone: a class must be told so when it is made."""
    members = {name: member for name, member in vars(cls).items() if name not in names}
    members.pop("__dict__", None)
    members.pop("__weakref__", None)
    made: type = type(cls)(cls.__name__, cls.__bases__, members | {"__slots__": tuple(names)})
    made.__qualname__ = cls.__qualname__
    return made


def _equip(made: "Any", names: tuple[str, ...], defaults: "Mapping[str, object]", *, frozen: bool) -> None:
    """Give a class what makes it one of values; what is its own already it keeps."""
    few, known = _FEW, frozenset(names)
    needed = known - defaults.keys()

    def __init__(self: object, *args: object, **kwargs: object) -> None:  # noqa: N807
        nonlocal few
        few -= 1
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        if few and len(given) == len(args) + len(kwargs) and needed <= given.keys() <= known:
            for name in names:
                object.__setattr__(self, name, given[name] if name in given else _default(defaults[name]))
            return
        made.__init__ = _taking_in(made, names, defaults, frozen=frozen)
        made.__init__(self, *args, **kwargs)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        made.__eq__ = _comparing(made, names)
        return made.__eq__(self, other)  # type: ignore[no-any-return]

    def __hash__(self: object) -> int:  # noqa: N807
        made.__hash__ = _hashing(made, names)
        return made.__hash__(self)  # type: ignore[no-any-return]

    def same() -> type:
        return _declared_by_dataclasses(made, names, defaults, frozen=frozen)

    own = vars(made)
    given: dict[str, object] = {"__init__": __init__, "__eq__": __eq__, "__repr__": _shown}
    if frozen:
        given |= {"__setattr__": _keep, "__delattr__": _keep, "__hash__": __hash__}
        if "__slots__" in own:
            given |= {"__getstate__": _state, "__setstate__": _set_state}  # what copies them would set attributes
    else:
        given["__hash__"] = None
    for name in ("__dataclass_fields__", "__dataclass_params__", "__signature__"):
        given[name] = _OfTheSame(name, same)
    for name, thing in {"__match_args__": names, **given}.items():
        if name not in own or own[name] is None:
            setattr(made, name, thing)


def _default(default: object) -> object:
    return default.make() if isinstance(default, _Anew) else default


# Written when it is called for ----------------------------------------------------------------------------------------


def _taking_in(
    made: "Any", names: "Sequence[str]", defaults: "Mapping[str, object]", *, frozen: bool
) -> "Callable[..., None]":
    scope: dict[str, object] = {"_anew": _Anew, "_set": object.__setattr__}
    parameters, lines = [], []
    for name in names:
        value = name
        if name in defaults:
            scope[f"_default_{name}"] = default = defaults[name]
            parameters.append(f"{name}=_default_{name}")
            if isinstance(default, _Anew):
                value = f"_default_{name}.make() if {name} is _default_{name} else {name}"
        else:
            parameters.append(name)
        if not frozen:
            lines.append(f"self.{name} = {value}")
        elif "__slots__" in vars(made):
            scope[f"_set_{name}"] = vars(made)[name].__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})")
    return _written(made, f"__init__(self, {', '.join(parameters)})", lines or ["pass"], scope)


def _comparing(made: "Any", names: "Sequence[str]") -> "Callable[[object, object], bool]":
    ours, theirs = (f"({''.join(f'{of}.{name}, ' for name in names)})" for of in ("self", "other"))
    lines = [f"return {ours} == {theirs} if other.__class__ is self.__class__ else NotImplemented"]
    return _written(made, "__eq__(self, other)", lines, {})


def _hashing(made: "Any", names: "Sequence[str]") -> "Callable[[object], int]":
    return _written(made, "__hash__(self)", [f"return hash(({''.join(f'self.{name}, ' for name in names)}))"], {})


def _written(made: "Any", head: str, lines: "Sequence[str]", scope: dict[str, object]) -> "Callable[..., Any]":
    text = f"def {head}:\n" + "".join(f"    {line}\n" for line in lines)
    exec(compile(text, f"<{made.__qualname__}>", "exec"), scope)  # noqa: S102  -- of names that are names in a class already
    function: Any = scope[head.partition("(")[0]]
    function.__qualname__ = f"{made.__qualname__}.{function.__name__}"
    function.__module__ = made.__module__
    return function  # type: ignore[no-any-return]


# The same for every class ---------------------------------------------------------------------------------------------


def _shown(self: "Any") -> str:
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__match_args__)})"


def _keep(self: object, name: str, _value: object = None) -> "NoReturn":
    from dataclasses import FrozenInstanceError  # noqa: PLC0415  -- a mistake of ours

    raise FrozenInstanceError(f"cannot change {name!r} of a {type(self).__qualname__}")


def _state(self: "Any") -> list[object]:
    return [getattr(self, name) for name in self.__match_args__]


def _set_state(self: "Any", state: "Sequence[object]") -> None:
    for name, value in zip(self.__match_args__, state, strict=True):
        object.__setattr__(self, name, value)


def _declared_by_dataclasses(
    made: type, names: "Sequence[str]", defaults: "Mapping[str, object]", *, frozen: bool
) -> type:
    import dataclasses  # noqa: PLC0415  -- the point of all this

    fields: list[tuple[str, object, Any]] = []
    for name in names:
        default = defaults.get(name, dataclasses.MISSING)
        declared: Any = dataclasses.field(default=default)
        if isinstance(default, _Anew):
            declared = dataclasses.field(default_factory=default.make)
        fields.append((name, made.__annotations__[name], declared))
    same: type = dataclasses.make_dataclass(made.__name__, fields, frozen=frozen)
    return same
