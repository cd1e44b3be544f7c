"""A page of a PDF as a person looks at it: where on it the quotes are.

A quote is a stretch of the text. The map stored with the text leads from there to the characters of
the page, and the PDF says where those are. For a scanned page, the words that OCR found have boxes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any, NamedTuple

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.document_viewer import DocumentViewer
from assay.app.evidence_views import (
    PDF_CLASSES,
    CitedQuote,
    list_quotes,
    load_artifacts,
    load_evidence,
)
from assay.errors import ContentError, NotFound
from assay.model.content import ArtifactKind
from assay.reading.pdf.rendering import Area, PageGeometry, Span
from assay.reading.result import PageSpan, Reading, restore_reading
from assay.store import tables as t

_HOCR_PAGE = re.compile(r'<div class="ocr_page" id="page_(\d+)" title="bbox 0 0 (\d+) (\d+);')
_HOCR_WORD = re.compile(
    r'<span class="ocrx_word" title="bbox (\d+) (\d+) (\d+) (\d+);[^"]*">([^<]*)</span>'
)
_HOCR_LINE = '<span class="ocr_line"'
_TURNED = re.compile(r"rotated (90|180|270)")
_MARGIN = 0.003
"""How much larger than its letters a box is drawn, as a share of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """What the page of one page shows."""

    evidence: dict[str, Any]
    number: int
    count: int
    width: float
    height: float
    quotes: list[CitedQuote]
    boxes: dict[str, tuple[Area, ...]]
    """The places of each quote, by its key; empty if they are unknown."""
    asked: tuple[int, int] | None
    asked_areas: tuple[Area, ...]
    is_scanned: bool
    problem: str = ""
    """Why the page cannot be drawn; empty if it can."""


def view_page(
    app: App,
    viewer: DocumentViewer,
    evidence_id: str,
    number: int,
    asked: tuple[int, int] | None = None,
) -> PageView:
    """One page, with the quotes on it."""
    evidence, _ = load_evidence(app, evidence_id)
    reading = _load_paged_reading(app, evidence)
    page = _select_page(evidence, reading, number)
    artifact_id = evidence["primary_text_artifact_id"]
    quotes = list_quotes(app, evidence, artifact_id, reading.text, page.start, page.end)
    if asked is not None and not (asked[0] < page.end and asked[1] > page.start):
        asked = None
    ranges = [(quote.start, quote.end) for quote in quotes] + ([asked] if asked else [])
    scanned = _load_scanned_page(app, evidence_id, number)
    wanted = () if scanned else tuple(_find_spans(reading, page, *each) for each in ranges)
    problem, measured = "", PageGeometry(0.0, 0.0, ())
    try:
        measured = viewer.measure_page(
            app.blobs.path(evidence["content_hash"]),
            evidence["content_hash"],
            number,
            tuple(span for spans in wanted for span in spans),
        )
    except ContentError as error:
        problem = f"{error.what} {error.advice}".strip()
    if scanned is None:
        left = iter(measured.areas)
        places = [tuple(area for _ in spans for area in next(left, ())) for spans in wanted]
    else:
        aligned = _align_words(
            reading.text[page.start : page.end], _read_word_boxes(app, evidence_id, number)
        )
        turned = _find_turn(scanned)
        places = [
            _merge_lines(aligned, start - page.start, end - page.start, turned)
            for start, end in ranges
        ]
    padded = [tuple(map(_pad, areas)) for areas in places]
    return PageView(
        evidence=evidence,
        number=number,
        count=len(reading.pages),
        width=measured.width,
        height=measured.height,
        quotes=quotes,
        boxes={quote.key: areas for quote, areas in zip(quotes, padded, strict=False)},
        asked=asked,
        asked_areas=padded[-1] if asked else (),
        is_scanned=scanned is not None,
        problem=problem,
    )


def draw_page(
    app: App,
    viewer: DocumentViewer,
    evidence: Mapping[str, Any],
    number: int,
    asked: tuple[int, int] | None = None,
) -> bytes:
    """The image of a page as a PNG; a quote is highlighted in it where its place is known."""
    hash_of_content = evidence["content_hash"]
    if asked is None:
        _select_page(evidence, _load_paged_reading(app, evidence), number)
        areas: tuple[Area, ...] = ()
    else:
        areas = view_page(app, viewer, evidence["evidence_id"], number, asked).asked_areas
    try:
        return viewer.draw_page(app.blobs.path(hash_of_content), hash_of_content, number, areas)
    except ContentError as error:
        raise NotFound(
            f"There is no image of this page: {error.what}", advice=error.advice
        ) from error


def find_page_of(app: App, evidence_id: str, offset: int) -> int:
    """The page with a character of the text; the first one if it is on none."""
    evidence, _ = load_evidence(app, evidence_id)
    return _load_paged_reading(app, evidence).page_of(offset) or 1


def _load_paged_reading(app: App, evidence: Mapping[str, Any]) -> Reading:
    """The reading of a PDF, with its pages; other documents have no pages to show."""
    artifact_id = evidence["primary_text_artifact_id"]
    rows = load_artifacts(app, evidence["evidence_id"], artifact_id) if artifact_id else ()
    if evidence["content_class"] not in PDF_CLASSES or not rows or rows[0]["map_hash"] is None:
        raise NotFound(
            f"Evidence {evidence['evidence_id']} has no pages that could be shown as images.",
            advice="Only PDFs have; look at its text instead.",
        )
    text = app.blobs.get(rows[0]["content_hash"]).decode("utf-8", "replace")
    return restore_reading(text, app.blobs.get(rows[0]["map_hash"]))


def _select_page(evidence: Mapping[str, Any], reading: Reading, number: int) -> PageSpan:
    for page in reading.pages:
        if page.number == number:
            return page
    raise NotFound(
        f"Evidence {evidence['evidence_id']} has no page {number}.",
        advice=f"It has the pages 1 to {len(reading.pages)}.",
    )


def _find_spans(reading: Reading, page: PageSpan, start: int, end: int) -> list[Span]:
    """The characters of the page that a stretch of the text was read from."""
    place = f"page {page.number}"
    found = []
    for segment in reading.segments:
        first, last = max(start, segment.start), min(end, segment.end)
        if segment.place != place or first >= last:
            continue
        if segment.end - segment.start == segment.source_end - segment.source_start:
            by = segment.source_start - segment.start
            found.append((first + by, last + by))
        else:
            found.append((segment.source_start, segment.source_end))
    return found


def _load_scanned_page(app: App, evidence_id: str, number: int) -> Mapping[str, Any] | None:
    scanned = t.scanned_page
    query = sa.select(scanned).where(scanned.c.evidence_id == evidence_id, scanned.c.page == number)
    return next(iter(app.fetch_rows(query)), None)


def _find_turn(scanned: Mapping[str, Any]) -> int:
    """How far the page lies from upright, clockwise: OCR names places on the upright page."""
    found = (_TURNED.fullmatch(flag) for flag in scanned["flags"])
    return next((int(match[1]) for match in found if match), 0)


class _Word(NamedTuple):
    """A word that OCR found: its line, and its box as shares of the upright page."""

    text: str
    line: int
    box: Area


def _read_word_boxes(app: App, evidence_id: str, number: int) -> list[_Word]:
    """The words of a scanned page in the order of its text; none if OCR's result is not stored."""
    kept = [
        row
        for row in load_artifacts(app, evidence_id)
        if row["kind"] == ArtifactKind.OCR_HOCR.value
    ]
    if not kept:
        return []
    hocr = app.blobs.get(kept[-1]["content_hash"]).decode("utf-8", "replace")
    for page in _HOCR_PAGE.finditer(hocr):
        if int(page[1]) == number:
            end = hocr.find('<div class="ocr_page"', page.end())
            size = int(page[2]), int(page[3])
            return list(_iter_words(hocr[page.end() : end if end > 0 else len(hocr)], size))
    return []


def _iter_words(part: str, size: tuple[int, int]) -> Iterator[_Word]:
    wide, high = size
    if not wide or not high:
        return
    for line, piece in enumerate(part.split(_HOCR_LINE)):
        for word in _HOCR_WORD.finditer(piece):
            left, top, right, bottom = map(int, word.groups()[:4])
            box = Area(left / wide, top / high, right / wide, bottom / high)
            yield _Word(unescape(word[5]), line, box)


def _align_words(text: str, words: Sequence[_Word]) -> list[tuple[int, int, _Word]]:
    """Where each word is in the text of the page; words that are not found are left out."""
    found, at = [], 0
    for word in words:
        start = text.find(word.text, at)
        if start < 0 or not word.text:
            continue
        at = start + len(word.text)
        found.append((start, at, word))
    return found


def _merge_lines(
    aligned: Sequence[tuple[int, int, _Word]], start: int, end: int, turned: int
) -> tuple[Area, ...]:
    """The places of a stretch of the text, one for each line."""
    lines: dict[int, list[Area]] = {}
    for first, last, word in aligned:
        if first < end and last > start:
            lines.setdefault(word.line, []).append(word.box)
    return tuple(_turn(_enclose(boxes), turned) for boxes in lines.values())


def _enclose(boxes: Sequence[Area]) -> Area:
    return Area(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


def _turn(area: Area, degrees: int) -> Area:
    """The place on the page as it lies, of a place on the upright page."""
    left, top, right, bottom = area.left, area.top, area.right, area.bottom
    if degrees == 90:
        return Area(1 - bottom, left, 1 - top, right)
    if degrees == 180:
        return Area(1 - right, 1 - bottom, 1 - left, 1 - top)
    if degrees == 270:
        return Area(top, 1 - right, bottom, 1 - left)
    return area


def _pad(area: Area) -> Area:
    return Area(
        max(0.0, area.left - _MARGIN),
        max(0.0, area.top - _MARGIN),
        min(1.0, area.right + _MARGIN),
        min(1.0, area.bottom + _MARGIN),
    )
