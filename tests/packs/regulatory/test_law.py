"""Annotated law: every line is valid, in its half, and the set is large and wide enough."""

from collections import Counter
from pathlib import Path

import pytest

from assay.packs.regulatory import LAW, pack
from assay.ruling.evaluation.excerpts import (
    TEXTS,
    AnnotatedDocument,
    Half,
    LocatedText,
    load_annotated,
    load_terms,
)


@pytest.fixture(scope="module")
def halves() -> dict[Half, tuple[AnnotatedDocument, ...]]:
    facts = pack().facts
    assert facts is not None
    return load_annotated(LAW, facts)


def test_each_half_has_facts_in_three_languages_and_from_six_jurisdictions(
    halves: dict[Half, tuple[AnnotatedDocument, ...]],
) -> None:
    for documents in halves.values():
        languages = Counter(one.language for one in documents for _ in one.facts)
        assert min(languages[language] for language in ("hr", "de", "en")) >= 75
        assert {one.jurisdiction for one in documents} == {"hr", "de", "uk", "us", "ie", "eu"}
    assert sum(len(one.facts) for documents in halves.values() for one in documents) >= 400


def test_every_excerpt_names_its_source(
    halves: dict[Half, tuple[AnnotatedDocument, ...]],
) -> None:
    for one in (one for documents in halves.values() for one in documents):
        assert one.source.licence
        assert len(one.source.digest) == 64
        assert one.source.commit or one.source.repository == "samples"


def test_no_document_is_annotated_twice(
    halves: dict[Half, tuple[AnnotatedDocument, ...]],
) -> None:
    names = [one.document for documents in halves.values() for one in documents]
    assert len(names) == len(set(names))
    assert {other for docs in halves.values() for one in docs for other in one.succeeds} <= set(
        names
    )


def test_terms_stand_for_words() -> None:
    assert "pravna osoba" in load_terms(LAW)["legal_person"]


def test_the_words_of_a_fact_occur_once_in_its_text(
    halves: dict[Half, tuple[AnnotatedDocument, ...]],
) -> None:
    texts: Path = LAW / TEXTS
    if not texts.is_dir():
        pytest.skip("the texts of the excerpts are not part of the repository")
    for one in (one for documents in halves.values() for one in documents):
        if (texts / one.document).suffix in {".md", ".txt"}:
            located = LocatedText((texts / one.document).read_text(encoding="utf-8"))
            wrong = [fact.at for fact in one.facts if len(located.locate(fact.at)) != 1]
            assert wrong == [], one.document
