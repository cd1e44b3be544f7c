"""`python -m bench.calls`: what the control of a call costs, in CPU time of the caller.

Each contender makes the same calls, one after the other, to the same server in another process.
Assay's figure is a whole call under all its controls: caps, limiter, circuit, ledger on SQLite.
The peers' is a whole call with no control at all, made in their usual way. What the control
itself costs, a controlled call less a bare one of the same provider, is in the detail.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Mapping
from statistics import median
from typing import Final

from bench.calls_peers.timing import ANSWER_WORDS, PROMPT_WORDS
from bench.limiter_run import LITELLM, Contender, database, environment, strict_server
from bench.limiter_server import PIECES, Allowance
from bench.peers import ROOT, PeerFailed
from bench.report import Report, print_report

REPEATS: Final = 3
AMPLE: Final = Allowance(10**9, 10**9, 60.0)
SQLITE: Final = Contender("Assay on SQLite", ("bench.calls_assay",), store="sqlite")
POSTGRES: Final = Contender("Assay on Postgres", ("bench.calls_assay",), store="postgres")
PEERS: Final = (
    Contender(
        "LiteLLM (uncontrolled)", ("bench.calls_peers", "litellm"), venv="litellm", pins=LITELLM
    ),
    Contender(
        "pydantic-ai (uncontrolled)",
        ("bench.calls_peers", "pydantic_ai"),
        venv="pydantic_ai",
        pins=("pydantic-ai-slim[openai]==2.66.0",),
    ),
)

Figures = Mapping[str, float]


def measure(contender: Contender, calls: int) -> Figures:
    """The middle of a few runs, figure by figure: one alone can be lucky."""
    runs = [_run(contender, calls) for _ in range(REPEATS)]
    return {name: round(median(run[name] for run in runs), 3) for name in runs[0]}


def measure_own(contender: Contender, calls: int) -> Figures:
    """The same for Assay, with one figure more that takes a minute and is measured once."""
    late = _run(contender, calls, "--busy-minute")
    return {**late, **measure(contender, calls)}


def _run(contender: Contender, calls: int, *options: str) -> dict[str, float]:
    """One process against a fresh server, on a fresh database."""
    with strict_server(AMPLE) as server, database(contender.store) as place:
        command = [contender.python(), "-m", *contender.module, "--server", server.url]
        command += ["--calls", str(calls), *place, *options]
        with tempfile.TemporaryFile("w+") as errors:
            ended = subprocess.run(
                command,
                cwd=ROOT,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                check=False,
            )
            if ended.returncode != 0:
                errors.seek(0)
                raise PeerFailed(f"{contender.name} failed:\n{errors.read()[-3000:]}")
    told: dict[str, float] = json.loads(ended.stdout.strip().splitlines()[-1])
    return told


def report(own: Mapping[str, Figures], peers: Mapping[str, float], calls: int) -> Report:
    """Assay's controlled call on SQLite beside the peers' uncontrolled ones."""
    return Report(
        name="calls",
        unit="CPU ms for each call",
        better="lower",
        ours=own[SQLITE.name]["controlled_ms"],
        peers=peers,
        detail={
            "overhead_ms": {name: overhead(figures) for name, figures in own.items()},
            **own,
            "calls": calls,
            "prompt_words": PROMPT_WORDS,
            "answer_words": ANSWER_WORDS,
            "answers": f"Assay's streamed in {PIECES} pieces, the peers' whole",
        },
    )


def overhead(figures: Figures) -> Figures:
    """What the control adds to a bare call."""
    return {
        name.removesuffix("_ms"): round(figure - figures["bare_ms"], 3)
        for name, figure in figures.items()
        if name != "bare_ms"
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.calls")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--calls", type=int, default=500)
    given = parser.parse_args()
    peers = {peer.name: measure(peer, given.calls)["cpu_ms_per_call"] for peer in PEERS}
    own = {one.name: measure_own(one, given.calls) for one in (SQLITE, POSTGRES)}
    print_report(report(own, peers, given.calls), given.json)


if __name__ == "__main__":
    main()
