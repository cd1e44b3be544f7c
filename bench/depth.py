"""`python -m bench.depth`: how claiming and `status` bear a deep queue.

Fills the queue with jobs that each are a batch of their own, the hardest case, and times a claim
and the status at every depth. `ours` is the claim at the full depth; the peer is the same claim
at a hundredth of it, so that a ratio near 1 means that depth does not matter.
"""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from dbos._queue import _INTERNAL_QUEUE_CONSTRUCTION, Queue

from assay.app import App
from assay.app.composition import init_home
from assay.app.status import collect_status
from assay.engine.jobs import NewJob
from assay.settings import load_settings
from assay.spine.payloads import ScoutJob
from bench.peers import postgres
from bench.report import Report, print_report

_CLAIMS = 40
_STEP = 10_000


def depths(full: int, database_url: str | None) -> list[dict[str, Any]]:
    """Claim and status times at a hundredth, a tenth and all of the depth."""
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(
            home=Path(folder) / "home", env={}, database_url=database_url, profile="production"
        )
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            deep = 0
            for wanted in (full // 100, full // 10, full):
                deep = _fill(app, deep, wanted)
                found.append({"jobs": wanted, **_timed(app)})
    return found


def _fill(app: App, deep: int, wanted: int) -> int:
    for start in range(deep, wanted, _STEP):
        stop = min(start + _STEP, wanted)
        jobs = [
            NewJob("scout", ScoutJob(evidence_id=f"ev_{number}", source="bench"), "bench")
            for number in range(start, stop)
        ]
        with app.engine.begin() as connection:
            app.book.schedule(connection, jobs, app.clock.now_ms())
    return wanted


def _timed(app: App) -> dict[str, float]:
    system = app.queues._open_client()._sys_db
    queue = Queue("scout", worker_concurrency=1, token=_INTERNAL_QUEUE_CONSTRUCTION)
    claims, looks = [], []
    for _ in range(_CLAIMS):
        began = time.perf_counter()
        claimed, _ = system.start_queued_workflows(queue, "bench", "1", None)
        claims.append(time.perf_counter() - began)
        assert len(claimed) == 1, "the queue gave nothing"
    for _ in range(5):
        began = time.perf_counter()
        collect_status(app)
        looks.append(time.perf_counter() - began)
    return {
        "claim_ms": round(1000 * median(claims), 3),
        "status_ms": round(1000 * median(looks), 2),
    }


def compare(full: int) -> Report:
    found = {"sqlite": depths(full, None)}
    with postgres() as url:
        found["postgres"] = depths(full, url)
    worst = max(found, key=lambda name: found[name][-1]["claim_ms"] / found[name][0]["claim_ms"])
    shallow, deep = found[worst][0], found[worst][-1]
    return Report(
        name="depth",
        unit=f"ms a claim on {worst}",
        better="lower",
        ours=deep["claim_ms"],
        peers={f"the same claim among {shallow['jobs']} jobs": shallow["claim_ms"]},
        detail=found,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.depth")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--jobs", type=int, default=100_000)
    given = parser.parse_args()
    print_report(compare(given.jobs), given.json)


if __name__ == "__main__":
    main()
