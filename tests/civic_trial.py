"""A trial of the civic pack: many cities of all vendors, three synchronizations, and their cost.

    python -m tests.civic_trial                            200 cities, 5,000 meetings
    python -m tests.civic_trial --cities 10 --meetings 100

The vendors' sites run on loopback, in this process; the program runs in another. The first
synchronization reads everything. The second finds nothing new: no document may be fetched or read,
and no model called. Before the third, one meeting in a hundred changes (in a small trial one in
ten), and only those may cost anything.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.packs.civic.cities import add_city, build_options
from assay.packs.civic.portals import PORTALS
from assay.settings import load_settings
from assay.store.counts import count_rows
from tests.packs.civic.vendor_sites import VENDORS, VendorServer, make_meetings, serve_vendors

MOST_MEMORY_MB = 500
_SAMPLE_S = 0.1
_SETTINGS = """\
fetch_gap_s = 0.0
fetch_per_host = 8
[queues.sentinel]
rate = 0
concurrency = 4
[queues.listing]
concurrency = 4
[queues.fetch]
concurrency = 4
[hosts]
"""
_COUNTED = (
    "civic_meetings", "civic_items", "civic_summaries", "evidence", "evidence_artifacts", "jobs",
    "llm_calls", "dead_letters",
)  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """What one synchronization of all cities took."""

    seconds: float
    cpu_s: float
    memory_mb: float
    """The most that the program and the processes that it started used at a time."""
    requests: int
    documents: int
    """Documents that were fetched."""
    rows: Mapping[str, int]
    """New rows by table."""
    found: int
    processed: int
    failed: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cities", type=int, default=200)
    parser.add_argument("--meetings", type=int, default=5000)
    parser.add_argument("--database-url", default=None)
    given = parser.parse_args()
    if given.cities < 1 or given.meetings < given.cities:
        parser.error("there must be at least one meeting for each city")
    with tempfile.TemporaryDirectory() as folder:
        _run_trial(Path(folder) / "home", given.cities, given.meetings, given.database_url)


def _run_trial(home: Path, count: int, meetings: int, database_url: str | None) -> None:
    today, each = datetime.now(UTC).date(), meetings // count
    names = list(VENDORS)
    cities: dict[str, dict[str, Any]] = {vendor: {} for vendor in names}
    for number in range(count):
        cities[names[number % len(names)]][f"elm{number}"] = make_meetings(today, each, number)
    cities = {vendor: own for vendor, own in cities.items() if own}
    _say(f"{count} cities of {len(cities)} vendors with {count * each} meetings")
    with serve_vendors(today, cities) as server:
        trial = Trial(home, server, database_url)
        trial.add_cities(cities)
        first = trial.synchronize("everything")
        assert (first.found, first.processed) == (count * each, count * each), first
        second = trial.synchronize("nothing new")
        assert (second.found, second.processed) == (count * each, 0), second
        assert second.documents == 0 and second.requests < first.requests, second
        for table in set(_COUNTED) - {"jobs"}:
            assert second.rows[table] == 0, f"{second.rows[table]} new rows in {table}"
        changed = server.change_meetings(100 if count * each >= 1000 else 10)
        third = trial.synchronize(f"{changed} meetings changed")
        assert (third.found, third.processed) == (count * each, changed), third
        assert third.rows["civic_meetings"] == third.rows["llm_calls"] == 0, third
        # Agendas whose list says that they changed are fetched again with what is new.
        assert 0 < third.documents <= 4 * changed, third
    for cost in (first, second, third):
        assert cost.failed == cost.rows["dead_letters"] == 0, cost
        assert cost.memory_mb < MOST_MEMORY_MB, f"{cost.memory_mb:.0f} MB"
    _say("ok")


class Trial:
    """A home, and the program that works on it."""

    def __init__(self, home: Path, server: VendorServer, database_url: str | None) -> None:
        self._home = home
        self._server = server
        self._env = {**os.environ, "ASSAY_POLLING_S": "0.1"}
        if database_url is not None:
            self._env["ASSAY_DATABASE_URL"] = database_url
        self._settings = load_settings(home=home, env=self._env)
        init_home(self._settings)
        hosts = "".join(f'"{name}" = "{url}"\n' for name, url in server.stand_ins.items())
        (home / "assay.toml").write_text(_SETTINGS + hosts, encoding="utf-8")
        self._sources: list[str] = []

    def add_cities(self, cities: Mapping[str, Mapping[str, Any]]) -> None:
        with App(self._settings) as app:
            app.migrate()
            for portal in PORTALS:
                for city in cities.get(portal.name, {}):
                    options = build_options(VENDORS[portal.name].site.format(city), "UTC")
                    add_city(app.services, portal, f"{city}OH", city, options)
                    self._sources.append(f"{city}OH")

    def synchronize(self, what: str) -> Cost:
        """Look at every city and do everything that follows."""
        before = self._count()
        self._server.asked.clear()
        self._server.documents_asked = 0
        words = [word for slug in self._sources for word in ("--source", slug)]
        done, seconds, cpu_s, memory_mb = self._call("--json", "run", *words)
        after = self._count()
        found, processed, failed = self._sum_results(done["runs"][-1]["run_id"])
        rows = {table: after[table] - before[table] for table in _COUNTED}
        requests, documents = len(self._server.asked), self._server.documents_asked
        cost = Cost(seconds, cpu_s, memory_mb, requests, documents, rows, found, processed, failed)
        _print_cost(what, cost)
        return cost

    def _call(self, *words: str) -> tuple[dict[str, Any], float, float, float]:
        began = time.monotonic()
        command = [sys.executable, "-m", "assay.cli", "--home", str(self._home), *words]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(command, env=self._env, stdout=output)
            memory = MemoryWatch(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - began
            process.returncode = os.waitstatus_to_exitcode(status)
            peak_mb = memory.stop()
            output.seek(0)
            said = output.read()
        assert process.returncode in (0, 5), f"exit code {process.returncode}: {said!r}"
        return json.loads(said), seconds, usage.ru_utime + usage.ru_stime, peak_mb

    def _count(self) -> dict[str, int]:
        with App(self._settings) as app, app.engine.connect() as connection:
            return {n: count_rows(connection, sa.Table(n, sa.MetaData())) for n in _COUNTED}

    def _sum_results(self, run_id: str) -> tuple[int, int, int]:
        results = sa.table(
            "civic_syncs", *map(sa.column, ("run_id", "found", "processed", "status"))
        )
        with App(self._settings) as app:
            rows = app.fetch_rows(sa.select(results).where(results.c.run_id == run_id))
        assert len(rows) == len(self._sources), f"{len(rows)} results"
        failed = sum(row["status"] != "COMPLETED" for row in rows)
        return sum(row["found"] for row in rows), sum(row["processed"] for row in rows), failed


class MemoryWatch:
    """Samples how much memory a process and its descendants use."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak_kb = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """The most that was seen, in megabytes."""
        self._done.set()
        self._thread.join()
        return self._peak_kb / 1024

    def _sample(self) -> None:
        while not self._done.wait(_SAMPLE_S):
            used = sum(map(_read_own_kb, _list_family(self._pid)))
            self._peak_kb = max(self._peak_kb, used)


def _list_family(pid: int) -> list[int]:
    family, fresh = [pid], [pid]
    while fresh:
        parent = fresh.pop()
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                born = [int(word) for word in task.read_text().split()]
            except OSError:
                continue
            family += born
            fresh += born
    return family


def _read_own_kb(pid: int) -> int:
    """The proportional share of memory: what processes share counts once."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _print_cost(what: str, cost: Cost) -> None:
    rows = ", ".join(f"{table} {count}" for table, count in cost.rows.items() if count)
    work = max(1, cost.documents or cost.requests)
    _say(
        f"{what}: {cost.seconds:.1f} s, CPU {cost.cpu_s:.1f} s, peak {cost.memory_mb:.0f} MB, "
        f"{cost.requests} requests, {cost.documents} documents fetched, "
        f"{cost.rows['evidence_artifacts']} read, {cost.rows['jobs']} jobs, "
        f"{1000 * cost.cpu_s / work:.1f} ms of CPU each\n"
        f"  found {cost.found}, processed {cost.processed}, failed {cost.failed}; new: {rows}"
    )


if __name__ == "__main__":
    main()
