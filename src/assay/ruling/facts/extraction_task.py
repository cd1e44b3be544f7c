"""Extraction as it is done in a process of the workshop: bounded in time and memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.reading.result import Reading, restored
from assay.ruling.declaration import Facts
from assay.ruling.facts.extraction import Extracted, extracted
from assay.ruling.facts.proposals import Passage, Sentence


@dataclass(frozen=True, slots=True)
class TextFiles:
    """Where a stored text and what belongs to it lie."""

    text: Path
    map: Path
    tables: Path | None = None

    def load_reading(self) -> Reading:
        """The reading as it was when it was stored."""
        tables = b"[]" if self.tables is None else self.tables.read_bytes()
        return restored(self.text.read_text(encoding="utf-8"), self.map.read_bytes(), tables)


@dataclass(frozen=True, slots=True)
class Look:
    """What an extractor is told of a document besides its text."""

    language: str
    published: str | None


def extracted_from(files: TextFiles, look: Look, pack: Facts, has_model: bool) -> Extracted:
    """The facts of a stored text; a pack without an extractor leaves it to a model, if there is
    one."""
    passage = passage_of(files, look)
    if pack.extractor is None and has_model:
        return Extracted((), (), tuple(_lines(passage.reading.text)))
    return extracted(passage, pack)


def _lines(text: str) -> Iterator[Sentence]:
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield Sentence(start, start + len(line.rstrip()), is_relevant=True)
        start += len(line)


def passage_of(files: TextFiles, look: Look) -> Passage:
    return Passage(reading=files.load_reading(), language=look.language, published=look.published)
