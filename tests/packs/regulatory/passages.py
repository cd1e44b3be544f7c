"""Passages and facts for the tests of the extractor."""

from assay.model.content import ContentClass
from assay.packs.regulatory.extractor import extract_facts
from assay.reading.result import Mark, Reading, TableData
from assay.ruling.facts.proposals import Passage, ProposedFact
from assay.ruling.rules.conditions import WORDING_FIELD


def passage(
    text: str,
    language: str,
    *,
    title: str | None = None,
    published: str | None = None,
    tables: tuple[TableData, ...] = (),
    marks: tuple[Mark, ...] = (),
    content_class: ContentClass = ContentClass.HTML,
    jurisdiction: str = "",
) -> Passage:
    reading = Reading(
        content_class=content_class, text=text, title=title, tables=tables, marks=marks
    )
    return Passage(
        reading=reading, language=language, published=published, jurisdiction=jurisdiction
    )


def facts_of(text: str, language: str, **known: object) -> list[ProposedFact]:
    """The facts of a text, each of them checked to stand where it says."""
    made = passage(text, language, **known)  # type: ignore[arg-type]
    facts = list(extract_facts(made).facts)
    for fact in facts:
        assert fact.start is not None
        assert text[fact.start : fact.start + len(fact.quote)] == fact.quote
    return facts


def words_of(fact: ProposedFact) -> str:
    """The words of a condition, whether they were read out of a sentence or are all of it."""
    parts = fact.applies_when.get("all", [fact.applies_when])
    worded = ("scope", WORDING_FIELD)
    return "; ".join(str(one["value"]) for one in parts if one.get("field") in worded)


def is_limited_by(fact: ProposedFact, words: str) -> bool:
    """Whether a condition is these words, or whole sentences with them and its figure's place.

    Without words: whether it applies always, or as its sentence says and nothing else.
    """
    stated = words_of(fact)
    before, gap, after = stated.partition(" […]")
    if stated == words:
        return True
    if not gap:
        return False
    if not words:
        sentence = " ".join(fact.quote.split())
        return before in sentence and sentence.endswith(after.strip())
    # The figure itself may be among the words.
    places = range(len(words) + 1)
    return words in stated or any(
        before.endswith(words[:start]) and after.strip().startswith(words[end:].strip())
        for start in places
        for end in places[start:]
        if words[:start].strip() and words[start:end].strip()
    )
