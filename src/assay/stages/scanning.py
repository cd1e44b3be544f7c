"""Reading the pages of a scan: each page by itself, in the workshop, and never twice.

A page that was read is put aside at once by the process that read it, so that after a crash only
the pages in hand are read again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.reading.ocr.options import OcrOptions
from assay.reading.ocr.page import OcrPage
from assay.reading.result import Reading
from assay.reading.workshop import Workshop
from assay.store.scratch import Scratch


@dataclass(frozen=True, slots=True)
class Scanned:
    """What came of the pages of a document."""

    reading: Reading
    """The text of all pages: those that were read now, and those that had text already."""
    hocr: bytes
    pages: tuple[OcrPage, ...]
    """Only those that were read now."""

    @property
    def confidence(self) -> float:
        """Over all characters that were read now."""
        characters = sum(len(page.text) for page in self.pages)
        if not characters:
            return 0.0
        return sum(page.confidence * len(page.text) for page in self.pages) / characters

    @property
    def flagged(self) -> tuple[OcrPage, ...]:
        return tuple(page for page in self.pages if page.flags)

    def told(self) -> str:
        """For a person."""
        flagged = ", ".join(f"page {p.number} ({', '.join(p.flags)})" for p in self.flagged)
        return f"{len(self.pages)} pages at {self.confidence:.0%} confidence" + (
            f"; look at {flagged}" if flagged else ""
        )

    def values(self) -> list[dict[str, Any]]:
        """For a machine."""
        return [
            {
                "page": page.number,
                "confidence": round(page.confidence, 4),
                "coverage": round(page.coverage, 4),
                "flags": list(page.flags),
                "characters": len(page.text),
            }
            for page in self.pages
        ]


@dataclass(frozen=True, slots=True)
class Scanner:
    """Who reads scanned pages, and how."""

    workshop: Workshop
    options: OcrOptions
    scratch: Scratch
    page_timeout_s: float = 120.0

    async def scan(
        self,
        file: Path,
        hash_of_content: str,
        reading: Reading,
        *,
        on_page: Callable[[], None] | None = None,
    ) -> Scanned:
        """Read the pages of a document that have no text of their own."""
        numbers = reading.pages_without_text
        work = f"{hash_of_content}-{self.options.key()}"
        found = await self.workshop.each(
            page_put_aside,
            [(file, number, self.options, self.scratch.folder, work) for number in numbers],
            timeout_s=self.page_timeout_s,
            on_done=on_page,
        )
        from assay.reading.ocr import failed_page

        pages = tuple(
            failed_page(number, str(result)) if isinstance(result, AssayError) else result
            for number, result in zip(numbers, found, strict=True)
        )
        from assay.reading.ocr import assembled

        text, hocr = assembled(pages, reading)
        return Scanned(text, hocr, pages)


def page_put_aside(
    file: Path, number: int, options: OcrOptions, folder: Path, work: str
) -> OcrPage:
    """One page, read now or found where an earlier attempt left it."""
    scratch = Scratch(folder)
    kept = scratch.get(work, f"page-{number}")
    if kept is not None:
        return OcrPage.from_json(kept)
    from assay.reading.ocr import ocr_page

    page = ocr_page(file.read_bytes(), number, options)
    scratch.put(work, f"page-{number}", page.to_json())
    return page
