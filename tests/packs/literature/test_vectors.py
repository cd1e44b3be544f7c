"""Vectors: deterministic, near for similar words, and bounded."""

import numpy as np
import pytest

from assay.packs.literature.vectors import (
    DEFAULT_EMBEDDER,
    LetterEmbedder,
    decode_vector,
    encode_vector,
    split_words,
)

EXPECTED = "13dfdbf1ddccf0208100cbf111eddd1bffef00cc28de10f04eae3500cbdd4717"


def compare(one: str, other: str) -> float:
    vectors = [decode_vector(DEFAULT_EMBEDDER.embed_text(text)) for text in (one, other)]
    return float(vectors[0] @ vectors[1])


def test_the_vector_of_a_text_never_changes() -> None:
    stored = LetterEmbedder(32).embed_text("Gaussian splatting of radiance fields")
    # If this fails, the name of the embedder needs a new version: stored vectors are out of date.
    assert stored.hex() == EXPECTED
    assert DEFAULT_EMBEDDER.name == "stems-letters/1/1024"
    assert len(DEFAULT_EMBEDDER.embed_text("word")) == 1024


def test_words_with_the_same_letters_are_near() -> None:
    assert compare("immunisation", "immunizations") > 0.5
    assert compare("immunisation", "immunisation") > 0.99
    assert abs(compare("immunisation", "carburettor")) < 0.2
    assert compare("Gödel", "godel") > 0.99


def test_rare_words_count_most_in_a_query() -> None:
    def rarity(words: list[str]) -> dict[str, float]:
        return {word: 6.0 if word == "splatting" else 0.1 for word in words}

    query = DEFAULT_EMBEDDER.embed_words("method splatting", rarity)  # type: ignore[arg-type]
    rare, common = (decode_vector(DEFAULT_EMBEDDER.embed_text(w)) for w in ("splatting", "method"))
    assert query @ rare > 0.9 > 0.3 > query @ common
    assert np.linalg.norm(query) == pytest.approx(1.0)


async def test_a_text_without_words_has_no_direction() -> None:
    (stored,) = await DEFAULT_EMBEDDER.embed(["… the of ?!"])
    assert not any(stored) and not decode_vector(stored).any()
    query = await DEFAULT_EMBEDDER.embed_query("the", lambda words: dict.fromkeys(words, 1.0))
    assert not query.any()


def test_encoding_keeps_the_direction() -> None:
    given = np.random.default_rng(1).normal(size=256)
    found = decode_vector(encode_vector(given))
    assert found @ (given / np.linalg.norm(given)) > 0.999
    assert encode_vector([]) == b""
    with pytest.raises(ValueError, match="finite"):
        encode_vector([1.0, float("nan")])


@pytest.mark.parametrize(
    "text", ["x" * 2_000_000, "ab " * 300_000, "\ud800\x00" * 50_000, "é" * 99]
)
def test_hostile_text_is_bounded(text: str) -> None:
    assert len(DEFAULT_EMBEDDER.embed_text(text)) == 1024
    assert all(len(word) <= 40 for word in split_words(text))
