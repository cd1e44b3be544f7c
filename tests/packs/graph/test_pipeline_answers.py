"""Answers that are cut, have another shape or are missing: nothing is lost silently."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import FetchFailed
from assay.packs.graph import extraction as extracting
from assay.packs.graph.extraction import extract
from assay.packs.graph.memory import Memory
from assay.packs.graph.model import DETERMINISTIC, RelationVerdict
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.pipeline import SixSteps
from assay.packs.graph.results import parse_stored_result
from assay.packs.graph.steps import GraphCompleteness
from tests.llm.virtual import virtually
from tests.packs.graph.provider import (
    CLAIMS,
    ENTITIES,
    ONTOLOGY,
    TEXT,
    Script,
    reading,
    relations,
    stage_of,
    verdicts,
    write_answer,
)
from tests.packs.graph.rome import CAPITAL
from tests.packs.graph.test_extract import Kept
from tests.providers.behaviour import Behaviour
from tests.providers.dialects import Asked

C = GraphCompleteness
TWO_CHUNKS = GraphOptions(tokens=8192, chunk_chars=200)
BLAND = "Nothing more is said of it. " * 7


class Cut(Script):
    """Ends the first answer of a stage as a model does whose tokens are used up."""

    def __init__(self, stage: str, text: str) -> None:
        super().__init__()
        self.stage, self.words = stage, text

    def __call__(self, asked: Asked) -> Behaviour:
        told = super().__call__(asked)
        if stage_of(asked) == self.stage and self.asked[self.stage] == 1:
            # More words than it may say, so that it is cut.
            return replace(told, text=f"{self.words} {'so ' * 2000}")
        return told


@pytest.mark.parametrize("stage", ["entityExtraction", "relationExtraction"])
@virtually
async def test_a_list_that_was_cut_is_not_called_complete(tmp_path: Path, stage: str) -> None:
    whole = {
        "entityExtraction": write_answer("entities", ENTITIES[:2]),
        "relationExtraction": write_answer("relations", relations(CLAIMS[:2])),
    }
    kept = Kept()
    async with reading(tmp_path, Cut(stage, whole[stage][:-2])) as r:
        result = await r.read(results=kept)
        again = await r.read(results=kept)
    assert result.completeness is C.PARTIAL_EARLY_EXIT
    assert any("ended before its list" in warning for warning in result.warnings)
    assert not again.stored and again.completeness is C.COMPLETE


@virtually
async def test_a_model_that_repeats_itself_until_it_is_cut_has_said_all(tmp_path: Path) -> None:
    said = [*ENTITIES, *ENTITIES[:2]]
    async with reading(tmp_path, Cut("entityExtraction", write_answer("entities", said)[:-2])) as r:
        result = await r.read()
    assert result.completeness is C.COMPLETE
    assert len(result.entities) == len(ENTITIES)


@virtually
async def test_what_was_heard_before_the_connection_fell_is_no_repetition(tmp_path: Path) -> None:
    class CutTwice(Script):
        def __call__(self, asked: Asked) -> Behaviour:
            told = super().__call__(asked)
            number = self.asked["entityExtraction"]
            if stage_of(asked) != "entityExtraction" or number > 2:
                return told
            words = write_answer("entities", ENTITIES[:2])[:-2]
            if number == 1:
                return replace(told, text=words, piece_chars=20, cut_after=len(words) // 20 + 1)
            return replace(told, text=words + " so" * 2000)

    async with reading(tmp_path, CutTwice()) as r:
        result = await r.read(options=GraphOptions(tokens=12_000))
        assert r.script.asked["entityExtraction"] == 2
    assert {entity.name for entity in result.entities} == {"Ada Lovelace", "London"}
    assert result.completeness is C.PARTIAL_EARLY_EXIT


@virtually
async def test_verdicts_that_were_cut_are_asked_for_again(tmp_path: Path) -> None:
    class CutVerdicts(Script):
        def __call__(self, asked: Asked) -> Behaviour:
            told = super().__call__(asked)
            if stage_of(asked) == "grounding" and self.asked["grounding"] == 1:
                first = json.loads(verdicts(asked))["verdicts"][:1]
                return replace(told, text=write_answer("verdicts", first)[:-2] + ", so" * 2000)
            return told

    async with reading(tmp_path, CutVerdicts()) as r:
        result = await r.read(options=GraphOptions(tokens=12_000))
        assert r.script.asked["grounding"] == 2
    assert {relation.verdict for relation in result.relations} == {RelationVerdict.GROUNDED}
    assert result.completeness is C.COMPLETE


OTHER_SHAPES = {
    "an object": '{"entities": {"mention": "Ada Lovelace", "type": "Person"}}',
    "words in a list": '{"entities": ["Ada Lovelace", "London"]}',
    "words": '{"entities": "none"}',
}


@pytest.mark.parametrize("shape", OTHER_SHAPES)
@virtually
async def test_what_stands_in_the_place_of_a_list_is_no_empty_list(
    tmp_path: Path, shape: str
) -> None:
    script = Script(entityExtraction=[Behaviour(text=OTHER_SHAPES[shape])])
    async with reading(tmp_path, script) as r:
        result = await r.read()
    assert result.completeness is C.FALLBACK_CACHE
    assert [failure.code for failure in result.failed_stages] == ["answer_invalid"]


@virtually
async def test_an_empty_list_is_an_answer(tmp_path: Path) -> None:
    script = Script(entityExtraction=[Behaviour(text='{"entities": []}')])
    async with reading(tmp_path, script) as r:
        result = await r.read()
    assert result.completeness is C.COMPLETE and result.entities == ()


@virtually
async def test_prose_about_a_later_chunk_is_noticed(tmp_path: Path) -> None:
    script = Script(entityExtraction=[Behaviour(), Behaviour(text="I am sorry.")])
    async with reading(tmp_path, script) as r:
        result = await r.read(f"{TEXT} {BLAND}", options=TWO_CHUNKS)
        assert r.script.asked["entityExtraction"] == 2
    assert [failure.stage for failure in result.failed_stages] == ["entityExtraction"]
    assert result.completeness is C.PARTIAL_ENTITY_ONLY


@virtually
async def test_whoever_found_nothing_is_not_named(tmp_path: Path) -> None:
    down = Behaviour(status=401)
    script = Script(entityExtraction=[down], relationExtraction=[down], grounding=[down])
    async with reading(tmp_path, script) as r:
        result = await r.read()
    assert result.entities and result.relations
    assert result.by == DETERMINISTIC
    assert "openai" not in result.rdf["turtle"]


@virtually
async def test_who_found_which_half_is_told(tmp_path: Path) -> None:
    async with reading(tmp_path, Script(relationExtraction=[Behaviour(text="No.")])) as r:
        result = await r.read()
        whole = await r.read()
    assert {relation.by for relation in result.relations} == {DETERMINISTIC}
    assert result.by == f"{DETERMINISTIC}, openai:m"
    assert whole.by == result.by
    async with reading(tmp_path) as r:
        assert (await r.read()).by == "openai:m"


@virtually
async def test_everyone_who_read_a_part_is_told_of_all(tmp_path: Path) -> None:
    text = "\n\n".join(f"{TEXT} {BLAND * 5}" for _ in range(2))
    broken = [Behaviour(text="No."), Behaviour()]
    async with reading(tmp_path, Script(entityExtraction=broken)) as r:
        result = await r.read(text)
    assert result.by == f"{DETERMINISTIC}, openai:m"


@virtually
async def test_a_result_of_another_version_is_made_anew(tmp_path: Path) -> None:
    kept = Kept()
    async with reading(tmp_path) as r:
        first = await r.read(results=kept)
        for odd in (b'{"graph": 7}', b"\xff", b"[]"):
            kept.rows[first.key] = ("r1", "complete", odd)
            again = await r.read(results=kept)
            assert not again.stored and again.graph == first.graph
    assert parse_stored_result(b"null") is None


@virtually
async def test_other_words_to_a_model_are_another_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(tmp_path) as r:
        first = await r.read()
        monkeypatch.setattr(extracting, "_hash_prompts", lambda: "other words")
        assert (await r.read()).key != first.key
    plain = await extract(TEXT, ONTOLOGY)
    monkeypatch.undo()
    assert (await extract(TEXT, ONTOLOGY)).key == plain.key


@virtually
async def test_nothing_at_all_does_not_take_the_place_of_something(tmp_path: Path) -> None:
    kept = Kept()
    script = Script(
        grounding=[Behaviour(text="I do not know.")],
        entityExtraction=[Behaviour(), Behaviour(hang_after=-1)],
    )
    async with reading(tmp_path, script) as r:
        first = await r.read(results=kept)
        assert first.unverified
        second = await r.read(results=kept)
    assert second.completeness is C.EMPTY
    assert kept.rows[first.key][:2] == (first.request_id, "unverified")


def test_a_mild_judge_does_not_speak_for_a_strict_one() -> None:
    memory = Memory()
    memory.keep_verdict(CAPITAL, 0.5)
    assert memory.find_verdict(CAPITAL, 0.5) == (CAPITAL.verdict, CAPITAL.confidence)
    assert memory.find_verdict(CAPITAL, 0.8) is None


@virtually
async def test_a_name_that_was_used_before_has_tokens_of_its_own(tmp_path: Path) -> None:
    """The ledger knows a request for ever; whoever names it does not."""

    async def read(text: str) -> Any:
        return await r.read(text, request_id="mine", options=GraphOptions(tokens=3000))

    async with reading(tmp_path) as r:
        for number in range(4):
            result = await read(f"{TEXT} It is told {number} times.")
            assert result.completeness is C.COMPLETE
            assert not result.unverified
            assert result.tokens.used < 3000


@virtually
async def test_things_that_a_model_was_not_shown_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.packs.graph.model_steps._ENTITIES_SHOWN", 3)
    async with reading(tmp_path) as r:
        result = await r.read()
    assert any("names 5 things" in warning for warning in result.warnings)


@pytest.mark.parametrize("stage", ["entityExtraction", "relationExtraction"])
@virtually
async def test_what_could_not_be_found_either_is_not_said_to_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    def broken(*args: Any) -> Any:
        raise RuntimeError("It cannot be read.")

    monkeypatch.setattr(SixSteps, "_find_entities", broken)
    monkeypatch.setattr(SixSteps, "_find_relations", broken)
    async with reading(tmp_path, Script(**{stage: [Behaviour(text="No.")]})) as r:
        result = await r.read()
    assert not any("found without it" in warning for warning in result.warnings)
    assert result.by == "openai:m"
    assert result.completeness in (C.EMPTY, C.PARTIAL_ENTITY_ONLY)


@virtually
async def test_a_graph_that_cannot_be_kept_is_not_lost(tmp_path: Path) -> None:
    class Full(Kept):
        def keep(self, *row: Any) -> None:
            raise FetchFailed("The disk is full.")

    async with reading(tmp_path) as r:
        result = await r.read(results=Full())
    assert result.completeness is C.COMPLETE and result.rdf["turtle"]
    assert any("The disk is full." in warning for warning in result.warnings)
