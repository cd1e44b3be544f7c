"""Assemble pages that were read one by one into a document."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.content import ContentClass
from assay.reading.ocr import hocr
from assay.reading.ocr.options import OcrOptions
from assay.reading.ocr.page import BLANK, DOUBTFUL, PICTURE_ONLY, REDUCED, OcrPage
from assay.reading.result import PageSpan, Reading, Segment

_BETWEEN = "\n\n"
_SAID = {
    "no_text": "has ink on it, but nothing could be read",
    "low_confidence": "is read with a confidence of {confidence:.0%} only",
    "low_coverage": "has text on it that could not be read: {coverage:.0%} of its ink is in words",
    "timed_out": "took too long, so not everything was tried",
    PICTURE_ONLY: "has pictures on it, and no text",
    REDUCED: "is so large that it was read at {dpi} dpi only",
}


@dataclass(frozen=True, slots=True)
class OcrDocument:
    """A scanned document as text."""

    reading: Reading
    hocr: str
    confidence: float
    """The mean over pages, weighted by their characters; 0 if nothing was read."""
    doubtful_pages: tuple[int, ...]
    """Pages whose text may be wrong or incomplete."""
    person_needed: str
    """Why a person must review it; empty if nobody needs to."""


def assemble_document(pages: Sequence[OcrPage], options: OcrOptions | None = None) -> OcrDocument:
    """Assemble the document of these pages, in the order of their numbers."""
    options = options or OcrOptions()
    pages = sorted(pages, key=lambda page: page.number)
    text: list[str] = []
    spans, segments = [], []
    at = 0
    for page in pages:
        if page.text and at:
            text.append(_BETWEEN)
            at += len(_BETWEEN)
        end = at + len(page.text)
        spans.append(PageSpan(page.number, at, end))
        if page.text:
            segments.append(Segment(at, end, 0, len(page.text), f"page {page.number}"))
        text.append(page.text)
        at = end
    reading = Reading(
        content_class=ContentClass.PDF_SCANNED,
        text="".join(text),
        pages=tuple(spans),
        segments=tuple(segments),
        warnings=tuple(line for page in pages for line in _describe_flags(page)),
        pages_without_text=tuple(page.number for page in pages if not page.text),
    )
    return OcrDocument(
        reading=reading,
        hocr=hocr.build_document(page.hocr for page in pages),
        confidence=_compute_confidence(pages),
        doubtful_pages=tuple(page.number for page in pages if page.is_doubtful),
        person_needed=_find_review_reason(pages, options),
    )


def _compute_confidence(pages: Sequence[OcrPage]) -> float:
    letters = sum(len(page.text) for page in pages)
    sure = sum(page.confidence * len(page.text) for page in pages)
    return round(sure / letters, 4) if letters else 0.0


def _find_review_reason(pages: Sequence[OcrPage], options: OcrOptions) -> str:
    written = [page for page in pages if BLANK not in page.flags]
    if not any(page.text for page in written):
        return "Nothing could be read on any of its pages."
    confidence = _compute_confidence(pages)
    if confidence < options.least_confidence:
        return f"It is read with a confidence of {confidence:.0%} only."
    lost = [page.number for page in written if not page.text and page.is_doubtful]
    if 2 * len(lost) > len(written):
        return f"Nothing could be read on {len(lost)} of its {len(written)} pages."
    return ""


def _describe_flags(page: OcrPage) -> list[str]:
    measures = {"confidence": page.confidence, "coverage": page.coverage, "dpi": page.dpi}
    return [
        f"Page {page.number} {_SAID[flag].format(**measures)}."
        for flag in page.flags
        if flag in DOUBTFUL or flag in _SAID
    ]
