"""Extraction in a process of the pool, with limits on time and memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.reading.result import Reading, restore_reading
from assay.ruling.declaration import Facts
from assay.ruling.facts.extraction import ExtractionResult, extract_facts
from assay.ruling.facts.proposals import Passage, Sentence


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
    return Passage(reading=files.load_reading(), language=look.language, published=look.published)
