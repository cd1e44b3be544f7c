"""Vectors: deterministic, near for similar words, and bounded."""

from collections.abc import Callable

import numpy as np
import pytest

from assay.app import App
from assay.errors import AnswerInvalid
from assay.packs.literature.provider_vectors import choose_embedder
from assay.packs.literature.vectors import (
    DEFAULT_EMBEDDER,
    LetterEmbedder,
    decode_vector,
    encode_vector,
    split_words,
)
from assay.settings import Settings
from assay.settings.tables import ProviderSettings
from tests.providers.embedding_server import EmbeddingServer

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


async def test_a_configured_provider_takes_the_place_of_the_default(
    make_app: Callable[..., App], settings: Settings
) -> None:
    async with EmbeddingServer("", "", "wider") as server:
        given = ProviderSettings(
            kind="openai",
            model="large",
            embeddings="small",
            base_url=f"{server.url}/v1",
            lane="local",
        )
        services = make_app(settings.model_copy(update={"providers": {"there": given}})).services
        embedder = choose_embedder(services)
        assert embedder.name == "embeddings/small"
        stored = await embedder.embed([f"text {number}" for number in range(40)])
        assert [len(body["input"]) for body in server.bodies] == [32, 8]
        assert len(stored) == 40 and {len(vector) for vector in stored} == {8}
        with pytest.raises(AnswerInvalid, match="9 dimensions after one of 8"):
            await embedder.embed(["other"])
        query = await embedder.embed_query("text 3", lambda words: {})
        assert query @ decode_vector(stored[3]) == pytest.approx(1.0, abs=0.01)
        await services.models.close()


def test_without_a_provider_the_embedded_default_is_used(
    make_app: Callable[..., App], settings: Settings
) -> None:
    assert choose_embedder(make_app(settings).services) is DEFAULT_EMBEDDER
