"""`python -m bench.revisit`: what a second pass over unchanged documents costs.

A site of many pages that never change is watched twice through the whole spine, once with
validators (the second pass gets 304) and once without (it gets every byte again). `ours` is the
CPU of the second pass as a share of the first, with validators; without them it stands beside it.
Whatever the second pass adds to the store is an error.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App, runs
from assay.app.composition import init_home
from assay.model.records import Endpoint, Source
from assay.settings import QueueSettings, load_settings
from assay.store import tables as t
from assay.store.upserts import upsert_records
from bench.peers import postgres
from bench.report import Report, print_report

_HOST = "site.bench.test"
_KEPT = (t.evidence, t.artifact, t.scout_result, t.routing_decision, t.text_band, t.document)


@contextmanager
def _site(documents: int, *, validators: bool) -> Iterator[str]:
    command = [sys.executable, "-m", "bench.revisit_site", "--documents", str(documents)]
    process = subprocess.Popen(
        command + (["--validators"] if validators else []),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip().rstrip("/")
    finally:
        process.kill()
        process.wait()


def cpu_s() -> float:
    """CPU of this process, and of the reading processes that ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _pass(app: App) -> dict[str, float]:
    """One run, with a worker of its own, so that its processes have ended when it is counted."""
    cpu, began = cpu_s(), time.perf_counter()
    worker = app.make_worker()
    worker.start()
    try:
        run_id = runs.start_run(app)
        runs.wait_for_runs(app, worker, [run_id], stop=threading.Event())
    finally:
        worker.stop()
    return {"cpu_s": cpu_s() - cpu, "wall_s": time.perf_counter() - began}


def _kept(app: App) -> dict[str, int]:
    with app.engine.connect() as connection:
        return {
            table.name: connection.execute(
                sa.select(sa.func.count()).select_from(table)
            ).scalar_one()
            for table in _KEPT
        } | {
            "scout jobs": connection.execute(
                sa.select(sa.func.count()).select_from(t.job).where(t.job.c.stage == "scout")
            ).scalar_one()
        }


def require_no_dead(app: App) -> None:
    """End the bench where a job died: it would make the second run too cheap."""
    with app.engine.connect() as connection:
        dead = connection.execute(sa.select(t.dead_letter.c.error_message)).scalars().all()
    if dead:
        raise SystemExit(f"{len(dead)} jobs died: {dead[0]}")


def _served(base: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{base}/_served", timeout=60) as answer:
        found: dict[str, int] = json.loads(answer.read())
    return found


def measured(documents: int, *, validators: bool, database_url: str | None) -> dict[str, Any]:
    """Two passes over one site."""
    with _site(documents, validators=validators) as base, tempfile.TemporaryDirectory() as folder:
        settings = load_settings(
            home=Path(folder) / "home",
            env={},
            database_url=database_url,
            hosts={_HOST: base},
            queues={"sentinel": QueueSettings(rate=0)},
        )
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            with app.engine.begin() as connection:
                upsert_records(
                    connection,
                    [
                        Source(source_slug="site", name="", base_url=f"http://{_HOST}"),
                        Endpoint(
                            endpoint_id="site/sitemap",
                            source_slug="site",
                            url=f"http://{_HOST}/sitemap.xml",
                            strategy="SITEMAP_XML",
                        ),
                    ],
                )
            first, kept, served = _pass(app), _kept(app), _served(base)
            # Parts that have not changed are not gone through again; here all of them are, so
            # that every document is asked for.
            with app.engine.begin() as connection:
                connection.execute(sa.update(t.endpoint_part).values(read_ms=0))
            second, kept_after, served_after = _pass(app), _kept(app), _served(base)
            third = _pass(app) if validators else None
            require_no_dead(app)
    if kept["evidence"] != served["pages"]:
        raise SystemExit(f"of {served['pages']} pages {kept['evidence']} became evidence")
    if kept_after != kept:
        raise SystemExit(f"the second pass changed the store: {kept} became {kept_after}")
    asked = {name: served_after.get(name, 0) - served.get(name, 0) for name in served_after}
    return {
        "documents": kept["evidence"],
        "first": {name: round(value, 2) for name, value in first.items()},
        "second": {name: round(value, 2) for name, value in second.items()},
        "share_of_cpu": round(second["cpu_s"] / first["cpu_s"], 4),
        "share_of_wall": round(second["wall_s"] / first["wall_s"], 4),
        "served_in_second": {name: asked.get(name, 0) for name in ("whole", "unchanged")},
        "third_believing_the_listing": None
        if third is None
        else {name: round(value, 2) for name, value in third.items()},
        "new_in_second": {name: kept_after[name] - kept[name] for name in kept},
    }


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--postgres", action="store_true", help="on Postgres, not on SQLite")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with postgres() if given.postgres else nullcontext() as url:
        found = {
            name: measured(given.documents, validators=name == "with validators", database_url=url)
            for name in ("with validators", "without validators")
        }
    report = Report(
        name="second pass over unchanged documents",
        unit="share of the first pass's CPU",
        better="lower",
        ours=found["with validators"]["share_of_cpu"],
        peers={},
        detail={**found, "cores": os.cpu_count()},
    )
    print_report(report, given.json)


if __name__ == "__main__":
    main()
