"""Answers: every sentence is cited and quoted, or left out."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.errors import InvalidInput, NotFound, ProviderFailed
from assay.llm.choice import find_provider
from assay.llm.doubles.scripted import Fail, Say, ScriptedProvider, ScriptLine
from assay.llm.limits import Policy
from assay.llm.plane import ControlPlane
from assay.packs.literature.answering import EXTRACTIVE, LiteratureAnswer, answer_question
from assay.packs.literature.index import (
    HitPassage,
    IndexedWork,
    LiteratureHit,
    LiteratureIndex,
    SearchFilters,
    embed_work,
)
from assay.packs.literature.index.sqlite import SqliteIndexDatabase
from assay.packs.literature.related import find_related

TEXT = "Training takes 41 minutes on a single GPU. The “scene” is opti-\nmised with 6.1 M points."


def hit(doc_id: str, text: str, page: int | None, score: float) -> LiteratureHit:
    passage = HitPassage(
        text=text,
        start=500,
        end=500 + len(text),
        page=page,
        section="5",
        artifact_id="ar_1",
        score=score,
    )
    return LiteratureHit(doc_id=doc_id, title="Splatting", score=score, passages=(passage,))


HITS = [hit("arxiv:1", TEXT, 7, 0.9), hit("arxiv:2", "Others need 48 hours for a scene.", 2, 0.5)]


def say(*sentences: tuple[str, int, str]) -> Say:
    told = [
        {"text": text, "cites": [{"passage": number, "quote": quote}]}
        for text, number, quote in sentences
    ]
    return Say(json.dumps({"sentences": told}))


class ScriptedModels:
    """A pack's access to one scripted model, through the real control plane."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane

    def choose(self, name: str | None = None) -> Any:
        return find_provider(self._plane.providers, name or "scripted")

    async def ask(self, request: Any, answer_type: Any, provider: str | None, scope: Any) -> Any:
        return await self._plane.ask(
            request, answer_type=answer_type, provider=provider, scope=scope
        )


@pytest.fixture
async def ask(tmp_path: Path) -> AsyncIterator[Any]:
    """Answers the same question with a model that follows a script."""
    planes: list[ControlPlane] = []

    async def answer(line: ScriptLine, hits: list[LiteratureHit] = HITS, **policy: Any) -> Any:
        scripted = ScriptedProvider(script=[line])
        url = f"sqlite:///{tmp_path / f'{len(planes)}.db'}"
        plane = ControlPlane.open(url, [scripted], policy=Policy(**policy), retry_delays_s=())
        planes.append(plane)
        services = cast("Any", SimpleNamespace(models=ScriptedModels(plane)))
        found = await answer_question("How long does training take?", hits, services)
        return found, scripted

    yield answer
    for plane in planes:
        await plane.close()


async def test_a_sentence_is_cited_with_its_words_and_page(ask: Any) -> None:
    quote = "training takes 41 minutes".replace("t", "T", 1)
    found, scripted = await ask(say(("It trains in 41 minutes.", 1, quote)))
    (sentence,) = found.sentences
    (citation,) = sentence.citations
    assert (citation.doc_id, citation.page, citation.quote) == ("arxiv:1", 7, quote)
    assert TEXT[citation.start - 500 : citation.end - 500] == quote
    assert (found.method, found.dropped) == ("scripted/scripted-1", ())
    assert "[1] Splatting\nTraining takes 41 minutes" in scripted.requests[0].user


async def test_differences_that_nobody_sees_do_not_matter(ask: Any) -> None:
    found, _ = await ask(say(("The scene is optimised.", 1, 'The "scene" is opti- mised with')))
    assert found.sentences[0].citations[0].quote == "The “scene” is opti-\nmised with"


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        (("It takes 48 hours.", 1, "Others need 48 hours for a scene."), "does not contain"),
        (("It takes 41 minutes.", 1, "Training takes forty minutes"), "does not contain"),
        (("It takes 14 minutes.", 1, "Training takes 41 minutes"), "figure 14"),
        (
            ("It is fast.", 9, "Training takes 41 minutes"),
            "cites passage 9, which it was not given",
        ),
        (("It is fast.", 1, "a single"), "too short"),
    ],
)
async def test_a_sentence_that_its_passage_does_not_say_is_dropped_and_reported(
    ask: Any, sentence: tuple[str, int, str], why: str
) -> None:
    good = ("Others need 48 hours.", 2, "Others need 48 hours")
    found, _ = await ask(say(sentence, good))
    assert [each.text for each in found.sentences] == ["Others need 48 hours."]
    assert len(found.dropped) == 1 and why in found.dropped[0]


async def test_a_sentence_without_a_citation_is_dropped(ask: Any) -> None:
    found, _ = await ask(Say(json.dumps({"sentences": [{"text": "It is good.", "cites": []}]})))
    assert (found.method, found.sentences) == (EXTRACTIVE, ())
    assert "cites nothing" in found.dropped[0] and "quoted" in found.reason


@pytest.mark.parametrize(
    ("line", "policy", "reason"),
    [
        (Say('{"sentences": []}'), {}, "do not answer"),
        (Say("no JSON"), {}, ""),
        (Fail(ProviderFailed("It is down.")), {}, "It is down."),
        (Say("{}"), {"daily_tokens": 10}, "10"),
    ],
)
async def test_without_a_usable_answer_the_passages_are_shown(
    ask: Any, line: ScriptLine, policy: Mapping[str, Any], reason: str
) -> None:
    found, _ = await ask(line, **policy)
    assert isinstance(found, LiteratureAnswer)
    assert (found.method, found.sentences) == (EXTRACTIVE, ())
    assert [(each.doc_id, each.passage.page) for each in found.passages] == [
        ("arxiv:1", 7),
        ("arxiv:2", 2),
    ]
    assert found.reason and reason in found.reason


async def test_without_a_model_the_best_passages_are_the_answer() -> None:
    services = cast("Any", SimpleNamespace(models=SimpleNamespace(choose=lambda name: None)))
    found = await answer_question("How long?", HITS[::-1], services)
    assert [each.number for each in found.passages] == [1, 2]
    assert (found.passages[0].doc_id, found.reason) == ("arxiv:1", "")
    with pytest.raises(InvalidInput):
        await answer_question("  ", HITS, services)


async def test_no_model_is_asked_about_nothing(ask: Any) -> None:
    found, scripted = await ask(Say("{}"), [])
    assert (found.passages, found.sentences, scripted.opens) == ((), (), 0)


async def test_long_passages_do_not_make_a_question_longer_than_it_may_be(ask: Any) -> None:
    many = [hit(f"arxiv:{number}", "word " * 1000, 1, 0.5) for number in range(30)]
    found, scripted = await ask(Say('{"sentences": []}'), many)
    assert len(found.passages) == 2 and len(scripted.requests[0].user) < 16_000


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LiteratureIndex]:
    opened = LiteratureIndex(SqliteIndexDatabase(tmp_path / "search.db"))
    yield opened
    opened.close()


async def test_related_works_share_words_or_citations(index: LiteratureIndex) -> None:
    works = [
        IndexedWork(doc_id="a", title="Gaussian splatting of scenes", abstract="Fast rendering."),
        IndexedWork(doc_id="b", title="Splatting dynamic scenes", abstract="Rendering.", year=2024),
        IndexedWork(doc_id="c", title="Statins in Finland", abstract="A cohort.", year=2014),
        IndexedWork(doc_id="d", title="Cameras and rendering", abstract="Lenses."),
    ]
    index.rebuild([await embed_work(work, index.embedder) for work in works])
    found = await find_related(index, "a")
    assert found[0].doc_id == "b" and "a" not in [work.doc_id for work in found]
    found = await find_related(index, "a", shared_citations={"c": 1.0, "x": 0.9}, limit=3)
    assert [work.doc_id for work in found] == ["b", "c", "x"]
    assert (found[0].alike, found[1].shared) == (1.0, 1.0)
    found = await find_related(
        index, "a", shared_citations={"c": 1.0}, filters=SearchFilters(year_from=2020)
    )
    assert [work.doc_id for work in found] == ["b"]
    with pytest.raises(NotFound, match="not in the search index"):
        await find_related(index, "unknown")
