"""What providers tell of their limits: waits, resets, hints, and allowances that are used up."""

import asyncio
from typing import Any

import pytest

from assay.clock import TurnedClock
from assay.errors import AuthError, ProviderBusy
from assay.llm.messages import RateHints
from assay.llm.providers import gemini
from assay.llm.providers.anthropic import AnthropicDialect
from assay.llm.providers.dialect import Dialect
from assay.llm.providers.gemini import GeminiDialect
from assay.llm.providers.ollama import OllamaDialect
from assay.llm.providers.openai import OpenAIDialect
from assay.llm.providers.rates import compute_wait_ms, parse_duration_ms, read_retry_after_ms
from tests.llm.providers.asking import ASKED, MAKERS, asking, failing
from tests.llm.virtual import virtually
from tests.providers.behaviour import Behaviour, StrictLimits
from tests.providers.server import ProviderServer

# Thursday, 1 January 2026, noon.
NOON_MS = 1_767_268_800_000


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "2"}, 2000),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "1.1"}, 1100),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30_000),
        ({"Retry-After": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 250),
        ({"retry-after-ms": "x", "Retry-After": "1"}, 1000),
        ({"retry-after-ms": "9" * 400, "Retry-After": "1"}, 1000),
        ({"Retry-After": "9" * 400}, None),
        ({"Retry-After": "٣"}, None),
    ],
)
def test_a_wait_is_understood_in_each_form(headers: dict[str, str], expected: int | None) -> None:
    assert read_retry_after_ms(headers, NOON_MS) == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("6m0s", 360_000),
        ("1s", 1000),
        ("20ms", 20),
        ("1h2m3.5s", 3_723_500),
        ("59.76s", 59_760),
        ("7.66", 7660),
        ("0", 0),
        ("", None),
        (None, None),
        ("six minutes", None),
        ("1s and more", None),
        ("9" * 400, None),
        ("9" * 400 + "s", None),
        ("٣s", None),
    ],
)
def test_a_duration_is_understood_in_each_form(told: str | None, expected: int | None) -> None:
    assert parse_duration_ms(told) == expected


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2026-01-01T12:00:05Z", 5000),
        ("2026-01-01T13:00:05.250+01:00", 5250),
        ("2026-01-01T11:59:00Z", 0),
        ("tomorrow", None),
        (None, None),
    ],
)
def test_a_reset_is_reckoned_from_now(stamp: str | None, expected: int | None) -> None:
    assert compute_wait_ms(stamp, NOON_MS) == expected


@pytest.mark.parametrize(
    ("name", "behaviour", "expected"),
    [
        ("openai", Behaviour(status=429, retry_ms=1234), 1234),
        ("openai", Behaviour(status=429, message="Please try again in 6m1.5s."), 361_500),
        ("anthropic", Behaviour(status=429, retry_ms=1234), 2000),
        ("gemini", Behaviour(status=429, retry_ms=1234), 1234),
        ("ollama-cloud", Behaviour(status=429, retry_after="3"), 3000),
        ("ollama", Behaviour(status=429, retry_after="Thu, 01 Jan 2026 12:01:00 GMT"), 60_000),
        ("gemini", Behaviour(status=429), None),
    ],
)
async def test_a_busy_provider_says_when_to_come_again(
    name: str, behaviour: Behaviour, expected: int | None, server: ProviderServer
) -> None:
    server.behave(behaviour)
    async with asking(name, server.url, clock=TurnedClock(NOON_MS)) as provider:
        error, _, _ = await failing(provider)
    assert isinstance(error, ProviderBusy) and error.retry_after_ms == expected


async def test_headers_become_hints(server: ProviderServer) -> None:
    told = {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-01-01T12:00:01Z",
        "anthropic-ratelimit-tokens-limit": "100000",
        "anthropic-ratelimit-tokens-remaining": "99000",
        "anthropic-ratelimit-tokens-reset": "2026-01-01T12:00:02Z",
    }
    server.behave(Behaviour(headers=told))
    seen = {}
    for name in MAKERS:
        async with asking(name, server.url, clock=TurnedClock(NOON_MS)) as provider:
            async with provider.open(ASKED) as stream:
                seen[name] = stream.hints
    assert seen["openai"] == RateHints(60, 59, 1000, 150_000, 149_984, 360_000)
    assert seen["anthropic"] == RateHints(50, 49, 1000, 100_000, 99_000, 2000)
    assert seen["gemini"] == seen["ollama"] == seen["ollama-cloud"] == RateHints()


@pytest.mark.parametrize("name", ["openai", "anthropic"])
@virtually
async def test_hints_tell_what_the_strict_server_really_has_left(name: str) -> None:
    limits = StrictLimits(requests_per_minute=6, tokens_per_minute=6000, bucket_s=60)
    told, now = Behaviour(words=5), asyncio.get_running_loop().time
    async with ProviderServer(told, limits=limits, tell_limits=True, now=now) as server:
        async with asking(name, server.url) as provider:
            async with provider.open(ASKED) as stream:
                hints = stream.hints
    assert (hints.requests_limit, hints.requests_remaining) == (6, 5)
    assert (hints.tokens_limit, hints.tokens_remaining) == (6000, 5990)
    assert hints.requests_reset_ms is not None and 8000 < hints.requests_reset_ms <= 11_000


def test_a_limit_that_is_none_is_not_taken_for_one() -> None:
    told = {"x-ratelimit-limit-tokens": "-1", "x-ratelimit-remaining-tokens": "-1"}
    assert OpenAIDialect().hints(told, NOON_MS) == RateHints()
    none = {"x-ratelimit-limit-requests": "0", "x-ratelimit-remaining-requests": "0"}
    assert OpenAIDialect().hints(none, NOON_MS) == RateHints(requests_remaining=0)


def gemini_busy(*quota_ids: str, delay: str | None = None, message: str = "Quota.") -> Any:
    details: list[Any] = [{"violations": [{"quotaId": each} for each in quota_ids]}]
    details += [{"retryDelay": delay}] if delay else []
    return {"error": {"code": 429, "message": message, "details": details}}


PLAN = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("dialect", "status", "body", "quota", "wait_ms"),
    [
        (
            OpenAIDialect(),
            429,
            {"error": {"message": "", "type": "insufficient_quota"}},
            True,
            None,
        ),
        (OpenAIDialect(), 429, {"error": {"message": PLAN, "code": "requests"}}, False, None),
        (OpenAIDialect(), 400, {"message": "flat"}, False, None),
        (OpenAIDialect(), 500, {"error": "a text"}, False, None),
        (OpenAIDialect(), 500, {}, False, None),
        (
            AnthropicDialect(),
            400,
            {"error": {"message": "Your credit balance is too low to access the API."}},
            True,
            None,
        ),
        (
            AnthropicDialect(),
            400,
            {"error": {"message": "You have reached your specified workspace API usage limits."}},
            True,
            None,
        ),
        (
            AnthropicDialect(),
            429,
            {
                "error": {
                    "type": "rate_limit_error",
                    "details": {"error_code": "enforced_spend_limit_reached"},
                }
            },
            True,
            None,
        ),
        (AnthropicDialect(), 429, {"error": {"type": "rate_limit_error"}}, False, None),
        (GeminiDialect(), 429, gemini_busy("RequestsPerMinute", delay="41s"), False, 41_000),
        (GeminiDialect(), 429, gemini_busy("PerMinute", "RequestsPerDayPerModel"), True, None),
        (GeminiDialect(), 429, {"error": {"message": PLAN}}, True, None),
        (GeminiDialect(), 429, {"error": {"message": "Resource exhausted."}}, False, None),
        (GeminiDialect(), 429, {"error": {"message": PLAN, "details": ["odd"]}}, True, None),
        (OllamaDialect(), 429, {"error": "you've reached your hourly usage limit"}, True, None),
        (OllamaDialect(), 429, {"error": "too many requests"}, False, None),
    ],
)
def test_a_complaint_tells_a_rate_from_an_allowance(
    dialect: Dialect, status: int, body: Any, quota: bool, wait_ms: int | None
) -> None:
    complaint = dialect.complaint(status, body)
    assert (complaint.quota, complaint.retry_after_ms) == (quota, wait_ms)


def test_a_bad_key_is_one_whatever_the_status() -> None:
    body = {"error": {"message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}
    assert isinstance(gemini("g").refusal_error(400, body), AuthError)
