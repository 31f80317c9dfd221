"""The reference pages that are made from code say what the code says."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, REFERENCE
from vaultd.lifecycle.rule_book import RULES

SOURCE = Path(__file__).parents[2] / "vaultd"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_made_page_is_up_to_date(name):
    assert (REFERENCE / name).read_text("utf-8") == PAGES[name](), "make docs writes it again"


def test_every_code_that_the_product_reports_is_in_the_book_and_the_other_way_round():
    reported = {
        code
        for file in SOURCE.rglob("*.py")
        if file.name != "rule_book.py"
        for code in re.findall(r'"(V\d{3})"', file.read_text("utf-8"))
    }
    assert reported == {rule.code for rule in RULES}


def test_codes_are_unique_and_in_order():
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
