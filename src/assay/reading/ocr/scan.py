"""The scan on a page of a PDF: its own resolution, and its own pixels if nothing else is there.

Drawing a page shifts the pixels of a scan by fractions, which blurs its letters; a page that is
only a photograph of paper is better read as it was taken.
"""

import ctypes
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as raw
from PIL import Image

from assay.reading.pdf.geometry import IDENTITY, Box, Matrix, combine_matrices, move_box
from assay.reading.pdf.pdfium import FORM, IMAGE, TEXT, PdfPage

_POINTS = 72.0
_WHOLE_PAGE = 0.5
"""An image that covers at least this share of a page counts as its scan."""
_MOST_OBJECTS = 2_000
_EDGE = 0.01
"""How far a scan may miss the edge of its page, as a share of the page."""
_PHOTOGRAPH = b"DCTDecode"
_MODES = {
    raw.FPDFBitmap_Gray: ("L", "L", 1),
    raw.FPDFBitmap_BGR: ("RGB", "BGR", 3),
    raw.FPDFBitmap_BGRx: ("RGB", "BGRX", 4),
    raw.FPDFBitmap_BGRA: ("RGB", "BGRX", 4),
}


@dataclass(frozen=True, slots=True)
class Scan:
    """The image that fills most of a page."""

    page: PdfPage
    item: int
    """Its address."""
    box: Box
    """Where it is on the page, in points."""
    pixels: tuple[int, int]

    @property
    def dpi(self) -> float:
        """Its resolution at its size on the page."""
        left, bottom, right, top = self.box
        inches = (right - left) * (top - bottom) / _POINTS**2
        return float((self.pixels[0] * self.pixels[1] / inches) ** 0.5)

    def isolate_image(self, max_pixels: int) -> Image.Image | None:
        """Its own pixels in greyscale, if it is all that the page shows.

        `None` if it is not, if it is rotated or clipped, or if it is not a JPEG: other formats may
        be stencils, which do not include the paper.
        """
        if self.pixels[0] * self.pixels[1] > max_pixels or self.page.note_count():
            return None
        if not (self._only_thing() and self._fills_page() and self._is_photograph()):
            return None
        bitmap = raw.FPDFImageObj_GetBitmap(_as_handle(self.item))
        if not bitmap:
            return None
        try:
            return _convert_to_grey(bitmap)
        finally:
            raw.FPDFBitmap_Destroy(bitmap)

    def _only_thing(self) -> bool:
        objects, kinds = self.page.list_objects(min(self.page.object_count(), _MOST_OBJECTS))
        # Many scans have the scanner's own text under them, written without ink.
        return len(objects) < _MOST_OBJECTS and all(
            item == self.item or (kind == TEXT and self.page.is_invisible(item))
            for item, kind in zip(objects, kinds, strict=True)
        )

    def _fills_page(self) -> bool:
        a, b, c, d, _, _ = self.page.matrix_of(self.item)
        if not (a > 0 and d > 0 and abs(b) + abs(c) < 1e-3):
            return False
        left, bottom, right, top = self.box
        corners = (*self.page.on_sheet(left, top), *self.page.on_sheet(right, bottom))
        return all(abs(at - edge) < _EDGE for at, edge in zip(corners, (0, 0, 1, 1), strict=True))

    def _is_photograph(self) -> bool:
        handle = _as_handle(self.item)
        if raw.FPDFImageObj_GetImageFilterCount(handle) != 1:
            return False
        name = ctypes.create_string_buffer(32)
        raw.FPDFImageObj_GetImageFilter(handle, 0, name, len(name))
        return name.value == _PHOTOGRAPH


def find_scan(page: PdfPage) -> Scan | None:
    """The image that fills most of the page, if there is one."""
    wide, high = page.get_size()
    best, best_area = None, _WHOLE_PAGE * wide * high
    for item, outer in _list_pictures(page):
        box = move_box((0.0, 0.0, 1.0, 1.0), combine_matrices(page.matrix_of(item), outer))
        area = (box[2] - box[0]) * (box[3] - box[1])
        if area <= best_area:
            continue
        pixels = _read_pixel_size(item)
        if min(pixels) > 0:
            best, best_area = Scan(page, item, box, pixels), area
    return best


def _list_pictures(page: PdfPage) -> list[tuple[int, Matrix]]:
    """The images of a page, including those one form deep, and how each form is placed."""
    objects, kinds = page.list_objects(min(page.object_count(), _MOST_OBJECTS))
    pictures: list[tuple[int, Matrix]] = []
    for item, kind in zip(objects, kinds, strict=True):
        if kind == IMAGE:
            pictures.append((item, IDENTITY))
        elif kind == FORM:
            inside = zip(*page.list_form_objects(item, _MOST_OBJECTS), strict=True)
            matrix = page.matrix_of(item)
            pictures += [(one, matrix) for one, its_kind in inside if its_kind == IMAGE]
        if len(pictures) >= _MOST_OBJECTS:
            break
    return pictures


def _as_handle(item: int) -> Any:
    return ctypes.cast(item, raw.FPDF_PAGEOBJECT)


def _read_pixel_size(item: int) -> tuple[int, int]:
    wide, high = ctypes.c_uint(), ctypes.c_uint()
    raw.FPDFImageObj_GetImagePixelSize(_as_handle(item), wide, high)
    return wide.value, high.value


def _convert_to_grey(bitmap: Any) -> Image.Image | None:
    known = _MODES.get(raw.FPDFBitmap_GetFormat(bitmap))
    if known is None:
        return None
    mode, packed, depth = known
    width, height = raw.FPDFBitmap_GetWidth(bitmap), raw.FPDFBitmap_GetHeight(bitmap)
    stride = raw.FPDFBitmap_GetStride(bitmap)
    if min(width, height) <= 0 or stride < width * depth:
        return None
    data = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), stride * height)
    return Image.frombytes(mode, (width, height), data, "raw", packed, stride).convert("L")
