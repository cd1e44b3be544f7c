"""A small extractor for tests: every `NN %` of a line that speaks of a rate."""

import re

from assay.ruling.facts.proposals import Extraction, Passage, ProposedFact, Sentence

_RATE = re.compile(r"^.*?\brate\b.*?(\d+) %.*$", re.MULTILINE)


def toy(passage: Passage) -> Extraction:
    """The rates of a text; one of 99 % is proposed with words that stand nowhere."""
    facts = tuple(
        ProposedFact(
            domain="pdv",
            subject="pdv",
            predicate="rate",
            value=line.group(1),
            value_type="percentage",
            unit="%",
            quote="not in the text at all" if line.group(1) == "99" else line.group(),
            confidence=0.9,
        )
        for line in _RATE.finditer(passage.reading.text)
    )
    sentences = tuple(
        Sentence(line.start(), line.end(), is_relevant=True)
        for line in _RATE.finditer(passage.reading.text)
    )
    return Extraction(facts, sentences)
