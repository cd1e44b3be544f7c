"""A small logistic scorer over named features: fitted in a moment, the same every time."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_ROUNDS = 60
_RATE = 0.5
_DECAY = 0.0005
"""How strongly weights are held small: few examples must not be learned by heart."""
_LEAST = 0.04

Floats = npt.NDArray[np.float64]


def fitted(
    rows: Sequence[Sequence[int]],
    right: Sequence[bool],
    importance: Sequence[float],
    features: int,
) -> Floats:
    """The weights of the features, the last of them that of every row."""
    lengths = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    index = np.fromiter((one for row in rows for one in row), dtype=np.int64)
    row_of = np.repeat(np.arange(len(rows)), lengths)
    wanted = np.asarray(right, dtype=np.float64)
    weight = np.asarray(importance, dtype=np.float64)
    weight = weight / weight.sum()
    weights = np.zeros(features + 1)
    squares = np.full(features + 1, 1e-8)
    for _ in range(_ROUNDS):
        scores = np.bincount(row_of, weights=weights[index], minlength=len(rows)) + weights[-1]
        chance = 1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30)))
        error = (chance - wanted) * weight
        slope = np.zeros(features + 1)
        slope += np.bincount(index, weights=error[row_of], minlength=features + 1)
        slope[-1] = error.sum()
        slope[:-1] += _DECAY * weights[:-1]
        squares += slope**2
        weights -= _RATE * slope / np.sqrt(squares)
    return weights


def telling(weights: Floats, names: Sequence[str]) -> dict[str, float]:
    """The weights that matter, by name; rounded, so that they are the same on every machine."""
    return {
        name: round(float(weight), 3)
        for name, weight in zip(names, weights[:-1], strict=True)
        if abs(weight) >= _LEAST
    }
