"""How much a result holds: every row of the decision tree, and the specification's examples."""

from pathlib import Path

import pytest

from assay.errors import BudgetExceeded, FetchFailed
from assay.llm.budget import build_budget_from_table, record_usage
from assay.llm.requests.results import (
    PLAIN_RULE,
    ResultRule,
    StepEnd,
    StepEnding,
    TokenUsage,
)
from assay.packs.graph.steps import (
    GRAPH_RULE,
    GraphCompleteness,
    has_unverified_relations,
    rate_graph,
)
from tests.llm.requests.pipeline import bench, giving, graph_request, hanging, raising, spec_of
from tests.llm.virtual import virtually

C = GraphCompleteness
DONE = {
    "chunking": (StepEnd.COMPLETED, 2),
    "entityExtraction": (StepEnd.COMPLETED, 20),
    "propertyScoping": (StepEnd.COMPLETED, 4),
    "relationExtraction": (StepEnd.COMPLETED, 15),
    "grounding": (StepEnd.COMPLETED, 15),
    "serialization": (StepEnd.COMPLETED, 1),
}
UNSTARTED = (StepEnd.NOT_STARTED, 0)


def endings(**changed: tuple[StepEnd, int]) -> dict[str, StepEnding]:
    return {
        step: StepEnding(step=step, end=end, items=items)
        for step, (end, items) in {**DONE, **changed}.items()
    }


ROWS = [
    ("all went well", {}, C.COMPLETE, False),
    (
        "entity extraction timed out",
        {
            "entityExtraction": (StepEnd.TIMED_OUT, 15),
            "propertyScoping": UNSTARTED,
            "relationExtraction": UNSTARTED,
            "grounding": UNSTARTED,
        },
        C.PARTIAL_ENTITY_ONLY,
        False,
    ),
    (
        "entity extraction timed out with nothing",
        {
            "entityExtraction": (StepEnd.TIMED_OUT, 0),
            "propertyScoping": UNSTARTED,
            "relationExtraction": UNSTARTED,
            "grounding": UNSTARTED,
            "serialization": UNSTARTED,
        },
        C.EMPTY,
        False,
    ),
    (
        "entity extraction timed out, and relations were sought all the same",
        {"entityExtraction": (StepEnd.TIMED_OUT, 15)},
        C.PARTIAL_EARLY_EXIT,
        False,
    ),
    (
        "property scoping timed out",
        {"propertyScoping": (StepEnd.TIMED_OUT, 0)},
        C.PARTIAL_EARLY_EXIT,
        False,
    ),
    (
        "property scoping failed",
        {"propertyScoping": (StepEnd.FAILED, 0)},
        C.PARTIAL_EARLY_EXIT,
        False,
    ),
    (
        "relation extraction timed out with none",
        {"relationExtraction": (StepEnd.TIMED_OUT, 0), "grounding": UNSTARTED},
        C.PARTIAL_ENTITY_ONLY,
        False,
    ),
    (
        "relation extraction timed out with some",
        {"relationExtraction": (StepEnd.TIMED_OUT, 8), "grounding": UNSTARTED},
        C.PARTIAL_EARLY_EXIT,
        True,
    ),
    (
        "both scoping and relations timed out, no relation",
        {
            "propertyScoping": (StepEnd.TIMED_OUT, 0),
            "relationExtraction": (StepEnd.TIMED_OUT, 0),
            "grounding": UNSTARTED,
        },
        C.PARTIAL_ENTITY_ONLY,
        False,
    ),
    ("grounding timed out", {"grounding": (StepEnd.TIMED_OUT, 0)}, C.COMPLETE, True),
    ("grounding failed", {"grounding": (StepEnd.FAILED, 3)}, C.COMPLETE, True),
    ("grounding fell back", {"grounding": (StepEnd.FELL_BACK, 15)}, C.FALLBACK_CACHE, False),
    ("grounding was cancelled", {"grounding": (StepEnd.CANCELLED, 5)}, C.PARTIAL_EARLY_EXIT, True),
    (
        "grounding had no budget",
        {"grounding": (StepEnd.OUT_OF_BUDGET, 5)},
        C.PARTIAL_EARLY_EXIT,
        True,
    ),
    ("serialization failed", {"serialization": (StepEnd.FAILED, 0)}, C.PARTIAL_EARLY_EXIT, False),
    ("scoping fell back", {"propertyScoping": (StepEnd.FELL_BACK, 4)}, C.FALLBACK_CACHE, False),
    (
        "relations ran out of budget",
        {"relationExtraction": (StepEnd.OUT_OF_BUDGET, 8), "grounding": UNSTARTED},
        C.PARTIAL_EARLY_EXIT,
        True,
    ),
    (
        "relations had no budget at all",
        {"relationExtraction": (StepEnd.OUT_OF_BUDGET, 0), "grounding": UNSTARTED},
        C.PARTIAL_ENTITY_ONLY,
        False,
    ),
    ("one chunk of the whole text", {"chunking": (StepEnd.TIMED_OUT, 1)}, C.COMPLETE, False),
    ("a smaller scope", {"entityExtraction": (StepEnd.DEGRADED, 9)}, C.PARTIAL_EARLY_EXIT, False),
    (
        "a text without entities is no failure",
        {"entityExtraction": (StepEnd.COMPLETED, 0), "relationExtraction": (StepEnd.COMPLETED, 0)},
        C.COMPLETE,
        False,
    ),
    (
        "nothing ran",
        dict.fromkeys(DONE, UNSTARTED),
        C.EMPTY,
        False,
    ),
]


@pytest.mark.parametrize(
    ("changed", "completeness", "unverified"),
    [row[1:] for row in ROWS],
    ids=[row[0] for row in ROWS],
)
def test_the_decision_tree(
    changed: dict[str, tuple[StepEnd, int]], completeness: GraphCompleteness, unverified: bool
) -> None:
    found = endings(**changed)
    assert rate_graph(found) is completeness
    assert has_unverified_relations(found) is unverified


@pytest.mark.parametrize("rule", [PLAIN_RULE, GRAPH_RULE])
def test_a_pipeline_without_these_steps_is_complete_if_every_step_is(rule: ResultRule) -> None:
    def draft(end: StepEnd, items: int) -> dict[str, StepEnding]:
        return {"draft": StepEnding(step="draft", end=end, items=items)}

    assert rule.completeness(draft(StepEnd.COMPLETED, 3)) == C.COMPLETE
    assert rule.completeness(draft(StepEnd.FAILED, 3)) == C.PARTIAL_EARLY_EXIT
    assert rule.completeness(draft(StepEnd.FAILED, 0)) == C.EMPTY
    assert rule.completeness(draft(StepEnd.FELL_BACK, 1)) == C.FALLBACK_CACHE
    assert rule.completeness(draft(StepEnd.DEGRADED, 1)) == C.PARTIAL_EARLY_EXIT
    assert rule.unverified(draft(StepEnd.COMPLETED, 3)) is False


def test_token_usage_adds_up() -> None:
    budget = record_usage(
        build_budget_from_table({"entityExtraction": 100}), "entityExtraction", 30
    )
    assert TokenUsage.of(budget) == TokenUsage(allocated=100, used=30, remaining=70)


@virtually
async def test_example_1_entities_only(tmp_path: Path) -> None:
    fifteen = [f"entity {n}" for n in range(15)]
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(entityExtraction=hanging(*fifteen)))
    assert result.completeness is C.PARTIAL_ENTITY_ONLY
    assert len(result.outputs["entityExtraction"]) == 15
    assert "relationExtraction" not in result.outputs
    assert {"relationExtraction", "grounding"} <= set(result.skipped_steps)
    assert [failure.step for failure in result.failed_steps] == ["entityExtraction"]


@virtually
async def test_example_2_some_unverified_relations(tmp_path: Path) -> None:
    eight = [f"relation {n}" for n in range(8)]
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(
                entityExtraction=giving(list(range(20))), relationExtraction=hanging(*eight)
            )
        )
    assert result.completeness is C.PARTIAL_EARLY_EXIT
    assert len(result.outputs["entityExtraction"]) == 20
    assert len(result.outputs["relationExtraction"]) == 8
    assert result.unverified
    assert result.skipped_steps == ("grounding",)
    assert result.outputs["serialization"] == "a graph"


@virtually
async def test_example_3_cached_properties(tmp_path: Path) -> None:
    down = FetchFailed("The ontology service is down.")
    scoping = spec_of("propertyScoping", raising(down), fallback=lambda fallen: ["of last week"])
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(graph_request(propertyScoping=scoping))
    assert result.completeness is C.FALLBACK_CACHE
    assert result.outputs["propertyScoping"] == ["of last week"]
    assert result.outputs["relationExtraction"] == ["Ada lives in Zagreb"]
    assert result.failed_steps[0].error_code == "fetch_failed"
    assert result.failed_steps[0].error is down


@virtually
async def test_example_4_the_budget_ends_in_the_midst_of_relations(tmp_path: Path) -> None:
    broke = BudgetExceeded("Too few tokens are left.")
    async with bench(tmp_path) as b:
        result = await b.supervisor.run(
            graph_request(relationExtraction=raising(broke, "Ada lives in Zagreb"))
        )
        assert b.told("budget_exceeded") == [{"step": "relationExtraction"}]
    assert result.completeness is C.PARTIAL_EARLY_EXIT
    assert result.outputs["entityExtraction"] == ["Ada", "Zagreb"]
    assert result.outputs["relationExtraction"] == ("Ada lives in Zagreb",)
    assert result.skipped_steps == ("grounding",)
    assert result.token_usage.allocated == 4096
    assert result.failed_steps[0].error_code == "budget_exceeded"
