"""What `--where` says, as a tree of conditions on properties; whatever cannot be read is an error with its column."""

import math
import re
from collections.abc import Iterator
from datetime import UTC, timedelta
from typing import Literal, NamedTuple, NoReturn, TypeAlias

from vaultd.errors import UsageError
from vaultd.notes.times import parse_moment
from vaultd.values import dataclass

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains", "in", "exists"]
LONGEST = 10_000
"""Characters; a longer expression is refused, so that nesting stays shallower than Python's stack."""
DEEPEST = 50
_TOKEN = re.compile(
    r"\s*(?:(?P<sign><=|>=|!=|<>|==|&&|\|\||[=<>!(),\[\]])|\"(?P<double>[^\"]*)(?P<d>\"?)|'(?P<single>[^']*)(?P<s>'?)"
    r"|(?P<word>[^\s=<>!(),\[\]\"'&|]+|[&|]))"
)
_SPELLED: dict[str, Operator] = {
    "=": "=",
    "==": "=",
    "is": "=",
    "!=": "!=",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "contains": "contains",
    "in": "in",
    "exists": "exists",
}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_HINT = "for example: --where 'status = done and (due < 2026-12-01 or not priority exists)'"


@dataclass(frozen=True, slots=True)
class Literally:
    """A value to compare with: always a text, and a number or a span of time where it reads as one."""

    text: str
    number: float | None = None
    span: tuple[float, float] | None = None
    """Seconds since 1970; a day spans a day, an instant nothing."""


@dataclass(frozen=True, slots=True)
class Compare:
    """One property compared with values: one of them, several after `in`, none after `exists`."""

    name: str
    operator: Operator
    values: tuple[Literally, ...] = ()


@dataclass(frozen=True, slots=True)
class Not:
    """What does not hold."""

    inner: "Condition"


@dataclass(frozen=True, slots=True)
class Both:
    """What holds together."""

    left: "Condition"
    right: "Condition"


@dataclass(frozen=True, slots=True)
class Either:
    """Of which at least one holds."""

    left: "Condition"
    right: "Condition"


Condition: TypeAlias = Compare | Not | Both | Either


def condition(expression: str) -> Condition:
    """Return what an expression asks of a note's properties.

    `name = value`, `!=`, `<`, `<=`, `>`, `>=`, `contains`, `in (a, b)`, `exists`, joined by `and`, `or`, `not` and
    parentheses.

    Raises:
        UsageError: it cannot be read; the message names the column.
    """
    if len(expression) > LONGEST:
        raise UsageError(f"--where is longer than {LONGEST:,} characters", _HINT)
    return _Reader(expression).whole()


def literally(text: str, *, quoted: bool = False) -> Literally:
    """Return a value as it was typed; in quotes it is only a text."""
    if quoted:
        return Literally(text)
    if _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):
        return Literally(text, number)
    span = moment_span(text)
    return Literally(text, None, span)


def moment_span(text: str) -> tuple[float, float] | None:
    """Return from when to when a date or a time lasts, in seconds since 1970; without a zone it is read in UTC."""
    moment = parse_moment(text, UTC)
    if moment is None or moment.utc is None:
        return None
    start = moment.utc.timestamp()
    lasts = timedelta(days=1).total_seconds() if _DAY.fullmatch(text.strip()) else 0.0
    return start, start + lasts


class _Token(NamedTuple):
    text: str
    column: int
    quoted: bool
    sign: bool

    def word(self) -> str:
        """Return the token as a keyword or a sign, nothing where it is quoted."""
        return "" if self.quoted else self.text.casefold()


class _Reader:
    """Reads one expression from left to right."""

    def __init__(self, expression: str) -> None:
        self._tokens = [*_tokens(expression)]
        self._at = 0
        self._end = len(expression) + 1
        self._depth = 0

    def whole(self) -> Condition:
        if not self._tokens:
            raise UsageError("--where is empty", _HINT)
        found = self._either()
        if self._at < len(self._tokens):
            self._fail("`and` or `or` is needed before")
        return found

    def _either(self) -> Condition:
        found = self._both()
        while self._take("or", "||"):
            found = Either(found, self._both())
        return found

    def _both(self) -> Condition:
        found = self._one()
        while self._take("and", "&&"):
            found = Both(found, self._one())
        return found

    def _one(self) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail(f"more than {DEEPEST} levels of nesting at")
        try:
            if self._take("not", "!"):
                return Not(self._one())
            if self._take("("):
                return self._closed(self._either())
            return self._compare()
        finally:
            self._depth -= 1

    def _closed(self, inner: Condition) -> Condition:
        if not self._take(")"):
            self._fail("`)` is needed before")
        return inner

    def _compare(self) -> Condition:
        if self._peek().word() == "exists" and not self._operator_follows():
            self._at += 1
            opened = self._take("(")
            found = Compare(self._name(), "exists")
            return self._closed(found) if opened else found
        name = self._name()
        negated = self._take("not")
        token = self._peek()
        operator = _SPELLED.get(token.word())
        if operator is None:
            self._fail("an operator (= != < <= > >= contains in exists) is needed before")
        self._at += 1
        found = Compare(name, operator, self._values(operator))
        return Not(found) if negated else found

    def _operator_follows(self) -> bool:
        """Say whether what stands here is a property's name, whatever word it is."""
        return self._at + 1 < len(self._tokens) and self._tokens[self._at + 1].word() in _SPELLED

    def _values(self, operator: Operator) -> tuple[Literally, ...]:
        match operator:
            case "exists":
                return ()
            case "in":
                return self._several()
            case _:
                return (self._value(),)

    def _several(self) -> tuple[Literally, ...]:
        opened = self._take("(", "[")
        values = [self._value()]
        while opened and not self._take(")", "]"):
            self._take(",")
            values.append(self._value())
        return tuple(values)

    def _name(self) -> str:
        token = self._peek()
        if token.sign or not token.text:
            self._fail("the name of a property is needed before")
        self._at += 1
        return token.text

    def _value(self) -> Literally:
        token = self._peek()
        if token.sign or (not token.text and not token.quoted):
            self._fail("a value is needed before")
        self._at += 1
        return literally(token.text, quoted=token.quoted)

    def _peek(self) -> _Token:
        return (
            self._tokens[self._at] if self._at < len(self._tokens) else _Token("", self._end, quoted=False, sign=True)
        )

    def _take(self, *words: str) -> bool:
        if self._peek().word() in words:
            self._at += 1
            return True
        return False

    def _fail(self, why: str) -> NoReturn:
        token = self._peek()
        where = f"`{token.text}`" if token.text else "the end"
        raise UsageError(f"--where, column {token.column}: {why} {where}", _HINT)


def _tokens(expression: str) -> Iterator[_Token]:
    text = expression.rstrip()
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise UsageError(f"--where, column {at + 1}: {text[at]!r} makes no sense here", _HINT)
        group = match.lastgroup or ""
        kind = {"d": "double", "s": "single"}.get(group, group)
        column = match.start(kind) + (1 if kind in ("sign", "word") else 0)
        if kind in ("double", "single") and not match[group]:
            raise UsageError(f"--where, column {column}: this quote is never closed", _HINT)
        yield _Token(match[kind], column, quoted=kind in ("double", "single"), sign=kind == "sign")
        at = match.end()
