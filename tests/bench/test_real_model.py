"""The bench of a real model, against a scripted server that keeps books of what it is asked."""

import os
import socket
import subprocess
import sys

import pytest
from bench.peers import ROOT
from bench.real_model import NOT_REACHED, measure
from bench.real_model_bare import ServerFailed
from bench.real_model_steps import SENTENCE, STEPS

from assay.llm.providers.openai import BASE_URL
from tests.providers.behaviour import Behaviour
from tests.providers.books import ServedState
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer

RATE = '{"rate_percent": 5.5, "effective": "2023-07-27", "direction": "raised"}'
LONG = 400


def behave(asked: Asked) -> Behaviour:
    """Answers as a model would; what is to be cancelled never ends by itself."""
    if SENTENCE in asked.texts[-1]:
        return Behaviour(text=RATE)
    if asked.max_tokens == LONG:
        return Behaviour(words=LONG, hang_after=40)
    return Behaviour(words=60)


def run(*arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "bench.real_model", *arguments],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


async def test_every_step_passes_against_a_server_that_keeps_books() -> None:
    async with ProviderServer(behave, key="secret") as server:
        report = await measure(f"{server.url}/v1", "scripted", "secret", rounds=1)
        await server.until(lambda books: books.under_way == 0, timeout_s=60)
        books = server.books
    steps = {name: report.detail[name] for name in STEPS}
    assert {name: step for name, step in steps.items() if not step["passed"]} == {}
    assert report.detail["steps_passed"] == report.detail["steps"] == len(STEPS) == 9
    assert steps["schema"]["is_right"]
    assert report.ours > 0
    assert report.peers["bare"] > 0
    # Both cancelled calls reached the server, which saw the client go away.
    assert [call.max_tokens for call in books.calls if call.state is ServedState.CANCELLED] == [
        LONG, LONG,
    ]  # fmt: skip
    assert books.count(ServedState.REFUSED) == 0
    assert {call.headers["authorization"] for call in books.calls} == {"Bearer secret"}


async def test_a_capped_call_is_never_sent() -> None:
    async with ProviderServer(behave) as server:
        await measure(f"{server.url}/v1", "scripted", rounds=1)
        short = [call for call in server.books.calls if call.max_tokens == 8]
    # Only the call that proves that nothing but the cap was the reason.
    assert len(short) == 1


async def test_a_step_that_fails_is_reported_and_the_others_are_tried() -> None:
    def without_schema(asked: Asked) -> Behaviour:
        return Behaviour(text="no JSON") if SENTENCE in asked.texts[-1] else behave(asked)

    async with ProviderServer(without_schema) as server:
        report = await measure(f"{server.url}/v1", "scripted", rounds=1)
    failed = [name for name in STEPS if not report.detail[name]["passed"]]
    assert failed[0] == "schema"
    assert report.detail["schema"]["why"]
    assert report.detail["daily_cap"]["passed"]


async def test_a_server_without_usage_cannot_be_compared() -> None:
    async with ProviderServer(Behaviour(usage=False)) as server:
        with pytest.raises(ServerFailed, match="reports no usage"):
            await measure(f"{server.url}/v1", "scripted", rounds=1)


async def test_a_server_that_refuses_is_quoted() -> None:
    async with ProviderServer(Behaviour(status=404, message="No such model.")) as server:
        with pytest.raises(ServerFailed, match=r"answers 404: .*No such model\."):
            await measure(f"{server.url}/v1", "scripted", rounds=1)


def test_without_a_server_it_says_what_to_do() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"
        done = run("--server", url, "--model", "any", "--json")
    assert done.returncode == NOT_REACHED == 3
    assert done.stdout == ""
    assert url in done.stderr
    assert "--server" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_key_must_be_where_it_is_said_to_be() -> None:
    done = run("--server", BASE_URL, "--model", "any", "--key-env", "ASSAY_NO_SUCH_KEY")
    assert done.returncode == 2
    assert "ASSAY_NO_SUCH_KEY is not set" in done.stderr
