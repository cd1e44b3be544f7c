"""`python -m bench.real_model --server URL --model NAME`: a real model through the control plane.

The server is any that speaks OpenAI's Chat Completions (llama.cpp, vLLM, Ollama, a vendor's own);
nothing is installed or downloaded. The model goes through the steps of `bench.real_model_steps`:
plain text, streaming, a schema, cancelling, accounting, a cap. `ours` is how many tokens a second
arrive through the control plane; the peer is the same question put straight to the server. Exit
code 1: a step failed. Exit code 3: the server could not be asked.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from ipaddress import ip_address
from statistics import median
from typing import Any, Final
from urllib.parse import urlsplit

from assay.errors import AssayError
from assay.llm.limits import UNLIMITED
from assay.llm.messages import Lane
from assay.llm.plane import ControlPlane
from assay.llm.providers.openai import openai
from assay.store.database import open_engine
from bench.real_model_bare import BareServer, ServerFailed, open_bare
from bench.real_model_steps import STEPS, STORY, StepFailed, Trial
from bench.report import Report, print_report

PROVIDER: Final = "real-model"
STEP_FAILED: Final = 1
NOT_REACHED: Final = 3
_ROUNDS: Final = 3
_TOKENS: Final = 64


async def measure(url: str, model: str, key: str | None = None, *, rounds: int = _ROUNDS) -> Report:
    """Every step, then the speed, on a fresh database."""
    provider = partial(
        openai,
        model,
        key=key,
        base_url=url,
        name=PROVIDER,
        lane=_lane_of(url),
        limits=UNLIMITED,
    )
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        database = f"sqlite:///{folder}/bench.db"
        async with (
            open_bare(url, model, key) as server,
            ControlPlane.open(database, [provider()]) as plane,
        ):
            first = await server.ask(STORY, 1)
            engine = open_engine(database)
            try:
                steps = await _try_steps(Trial(server, provider, plane, database, engine, first))
            finally:
                engine.dispose()
            speed = await _measure_speed(plane, server, rounds)
    return _report(model, steps, speed)


def _lane_of(url: str) -> Lane:
    """A model on this machine is asked as such."""
    host = urlsplit(url).hostname or ""
    try:
        is_here = ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    return Lane.LOCAL if is_here else Lane.CLOUD


async def _try_steps(trial: Trial) -> dict[str, dict[str, Any]]:
    """What each step saw; one that fails does not keep the others from being tried."""
    seen: dict[str, dict[str, Any]] = {}
    for name, step in STEPS.items():
        try:
            seen[name] = {"passed": True, **await step(trial)}
        except (StepFailed, ServerFailed, AssayError) as error:
            seen[name] = {"passed": False, "why": f"{type(error).__name__}: {error}"}
    return seen


async def _measure_speed(
    plane: ControlPlane, server: BareServer, rounds: int
) -> dict[str, list[float]]:
    """Tokens a second of whole calls, straight and through the plane in turn."""

    async def ask_plane() -> int:
        return (await plane.ask(STORY, max_tokens=_TOKENS)).usage.completion_tokens

    async def ask_server() -> int:
        return (await server.ask(STORY, _TOKENS)).usage.completion_tokens

    speed: dict[str, list[float]] = {"plane": [], "bare": []}
    for _ in range(rounds):
        speed["bare"].append(await _tokens_a_second(ask_server))
        speed["plane"].append(await _tokens_a_second(ask_plane))
    return speed


async def _tokens_a_second(call: Callable[[], Awaitable[int]]) -> float:
    began = time.perf_counter()
    tokens = await call()
    return tokens / (time.perf_counter() - began)


def _report(model: str, steps: dict[str, dict[str, Any]], speed: dict[str, list[float]]) -> Report:
    return Report(
        name=f"a real model through the control plane: {model}",
        unit="tokens/s",
        better="higher",
        ours=round(median(speed["plane"]), 2),
        peers={"bare": round(median(speed["bare"]), 2)},
        detail={
            "steps_passed": sum(step["passed"] for step in steps.values()),
            "steps": len(steps),
            **steps,
            "runs": {name: [round(run, 1) for run in runs] for name, runs in speed.items()},
        },
    )


def main() -> int:
    """Run the bench; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.real_model")
    parser.add_argument("--server", required=True, help="such as http://127.0.0.1:8080/v1")
    parser.add_argument("--model", required=True, help="the model's name at the server")
    parser.add_argument("--key-env", help="the environment variable that holds the server's key")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="of the measured speed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    key = os.environ.get(given.key_env) if given.key_env else None
    if given.key_env and not key:
        parser.error(f"the environment variable {given.key_env} is not set")
    try:
        report = asyncio.run(measure(given.server, given.model, key, rounds=given.rounds))
    except (ServerFailed, AssayError) as error:
        print(
            f"The model cannot be asked: {error}\n"
            "Start an OpenAI-compatible server, and give its address with --server.",
            file=sys.stderr,
        )
        return NOT_REACHED
    print_report(report, given.json)
    return 0 if report.detail["steps_passed"] == report.detail["steps"] else STEP_FAILED


if __name__ == "__main__":
    sys.exit(main())
