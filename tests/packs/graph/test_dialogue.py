"""The pack's own way to ask: what it claims, what it costs, and what it does when a call fails."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assay.model.content import ContentClass
from assay.packs.graph.extractors import GraphModelExtractor, OntologyFile
from assay.reading.result import Reading
from assay.ruling.facts.model_extractor import ExtractionAccess, ModelFindings
from assay.ruling.facts.proposals import Passage
from assay.sdk.errors import CallDenied, ProviderFailed
from tests.llm.requests.pipeline import GENEROUS
from tests.llm.virtual import virtually
from tests.packs.graph import provider
from tests.packs.graph.provider import ONTOLOGY, TEXT, Script, reading
from tests.providers.behaviour import Behaviour

DIALOGUE = GraphModelExtractor(OntologyFile(ONTOLOGY.encode(), "people.ttl"))
PASSAGE = Passage(
    reading=Reading(content_class=ContentClass.HTML, text=TEXT, pages=()), language="en"
)


@dataclass
class Kept:
    """Results in a dictionary."""

    found: dict[str, bytes] = field(default_factory=dict)

    def find(self, key: str) -> bytes | None:
        return self.found.get(key)

    def keep(self, key: str, request_id: str, kind: str, completeness: str, data: bytes) -> None:
        self.found[key] = data


def make_access(r: provider.Reading, results: Kept) -> ExtractionAccess:
    return ExtractionAccess(
        supervisor=r.supervisor, provider="openai", model="m", source="s", evidence="ev_1",
        results=results,
    )  # fmt: skip


@virtually
async def test_what_is_grounded_is_claimed_and_paid_for_once(tmp_path: Path) -> None:
    results = Kept()
    first, again = ModelFindings([]), ModelFindings([])
    async with reading(tmp_path) as r:
        await DIALOGUE(PASSAGE, make_access(r, results), first)
        calls = dict(r.script.asked)
        await DIALOGUE(PASSAGE, make_access(r, results), again)
        assert r.script.asked == calls
        assert await r.all_is_back()
    assert {(p.concept, p.value, p.value_type) for p in first.proposals} == {
        ("ada_lovelace.birth_place", "London", "name"),
        ("ada_lovelace.birth_year", "1815", "year"),
        ("london.country", "England", "name"),
        ("charles_babbage.birth_place", "Teignmouth", "name"),
    }
    assert all(TEXT[p.start or 0 :].startswith(p.quote) for p in first.proposals)
    assert (first.answers, first.cached) == (1, 0)
    assert first.tokens > 0
    assert again.proposals == first.proposals
    assert (again.answers, again.cached, again.tokens) == (1, 1, 0)


@virtually
async def test_where_grounding_fails_nothing_is_claimed_and_it_is_tried_again(
    tmp_path: Path,
) -> None:
    so_far = ModelFindings([])
    async with reading(tmp_path, Script(grounding=(Behaviour(status=500),))) as r:
        with pytest.raises(ProviderFailed, match="grounding"):
            await DIALOGUE(PASSAGE, make_access(r, Kept()), so_far)
        assert await r.all_is_back()
    assert so_far.proposals == []
    assert so_far.tokens > 0


@virtually
async def test_a_denied_call_is_raised_so_that_the_document_waits(tmp_path: Path) -> None:
    policy = type(GENEROUS)(daily_tokens=5)
    so_far = ModelFindings([])
    async with reading(tmp_path, policy=policy) as r:
        with pytest.raises(CallDenied):
            await DIALOGUE(PASSAGE, make_access(r, Kept()), so_far)
        assert r.script.asked == {}
    assert so_far.proposals == []
