"""The corpus is what its README says: every known fact stands in its document."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml

from assay.app.installed_packs import load_facts_of
from assay.model.hashes import content_hash
from assay.packs.regulatory import CORPUS
from assay.reading.documents import read_document
from assay.ruling.evaluation.scoring import WORDED
from assay.ruling.evaluation.truth import KnownDocument, load_known_documents, load_known_rules
from assay.ruling.facts.gates import is_value_in_quote

PARTS = ("seen", "unseen")
WORDS = Path(__file__).parents[2] / "corpus" / "words"
_MARKS = re.compile(r"^(?:##? |\* |\|!? )", re.MULTILINE)


@cache
def documents(part: str) -> tuple[KnownDocument, ...]:
    return load_known_documents(CORPUS / part, load_facts_of("regulatory"))


def folded(text: str) -> str:
    return " ".join(text.split())


def text_of(part: str, document: KnownDocument) -> str:
    """What the document says; of a scan, what it was made of."""
    if document.kind == "scanned_pdf":
        words = (WORDS / part / f"{document.document}.txt").read_text(encoding="utf-8")
        return folded(_MARKS.sub("", words).replace(" | ", " "))
    return folded(read_document((CORPUS / part / document.document).read_bytes()).text)


EVERY = [(part, entry.document) for part in PARTS for entry in documents(part)]


@pytest.mark.parametrize(("part", "name"), EVERY)
def test_every_quote_stands_in_its_document(part: str, name: str) -> None:
    document = next(entry for entry in documents(part) if entry.document == name)
    text = text_of(part, document)
    for fact in document.facts:
        assert folded(fact.quote) in text
        if fact.value_type in WORDED:
            assert folded(fact.value) in folded(fact.quote)


@pytest.mark.parametrize("part", PARTS)
def test_nearly_every_value_stands_in_its_quote_as_the_gate_reads_it(part: str) -> None:
    figures = [
        fact
        for document in documents(part)
        for fact in document.facts
        if fact.value_type not in WORDED
    ]
    # In a table the unit may stand in the head; a few days are written as nobody expects them.
    beyond = [
        fact
        for fact in figures
        if not is_value_in_quote(fact.value, fact.value_type, fact.unit, fact.quote)
        and not is_value_in_quote(fact.value, "threshold", "", fact.quote)
    ]
    assert len(beyond) * 20 < len(figures), beyond


@pytest.mark.parametrize("part", PARTS)
def test_every_fact_is_one_that_the_pack_could_hold(part: str) -> None:
    known = load_facts_of("regulatory")
    for document in documents(part):
        for fact in document.facts:
            assert fact.value_type in known.predicates[fact.predicate].value_types, fact
            assert (fact.concept is not None) == (fact.subject in known.subjects), fact
            assert fact.concept in (None, f"{fact.subject}.{fact.predicate}")


def test_the_parts_are_as_large_and_as_mixed_as_they_must_be() -> None:
    seen, unseen = documents("seen"), documents("unseen")
    assert len(seen) >= 44
    assert len(unseen) >= 22
    assert len(unseen) * 3 >= len(seen) + len(unseen)
    for part in (seen, unseen):
        languages = Counter(entry.language for entry in part)
        assert set(languages) == {"hr", "en", "de"}
        assert 0.4 < languages["hr"] / len(part) < 0.6
        kinds = {entry.kind for entry in part}
        assert kinds == {"html", "text_pdf", "scanned_pdf", "docx", "xml", "txt"}
        types = {entry.type for entry in part}
        assert types >= {"act", "regulation", "amendment", "guidance", "faq", "notice"}
        assert types >= {"news", "navigation", "hostile", "draft", "decision"}
        assert any(not entry.facts for entry in part)
    assert sum(entry.kind == "scanned_pdf" for entry in seen) >= 5


def test_no_document_is_in_both_parts_or_nobodys() -> None:
    contents = [
        content_hash((CORPUS / part / entry.document).read_bytes())
        for part in PARTS
        for entry in documents(part)
    ]
    assert len(set(contents)) == len(contents)
    for part in PARTS:
        beside = {path.name for path in (CORPUS / part).iterdir()}
        named = {entry.document for entry in documents(part)}
        assert beside - named == {"truth.jsonl", "rules.jsonl"}


def test_scans_are_small_and_have_no_text_of_their_own() -> None:
    for part in PARTS:
        for entry in documents(part):
            if entry.kind == "scanned_pdf":
                data = (CORPUS / part / entry.document).read_bytes()
                assert len(data) < 150_000
                assert read_document(data).pages_without_text


def test_sources_serve_every_document_and_rank_from_1_to_7() -> None:
    told = yaml.safe_load((CORPUS / "sources.yml").read_text(encoding="utf-8"))["sources"]
    served = [document for source in told for document in source["documents"]]
    assert {entry["document"] for entry in served} == {f"{part}/{name}" for part, name in EVERY}
    assert {source["hierarchy"] for source in told} == {1, 2, 3, 4, 5, 6, 7}
    assert {entry["day"] for entry in served} == {1, 2}
    for source in told:
        places = [(entry["path"], entry["day"]) for entry in source["documents"]]
        assert len(set(places)) == len(places)
        for entry in source["documents"]:
            if "replaces" in entry:
                assert (entry["path"], 1) in places
    copies = Counter(entry["document"] for entry in served)
    assert max(copies.values()) == 2


@pytest.mark.parametrize("part", PARTS)
def test_every_known_rule_rests_on_facts_of_its_documents(part: str) -> None:
    known = {entry.document: entry for entry in documents(part)}
    rules = load_known_rules(CORPUS / part)
    assert {rule.status for rule in rules} == {"holds", "loses", "open"}
    for rule in rules:
        assert rule.documents
        for name in rule.documents:
            assert any(
                (fact.value, fact.unit) == (rule.value, rule.unit)
                and rule.concept == f"{fact.subject}.{fact.predicate}"
                for fact in known[name].facts
            ), rule
        assert rule.person == (rule.tier in ("T0", "T1"))
        assert (rule.status == "loses") <= (rule.conflict is not None)
