"""Asking for vectors of texts, and checking that all of them came."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay.errors import AnswerInvalid
from assay.llm.messages import ModelRequest

MAX_TEXTS: Final = 64
"""The most texts of one call: their vectors must fit into one answer."""


def build_embedding_request(texts: Sequence[str]) -> ModelRequest:
    """The request for the vectors of some texts."""
    clean = [text.encode("utf-8", "replace").decode() for text in texts]
    return ModelRequest(user=json.dumps(clean, ensure_ascii=False), max_tokens=0)


def read_vectors(text: str, count: int) -> list[list[float]]:
    """The vectors of an answer in the order of the texts; AnswerInvalid if they are not all there.

    A vector that is missing or of another length must not be stored as that of another text.
    """
    body = json.loads(text)
    listed = body.get("data") if isinstance(body, dict) else None
    entries: list[Any] = listed if isinstance(listed, list) else []
    found: dict[int, list[float]] = {}
    for place, entry in enumerate(entries):
        fields: Mapping[str, Any] = entry if isinstance(entry, dict) else {}
        index = fields.get("index", place)
        vector = fields.get("embedding")
        if isinstance(index, int) and isinstance(vector, list) and _is_numeric(vector):
            found[index] = [float(value) for value in vector]
    if sorted(found) != list(range(count)):
        raise AnswerInvalid(
            f"The provider sent {len(found)} usable vectors for {count} texts.",
            advice="Check that the model computes vectors, or choose another.",
        )
    if len({len(vector) for vector in found.values()}) > 1:
        raise AnswerInvalid("The provider sent vectors of different lengths in one answer.")
    return [found[index] for index in range(count)]


def _is_numeric(vector: list[Any]) -> bool:
    return bool(vector) and all(
        isinstance(value, int | float) and math.isfinite(value) for value in vector
    )
