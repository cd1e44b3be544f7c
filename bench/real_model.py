"""`python -m bench.real_model`: a real model answers through the control plane.

Starts a small language model on this machine and puts it through the steps of
`bench.real_model_steps`: plain text, streaming, a schema, cancelling, accounting, a cap. `ours`
is how many tokens a second arrive through the control plane; the peer is the same question put
straight to the server. Ends with 1 where a step failed, and with 3, saying what to install,
where the model is not here.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from assay.errors import AssayError
from assay.llm.limits import UNLIMITED
from assay.llm.messages import Lane
from assay.llm.plane import ControlPlane
from assay.llm.providers.openai import openai
from assay.store.database import open_engine
from bench.peers import VENVS, PeerNotInstalled
from bench.real_model_setup import MODELS, Installed, ModelMissing, install, locate
from bench.real_model_steps import STEPS, STORY, StepFailed, Trial
from bench.real_model_truth import ModelServer, ServerFailed, serving
from bench.report import Report, print_report

PROVIDER: Final = "real-model"
STEP_FAILED: Final = 1
NOT_HERE: Final = 3
_ROUNDS: Final = 3
_TOKENS: Final = 64
_THREADS: Final = 1
"""Threads of one model wait for each other: where other programs run, two are far slower."""


async def trial(installed: Installed, rounds: int, threads: int) -> Report:
    """Every step, then the speed, against a server of our own on a fresh database."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        async with serving(installed, Path(folder), threads) as server:
            url = f"sqlite:///{folder}/bench.db"
            provider = partial(
                openai,
                installed.model.name,
                base_url=f"{server.url}/v1",
                name=PROVIDER,
                lane=Lane.LOCAL,
                limits=UNLIMITED,
            )
            async with ControlPlane.open(url, [provider()]) as plane:
                engine = open_engine(url)
                start = await server.counted()
                steps = await _steps(
                    Trial(installed.model, server, provider, plane, url, engine, start)
                )
                engine.dispose()
                speed = await _speed(plane, server, rounds)
    return _report(installed, steps, speed)


async def _steps(trial: Trial) -> dict[str, dict[str, Any]]:
    """What each step saw; one that fails does not keep the others from being tried."""
    told: dict[str, dict[str, Any]] = {}
    for name, step in STEPS.items():
        try:
            told[name] = {"passed": True, **await step(trial)}
        except (StepFailed, ServerFailed, AssayError) as error:
            told[name] = {"passed": False, "why": f"{type(error).__name__}: {error}"}
    return told


async def _speed(plane: ControlPlane, server: ModelServer, rounds: int) -> dict[str, list[float]]:
    """Tokens a second of whole calls, straight and through the plane in turn."""

    async def through() -> int:
        return (await plane.ask(STORY, max_tokens=_TOKENS)).usage.completion_tokens

    async def straight() -> int:
        return await server.generate(STORY, _TOKENS)

    speed: dict[str, list[float]] = {"plane": [], "bare": []}
    for _ in range(rounds):
        speed["bare"].append(await _tokens_a_second(straight))
        speed["plane"].append(await _tokens_a_second(through))
    return speed


async def _tokens_a_second(call: Callable[[], Awaitable[int]]) -> float:
    began = time.perf_counter()
    tokens = await call()
    return tokens / (time.perf_counter() - began)


def _report(
    installed: Installed, steps: dict[str, dict[str, Any]], speed: dict[str, list[float]]
) -> Report:
    return Report(
        name=f"a real model through the control plane: {installed.model.title}",
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
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--model", choices=sorted(MODELS), default="smollm2")
    parser.add_argument("--install", action="store_true", help="install what is missing first")
    parser.add_argument("--venvs", type=Path, default=VENVS, help="where the environment lives")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="of the measured speed")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=_THREADS)
    given = parser.parse_args()
    wanted = MODELS[given.model]
    try:
        installed = (install if given.install else locate)(wanted, given.venvs)
    except (ModelMissing, PeerNotInstalled) as error:
        print(error, file=sys.stderr)
        return NOT_HERE
    report = asyncio.run(trial(installed, given.rounds, given.threads))
    print_report(report, given.json)
    return 0 if report.detail["steps_passed"] == report.detail["steps"] else STEP_FAILED


if __name__ == "__main__":
    sys.exit(main())
