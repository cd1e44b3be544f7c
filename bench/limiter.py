"""`python -m bench.limiter`: how much of a provider's allowance is used, and how often it says no.

Worker processes with more calls than a strict provider grants share one allowance of requests and
tokens a minute. The tokens are the ones that run out first. `ours` is the share of them that
Assay uses with the most workers, the lower of its two databases; the 429s beside it are in the
detail, because a contender that only tries again and again has a full share too.
"""

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from threading import Barrier, BrokenBarrierError
from typing import Any, Final

from bench.limiter_run import LITELLM, Contender, Figures, Setting, measure
from bench.limiter_server import Allowance
from bench.limiter_work import ANSWER_MS, ANSWER_WORDS, HEADROOM, PROMPT_WORDS
from bench.report import Report, print_report

CONTENDERS: Final = (
    Contender("Assay on SQLite", ("bench.limiter_assay",), store="sqlite"),
    Contender("Assay on Postgres", ("bench.limiter_assay",), store="postgres"),
    Contender(
        "LiteLLM router",
        ("bench.limiter_peers", "litellm"),
        venv="litellm",
        pins=LITELLM,
    ),
    Contender(
        "aiolimiter",
        ("bench.limiter_peers", "aiolimiter"),
        venv="aiolimiter",
        pins=("aiolimiter==1.3.0", "aiohttp==3.14.5"),
    ),
    Contender("plain semaphore", ("bench.limiter_peers", "semaphore")),
)
OURS: Final = tuple(one.name for one in CONTENDERS if one.store != "none")

WORKERS: Final = (1, 4, 16)
ALLOWANCE: Final = Allowance(requests_per_minute=1_200, tokens_per_minute=480_000, bucket_s=10.0)
# Twenty calls a second that take a quarter of one need five in flight; more keep every contender
# busy through its waits. The measured time is whole minutes because the limits are: a contender
# that counts by the minute, by the clock's or a sliding one, then meets each part of it as often.
# Half a minute of warm-up keeps both ends clear of the first burst, which a sliding minute brings
# round again each minute.
FULL: Final = Setting(ALLOWANCE, in_flight=48, warm_up_s=30.0, measured_s=120.0)
QUICK: Final = Setting(ALLOWANCE, in_flight=48, warm_up_s=12.0, measured_s=12.0)

Found = Mapping[str, Mapping[int, Figures]]
"""By contender and number of workers."""


def compare(
    contenders: Sequence[Contender], workers: Sequence[int], setting: Setting, at_once: int
) -> Found:
    """Every contender with every number of workers, each against a server of its own."""
    found: dict[str, dict[int, Figures]] = {one.name: {} for one in contenders}
    for one in contenders:
        one.python()
    for count in workers:
        for first in range(0, len(contenders), at_once):
            some = contenders[first : first + at_once]
            start = Barrier(len(some))
            with ThreadPoolExecutor(len(some)) as pool:
                runs = [pool.submit(measure, one, count, setting, start) for one in some]
            # Who fails keeps the others from starting; their errors are not the cause.
            for run in sorted(
                runs, key=lambda run: isinstance(run.exception(), BrokenBarrierError)
            ):
                run.result()
            for one, run in zip(some, runs, strict=True):
                found[one.name][count] = run.result()
    return found


def report(found: Found, setting: Setting) -> Report:
    """The figures with the most workers, and all others as detail."""
    most = {name: by_workers[max(by_workers)] for name, by_workers in found.items()}
    shares = {name: figures.token_share for name, figures in most.items()}
    return Report(
        name="limiter",
        unit="share of the allowance",
        better="higher",
        ours=min((shares[name] for name in OURS if name in shares), default=0.0),
        peers={name: share for name, share in shares.items() if name not in OURS},
        detail={
            "refused_429": {name: figures.refused for name, figures in most.items()},
            "by_workers": {
                name: {str(count): asdict(figures) for count, figures in by_workers.items()}
                for name, by_workers in found.items()
            },
            "server": server_detail(setting),
        },
    )


def server_detail(setting: Setting) -> dict[str, Any]:
    """What the contenders were up against."""
    return {
        **asdict(setting.allowance),
        "binding": "tokens",
        "calls_in_flight": setting.in_flight,
        "warm_up_s": setting.warm_up_s,
        "measured_s": setting.measured_s,
        "tells_limits": setting.tells_limits,
        "prompt_words": PROMPT_WORDS,
        "answer_words": ANSWER_WORDS,
        "answer_ms": ANSWER_MS,
        "max_tokens_above_answer": HEADROOM,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limiter")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="a short look, not for records")
    parser.add_argument("--workers", type=int, nargs="+", default=WORKERS)
    parser.add_argument("--only", nargs="+", default=[""], help="contenders whose name has this")
    parser.add_argument("--at-once", type=int, default=len(CONTENDERS), help="contenders at a time")
    parser.add_argument("--tells-limits", action="store_true", help="the server sends headers")
    given = parser.parse_args()
    chosen = [
        one for one in CONTENDERS if any(part.lower() in one.name.lower() for part in given.only)
    ]
    base = QUICK if given.quick else FULL
    setting = Setting(
        base.allowance, base.in_flight, base.warm_up_s, base.measured_s, given.tells_limits
    )
    found = compare(chosen, given.workers, setting, given.at_once)
    print_report(report(found, setting), given.json)


if __name__ == "__main__":
    main()
