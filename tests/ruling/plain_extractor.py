"""A small extractor for tests of what a model is asked.

The pack's own extractor learns all the time, and a sentence that it leaves to a model today it may
read tomorrow. This one reads a few whole sentences, those of `tests.ruling.test_extract.ACT` among
them, and leaves all others.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assay.app.installed_packs import load_installed_facts
from assay.ruling.declaration import Facts
from assay.ruling.facts.proposals import Extraction, Passage, ProposedFact, Sentence
from assay.ruling.facts.values import format_number, scan_durations, scan_percentages, scan_sums

_NUMBER = re.compile(r"Article \d+\. ")
_PATTERNS = {
    ("rate", "percentage", "%"): r"The rate of value added tax (?:shall be|for ships is) (\d+) %.*",
    ("reduced_rate", "percentage", "%"): r"A reduced rate of (\d+) % shall apply to .*",
    ("retention_period", "count", "years"): r"Invoices shall be kept for (\d+) years .*",
    ("refers_to", "cross_reference", ""): r".* under (Article 5 of the Ports Act)\.",
}


def load_plain_packs() -> Mapping[str, Facts]:
    """The regulatory pack with this extractor in the place of its own."""
    pack = load_installed_facts()["regulatory"]
    return {pack.name: replace(pack, extractor=read_plainly)}


def read_plainly(passage: Passage) -> Extraction:
    """The facts of the known sentences; every other one with a value or a `must` is left over."""
    facts: list[ProposedFact] = []
    sentences: list[Sentence] = []
    before = ["", ""]
    for start, line in _split_lines(passage.reading.text):
        facts += _propose_facts(start, line)
        values = _list_values(line)
        is_relevant = bool(values) or " must " in line
        context = " – ".join(before) if before[-1].endswith(":") else ""
        sentences.append(Sentence(start, start + len(line), is_relevant, values, context))
        before = [before[-1], line]
    return Extraction(tuple(facts), tuple(sentences))


def _split_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines without the numbers of their articles, each with its place."""
    for found in re.finditer(r"\S.*", text):
        number = _NUMBER.match(text, found.start(), found.end())
        start = number.end() if number else found.start()
        yield start, text[start : found.end()].rstrip()


def _propose_facts(start: int, line: str) -> Iterator[ProposedFact]:
    for (predicate, value_type, unit), pattern in _PATTERNS.items():
        if found := re.fullmatch(pattern, line):
            yield ProposedFact(
                domain="pdv", subject="pdv", predicate=predicate, value=found[1],
                value_type=value_type, unit=unit, quote=line, start=start, confidence=0.97,
            )  # fmt: skip


def _list_values(line: str) -> tuple[str, ...]:
    found = [(at.start, at.amount, at.unit) for at in scan_percentages(line)]
    found += [(at.start, at.amount, at.currency) for at in scan_sums(line)]
    found += [(at.start, at.amount, at.unit) for at in scan_durations(line)]
    return tuple(f"{format_number(number)} {unit}" for _, number, unit in sorted(found))
