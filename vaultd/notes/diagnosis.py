"""From libyaml's complaint to a finding that says what to type instead."""

import re

from vaultd.notes.findings import Finding
from vaultd.notes.nodes import Node
from vaultd.notes.reading import FIRST_LINE
from vaultd.notes.yaml_nodes import Duplicate, YamlProblem

_NO_BREAK_SPACE = re.compile(r"^ *[^\s#:'\"\[{-][^:\r\n]*:\u00a0", re.MULTILINE)
_LINE_BREAK = re.compile(r"\r\n?|\n")
_VALUE = re.compile(r"[ \t]*(?:- +)*(?:[^:#\s][^:]*:[ \t]+)?(?:- +)*")
_HINTS = (
    (re.compile(r"[@`%]"), "quote the value: YAML reserves @, ` and % at its start"),
    (re.compile(r"\*"), "a list item starts with `- `; quote a value that starts with `*`"),
    (re.compile(r"\[\[.*\]\]"), 'quote each wikilink: "[[Note]]", several of them as a list'),
    (re.compile(r"\[\s*#|\[.*,\s*#"), 'leave the # out or quote it: ["#tag"]'),
    (re.compile(r'".*".*"'), "put the value in single quotes, or a backslash before each inner double quote"),
    (re.compile(r"[&!]"), "quote a value that starts with & or !"),
    (re.compile(r"[\[{]"), "close the bracket, or quote the value"),
    (re.compile(r"[\"']"), "close the quote"),
    (re.compile(r".*:\s"), "quote the value: it has a colon and a space in it"),
)
_PLAIN_WORDS = (
    ("cannot start any token", "a value cannot start with {character!r}"),
    ("mapping values are not allowed", "a second `: ` in one value"),
    ("while scanning an alias", "`*` begins an alias, and no name follows"),
    ("while scanning a simple key", "this line is not `key: value`"),
    ("while scanning a quoted scalar", "a quote that is never closed"),
    ("while parsing a flow", "a bracket that is never closed, or not followed by a comma"),
    ("did not find expected key", "something follows the value that does not belong to it"),
)
_ELSE = "a property is `key: value`; quote a value with special characters"


def of_problem(text: str, problem: YamlProblem) -> Finding:
    """Return the finding for YAML that cannot be read; line and column are those of the file."""
    no_break_space = _NO_BREAK_SPACE.search(text)
    if no_break_space:
        return of_no_break_space(text, no_break_space.end() - 1)
    lines = _LINE_BREAK.split(text)
    at = min(problem.line, len(lines) - 1)
    while at > 0 and not lines[at].strip():
        # libyaml gave up behind the end; what it waited for was missing before
        at -= 1
    line = lines[at]
    if at != problem.line:
        problem = YamlProblem(problem.problem, at, len(line.rstrip()))
    indent = line[: len(line) - len(line.lstrip())]
    if "tab" in problem.problem or "\t" in indent[problem.column : problem.column + 1]:
        return _finding("V208", problem, "a tab as indentation", "YAML indents with spaces")
    return _finding("V205", problem, f"the YAML cannot be read: {_in_plain_words(problem, line)}", _hint(line))


def of_no_break_space(text: str, offset: int) -> Finding:
    """Return the finding for a no-break space where YAML needs a space."""
    before = _LINE_BREAK.split(text[:offset])
    message = "a no-break space after the colon, which YAML takes for part of the key"
    return Finding("V216", len(before) + FIRST_LINE - 1, message, "type a plain space", len(before[-1]) + 1)


def of_root(text: str, root: Node) -> Finding:
    """Return the finding for a block that is a list or a text where properties are expected."""
    no_break_space = _NO_BREAK_SPACE.search(text)
    if no_break_space:
        return of_no_break_space(text, no_break_space.end() - 1)
    what = "a list" if isinstance(root.value, list) else "text"
    hint = "write `key: value` lines, or put a blank line before the first `---` if it is meant as a rule"
    message = f"the block between the fences is {what}, not properties"
    return Finding("V207", root.line + FIRST_LINE, message, hint, root.column + 1)


def of_duplicate(duplicate: Duplicate) -> Finding:
    """Return the finding for a key that stands twice."""
    first, second = duplicate.first + FIRST_LINE, duplicate.second + FIRST_LINE
    message = f"the key {duplicate.key!r} stands on line {first} and again on line {second}"
    return Finding("V206", second, message, "keep one of them", duplicate.column + 1, duplicate.key)


def _finding(code: str, problem: YamlProblem, message: str, hint: str) -> Finding:
    return Finding(code, problem.line + FIRST_LINE, message, hint, problem.column + 1)


def _in_plain_words(problem: YamlProblem, line: str) -> str:
    character = line[problem.column : problem.column + 1]
    known = (words for part, words in _PLAIN_WORDS if part in problem.problem)
    return next(known, problem.problem).format(character=character)


def _hint(line: str) -> str:
    match = _VALUE.match(line)
    value = line[match.end() :] if match else line
    return next((hint for pattern, hint in _HINTS if pattern.match(value)), _ELSE)
