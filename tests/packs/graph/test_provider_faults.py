"""A provider that dies, talks nonsense, refuses or hangs in any stage: the graph is what is left.

Over real HTTP; waits pass on virtual time.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.packs.graph.model import DETERMINISTIC, RelationVerdict
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.steps import GraphCompleteness
from assay.sdk.errors import CallDenied
from tests.llm.requests.pipeline import GENEROUS
from tests.llm.virtual import virtually
from tests.packs.graph.provider import CLAIMS, ENTITIES, Script, reading, relations, write_answer
from tests.packs.graph.test_decision_tree import count_pieces
from tests.providers.behaviour import Behaviour, Junk

C = GraphCompleteness

TEXTS = {
    "entityExtraction": write_answer("entities", ENTITIES),
    "relationExtraction": write_answer("relations", relations()),
    "grounding": write_answer("verdicts", []),
}
ENDS = {"entityExtraction": '"London", "type": "City"}', "relationExtraction": '"1815"}'}

FAULTS: dict[str, Behaviour] = {
    "is refused as unknown": Behaviour(status=500),
    "is told to come back": Behaviour(status=429, retry_after="2"),
    "has no key": Behaviour(status=401),
    "gets a page": Behaviour(junk=Junk.HTML),
    "gets prose": Behaviour(text="I am sorry, I cannot do that."),
    "gets another shape": Behaviour(text='{"answer": 42}'),
    "gets half an object": Behaviour(text='{"entities": [{"mention": "Ada'),
    "never gets an answer": Behaviour(hang_after=-1),
}


def script_with(stage: str, *told: Behaviour) -> Script:
    return Script(**{stage: told})


@pytest.mark.parametrize("fault", FAULTS)
@virtually
async def test_without_entities_from_the_model_they_are_found_without_it(
    tmp_path: Path, fault: str
) -> None:
    async with reading(tmp_path, script_with("entityExtraction", FAULTS[fault])) as r:
        result = await r.read()
        assert await r.all_is_back()
    assert result.failed_stages[0].stage == "entityExtraction"
    if fault == "never gets an answer":
        # Its time was up: the tree has a row for that, and nothing was found by then.
        assert result.completeness is C.EMPTY
        return
    assert result.completeness is C.FALLBACK_CACHE
    assert {"Ada Lovelace", "London"} <= {entity.name for entity in result.entities}
    assert any("found without it" in warning for warning in result.warnings)


@pytest.mark.parametrize("fault", FAULTS)
@virtually
async def test_without_relations_from_the_model_entities_and_plain_relations_stand(
    tmp_path: Path, fault: str
) -> None:
    async with reading(tmp_path, script_with("relationExtraction", FAULTS[fault])) as r:
        result = await r.read()
        assert await r.all_is_back()
    assert len(result.entities) == len(ENTITIES)
    if fault == "never gets an answer":
        assert result.completeness is C.PARTIAL_ENTITY_ONLY
        return
    assert result.completeness is C.FALLBACK_CACHE
    assert {relation.by for relation in result.relations} == {DETERMINISTIC}
    assert len(result.relations) >= 2


@pytest.mark.parametrize("fault", FAULTS)
@virtually
async def test_without_verdicts_every_relation_stands_unverified(
    tmp_path: Path, fault: str
) -> None:
    async with reading(tmp_path, script_with("grounding", FAULTS[fault])) as r:
        result = await r.read()
        assert await r.all_is_back()
    assert result.completeness is C.COMPLETE
    assert len(result.relations) == len(CLAIMS)
    assert {relation.verdict for relation in result.relations} == {RelationVerdict.UNVERIFIED}
    assert result.unverified


@pytest.mark.parametrize("stage", ["entityExtraction", "relationExtraction"])
@virtually
async def test_what_had_arrived_before_the_connection_died_is_kept(
    tmp_path: Path, stage: str
) -> None:
    dying = Behaviour(
        text=TEXTS[stage], piece_chars=20, cut_after=count_pieces(TEXTS[stage], ENDS[stage])
    )
    async with reading(tmp_path, script_with(stage, dying)) as r:
        # Three calls with their prompts are more than the usual tokens pay for.
        result = await r.read(options=GraphOptions(tokens=12_000))
        assert await r.all_is_back()
        assert r.script.asked[stage] == 3
    failure = next(f for f in result.failed_stages if f.stage == stage)
    assert failure.code == "stream_cut"
    if stage == "entityExtraction":
        assert result.completeness is C.PARTIAL_ENTITY_ONLY
        assert {entity.name for entity in result.entities} == {"Ada Lovelace", "London"}
    else:
        assert result.completeness is C.PARTIAL_EARLY_EXIT
        assert len(result.relations) == 2


@pytest.mark.parametrize("stage", ["entityExtraction", "relationExtraction", "grounding"])
@pytest.mark.parametrize(
    "once",
    [
        Behaviour(status=500),
        Behaviour(status=429, retry_after="3"),
        Behaviour(piece_chars=20, cut_after=2),
    ],
    ids=["500", "429", "cut"],
)
@virtually
async def test_a_fault_that_passes_costs_nothing_but_time(
    tmp_path: Path, stage: str, once: Behaviour
) -> None:
    async with reading(tmp_path, script_with(stage, once, Behaviour())) as r:
        result = await r.read()
        assert await r.all_is_back()
        assert r.script.asked[stage] == 2
    assert result.completeness is C.COMPLETE
    assert not result.unverified
    assert len(result.relations) == len(CLAIMS)


@virtually
async def test_a_scope_that_was_made_smaller_gives_a_graph_that_says_so(tmp_path: Path) -> None:
    slow = Behaviour(text=TEXTS["entityExtraction"], piece_chars=20, delay_ms=20_000)
    async with reading(tmp_path, script_with("entityExtraction", slow, Behaviour())) as r:
        result = await r.read()
        assert await r.all_is_back()
    assert result.completeness is C.PARTIAL_EARLY_EXIT
    assert result.failed_stages == ()
    assert len(result.relations) > 0


@virtually
async def test_a_model_that_makes_things_up_gets_nothing_in(tmp_path: Path) -> None:
    made_up = [
        *ENTITIES,
        {"mention": "Bernhard Riemann", "type": "Person"},
        {"mention": "London", "type": "Dragon"},
        {"mention": "England", "type": "http://example.org/people#Country"},
    ]
    claims = [
        *CLAIMS,
        ("Ada Lovelace", "killed", "London"),
        ("London", "birth place", "England"),
        ("Ada Lovelace", "birth year", "1816"),
        ("Nobody", "birth place", "London"),
    ]
    script = Script(
        entityExtraction=[Behaviour(text=write_answer("entities", made_up))],
        relationExtraction=[Behaviour(text=write_answer("relations", relations(claims)))],
    )
    async with reading(tmp_path, script) as r:
        result = await r.read()
    assert sorted(entity.name for entity in result.entities) == sorted(
        entity["mention"] for entity in ENTITIES
    )
    assert len(result.relations) == len(CLAIMS)
    assert sorted(refused.reason.value for refused in result.graph.refused) == sorted(
        [
            "NOT_IN_TEXT",
            "UNKNOWN_CLASS",
            "UNKNOWN_PROPERTY",
            "WRONG_DOMAIN",
            "NOT_IN_TEXT",
            "NO_SUCH_ENTITY",
        ]
    )


@virtually
async def test_a_day_whose_tokens_are_spent_is_told_to_whoever_wants_to_wait(
    tmp_path: Path,
) -> None:
    spent = replace(GENEROUS, daily_tokens=50)
    async with reading(tmp_path, policy=spent) as r:
        with pytest.raises(CallDenied) as denied:
            await r.read(strict=True)
        assert denied.value.recovers_ms is not None
        result = await r.read()
        assert r.script.asked == {}
    assert result.completeness is C.FALLBACK_CACHE
    assert result.tokens.used == 0
