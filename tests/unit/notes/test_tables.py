"""No row of the tables goes untested."""

import ast
from pathlib import Path

from tests.unit.notes.conftest import TABLES


def test_every_row_of_every_table_is_asked_for_by_a_test():
    asked: set[str] = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                asked |= {argument.arg for argument in node.args.args}
    covered = {row[0] for table, rows in TABLES.items() if f"row_{table}" in asked for row in rows}
    rows = [row[0] for rows in TABLES.values() for row in rows]
    assert len(set(rows)) == len(rows) == 144
    assert covered == set(rows)
