"""Rectangles, and the conversion between the units of pages."""

import numpy as np

Box = tuple[float, float, float, float]
"""Left, bottom, right and top."""
Boxes = np.ndarray[tuple[int, int], np.dtype[np.float32]]
"""Many boxes, one per row."""
Flags = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
Row = np.ndarray[tuple[int], np.dtype[np.bool_]]
"""One flag for each of many boxes."""
Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def combine_matrices(inner: Matrix, outer: Matrix) -> Matrix:
    """One matrix after the other: first the inner, then the outer."""
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )


def move_box(box: Box, matrix: Matrix) -> Box:
    """The box around another box after a matrix moved it."""
    if matrix == IDENTITY:
        return box
    a, b, c, d, e, f = matrix
    left, bottom, right, top = box
    across = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
    up = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
    return min(across), min(up), max(across), max(up)


def compute_shared_area(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0
