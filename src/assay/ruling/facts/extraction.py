"""From a reading to facts: the pack's extractor, and the gates for what it proposes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import InvalidInput
from assay.reading.decoding import decode_bytes
from assay.reading.result import Reading, restore_reading
from assay.ruling.declaration import Facts
from assay.ruling.facts.coverage import Coverage, measure_coverage
from assay.ruling.facts.gates import AcceptedFact, RejectedFact, check_proposal
from assay.ruling.facts.proposals import Passage, ProposedFact, Sentence
from assay.ruling.rules.conditions import is_always, parse_condition

SCOPE_FIELD = "scope"
"""The field of a situation that such a condition uses; a pack has to declare it."""
_MAX_SCOPE = 300
_SELF_BOUND = ("cross_reference", "exemption_condition")
"""Value types whose values are words, which already include any limits."""
_CASE = re.compile(
    r"(?:(?<![^\W_])(?:ako|ukoliko|pod uvjetom|osim|izuzev|(?<!as )if(?! any[,;.)])|unless|except"
    r"|provided that|(?<=[,;:] )provided"
    r"|in so far as|wenn|falls|sofern|soweit|außer(?! Kraft)|ausgenommen|es sei denn|vorbehaltlich)"
    r"|(?:^|(?<=[,;:.] ))(?:kad|kada|where|when|whenever|in cases where|in the case of))(?![^\W_])",
    re.IGNORECASE,
)
_END = re.compile(r";(?=\s)|\.(?=\s|$)")
_FIRST_END = re.compile(r"[,;:](?=\s)|\.(?=\s|$)")


def find_scope(quote: str) -> str | None:
    """The words that limit what a sentence says: from `if` to the end of what it introduces.

    At the beginning of a sentence a comma ends it; later on, only the sentence does, because what
    follows a comma there is usually one more case.
    """
    folded = " ".join(quote.split())
    found = _CASE.search(folded)
    if found is None:
        return None
    end = (_END if found.start() else _FIRST_END).search(folded, found.end())
    words = folded[found.start() : end.start() if end else len(folded)]
    return words[:_MAX_SCOPE].strip() or None


def limit_to_scope(proposed: ProposedFact, pack: Facts) -> ProposedFact:
    """The claim, limited by the condition in its words if it would otherwise always apply."""
    if SCOPE_FIELD not in pack.fields or proposed.value_type in _SELF_BOUND:
        return proposed
    words = find_scope(proposed.quote)
    if words is None or not is_always(parse_condition(proposed.applies_when)):
        return proposed
    return replace(proposed, applies_when={"op": "eq", "field": SCOPE_FIELD, "value": words})


DETERMINISTIC = "deterministic"
"""The name that facts give to the extractor that asks no model."""


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The result of extracting a document."""

    accepted: tuple[AcceptedFact, ...]
    rejected: tuple[RejectedFact, ...]
    sentences: tuple[Sentence, ...]

    @property
    def coverage(self) -> Coverage:
        return measure_coverage(self.sentences, self.accepted)


def extract_facts(passage: Passage, pack: Facts) -> ExtractionResult:
    """The facts that the pack's own extractor finds in a document and that pass every gate."""
    if pack.extractor is None:
        raise InvalidInput(
            f"Facts '{pack.name}' has no extractor of its own.", advice="Configure a model."
        )
    found = pack.extractor(passage)
    accepted, rejected = check_proposals(found.facts, passage, pack)
    return ExtractionResult(accepted, rejected, found.sentences)


def check_proposals(
    proposals: Iterable[ProposedFact], passage: Passage, pack: Facts
) -> tuple[tuple[AcceptedFact, ...], tuple[RejectedFact, ...]]:
    """The proposals that passed every gate, and those that did not."""
    accepted: list[AcceptedFact] = []
    rejected: list[RejectedFact] = []
    for proposed in proposals:
        verdict = check_proposal(proposed, passage.reading, pack, passage.language)
        if isinstance(verdict, AcceptedFact):
            accepted.append(verdict)
        else:
            rejected.append(verdict)
    return tuple(accepted), tuple(rejected)


@dataclass(frozen=True, slots=True)
class TextFiles:
    """Where a stored text is, with everything that belongs to it."""

    text: Path
    map: Path
    tables: Path | None = None

    def load_reading(self) -> Reading:
        """The reading as it was when it was stored."""
        tables = b"[]" if self.tables is None else self.tables.read_bytes()
        return restore_reading(self.text.read_text(encoding="utf-8"), self.map.read_bytes(), tables)


@dataclass(frozen=True, slots=True)
class DocumentContext:
    """What an extractor learns about a document besides its text."""

    language: str
    published: str | None
    jurisdiction: str = ""


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A stored text, and what else is known about its document."""

    files: TextFiles
    context: DocumentContext
    xml: Path | None = None
    """The file that the text was read from, if it is XML."""

    def load_passage(self) -> Passage:
        passage = load_passage(self.files, self.context)
        if self.xml is None:
            return passage
        return replace(passage, markup=decode_bytes(self.xml.read_bytes()).text)

    def load_text(self) -> str:
        return self.files.text.read_text(encoding="utf-8")


def take_facts(passage: Passage, pack: Facts) -> tuple[AcceptedFact, ...]:
    """The facts of a passage that pass every gate."""
    return extract_facts(passage, pack).accepted


def extract_stored_text(
    files: TextFiles, look: DocumentContext, pack: Facts, has_model: bool
) -> ExtractionResult:
    """The facts of a stored text; a pack without an extractor leaves them to the model, if any."""
    passage = load_passage(files, look)
    if pack.extractor is None and has_model:
        return ExtractionResult((), (), tuple(_split_lines(passage.reading.text)))
    return extract_facts(passage, pack)


def _split_lines(text: str) -> Iterator[Sentence]:
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield Sentence(start, start + len(line.rstrip()), is_relevant=True)
        start += len(line)


def load_passage(files: TextFiles, look: DocumentContext) -> Passage:
    return Passage(
        reading=files.load_reading(),
        language=look.language,
        published=look.published,
        jurisdiction=look.jurisdiction,
    )
