"""Show a page: where some of its characters are, and the page as an image."""

from dataclasses import dataclass

from assay.errors import ContentBroken, ContentTooLarge, InvalidInput
from assay.reading.pdf.pdfium import PdfDocument, open_pdf

_POINTS = 72.0


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle on a page as it is shown, as shares of its width and height from the top left."""

    left: float
    top: float
    right: float
    bottom: float


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
    with open_pdf(data) as document:
        _check_page_number(document, page)
        with document.open_page(page - 1) as sheet:
            if sheet is None:
                raise ContentBroken(f"Page {page} of the PDF is damaged.")
            found = []
            for left, bottom, right, top in sheet.lines_of_text(start, end - start):
                corners = sheet.on_sheet(left, bottom), sheet.on_sheet(right, top)
                (x, y), (to_x, to_y) = corners
                found.append(Area(min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)))
            return tuple(found)


def render_page(
    data: bytes, page: int, dpi: float = 300.0, max_pixels: int = 50_000_000
) -> RenderedPage:
    """Draw a page, counted from 1, as an image; a very large page is drawn smaller."""
    with open_pdf(data) as document:
        _check_page_number(document, page)
        with document.open_page(page - 1) as sheet:
            if sheet is None:
                raise ContentBroken(f"Page {page} of the PDF is damaged.")
            wide, high = sheet.get_size()
            if not (0 < wide < 1e6 and 0 < high < 1e6):
                raise ContentTooLarge(f"Page {page} of the PDF is {wide:g} by {high:g} points.")
            asked = wide * high * (dpi / _POINTS) ** 2
            if asked > max_pixels:
                dpi *= (max_pixels / asked) ** 0.5
            width = max(1, int(wide * dpi / _POINTS))
            height = max(1, int(high * dpi / _POINTS))
            return RenderedPage(width, height, dpi, sheet.render(width, height))


def _check_page_number(document: PdfDocument, page: int) -> None:
    count = document.page_count
    if not 1 <= page <= count:
        raise InvalidInput(f"The PDF has {count} pages; there is no page {page}.")
