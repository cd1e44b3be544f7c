"""`python -m bench.twice`: what a second run costs where nothing has changed.

The demo's whole country is watched twice through the whole spine: looked at, fetched, read, scanned
pages included, extracted, composed, applied, reviewed. A person approves what the first run asks,
and a release is cut. `ours` is the CPU of the second run, its processes included, as a share of the
first. Whatever the second run adds to the store, a call of a model included, is an error.
"""

import argparse
import os
import tempfile
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from assay.app import App, releases, runs
from assay.app.composition import init_home
from assay.demo import serve_in_thread
from assay.demo.play import DemoSites, build_demo_settings, register_sources
from assay.demo.result import count_records
from assay.demo.reviewer import EVALUATOR, decide_reviews
from assay.packs.regulatory.demo import build_country_demo
from assay.settings import load_settings
from bench.peers import postgres
from bench.report import Report, print_report
from bench.revisit import cpu_s, require_no_dead

PACK = "regulatory"


def _run(app: App) -> dict[str, float]:
    """One run, with a worker of its own, so that its processes have ended when it is counted."""
    cpu, began = cpu_s(), time.perf_counter()
    worker = app.make_worker()
    worker.start()
    try:
        run_id = runs.start_run(app)
        runs.wait_for_runs(app, worker, [run_id], stop=threading.Event())
        runs.seal_finished_runs(app)
    finally:
        worker.stop()
    return {"cpu_s": cpu_s() - cpu, "wall_s": time.perf_counter() - began}


def measured(database_url: str | None) -> dict[str, Any]:
    """Two runs over the country, with a release between them, and a release after them."""
    demo = build_country_demo()
    with (
        serve_in_thread(DemoSites([demo], demo.last_day)) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        settings = load_settings(home=Path(folder) / "home", env={}, database_url=database_url)
        settings = build_demo_settings(settings, server.base_url, demo.hosts)
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            register_sources(app, demo)
            first, asked = _run(app), server.requests
            decide_reviews(app, PACK, EVALUATOR)
            made = releases.create_release(app, PACK, by=EVALUATOR.name)
            kept = count_records(app)
            second = _run(app)
            decided = decide_reviews(app, PACK, EVALUATOR)
            again = releases.create_release(app, PACK, by=EVALUATOR.name)
            kept_after = count_records(app)
            require_no_dead(app)
    if made.release is None or again.release is not None or decided.approved or decided.resolved:
        raise SystemExit("the first run must lead to a release, and the second to none")
    if kept_after != kept:
        raise SystemExit(f"the second run changed the store: {kept} became {kept_after}")
    return {
        "first": {name: round(value, 2) for name, value in first.items()},
        "second": {name: round(value, 2) for name, value in second.items()},
        "share_of_cpu": round(second["cpu_s"] / first["cpu_s"], 4),
        "share_of_wall": round(second["wall_s"] / first["wall_s"], 4),
        "requests": {"first": asked, "second": server.requests - asked},
        "kept": kept,
        "new_in_second": {name: kept_after[name] - kept[name] for name in kept},
        "manifest_hash": made.release.manifest_hash,
    }


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", action="store_true", help="on Postgres, not on SQLite")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with postgres() if given.postgres else nullcontext() as url:
        found = measured(url)
    report = Report(
        name="second run over an unchanged country",
        unit="share of the first run's CPU",
        better="lower",
        ours=found["share_of_cpu"],
        peers={"first run": 1.0},
        detail={**found, "cores": os.cpu_count()},
    )
    print_report(report, given.json)


if __name__ == "__main__":
    main()
