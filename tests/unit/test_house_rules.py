"""The house style that no linter holds: sizes, names, narrow excepts, no paths of one machine."""

import ast
import re
import statistics
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "vaultd"
MODULES = sorted(PACKAGE.rglob("*.py"))
REFUSED = {
    "manager",
    "service",
    "helper",
    "helpers",
    "util",
    "utils",
    "handler",
    "runner",
    "coordinator",
    "base",
    "common",
    "misc",
}
# git's own nouns: `git merge-base`, `git rev-parse --git-common-dir`
GIT_NOUNS = ("merge_base", "common_dir")
# what authors of plugins know from Obsidian: `app.fileManager`, `registerCliHandler`
OBSIDIAN_NOUNS = ("file_manager", "register_cli_handler")
# A stranger's code may raise anything.
AROUND_PLUGINS = {"host/worker.py", "host/turns.py", "host/process.py", "plugged/telling.py"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def place(module: Path, line: int = 1) -> str:
    return f"{module.relative_to(ROOT).as_posix()}:{line}"


def unit_of(module: Path) -> str:
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def lines_of(module: Path) -> int:
    return len(module.read_text(encoding="utf-8").splitlines())


@cache
def nodes() -> list[tuple[Path, ast.AST]]:
    return [(module, node) for module in MODULES for node in ast.walk(ast.parse(module.read_bytes()))]


def functions() -> Iterator[tuple[Path, Function]]:
    return ((module, node) for module, node in nodes() if isinstance(node, Function))


def length(function: Function) -> int:
    """Return the lines from `def` to the last statement, without the docstring."""
    whole = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is None:
        return whole
    return whole - ((first.end_lineno or first.lineno) - first.lineno + 1)


def says_nothing(name: str) -> bool:
    """Tell whether a snake_case or CamelCase name holds a refused word."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return bool(set(re.sub("|".join(GIT_NOUNS + OBSIDIAN_NOUNS), "", words).split("_")) & REFUSED)


def test_no_module_is_longer_than_500_lines() -> None:
    assert [f"{place(m)} has {lines_of(m)}" for m in MODULES if lines_of(m) > 500] == []


def test_the_median_module_is_at_most_130_lines() -> None:
    assert statistics.median(lines_of(m) for m in MODULES if m.name != "__init__.py") <= 130


def test_no_function_is_longer_than_60_lines() -> None:
    assert [f"{place(m, f.lineno)} {f.name}: {length(f)}" for m, f in functions() if length(f) > 60] == []


def test_the_median_function_is_at_most_8_lines() -> None:
    assert statistics.median(length(f) for _, f in functions()) <= 8


def test_names_avoid_the_words_that_say_nothing() -> None:
    named = [(m, 1, m.stem) for m in MODULES]
    named += [(m, n.lineno, n.name) for m, n in nodes() if isinstance(n, Function | ast.ClassDef)]
    assert [f"{place(module, line)} {name}" for module, line, name in named if says_nothing(name)] == []


@pytest.mark.parametrize(
    ("name", "refused"),
    [("NoteManager", True), ("read_utils", True), ("database", False), ("merge_base", False), ("base_of", True)],
)
def test_a_refused_word_is_a_whole_word(name: str, refused: bool) -> None:
    assert says_nothing(name) is refused


def is_broad(clause: ast.ExceptHandler) -> bool:
    """Tell whether a clause swallows whatever comes; one that ends by raising on swallows nothing."""
    caught = clause.type.elts if isinstance(clause.type, ast.Tuple) else [clause.type]
    names = {c.id for c in caught if isinstance(c, ast.Name)}
    return (clause.type is None or bool(names & {"Exception", "BaseException"})) and not isinstance(
        clause.body[-1], ast.Raise
    )


def test_everything_is_caught_only_at_the_two_edges() -> None:
    found = [
        place(module, node.lineno)
        for module, node in nodes()
        if isinstance(node, ast.ExceptHandler)
        and is_broad(node)
        and unit_of(module) not in {"cli", "daemon"}
        and module.relative_to(PACKAGE).as_posix() not in AROUND_PLUGINS
    ]
    assert found == []


def test_imports_are_absolute() -> None:
    found = [place(module, node.lineno) for module, node in nodes() if isinstance(node, ast.ImportFrom) and node.level]
    assert found == []


def test_only_commands_write_and_commit() -> None:
    # Recovery finishes what a command began, with the bytes that command left.
    allowed = {"commands", "vault/recovery.py"}
    found = [
        place(module, node.lineno)
        for module, node in nodes()
        if isinstance(node, ast.ImportFrom)
        and node.module in {"vaultd.vault.writing", "vaultd.history.committing"}
        and not {unit_of(module), module.relative_to(PACKAGE).as_posix()} & allowed
    ]
    assert found == []


def committed() -> Iterator[Path]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    return (ROOT / name for name in names.decode().split("\0") if name)


def test_nothing_committed_names_a_path_of_one_machine() -> None:
    # Cases quote what people reported, and may name their folders; `you` is nobody's.
    machine = re.compile(rb"(?<![\w./*<>{}-])/(?:home/(?!you\b)|Users/(?!you\b)|root/|work/)\w")
    found = []
    for file in committed():
        if file.is_file() and not file.is_symlink() and "cases" not in file.relative_to(ROOT).parts:
            for number, line in enumerate(file.read_bytes().splitlines(), 1):
                if machine.search(line):
                    found.append(place(file, number))
    assert found == []


def test_every_dataclass_has_a_docstring():
    """Without one `dataclasses` asks `inspect` for a signature, and importing that takes longer than a short command."""
    bare = [
        place(module, node.lineno)
        for module, node in nodes()
        if isinstance(node, ast.ClassDef)
        and any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
        and ast.get_docstring(node) is None
    ]
    assert bare == []
