"""Show a page: where some of its characters are, and the page as an image."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from assay.errors import ContentBroken, ContentTooLarge, InvalidInput
from assay.reading.documents import load_stored_bytes
from assay.reading.pdf.pdfium import PdfDocument, PdfPage, open_pdf
from assay.reading.pdf.reader import mend_pdf

_POINTS: Final = 72.0
_MOST_PAGES: Final = 10_000
_LONGEST_SIDE: Final = 30_000
_MOST_AREAS: Final = 2_000
_MARKER: Final = (255, 226, 92)
"""The colour of a highlighted place, as a text marker leaves it: ink stays as dark as it is."""
_EDGE: Final = (176, 120, 0)

Span = tuple[int, int]
"""The first of some characters of a page, and the one after the last, as in a segment."""
_Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle on a page as it is shown, as shares of its width and height from the top left."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """The size of a page as it is shown, in points, and where some of its characters are."""

    width: float
    height: float
    areas: tuple[tuple[Area, ...], ...]
    """For each span, the rectangles around it, one for each line."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page as a greyscale image, one byte per pixel, row by row from the top."""

    width: int
    height: int
    dpi: float
    """The resolution it was drawn at: less than requested if the page is very large."""
    pixels: bytes


def find_text_boxes(data: bytes, page: int, start: int, end: int) -> tuple[Area, ...]:
    """The rectangles around some characters of a page; `start` and `end` as in a segment."""
    if start < 0 or end <= start:
        raise InvalidInput(f"There are no characters from {start} to {end}.")
    with _open_page(data, page) as sheet:
        return _find_areas(sheet, (start, end))


def render_page(
    data: bytes, page: int, dpi: float = 300.0, max_pixels: int = 50_000_000
) -> RenderedPage:
    """Draw a page, counted from 1, as an image; a very large page is drawn smaller."""
    with _open_page(data, page) as sheet:
        width, height, dpi = _fit_pixels(sheet, page, dpi, max_pixels)
        return RenderedPage(width, height, dpi, sheet.render(width, height))


def measure_stored_page(
    file: Path, hash_of_content: str, page: int, spans: Sequence[Span]
) -> PageGeometry:
    """The size of a page of a stored PDF, and the places of these characters; a task of the
    pool."""
    with _open_page(load_stored_bytes(file, hash_of_content), page) as sheet:
        width, height = sheet.get_size()
        found = tuple(_find_areas(sheet, span) for span in spans)
        return PageGeometry(width, height, found)


def draw_stored_page(
    file: Path,
    hash_of_content: str,
    page: int,
    areas: Sequence[Area] = (),
    dpi: float = 144.0,
    max_pixels: int = 6_000_000,
) -> bytes:
    """A page of a stored PDF as a PNG in colour, with these areas highlighted; a task of the
    pool."""
    with _open_page(load_stored_bytes(file, hash_of_content), page) as sheet:
        width, height, _ = _fit_pixels(sheet, page, dpi, max_pixels)
        drawn = np.frombuffer(sheet.render(width, height, colour=True), np.uint8)
    pixels = drawn.reshape(height, width, 3)
    if areas:
        pixels = _highlight(pixels, areas[:_MOST_AREAS])
    return _encode_png(pixels)


@contextmanager
def _open_page(data: bytes, page: int) -> Iterator[PdfPage]:
    """A page of a PDF, counted from 1; the list of its pages may be damaged."""
    with ExitStack() as stack:
        try:
            document = stack.enter_context(open_pdf(data))
        except ContentBroken:
            # Its text was read in the same way.
            whole = mend_pdf(data, _MOST_PAGES)
            if whole is None:
                raise
            document = stack.enter_context(open_pdf(whole))
        _check_page_number(document, page)
        sheet = stack.enter_context(document.open_page(page - 1))
        if sheet is None:
            raise ContentBroken(f"Page {page} of the PDF is damaged.")
        yield sheet


def _find_areas(sheet: PdfPage, span: Span) -> tuple[Area, ...]:
    found = []
    for left, bottom, right, top in sheet.lines_of_text(span[0], span[1] - span[0]):
        (x, y), (to_x, to_y) = sheet.on_sheet(left, bottom), sheet.on_sheet(right, top)
        found.append(Area(min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)))
    return tuple(found)


def _fit_pixels(sheet: PdfPage, page: int, dpi: float, max_pixels: int) -> tuple[int, int, float]:
    """Width and height in pixels, and the resolution: lower than asked for if it is very large."""
    wide, high = sheet.get_size()
    if not (0 < wide < 1e6 and 0 < high < 1e6):
        raise ContentTooLarge(f"Page {page} of the PDF is {wide:g} by {high:g} points.")
    dpi = min(dpi, _LONGEST_SIDE * _POINTS / max(wide, high))
    asked = wide * high * (dpi / _POINTS) ** 2
    if asked > max_pixels:
        dpi *= (max_pixels / asked) ** 0.5
    return max(1, int(wide * dpi / _POINTS)), max(1, int(high * dpi / _POINTS)), dpi


def _check_page_number(document: PdfDocument, page: int) -> None:
    count = document.page_count
    if not 1 <= page <= count:
        raise InvalidInput(f"The PDF has {count} pages; there is no page {page}.")


def _highlight(pixels: _Pixels, areas: Sequence[Area]) -> _Pixels:
    """The image with a marker drawn over these areas, and a line below each."""
    made = pixels.copy()
    height, width, _ = made.shape
    for area in areas:
        left, right = (_place(share, width) for share in (area.left, area.right))
        top, bottom = (_place(share, height) for share in (area.top, area.bottom))
        place = made[top : bottom + 1, left : right + 1]
        # Light takes the marker's colour, ink stays dark; what is marked twice is not marked more.
        place[:] = np.minimum(place, np.array(_MARKER, np.uint8))
        made[bottom : bottom + 2, left : right + 1] = _EDGE
    return made


def _place(share: float, length: int) -> int:
    return min(length, max(0, round(share * length)))


def _encode_png(pixels: _Pixels) -> bytes:
    """An image in colour as a PNG; each row is stored as its difference from the one above."""
    height, width, depth = pixels.shape
    rows = pixels.reshape(height, width * depth)
    packed = np.empty((height, width * depth + 1), np.uint8)
    packed[:, 0] = 2
    packed[0, 1:] = rows[0]
    packed[1:, 1:] = rows[1:] - rows[:-1]
    head = struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(packed.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack("!I", len(body)) + name + body + struct.pack("!I", zlib.crc32(name + body))
        for name, body in chunks
    )
