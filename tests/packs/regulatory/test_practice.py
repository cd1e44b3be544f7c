"""The extractor on practice sentences: what it could do once, it can still do."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.app.installed_packs import load_facts_of
from assay.model.content import ContentClass
from assay.reading.result import Reading
from assay.ruling.facts.extraction import extract_facts
from assay.ruling.facts.proposals import Passage, ProposedFact

PRACTICE = Path(__file__).parents[2] / "corpus" / "practice"
WORDS = ("exemption_condition", "text")
LEAST = {"de": (0.97, 0.81), "en": (0.96, 0.79), "hr": (0.96, 0.83)}
"""Precision and recall that must not be undercut."""


def found_in(entry: dict[str, Any], language: str) -> list[ProposedFact]:
    reading = Reading(content_class=ContentClass.TEXT, text=entry["text"], title=entry.get("title"))
    passage = Passage(reading=reading, language=language)
    accepted = extract_facts(passage, load_facts_of("regulatory")).accepted
    for fact in accepted:
        assert reading.text[fact.start : fact.end] == fact.quote
    return [fact.proposed for fact in accepted]


def agrees(found: ProposedFact, known: dict[str, Any]) -> bool:
    if found.value_type != known["value_type"]:
        return False
    if found.value_type in WORDS:
        return _holds(found.quote, known["quote"])
    if found.value_type == "cross_reference":
        return _holds(found.value, str(known["value"]))
    return found.value == str(known["value"]) and found.unit == (known.get("unit") or "")


def _holds(a: str, b: str) -> bool:
    one, other = " ".join(a.lower().split()), " ".join(b.lower().split())
    return one in other or other in one


@pytest.mark.parametrize("language", sorted(LEAST))
def test_practice_is_done_as_well_as_ever(language: str) -> None:
    known = right = found = 0
    lines = (PRACTICE / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    for entry in map(json.loads, filter(None, lines)):
        left = found_in(entry, language)
        known, found = known + len(entry["facts"]), found + len(left)
        for fact in entry["facts"]:
            fitting = [proposed for proposed in left if agrees(proposed, fact)]
            if fitting:
                right += 1
                left.remove(fitting[0])
    precision, recall = right / found, right / known
    least_precision, least_recall = LEAST[language]
    assert precision >= least_precision, f"{precision:.3f}"
    assert recall >= least_recall, f"{recall:.3f}"
