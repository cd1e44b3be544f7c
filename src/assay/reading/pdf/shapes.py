"""What is drawn on a page besides words: images, and straight thin lines."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.reading.pdf.geometry import (
    IDENTITY,
    Box,
    Matrix,
    combine_matrices,
    compute_shared_area,
    move_box,
)
from assay.reading.pdf.pdfium import FORM, IMAGE, PATH, SHADING, TEXT, PathPart, PdfPage

_MOST_OBJECTS = 100_000
_MOST_FORMS = 200
_MOST_SEGMENTS = 400
"""A path of more strokes than this is a drawing, not the lines of a table."""
_MOST_LINES = 4_000
_MOST_DRAWINGS = 500
_DEEPEST_FORM = 4
_THIN = 3.0
_SHORTEST = 3.0
_LEAST_DRAWING = 30.0
_STRAIGHT = 0.5


@dataclass(slots=True)
class PageShapes:
    """The images and lines of a page, in the page's units."""

    picture_area: float = 0.0
    """Share of the page covered by images, at most 1."""
    ink: bool = False
    """Whether anything besides words is drawn."""
    level: list[Box] = field(default_factory=list)
    """Thin horizontal lines."""
    upright: list[Box] = field(default_factory=list)
    """Thin vertical lines."""
    texts: list[int] = field(default_factory=list)
    """The addresses of text objects, kept only for a page that has images."""


def find_shapes(page: PdfPage) -> PageShapes:
    """Everything on the page except its words."""
    walk = _Walk(page)
    walk.walk_objects(*page.list_objects(min(page.object_count(), _MOST_OBJECTS)), IDENTITY, 0)
    return walk.shapes


class _Walk:
    def __init__(self, page: PdfPage) -> None:
        self.shapes = PageShapes()
        self._page = page
        self._sheet: Box | None = None
        self._forms = 0
        self._lines_kept = 0

    def walk_objects(
        self, objects: list[int], kinds: list[int], matrix: Matrix, depth: int
    ) -> None:
        pictured = IMAGE in kinds or FORM in kinds
        if not pictured and PATH not in kinds and SHADING not in kinds:
            return
        if pictured:
            self.shapes.texts += [
                item for item, kind in zip(objects, kinds, strict=True) if kind == TEXT
            ]
        paths = [objects[place] for place, kind in enumerate(kinds) if kind == PATH]
        if paths:
            self._keep_lines(paths, matrix)
        for place in [place for place, kind in enumerate(kinds) if kind > PATH]:
            if kinds[place] == IMAGE:
                self._add_picture(objects[place], matrix)
            elif kinds[place] == FORM:
                self._walk_form(objects[place], matrix, depth)
            elif kinds[place] == SHADING:
                self.shapes.ink = True

    def _add_picture(self, item: int, matrix: Matrix) -> None:
        self.shapes.ink = True
        box = self._page.bounds_of(item)
        if box is None:
            return
        if self._sheet is None:
            self._sheet = self._page.get_bounds()
        left, bottom, right, top = self._sheet
        whole = (right - left) * (top - bottom)
        if whole > 0:
            share = compute_shared_area(move_box(box, matrix), self._sheet) / whole
            self.shapes.picture_area = min(1.0, self.shapes.picture_area + share)

    def _walk_form(self, item: int, matrix: Matrix, depth: int) -> None:
        self._forms += 1
        if depth >= _DEEPEST_FORM or self._forms > _MOST_FORMS:
            return
        inner = combine_matrices(self._page.matrix_of(item), matrix)
        self.walk_objects(*self._page.list_form_objects(item, _MOST_OBJECTS), inner, depth + 1)

    def _keep_lines(self, paths: list[int], matrix: Matrix) -> None:
        """Keep the thin paths, and the thin strokes of the others."""
        self.shapes.ink = True
        drawings = 0
        for path, box in zip(paths, self._page.bounds_of_all(paths), strict=True):
            box = move_box(box, matrix)
            if self._keep_thin_box(box) or max(box[2] - box[0], box[3] - box[1]) < _LEAST_DRAWING:
                continue
            drawings += 1
            if drawings > _MOST_DRAWINGS or self._lines_kept >= _MOST_LINES:
                return
            for part in self._page.path_parts(path, _MOST_SEGMENTS):
                for piece in _iter_pieces(part):
                    self._keep_thin_box(move_box(piece, matrix))

    def _keep_thin_box(self, box: Box) -> bool:
        """Keep a thin box as a line; return whether it is only a line or a dot."""
        wide, high = box[2] - box[0], box[3] - box[1]
        if high > _THIN and wide > _THIN:
            return False
        if self._lines_kept < _MOST_LINES:
            if wide >= _SHORTEST and wide > high:
                self._lines_kept += 1
                self.shapes.level.append(box)
            elif high >= _SHORTEST:
                self._lines_kept += 1
                self.shapes.upright.append(box)
        return True


def _iter_pieces(part: PathPart) -> Iterator[Box]:
    """The lines that make up a stroke of a path."""
    across = [x for x, _ in part.corners]
    up = [y for _, y in part.corners]
    box = (min(across), min(up), max(across), max(up))
    if box[2] - box[0] <= _THIN or box[3] - box[1] <= _THIN:
        yield box
        return
    if not part.stroked:
        return
    closed = (*part.corners[1:], part.corners[0]) if len(part.corners) == 4 else part.corners[1:]
    for (x, y), (to_x, to_y) in zip(part.corners, closed, strict=False):
        if abs(x - to_x) <= _STRAIGHT or abs(y - to_y) <= _STRAIGHT:
            yield min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)
