"""Vectors of texts through the control plane: charged, capped, and never mixed up."""

from typing import Any

import pytest
import sqlalchemy as sa

from assay.errors import (
    AnswerInvalid,
    AssayError,
    CallDenied,
    InvalidInput,
    ProviderBusy,
    ProviderFailed,
    ProviderUnknown,
    StreamCut,
)
from assay.llm.api import ControlPlane, Policy
from assay.llm.doubles.words import WordEstimator
from assay.llm.limits import UNLIMITED
from assay.llm.providers.embeddings import ollama_embeddings, openai_embeddings
from assay.llm.scope import CallScope, Denial
from assay.settings.tables import ProviderSettings
from tests.llm.books import assert_books_balance, calls_of
from tests.providers.embedding_server import EmbeddingServer

FREE = Policy(cloud_gap_ms=0, lease_ms=600_000)
TEXTS = ["one text", "another text here"]


def plane_of(engine: sa.Engine, server: EmbeddingServer, **options: Any) -> ControlPlane:
    provider = openai_embeddings(
        "small", base_url=f"{server.url}/v1", name="there", key="sk", limits=UNLIMITED
    )
    return ControlPlane(
        engine, [], embedders=[provider], estimator=WordEstimator(),
        **{"policy": FREE, "retry_delays_s": (), **options},
    )  # fmt: skip


async def test_each_text_gets_its_vector_and_the_ledger_what_was_counted(
    engine: sa.Engine,
) -> None:
    async with EmbeddingServer("", "reversed") as server, plane_of(engine, server) as plane:
        first = await plane.embed(TEXTS, scope=CallScope(step="embed", source="s"))
        second = await plane.embed(TEXTS, provider="there")
    assert first.vectors == second.vectors and first.vectors[0] != first.vectors[1]
    assert [len(vector) for vector in first.vectors] == [8, 8]
    assert server.bodies[0] == {"model": "small", "input": TEXTS, "encoding_format": "float"}
    (call, _) = calls_of(engine)
    assert (call["charged_tokens"], call["model"], call["source_slug"]) == (5, "small", "s")
    assert (first.usage.prompt_tokens, first.usage.completion_tokens) == (5, 0)
    assert_books_balance(engine)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("429", ProviderBusy),
        ("500", ProviderFailed),
        ("html", ProviderFailed),
        ("cut", StreamCut),
        ("fewer", AnswerInvalid),
        ("uneven", AnswerInvalid),
        ("words", AnswerInvalid),
        ("twice", AnswerInvalid),
    ],
)
async def test_a_fault_is_an_error_and_never_a_vector(
    sqlite_engine: sa.Engine, fault: str, error: type[AssayError]
) -> None:
    async with EmbeddingServer(fault) as server, plane_of(sqlite_engine, server) as plane:
        with pytest.raises(error):
            await plane.embed(TEXTS)
        assert len((await plane.embed(TEXTS)).vectors) == 2
    assert len(server.bodies) == 2
    assert_books_balance(sqlite_engine)


async def test_a_busy_provider_is_asked_again(sqlite_engine: sa.Engine) -> None:
    async with EmbeddingServer("429", "503") as server:
        async with plane_of(sqlite_engine, server, retry_delays_s=(0.0, 0.0)) as plane:
            assert len((await plane.embed(TEXTS)).vectors) == 2
    assert [row["charged_tokens"] for row in calls_of(sqlite_engine)] == [0, 0, 5]


async def test_an_uncounted_call_is_charged_what_was_reserved(sqlite_engine: sa.Engine) -> None:
    async with EmbeddingServer("uncounted") as server, plane_of(sqlite_engine, server) as plane:
        await plane.embed(TEXTS)
    (call,) = calls_of(sqlite_engine)
    assert call["charged_tokens"] >= 5
    assert_books_balance(sqlite_engine)


async def test_a_spent_budget_denies_the_call_before_it_is_sent(sqlite_engine: sa.Engine) -> None:
    policy = Policy(daily_tokens=3, cloud_gap_ms=0)
    async with EmbeddingServer() as server, plane_of(sqlite_engine, server, policy=policy) as plane:
        with pytest.raises(CallDenied) as denied:
            await plane.embed(TEXTS)
    assert denied.value.reason == Denial.GLOBAL_DAILY_CAP_EXCEEDED
    assert server.bodies == []


async def test_failures_open_the_circuit(sqlite_engine: sa.Engine) -> None:
    policy = Policy(cloud_gap_ms=0, circuit_failures=2)
    async with EmbeddingServer("500", "500") as server:
        async with plane_of(sqlite_engine, server, policy=policy) as plane:
            for _ in range(2):
                with pytest.raises(ProviderFailed):
                    await plane.embed(TEXTS)
            with pytest.raises(CallDenied) as denied:
                await plane.embed(TEXTS)
    assert (denied.value.reason, len(server.bodies)) == (Denial.CIRCUIT_OPEN, 2)


async def test_what_cannot_be_asked_is_refused_at_once(sqlite_engine: sa.Engine) -> None:
    async with EmbeddingServer() as server, plane_of(sqlite_engine, server) as plane:
        for texts in ([], ["x"] * 65):
            with pytest.raises(InvalidInput, match="one call"):
                await plane.embed(texts)
        with pytest.raises(ProviderUnknown):
            await plane.embed(["x"], provider="nobody")
    async with ControlPlane(sqlite_engine, []) as plane:
        with pytest.raises(ProviderUnknown, match="No provider computes vectors"):
            await plane.embed(["x"])
    assert server.bodies == []


async def test_ollama_is_asked_at_its_compatible_address(sqlite_engine: sa.Engine) -> None:
    async with EmbeddingServer(dimension=3) as server:
        provider = ollama_embeddings("nomic", base_url=server.url)
        async with ControlPlane(sqlite_engine, [], embedders=[provider]) as plane:
            found = await plane.embed(["\ud800 half a pair"])
    assert (found.provider, found.model, len(found.vectors[0])) == ("ollama", "nomic", 3)


def test_only_kinds_that_compute_vectors_can_be_configured_for_it() -> None:
    assert ProviderSettings(kind="ollama", model="m", embeddings="nomic").embeddings == "nomic"
    with pytest.raises(ValueError, match="'openai' and 'ollama' only"):
        ProviderSettings(kind="anthropic", model="m", embeddings="x")
