"""What is drawn on a page besides words: pictures, and straight thin lines."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from assay.reading.pdf.geometry import (
    IDENTITY,
    Box,
    Boxes,
    Matrix,
    Row,
    all_moved,
    moved,
    shared_area,
    within,
)
from assay.reading.pdf.pdfium import FORM, IMAGE, PATH, SHADING, TEXT, Page, PathPart

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
class Shapes:
    """The pictures and lines of a page, in the page's units."""

    picture_area: float = 0.0
    """Share of the page that pictures cover, at most 1."""
    ink: bool = False
    """Whether anything but words is drawn."""
    level: list[Box] = field(default_factory=list)
    """Thin lines from left to right."""
    upright: list[Box] = field(default_factory=list)
    """Thin lines from foot to head."""
    texts: list[int] = field(default_factory=list)
    """The addresses of text objects, kept only for a page that has pictures."""


def shapes_of(page: Page) -> Shapes:
    """Everything on the page but its words."""
    walk = _Walk(page)
    walk.over(*page.kinds(min(page.object_count(), _MOST_OBJECTS)), IDENTITY, 0)
    return walk.shapes


class _Walk:
    def __init__(self, page: Page) -> None:
        self.shapes = Shapes()
        self._page = page
        self._sheet: Box | None = None
        self._forms = 0

    def over(self, objects: list[int], kinds: list[int], matrix: Matrix, depth: int) -> None:
        pictured = IMAGE in kinds or FORM in kinds
        if not pictured and PATH not in kinds and SHADING not in kinds:
            return
        if pictured:
            self.shapes.texts += [
                item for item, kind in zip(objects, kinds, strict=True) if kind == TEXT
            ]
        paths = [objects[place] for place, kind in enumerate(kinds) if kind == PATH]
        if paths:
            self._lines(paths, matrix)
        for place in [place for place, kind in enumerate(kinds) if kind > PATH]:
            if kinds[place] == IMAGE:
                self._picture(objects[place], matrix)
            elif kinds[place] == FORM:
                self._form(objects[place], matrix, depth)
            elif kinds[place] == SHADING:
                self.shapes.ink = True

    def _picture(self, item: int, matrix: Matrix) -> None:
        self.shapes.ink = True
        box = self._page.bounds_of(item)
        if box is None:
            return
        if self._sheet is None:
            self._sheet = self._page.bounds()
        left, bottom, right, top = self._sheet
        whole = (right - left) * (top - bottom)
        if whole > 0:
            share = shared_area(moved(box, matrix), self._sheet) / whole
            self.shapes.picture_area = min(1.0, self.shapes.picture_area + share)

    def _form(self, item: int, matrix: Matrix, depth: int) -> None:
        self._forms += 1
        if depth >= _DEEPEST_FORM or self._forms > _MOST_FORMS:
            return
        inner = within(self._page.matrix_of(item), matrix)
        self.over(*self._page.kinds_in_form(item, _MOST_OBJECTS), inner, depth + 1)

    def _lines(self, paths: list[int], matrix: Matrix) -> None:
        """Keeps the thin ones, and what is thin among the strokes of the others."""
        self.shapes.ink = True
        if len(self.shapes.level) + len(self.shapes.upright) >= _MOST_LINES:
            return
        boxes = all_moved(self._page.bounds_of_all(paths), matrix)
        others = self._kept(boxes)
        large = (boxes[:, 2:] - boxes[:, :2]).max(axis=1) >= _LEAST_DRAWING
        pieces = [
            piece
            for place in np.flatnonzero(others & large)[:_MOST_DRAWINGS].tolist()
            for part in self._page.path_parts(paths[place], _MOST_SEGMENTS)
            for piece in _pieces(part)
        ]
        if pieces:
            self._kept(all_moved(np.array(pieces[:_MOST_LINES], dtype=np.float32), matrix))

    def _kept(self, boxes: Boxes) -> Row:
        """Keeps thin boxes as lines; tells which are not thin."""
        wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
        level = (high <= _THIN) & (wide >= _SHORTEST) & (wide > high)
        upright = (wide <= _THIN) & (high >= _SHORTEST) & ~level
        self.shapes.level += boxes[level][:_MOST_LINES].tolist()
        self.shapes.upright += boxes[upright][:_MOST_LINES].tolist()
        others: Row = (high > _THIN) & (wide > _THIN)
        return others


def _pieces(part: PathPart) -> Iterator[Box]:
    """The lines that a stroke of a path is made of."""
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
