"""The case files, as data."""

import json
from pathlib import Path

CASES = Path(__file__).parents[2] / "cases"
TABLES = json.loads((CASES / "obsidian_cases.json").read_text(encoding="utf-8"))


def pytest_generate_tests(metafunc) -> None:
    """Give every test that asks for `row_<table>` the rows of that table, each under its own id."""
    for table, rows in TABLES.items():
        if f"row_{table}" in metafunc.fixturenames:
            metafunc.parametrize(f"row_{table}", [row[1:] for row in rows], ids=[row[0] for row in rows])
