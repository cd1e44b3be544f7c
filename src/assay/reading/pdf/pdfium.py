"""The only access to pdfium: a document, its pages, and what is on them.

Objects are passed around as plain addresses and closed in order by context managers. pdfium is
not thread-safe: one document at a time in a process.
"""

import ctypes
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ctypes import c_double, c_float, c_int, c_uint, c_void_p
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as raw

from assay.errors import ContentBroken, ContentEncrypted
from assay.reading.pdf.geometry import IDENTITY, Box, Boxes, Matrix

TEXT, PATH, IMAGE, SHADING, FORM = 1, 2, 3, 4, 5
_INVISIBLE = 3
_STRAIGHT: int = raw.FPDF_SEGMENT_LINETO
_START: int = raw.FPDF_SEGMENT_MOVETO
_RECTANGLE = (4, 5)
_PASSWORD_ERRORS = frozenset({raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY})


def _bind_direct(function: Any, result: Any, *arguments: Any) -> Any:
    """The same function without wrapping its pointers, for loops over many objects."""
    address = ctypes.cast(function, c_void_p).value or 0
    return ctypes.PYFUNCTYPE(result, *arguments)(address)


_object_of_page = _bind_direct(raw.FPDFPage_GetObject, c_void_p, c_void_p, c_int)
_object_of_form = _bind_direct(raw.FPDFFormObj_GetObject, c_void_p, c_void_p, c_uint)
_kind_of = _bind_direct(raw.FPDFPageObj_GetType, c_int, c_void_p)
_bounds_of = _bind_direct(raw.FPDFPageObj_GetBounds, c_int, c_void_p, *[c_void_p] * 4)
_matrix_of = _bind_direct(raw.FPDFPageObj_GetMatrix, c_int, c_void_p, c_void_p)
_objects_in_form = _bind_direct(raw.FPDFFormObj_CountObjects, c_int, c_void_p)
_mode_of_text = _bind_direct(raw.FPDFTextObj_GetTextRenderMode, c_int, c_void_p)
_segments_in = _bind_direct(raw.FPDFPath_CountSegments, c_int, c_void_p)
_segment_of = _bind_direct(raw.FPDFPath_GetPathSegment, c_void_p, c_void_p, c_int)
_kind_of_segment = _bind_direct(raw.FPDFPathSegment_GetType, c_int, c_void_p)
_point_of_segment = _bind_direct(raw.FPDFPathSegment_GetPoint, c_int, c_void_p, c_void_p, c_void_p)
_draw_mode_of = _bind_direct(raw.FPDFPath_GetDrawMode, c_int, c_void_p, c_void_p, c_void_p)
_box_of_character = _bind_direct(raw.FPDFText_GetLooseCharBox, c_int, c_void_p, c_int, c_void_p)
_rectangle_of_text = _bind_direct(raw.FPDFText_GetRect, c_int, c_void_p, c_int, *[c_void_p] * 4)
_letter_at = _bind_direct(raw.FPDFText_GetCharIndexAtPos, c_int, c_void_p, *[c_double] * 4)
_is_unmapped = _bind_direct(raw.FPDFText_HasUnicodeMapError, c_int, c_void_p, c_int)
_text_index = _bind_direct(raw.FPDFText_GetTextIndexFromCharIndex, c_int, c_void_p, c_int)

Corners = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class PathPart:
    """One stroke of a path, horizontal or vertical from corner to corner."""

    corners: Corners
    stroked: bool


@dataclass(frozen=True, slots=True)
class PdfNote:
    """An annotation that marks words."""

    kind: int
    areas: tuple[Box, ...]
    text: str
    """Its subject, intent and contents."""


class PdfPage:
    """One open page."""

    def __init__(self, handle: Any, text: Any) -> None:
        self._handle = handle
        self._text = text
        self._at = ctypes.cast(handle, c_void_p).value
        self._text_at = ctypes.cast(text, c_void_p).value
        self._room = (c_float * 4)()
        base = ctypes.addressof(self._room)
        self._corners = tuple(base + 4 * place for place in range(4))
        self._modes = (c_int(), c_int())
        self._modes_at = tuple(map(ctypes.addressof, self._modes))
        self.character_count = max(0, raw.FPDFText_CountChars(text))

    def get_size(self) -> tuple[float, float]:
        """Width and height as the page is shown, in points."""
        return (
            float(raw.FPDF_GetPageWidthF(self._handle)),
            float(raw.FPDF_GetPageHeightF(self._handle)),
        )

    def get_bounds(self) -> Box:
        """The part of the sheet that is shown."""
        box = raw.FS_RECTF()
        raw.FPDF_GetPageBoundingBox(self._handle, box)
        return box.left, box.bottom, box.right, box.top

    def read_text(self, count: int) -> str:
        """The first characters in pdfium's order; a surrogate pair becomes one character."""
        if count <= 0:
            return ""
        units = (ctypes.c_ushort * (count + 1))()
        written = raw.FPDFText_GetText(self._text, 0, count, units)
        return bytes(units)[: max(0, written - 1) * 2].decode("utf-16-le", errors="replace")

    def text_indexes(self, count: int) -> list[int]:
        """The indexes of the first characters that are in the text, one per UTF-16 unit."""
        at = self._text_at
        return [index for index in range(count) if _text_index(at, index) >= 0]

    def is_unmapped(self, index: int) -> bool:
        """Whether the file leaves open which letter a character is."""
        return bool(_is_unmapped(self._text_at, index) == 1)

    def object_count(self) -> int:
        """How many objects are drawn on the page itself."""
        return max(0, int(raw.FPDFPage_CountObjects(self._handle)))

    def list_objects(self, limit: int) -> tuple[list[int], list[int]]:
        """Addresses and kinds of the page's objects, in the order in which they are drawn."""
        objects = list(map(_object_of_page, repeat(self._at), range(limit)))
        return objects, list(map(_kind_of, objects))

    def list_form_objects(self, form: int, limit: int) -> tuple[list[int], list[int]]:
        """Addresses and kinds of the objects inside a form object."""
        count = min(limit, max(0, _objects_in_form(form)))
        objects = list(map(_object_of_form, repeat(form), range(count)))
        return objects, list(map(_kind_of, objects))

    def bounds_of(self, item: int) -> Box | None:
        """Left, bottom, right and top of an object, in the units of what contains it."""
        if not _bounds_of(item, *self._corners):
            return None
        left, bottom, right, top = self._room
        return left, bottom, right, top

    def bounds_of_all(self, items: list[int]) -> list[Box]:
        """The bounds of many objects; all zeros if pdfium has none."""
        room = (c_float * (4 * len(items)))()
        first = ctypes.addressof(room)
        sides = (range(first + 4 * side, first + 16 * len(items), 16) for side in range(4))
        deque(map(_bounds_of, items, *sides), maxlen=0)
        flat = iter(room)
        return list(zip(flat, flat, flat, flat, strict=True))

    def matrix_of(self, item: int) -> Matrix:
        """The matrix from an object's own units to those of what contains it."""
        matrix = raw.FS_MATRIX()
        if not _matrix_of(item, ctypes.addressof(matrix)):
            return IDENTITY
        return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f

    def path_parts(self, path: int, limit: int) -> list[PathPart]:
        """The strokes of a path, if all are horizontal or vertical and there are not too many."""
        count = _segments_in(path)
        if not 1 < count <= limit:
            return []
        fill, stroke = self._modes
        _draw_mode_of(path, *self._modes_at)
        stroked = bool(stroke.value)
        if not fill.value and not stroked:
            return []
        if count in _RECTANGLE and self._is_one_stroke(path, count):
            # Most paths are rectangles: their edges count if they are drawn, and two
            # corners define them.
            if not stroked:
                return []
            (x, y), (to_x, to_y) = self._read_corner(path, 0), self._read_corner(path, 2)
            corners = ((x, y), (to_x, y), (to_x, to_y), (x, to_y), (x, y))
            return [PathPart(_move_corners(corners, self.matrix_of(path)), True)]
        return self._walk_path(path, count, self.matrix_of(path), stroked)

    def _is_one_stroke(self, path: int, count: int) -> bool:
        kinds = (_kind_of_segment(_segment_of(path, index)) for index in range(1, count))
        return all(kind == _STRAIGHT for kind in kinds)

    def _read_corner(self, path: int, index: int) -> tuple[float, float]:
        _point_of_segment(_segment_of(path, index), *self._corners[:2])
        return self._room[0], self._room[1]

    def _walk_path(self, path: int, count: int, matrix: Matrix, stroked: bool) -> list[PathPart]:
        strokes: list[list[tuple[float, float]]] = []
        for index in range(count):
            kind = _kind_of_segment(_segment_of(path, index))
            x, y = self._read_corner(path, index)
            if kind == _START or not strokes:
                strokes.append([])
            elif kind != _STRAIGHT or (x != strokes[-1][-1][0] and y != strokes[-1][-1][1]):
                return []
            strokes[-1].append((x, y))
        return [PathPart(_move_corners(stroke, matrix), stroked) for stroke in strokes]

    def is_invisible(self, text_object: int) -> bool:
        """Whether a text object is written without ink."""
        return bool(_mode_of_text(text_object) == _INVISIBLE)

    def character_boxes(self, count: int) -> Boxes:
        """The box of each character from the font's descent to its ascent."""
        room = np.zeros((count, 4), dtype=np.float32)
        first = int(room.ctypes.data)
        place = range(first, first + 16 * count, 16)
        deque(map(_box_of_character, repeat(self._text_at), range(count), place), maxlen=0)
        # pdfium returns left, top, right and bottom.
        return room[:, (0, 3, 2, 1)]

    def lines_of_text(self, start: int = 0, count: int = -1) -> Boxes:
        """Rectangles around the characters, one per run on a line."""
        number = max(0, int(raw.FPDFText_CountRects(self._text, start, count)))
        room = np.zeros((number, 4), dtype=np.float64)
        first = int(room.ctypes.data)
        for index in range(number):
            at = first + 32 * index
            _rectangle_of_text(self._text_at, index, at, at + 8, at + 16, at + 24)
        return room[:, (0, 3, 2, 1)].astype(np.float32)

    def has_letter(self, x: float, y: float, beside: float) -> bool:
        """Whether a character is at this height, within a distance left or right of a place."""
        return bool(_letter_at(self._text_at, x, y, beside, 0.0) >= 0)

    def on_sheet(self, x: float, y: float) -> tuple[float, float]:
        """A point as shares of the width and height of the shown page, from its top left."""
        across, down = c_int(), c_int()
        raw.FPDF_PageToDevice(self._handle, 0, 0, 1_000_000, 1_000_000, 0, x, y, across, down)
        return across.value / 1_000_000, down.value / 1_000_000

    def note_count(self) -> int:
        """How many annotations the page has, including form fields."""
        return max(0, int(raw.FPDFPage_GetAnnotCount(self._handle)))

    def iter_notes(self, limit: int) -> Iterator[PdfNote]:
        """The annotations of the page."""
        for index in range(min(limit, self.note_count())):
            note = raw.FPDFPage_GetAnnot(self._handle, index)
            if not note:
                continue
            try:
                kind = raw.FPDFAnnot_GetSubtype(note)
                text = " ".join(_read_note_text(note, key) for key in (b"Subj", b"IT", b"Contents"))
                yield PdfNote(kind, tuple(_iter_areas(note)), text)
            finally:
                raw.FPDFPage_CloseAnnot(note)

    def render(self, width: int, height: int, *, colour: bool = False) -> bytes:
        """Draw the page on white: one byte per pixel for its grey, or three for its colour."""
        depth = 3 if colour else 1
        packed_row = width * depth
        stride = packed_row + (-packed_row % 4)
        pixels = (ctypes.c_ubyte * (stride * height))()
        form = raw.FPDFBitmap_BGR if colour else raw.FPDFBitmap_Gray
        bitmap = raw.FPDFBitmap_CreateEx(width, height, form, pixels, stride)
        if not bitmap:
            raise ContentBroken(f"The page cannot be drawn at {width} by {height} pixels.")
        try:
            raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
            kind = raw.FPDF_REVERSE_BYTE_ORDER if colour else raw.FPDF_GRAYSCALE
            flags = raw.FPDF_ANNOT | kind
            raw.FPDF_RenderPageBitmap(bitmap, self._handle, 0, 0, width, height, 0, flags)
        finally:
            raw.FPDFBitmap_Destroy(bitmap)
        packed = bytes(pixels)
        if stride == packed_row:
            return packed
        return b"".join(packed[row * stride : row * stride + packed_row] for row in range(height))


def _move_corners(corners: Iterable[tuple[float, float]], matrix: Matrix) -> Corners:
    a, b, c, d, e, f = matrix
    return tuple((a * x + c * y + e, b * x + d * y + f) for x, y in corners)


def _read_note_text(note: Any, key: bytes) -> str:
    length = raw.FPDFAnnot_GetStringValue(note, key, None, 0)
    if not 2 < length <= 4096:
        return ""
    units = (ctypes.c_ushort * (length // 2))()
    raw.FPDFAnnot_GetStringValue(note, key, units, length)
    return bytes(units).decode("utf-16-le", errors="replace").rstrip("\0")


def _iter_areas(note: Any) -> Iterator[Box]:
    quads = raw.FS_QUADPOINTSF()
    for index in range(min(1000, raw.FPDFAnnot_CountAttachmentPoints(note))):
        if raw.FPDFAnnot_GetAttachmentPoints(note, index, quads):
            across = (quads.x1, quads.x2, quads.x3, quads.x4)
            up = (quads.y1, quads.y2, quads.y3, quads.y4)
            yield min(across), min(up), max(across), max(up)


class PdfDocument:
    """An open PDF."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._handle = document.raw

    @property
    def page_count(self) -> int:
        """How many pages it claims to have."""
        return max(0, int(raw.FPDF_GetPageCount(self._handle)))

    def read_title(self) -> str:
        """The title in its metadata."""
        length = raw.FPDF_GetMetaText(self._handle, b"Title", None, 0)
        if not 2 < length <= 8192:
            return ""
        units = (ctypes.c_ushort * (length // 2))()
        raw.FPDF_GetMetaText(self._handle, b"Title", units, length)
        return bytes(units).decode("utf-16-le", errors="replace").rstrip("\0")

    def has_script(self) -> bool:
        """Whether it contains JavaScript."""
        return bool(raw.FPDFDoc_GetJavaScriptActionCount(self._handle) > 0)

    def attachment_count(self) -> int:
        """How many files are attached to it."""
        return max(0, int(raw.FPDFDoc_GetAttachmentCount(self._handle)))

    def detect_form(self) -> str:
        """`xfa`, `fields` or an empty string."""
        kind = raw.FPDF_GetFormType(self._handle)
        if kind in (raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND):
            return "xfa"
        return "fields" if kind == raw.FORMTYPE_ACRO_FORM else ""

    @contextmanager
    def open_page(self, index: int) -> Iterator[PdfPage | None]:
        """A page counted from 0, open within the block; None if it is damaged."""
        handle = raw.FPDF_LoadPage(self._handle, index)
        text = raw.FPDFText_LoadPage(handle) if handle else None
        try:
            yield PdfPage(handle, text) if text else None
        finally:
            if text:
                raw.FPDFText_ClosePage(text)
            if handle:
                raw.FPDF_ClosePage(handle)


_ENCRYPTED = b"/Encrypt"
"""In the trailer of every encrypted PDF; the trailer itself is never encrypted."""


@contextmanager
def open_pdf(data: bytes) -> Iterator[PdfDocument]:
    """A PDF, open within the block."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        # For a PDF without pages, pdfium reports the error of whatever was opened before it.
        if error.err_code in _PASSWORD_ERRORS and _ENCRYPTED in data:
            raise ContentEncrypted("The PDF is password-protected.") from error
        raise ContentBroken("The PDF is damaged: it cannot be opened, not even in part.") from error
    try:
        yield PdfDocument(document)
    finally:
        document.close()
