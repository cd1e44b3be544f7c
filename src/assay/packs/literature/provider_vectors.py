"""Vectors from a configured provider, in the place of the embedded default."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from assay.packs.literature.vectors import (
    DEFAULT_EMBEDDER,
    Embedder,
    FloatVector,
    Rarity,
    decode_vector,
    encode_vector,
)
from assay.sdk.errors import AnswerInvalid
from assay.sdk.models import CallScope, ModelAccess
from assay.sdk.services import Services

STEP: Final = "literature_embed"
_AT_ONCE: Final = 32
_MOST_CHARACTERS: Final = 6_000
"""Of a text: models cut off what is longer, each at another place."""


class ProviderEmbedder:
    """Asks a provider, within the spending caps."""

    def __init__(self, models: ModelAccess, provider: str, model: str) -> None:
        self._models = models
        self._provider = provider
        self._model = model
        self._dimension: int | None = None

    @property
    def name(self) -> str:
        return f"embeddings/{self._model}"

    @property
    def weight(self) -> float:
        # A trained model tells meanings apart, so that it counts as much as the words.
        return 0.5

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        found: list[bytes] = []
        for start in range(0, len(texts), _AT_ONCE):
            part = [text[:_MOST_CHARACTERS] or " " for text in texts[start : start + _AT_ONCE]]
            answer = await self._models.embed(part, self._provider, CallScope(step=STEP))
            found += [self._encode(vector) for vector in answer.vectors]
        return found

    async def embed_query(self, query: str, rarity: Rarity) -> FloatVector:
        (stored,) = await self.embed([query])
        return decode_vector(stored)

    def _encode(self, vector: Sequence[float]) -> bytes:
        self._dimension = self._dimension or len(vector)
        if len(vector) != self._dimension:
            raise AnswerInvalid(
                f"'{self._model}' sent a vector of {len(vector)} dimensions after one of "
                f"{self._dimension}.",
                advice="Check which model the provider serves, then run 'assay literature reindex "
                "--yes'.",
            )
        return encode_vector(np.asarray(vector))


def choose_embedder(services: Services, provider: str | None = None) -> Embedder:
    """The configured provider of vectors, or the embedded default if there is none."""
    chosen = services.models.choose_embedder(provider)
    if chosen is None:
        return DEFAULT_EMBEDDER
    return ProviderEmbedder(services.models, chosen.name, chosen.model)
