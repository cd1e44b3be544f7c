"""What the page on AppliesWhen shows is what happens."""

import doctest
import json
import re
from pathlib import Path

from assay.ruling.rules.conditions import parse_condition_text
from assay.ruling.rules.conditions.nodes import And
from assay.ruling.rules.conditions.parsing import parse_condition

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "applies-when.md"


def test_the_examples_do_what_the_page_says() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted >= 10
    assert result.failed == 0


def test_the_shown_condition_is_one() -> None:
    (shown,) = re.findall(r"^```json\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    condition = parse_condition_text(shown)
    assert isinstance(condition, And)
    assert parse_condition(json.loads(shown)) == condition
