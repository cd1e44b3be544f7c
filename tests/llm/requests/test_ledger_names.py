"""A request that is named again: its calls are charged under a name that is its own."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import BudgetExceeded
from assay.llm.budget import build_budget_from_table
from assay.llm.requests.steps import Request
from tests.llm.requests.pipeline import asking, bench, spec_of
from tests.llm.virtual import virtually

STEP = "entityExtraction"
REQUEST = Request(
    steps=(spec_of(STEP, asking("How are you?", max_tokens=10), needs=(), takes=None),),
    request_id="mine",
    budget=build_budget_from_table({STEP: 25}),
)


@pytest.mark.parametrize("own", [True, False])
@virtually
async def test_the_ledger_forgets_nothing_that_was_charged_under_a_name(
    tmp_path: Path, own: bool
) -> None:
    async with bench(tmp_path) as b:
        results = []
        for number in range(9):
            ledger_id = f"mine:{number}" if own else ""
            results.append(await b.supervisor.run(replace(REQUEST, ledger_id=ledger_id)))
        assert b.all_is_back()
        charged = b.plane.ledger.read_request_usage("mine:0" if own else "mine")
    refused = [result for result in results if result.failed_steps]
    assert bool(refused) is not own
    for result in refused:
        assert isinstance(result.failed_steps[0].error, BudgetExceeded)
    if own:
        # Each counts what it used itself.
        assert {result.token_usage.used for result in results} == {charged[STEP]}
        assert {result.request_id for result in results} == {"mine"}
    else:
        assert charged[STEP] == results[-1].token_usage.used > results[0].token_usage.used
