"""Every row of the decision tree, and its four examples, over real HTTP on virtual time."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.errors import FetchFailed
from assay.packs.graph.model import Literal, RelationVerdict
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.pipeline import SixSteps
from assay.packs.graph.results import GraphResult
from assay.packs.graph.steps import GraphCompleteness
from assay.sdk.models import StepRun
from tests.llm.virtual import virtually
from tests.packs.graph.provider import CLAIMS, ENTITIES, Script, reading, relations, write_answer
from tests.providers.behaviour import Behaviour

C = GraphCompleteness
NAMES = [entity["mention"] for entity in ENTITIES]


def list_claims(result: GraphResult) -> set[tuple[str, str, str]]:
    names = {entity.id: entity.name for entity in result.entities}
    return {
        (
            names[r.subject],
            r.predicate.partition("#")[2],
            r.object.value if isinstance(r.object, Literal) else names[r.object],
        )
        for r in result.relations
    }


def count_pieces(text: str, end: str) -> int:
    """After how many pieces of twenty characters that much of an answer has arrived."""
    return -(-(text.index(end) + len(end)) // 20)


def make_hanging(field: str, items: Sequence[Any], after: str) -> Behaviour:
    """An answer that stops there and never goes on."""
    text = write_answer(field, items)
    return Behaviour(text=text, piece_chars=20, hang_after=count_pieces(text, after))


async def hang_forever(self: SixSteps, run: StepRun) -> Any:
    """A stage that takes longer than it may."""
    await asyncio.Event().wait()


@virtually
async def test_where_every_stage_ends_well_the_graph_is_complete(tmp_path: Path) -> None:
    async with reading(tmp_path) as r:
        result = await r.read()
        assert await r.all_is_back()
    assert result.completeness is C.COMPLETE
    assert sorted(entity.name for entity in result.entities) == sorted(NAMES)
    assert list_claims(result) == {
        ("Ada Lovelace", "birthPlace", "London"),
        ("Ada Lovelace", "birthYear", "1815"),
        ("London", "country", "England"),
        ("Charles Babbage", "birthPlace", "Teignmouth"),
    }
    assert {relation.verdict for relation in result.relations} == {RelationVerdict.GROUNDED}
    assert result.failed_stages == () and result.skipped_stages == ()
    assert result.tokens.allocated == 4096
    assert 0 < result.tokens.used == 4096 - result.tokens.remaining


@pytest.mark.parametrize("how", ["hangs", "is slow"])
@virtually
async def test_entities_that_time_out_are_kept_and_no_relation_is_asked_for(
    tmp_path: Path, how: str
) -> None:
    text = write_answer("entities", ENTITIES)
    told = (
        make_hanging("entities", ENTITIES, '"London", "type": "City"}')
        if how == "hangs"
        else Behaviour(text=text, piece_chars=20, delay_ms=12_000)
    )
    async with reading(tmp_path, Script(entityExtraction=[told])) as r:
        result = await r.read()
        assert await r.all_is_back()
        assert r.script.asked["relationExtraction"] == 0
    assert result.completeness is C.PARTIAL_ENTITY_ONLY
    assert {"Ada Lovelace", "London"} <= {entity.name for entity in result.entities}
    assert result.relations == ()
    assert [failure.stage for failure in result.failed_stages] == ["entityExtraction"]
    assert set(result.skipped_stages) == {"propertyScoping", "relationExtraction", "grounding"}
    assert result.rdf["turtle"]
    assert any("was stopped after 60000 ms" in warning for warning in result.warnings)


@pytest.mark.parametrize("remembered", [True, False])
@virtually
async def test_a_scoping_that_times_out_leaves_broad_relations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remembered: bool
) -> None:
    async with reading(tmp_path) as r:
        if remembered:
            assert (await r.read()).completeness is C.COMPLETE
        monkeypatch.setattr(SixSteps, "scoping", hang_forever)
        result = await r.read()
        assert await r.all_is_back()
    assert result.completeness is C.PARTIAL_EARLY_EXIT
    assert len(list_claims(result)) == len(CLAIMS)
    assert [failure.stage for failure in result.failed_stages] == ["propertyScoping"]


@pytest.mark.parametrize(
    ("found", "completeness"),
    [("nothing", C.PARTIAL_ENTITY_ONLY), ("some", C.PARTIAL_EARLY_EXIT)],
)
@virtually
async def test_relations_that_time_out_are_kept_and_not_verified(
    tmp_path: Path, found: str, completeness: GraphCompleteness
) -> None:
    after = '"relations":' if found == "nothing" else '"1815"}'
    script = Script(relationExtraction=[make_hanging("relations", relations(), after)])
    async with reading(tmp_path, script) as r:
        result = await r.read()
        assert await r.all_is_back()
        assert r.script.asked["grounding"] == 0
    assert result.completeness is completeness
    assert len(result.entities) == len(ENTITIES)
    assert len(result.relations) == (0 if found == "nothing" else 2)
    assert {relation.verdict for relation in result.relations} <= {RelationVerdict.UNVERIFIED}
    assert result.unverified is (found == "some")
    assert "grounding" in result.skipped_stages


@virtually
async def test_a_grounding_that_times_out_leaves_every_relation_marked(tmp_path: Path) -> None:
    async with reading(tmp_path, Script(grounding=[Behaviour(hang_after=-1)])) as r:
        result = await r.read()
        assert await r.all_is_back()
    assert result.completeness is C.COMPLETE
    assert result.unverified
    assert len(result.relations) == len(CLAIMS)
    assert {relation.verdict for relation in result.relations} == {RelationVerdict.UNVERIFIED}
    assert "unverified" in result.rdf["turtle"]
    assert [failure.stage for failure in result.failed_stages] == ["grounding"]


@virtually
async def test_a_graph_that_cannot_be_written_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SixSteps, "serialization", hang_forever)
    async with reading(tmp_path) as r:
        result = await r.read()
        assert await r.all_is_back()
    assert result.error is not None
    assert result.error.stage == "serialization"
    assert result.rdf == {}


def make_persons(count: int) -> tuple[str, list[dict[str, str]]]:
    """A text that names so many persons, and what a model should find in it."""
    names = [f"Person Number{number:02d}" for number in range(count)]
    text = " ".join(f"{name} was born in London." for name in names)
    return text, [{"mention": name, "type": "Person"} for name in names]


@virtually
async def test_example_1_fifteen_entities_and_then_silence(tmp_path: Path) -> None:
    text, people = make_persons(20)
    script = Script(
        entityExtraction=[make_hanging("entities", people, 'Number14", "type": "Person"}')]
    )
    async with reading(tmp_path, script) as r:
        result = await r.read(text)
    assert result.completeness is C.PARTIAL_ENTITY_ONLY
    assert len(result.entities) == 15
    assert result.relations == ()
    assert {"relationExtraction", "grounding"} <= set(result.skipped_stages)


@virtually
async def test_example_2_eight_relations_of_fifteen(tmp_path: Path) -> None:
    text, people = make_persons(19)
    everything = [*people, {"mention": "London", "type": "City"}]
    born = relations([(person["mention"], "birth place", "London") for person in people[:15]])
    script = Script(
        entityExtraction=[Behaviour(text=write_answer("entities", everything))],
        relationExtraction=[make_hanging("relations", born, json.dumps(born[7]))],
    )
    async with reading(tmp_path, script) as r:
        result = await r.read(text, options=GraphOptions(tokens=8000, chunk_chars=2000))
        assert r.script.asked["grounding"] == 0
    assert result.completeness is C.PARTIAL_EARLY_EXIT
    assert len(result.entities) == 20
    assert len(result.relations) == 8
    assert {relation.verdict for relation in result.relations} == {RelationVerdict.UNVERIFIED}


@virtually
async def test_example_3_the_properties_of_the_last_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(self: SixSteps, run: StepRun) -> Any:
        raise FetchFailed("The ontology service is down.")

    async with reading(tmp_path) as r:
        await r.read()
        monkeypatch.setattr(SixSteps, "scoping", down)
        result = await r.read()
        assert await r.all_is_back()
    assert result.completeness is C.FALLBACK_CACHE
    assert len(list_claims(result)) == len(CLAIMS)
    assert not result.unverified
    assert result.failed_stages[0].reason == "The ontology service is down."


@virtually
async def test_example_4_the_budget_ends_among_the_relations(tmp_path: Path) -> None:
    text = write_answer("relations", relations())
    dying = Behaviour(text=text, piece_chars=20, cut_after=count_pieces(text, '"1815"}'))
    async with reading(tmp_path, Script(relationExtraction=[dying])) as r:
        result = await r.read(options=GraphOptions(tokens=1000))
        assert await r.all_is_back()
        # The call that was cut is paid for, and what is left does not pay for another.
        assert r.script.asked == {"entityExtraction": 1, "relationExtraction": 1}
    assert result.completeness is C.PARTIAL_EARLY_EXIT
    assert len(result.entities) == len(ENTITIES)
    assert len(result.relations) == 2
    assert {relation.verdict for relation in result.relations} == {RelationVerdict.UNVERIFIED}
    assert [(f.stage, f.code) for f in result.failed_stages] == [
        ("relationExtraction", "budget_exceeded")
    ]
    assert result.skipped_stages == ("grounding",)
    assert 0 < result.tokens.used <= result.tokens.allocated == 1000
