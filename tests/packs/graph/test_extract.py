"""`await extract(text, ontology)`: without a model, in parts, and from the store."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import InvalidInput
from assay.packs.graph.extraction import Caller, extract
from assay.packs.graph.model import DETERMINISTIC, Literal, RelationVerdict
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.results import parse_result
from assay.packs.graph.steps import GraphCompleteness
from assay.packs.graph.writing import check_quotes
from assay.sdk.models import ProgressKind, RequestProgress
from tests.llm.virtual import virtually
from tests.packs.graph.provider import CLAIMS, ONTOLOGY, TEXT, Script, reading
from tests.providers.behaviour import Behaviour


class Kept:
    """Results in memory."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[str, str, bytes]] = {}

    def find(self, key: str) -> bytes | None:
        return self.rows[key][2] if key in self.rows else None

    def keep(self, key: str, request_id: str, kind: str, completeness: str, data: bytes) -> None:
        self.rows[key] = (request_id, completeness, data)


async def test_a_text_and_an_ontology_are_all_it_takes() -> None:
    result = await extract(TEXT, ONTOLOGY)
    assert result.completeness is GraphCompleteness.COMPLETE
    assert result.by == DETERMINISTIC
    assert result.tokens.used == 0
    names = {entity.id: entity.name for entity in result.entities}
    claims = {
        (names[r.subject], r.predicate.partition("#")[2], names.get(str(r.object), ""))
        for r in result.relations
        if not isinstance(r.object, Literal)
    }
    assert ("Ada Lovelace", "birthPlace", "London") in claims
    assert ("Charles Babbage", "birthPlace", "Teignmouth") in claims
    assert check_quotes(result.rdf["turtle"], "turtle", {result.document: TEXT}) == ()


async def test_every_place_is_exact_and_every_type_is_of_the_ontology() -> None:
    result = await extract(TEXT, ONTOLOGY)
    for entity in result.entities:
        assert entity.types
        assert all(TEXT[m.start : m.end] == m.words for m in entity.mentions)
    for relation in result.relations:
        assert relation.verdict is RelationVerdict.GROUNDED
        assert all(TEXT[q.start : q.end] == q.words for q in relation.quotes)


async def test_the_same_twice_is_the_same_to_the_byte() -> None:
    options = GraphOptions(formats=("turtle", "ntriples", "jsonld"))
    one, other = [await extract(TEXT, ONTOLOGY, options=options) for _ in range(2)]
    assert one.rdf == other.rdf
    assert one.key == other.key
    assert replace(one, request_id="", execution_ms=0) == replace(
        other, request_id="", execution_ms=0
    )


async def test_a_result_comes_back_from_its_values() -> None:
    result = await extract(TEXT, ONTOLOGY)
    assert parse_result(result.to_dict()) == result
    with pytest.raises(InvalidInput, match="not the result"):
        parse_result({"graph": 7})


@pytest.mark.parametrize("text", ["", "   \n", "\x00", "no names here at all"])
async def test_a_text_that_says_nothing_is_no_failure(text: str) -> None:
    result = await extract(text, ONTOLOGY)
    assert result.completeness is GraphCompleteness.COMPLETE
    assert result.relations == ()
    assert result.failed_stages == ()


async def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(InvalidInput, match="more than 2000000"):
        await extract("x" * 2_000_001, ONTOLOGY)


async def test_an_ontology_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no_such"):
        await extract(TEXT, tmp_path / "no_such.ttl")


async def test_a_long_text_is_read_in_parts_and_joined() -> None:
    text = "\n\n".join(
        f"Person Number{n:03d} was born in London. " + "Nothing else is told here. " * 20
        for n in range(100)
    )
    told: list[RequestProgress] = []
    result = await extract(text, ONTOLOGY, caller=Caller(request_id="r", on_progress=told.append))
    assert result.completeness is GraphCompleteness.COMPLETE
    londons = [entity for entity in result.entities if entity.name == "London"]
    assert len(londons) == 1
    assert len(londons[0].mentions) == 100
    assert len(result.relations) == 100
    assert all(text[q.start : q.end] == q.words for r in result.relations for q in r.quotes)
    assert {step.request_id for step in told} == {"r"}
    assert any("part 2 of" in step.detail for step in told)
    assert told[-1].step == "serialization" and told[-1].what is ProgressKind.ENDED


@virtually
async def test_parts_of_a_text_have_budgets_of_their_own(tmp_path: Path) -> None:
    text = "\n\n".join(f"{TEXT} {'Nothing more is said of it. ' * 30}" for _ in range(4))
    async with reading(tmp_path) as r:
        result = await r.read(text)
        assert await r.all_is_back()
        assert r.script.asked["entityExtraction"] == 4
    assert result.completeness is GraphCompleteness.COMPLETE
    assert result.tokens.allocated == 4 * 4096
    assert len(result.relations) == len(CLAIMS)
    assert all(len(relation.quotes) == 4 for relation in result.relations)


@virtually
async def test_a_result_that_is_kept_is_not_made_again(tmp_path: Path) -> None:
    kept = Kept()
    async with reading(tmp_path) as r:
        first = await r.read(results=kept)
        again = await r.read(results=kept)
        assert r.script.asked["entityExtraction"] == 1
    assert again.stored and not first.stored
    assert again.graph == first.graph


@virtually
async def test_a_result_that_was_not_whole_is_tried_again(tmp_path: Path) -> None:
    kept = Kept()
    script = Script(grounding=[Behaviour(text="I do not know."), Behaviour()])
    async with reading(tmp_path, script) as r:
        first = await r.read(results=kept)
        assert first.unverified
        second = await r.read(results=kept)
    assert not second.stored and not second.unverified


@virtually
async def test_what_was_done_before_a_crash_is_not_paid_for_again(tmp_path: Path) -> None:
    text = "\n\n".join(f"{TEXT} {'Nothing more is said of it. ' * 30}" for _ in range(3))
    kept = Kept()
    async with reading(tmp_path) as r:
        whole = await r.read(text, results=kept)
        asked = r.script.asked["entityExtraction"]
        # As after a kill: the parts are there, what they make together is not.
        del kept.rows[whole.key]
        again = await r.read(text, results=kept)
        assert r.script.asked["entityExtraction"] == asked == 3
    assert again.graph == whole.graph


@virtually
async def test_everyone_who_shares_an_execution_is_told_the_same(tmp_path: Path) -> None:
    async with reading(tmp_path, Script(entityExtraction=[Behaviour(text="No.")])) as r:
        results = await asyncio.gather(*(r.read() for _ in range(3)))
        assert r.script.asked["entityExtraction"] == 1
    assert len({(result.warnings, result.graph.entities) for result in results}) == 1
    assert any("found without it" in warning for warning in results[2].warnings)
    assert len({result.request_id for result in results}) == 3


async def test_a_shape_of_a_class_above_holds_for_those_below() -> None:
    shapes = """
        @prefix sh: <http://www.w3.org/ns/shacl#> .
        @prefix : <http://example.org/people#> .
        :PlaceShape a sh:NodeShape ; sh:targetClass :Place ;
            sh:property [ sh:path :country ; sh:minCount 7 ] .
    """
    result = await extract("London is a city.", ONTOLOGY, options=GraphOptions(shapes=shapes))
    assert [entity.types for entity in result.entities] == [("http://example.org/people#City",)]
    assert len(result.violations) == 1
