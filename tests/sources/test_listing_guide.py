"""The guide to describing endpoints shows what works, and leaves no option out."""

import json
import re
from datetime import date
from pathlib import Path

import pytest

from assay.sources.listing import STRATEGIES, ListingOptions, build_first_parts, check_options

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "describe-an-endpoint.md"
TEXT = GUIDE.read_text(encoding="utf-8")
EXAMPLES = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["strategy"])
def test_every_example_is_a_valid_description(example: dict[str, str]) -> None:
    options = ListingOptions.model_validate(example["options"])
    check_options(example["strategy"], options)
    assert build_first_parts(example["strategy"], example["url"], options, date(2026, 3, 2), None)


def test_every_strategy_and_every_option_is_told_of() -> None:
    assert [name for name in STRATEGIES if f"| `{name}` |" not in TEXT] == []
    shown = {name for example in EXAMPLES for name in example["options"]}
    told = {name for name in ListingOptions.model_fields if f"`{name}`" in TEXT}
    assert set(ListingOptions.model_fields) - shown - told == set()
    assert set(STRATEGIES) == {example["strategy"] for example in EXAMPLES}


def test_the_program_of_the_guide_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(compile(code, GUIDE.name, "exec"), {"__name__": "guide"})
    printed = capsys.readouterr().out.strip()
    assert printed == "https://gazette.example.org/act/7 Rates 2026-03-04"
    assert f"`{printed}`" in TEXT.replace("\n", " ")
