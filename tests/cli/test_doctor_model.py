"""`doctor --model`: one small call to a provider, and what came of it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.cli.exit_codes import ExitCode
from assay.settings import load_settings
from assay.store import tables as t
from tests.cli.calls import answer, call, refusal
from tests.cli.graphs import model
from tests.engine.hand import all_rows
from tests.providers.behaviour import Behaviour
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer

FILE = """\
[providers.there]
kind = "openai"
model = "small"
base_url = "{url}/v1"
key_env = "THERE_KEY"
lane = "local"
[prices.small]
input_per_million = 1000
output_per_million = 2000
"""
KEY = {"THERE_KEY": "sk-a-key"}


@contextmanager
def served(home: Path, behaviour: Behaviour) -> Iterator[ProviderServer]:
    """A home with a provider that behaves so."""

    def behave(_asked: Asked) -> Behaviour:
        return behaviour

    call(home, "init")
    with model(behave) as server:
        with (home / "assay.toml").open("a") as file:
            file.write(FILE.format(url=server.url))
        yield server


def failed(home: Path) -> dict[str, Any]:
    """What a call that fails prints as JSON."""
    result = call(home, "doctor", "--model", "there", "--json", env=KEY)
    assert result.exit_code == ExitCode.FAULTS
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["ok"] is False
    return found


def test_a_model_that_answers_is_ok_and_its_cost_is_told(home: Path) -> None:
    with served(home, Behaviour(text="yes", words=1)) as server:
        found = answer(home, "doctor", "--model", "there", env=KEY)
        assert (found["ok"], found["provider"], found["model"]) == (True, "there", "small")
        totals = server.books.totals()
        assert found["prompt_tokens"] == totals["prompt_tokens"] > 0
        assert found["completion_tokens"] == totals["completion_tokens"] == 1
        assert found["charged_tokens"] == found["prompt_tokens"] + 1
        assert found["cost"] == pytest.approx((found["prompt_tokens"] * 1000 + 2000) / 1_000_000)
        assert found["error"] is None
        told = call(home, "doctor", "--model", "there", env=KEY)
        assert told.exit_code == 0 and len(server.books.calls) == 2
        for words in ("ok", "model there: small answered in", "1 out", "cost 0."):
            assert words in told.stdout
        assert "python" not in told.stdout, "nothing else is checked"
    with App(load_settings(home=home)) as app:
        calls = all_rows(app, t.spending.call)
    assert [row["stage"] for row in calls] == ["doctor", "doctor"]


@pytest.mark.parametrize(
    ("behaviour", "code", "advice"),
    [
        (Behaviour(status=401), "auth", "assay circuit close there"),
        (Behaviour(status=429, quota=True), "quota", "assay circuit close there"),
        (Behaviour(status=429), "provider_busy", "requests_per_minute"),
        (Behaviour(status=500), "provider_failed", "base_url in [providers.there]"),
        (Behaviour(status=404), "call_refused", "[providers.there]"),
        (Behaviour(cut_after=0), "stream_cut", "base_url in [providers.there]"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_call_that_fails_is_reported_with_what_to_do(
    home: Path, behaviour: Behaviour, code: str, advice: str
) -> None:
    with served(home, behaviour) as server:
        found = failed(home)
        assert len(server.books.calls) == 1, "it is not repeated"
        assert found["error"]["code"] == code
        assert advice in found["error"]["advice"]
        assert "sk-a-key" not in json.dumps(found)


def test_a_latched_circuit_lets_no_call_through(home: Path) -> None:
    with served(home, Behaviour(status=401)) as server:
        failed(home)
        found = failed(home)
        assert len(server.books.calls) == 1
        assert found["error"]["code"] == "call_denied"
        assert "assay circuit close there" in found["error"]["advice"]
        assert (found["charged_tokens"], found["cost"]) == (0, 0.0)


def test_a_server_that_is_not_there_is_a_fault(home: Path) -> None:
    with served(home, Behaviour()):
        pass
    found = failed(home)
    assert found["error"]["code"] == "provider_failed"
    told = call(home, "doctor", "--model", "there", env=KEY)
    assert told.exit_code == ExitCode.FAULTS
    assert "fail" in told.stdout and "that the server is running" in told.stdout


def test_a_provider_that_cannot_be_asked_is_an_error(home: Path) -> None:
    with served(home, Behaviour()):
        code, error = refusal(home, "doctor", "--model", "elsewhere", env=KEY)
        assert (code, error["code"]) == (ExitCode.INPUT, "provider_unknown")
        assert "Configured: there" in error["advice"]
        _, error = refusal(home, "doctor", "--model", "there")
        assert "THERE_KEY is not set" in error["message"]
