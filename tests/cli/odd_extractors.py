"""Extractors for tests; at the top of a module, since processes of the process pool call them."""

from assay.ruling.facts.proposals import Extraction, Passage, ProposedFact, Sentence


def proposing(passage: Passage) -> Extraction:
    """The whole text as a quote: a value that stands in it, and one that does not."""
    text = passage.reading.text
    right, wrong = (
        ProposedFact(
            domain="pdv",
            subject="pdv",
            predicate="rate",
            value=value,
            value_type="percentage",
            unit="%",
            quote=text.strip(),
            start=text.index(text.strip()),
            confidence=0.97,
            effective_from=passage.published,
        )
        for value in ("25", "13")
    )
    half = len(text) // 2
    sentences = (Sentence(0, half, False), Sentence(half, len(text), True))
    return Extraction((right, wrong), sentences)


def endless(passage: Passage) -> Extraction:
    """Never ends where the text says so."""
    while "for ever" in passage.reading.text:
        pass
    return proposing(passage)
