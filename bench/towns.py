"""`python -m bench.towns`: what it costs when many documents speak of the same concepts.

A site of small municipal decisions is run through the whole spine, once for each corpus. In
`unique` every decision has a levy of its own. In `shared` ten levies are each set by many towns,
which are hundreds of concepts and no conflict. In `disputed` a thousand documents state another
rate of one and the same tax, which must become one conflict with one question. `ours` is the CPU
for each document of `shared`, the peer is that of `unique`: what one concept costs must not grow
with its neighbours. Give two numbers of documents to see that neither grows with their number.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.model.records import Endpoint, Source
from assay.settings import load_settings
from assay.store import tables as t
from assay.store import truth
from assay.store.upserts import upsert_records
from bench.peers import postgres
from bench.report import Report, print_report
from bench.revisit import require_no_dead

_HOST = "towns.bench.test"
_LEVIES = (
    "tourist tax", "parking levy", "waste charge", "water fee", "kennel licence fee",
    "market stall fee", "billboard tax", "mooring due", "sewerage charge", "vending permit fee",
)  # fmt: skip
_CORPORA = ("unique", "shared", "disputed")
_DATABASES = ("sqlite", "postgres")
_SYLLABLES = ("ar", "bel", "cor", "du", "fen", "gol", "hes", "il", "jun", "kav", "lum", "mer")
_ADDRESS = "http://{}/decision/{}.html"


def decision(number: int, corpus: str) -> str:
    """The page of one decision, the same for the same number."""
    chance = random.Random(number)
    own = "".join(chance.choice(_SYLLABLES) for _ in range(4)) + " duty"
    levy = chance.choice(_LEVIES) if corpus == "shared" else own
    day = f"1 {chance.choice(('January', 'April', 'October'))} {chance.randint(2019, 2026)}"
    threshold, fine = chance.randint(5, 95), chance.randint(50, 950)
    return f"""<html><head><title>The {levy} in Borough {number}</title></head><body><main>
<h1>Decision of Borough {number} on the {levy}</h1>
<p>Article 1. The {levy} is charged at the rate of {chance.randint(1, 28)}.{chance.randint(1, 9)} %
of the assessed value, and applies from {day}.</p>
<p>Article 2. A person whose annual turnover does not exceed EUR {threshold},000 is exempt from the
{levy}.</p>
<p>Article 3. The return shall be filed by the {chance.randint(4, 20)}th day of the month following
the period, and the {levy} shall be paid within {chance.randint(5, 60)} days of the assessment.</p>
<p>Article 4. Any person who fails to file the return shall be fined from EUR {fine} to EUR
{fine * 10}.</p>
<p>Article 5. Records of the {levy} shall be kept for {chance.randint(2, 12)} years. Borough
{number} publishes this decision on its notice board under number {chance.getrandbits(64)}.</p>
</main></body></html>"""


def notice(number: int) -> str:
    """A page about one and the same tax, with a rate of its own."""
    chance = random.Random(number)
    return f"""<html><head><title>Notice {number} on value added tax</title></head><body><main>
<h1>Notice {number} on value added tax</h1>
<p>Article 1. The rate of value added tax is {number // 100}.{number % 100:02} %.</p>
<p>Article 2. Office {number} publishes this notice under number {chance.getrandbits(64)}, and
{" ".join(chance.choice(_SYLLABLES) + chance.choice(_SYLLABLES) for _ in range(60))}.</p>
</main></body></html>"""


@contextmanager
def _site(documents: int, corpus: str) -> Iterator[str]:
    """The decisions on loopback, with a sitemap that names them all."""

    class Site(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            name = self.path.rpartition("/")[2].removesuffix(".html")
            if self.path == "/sitemap.xml":
                pages = (_ADDRESS.format(_HOST, number) for number in range(documents))
                links = "".join(f"<url><loc>{page}</loc></url>" for page in pages)
                schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
                self._answer("application/xml", f'<urlset xmlns="{schema}">{links}</urlset>')
            elif name.isdecimal():
                page = notice if corpus == "disputed" else partial(decision, corpus=corpus)
                self._answer("text/html; charset=utf-8", page(int(name)))
            else:
                self._answer("text/plain", "User-agent: *\nAllow: /\n")

        def _answer(self, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def measured(documents: int, corpus: str, database_url: str | None = None) -> dict[str, Any]:
    """One run of a process of its own over a corpus: what it cost and what it left."""
    with _site(documents, corpus) as base, tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        settings = load_settings(home=home, env={}, database_url=database_url)
        init_home(settings)
        with App(settings) as app:
            app.migrate()
            with app.engine.begin() as connection:
                upsert_records(connection, _watched())
            hosts = f'\n[hosts]\n"{_HOST}" = "{base}"\n'
            (home / "assay.toml").write_text((home / "assay.toml").read_text() + hosts)
            before = _read_server_cpu(app) if database_url else 0.0
            cost = run_home(home, database_url)
            if database_url:
                cost["server_cpu_s"] = round(_read_server_cpu(app) - before, 2)
            require_no_dead(app)
            cpu = cost["cpu_s"] + cost.get("server_cpu_s", 0.0)
            each = {"documents": documents, "cpu_ms_per_document": round(1000 * cpu / documents, 2)}
            return {**each, **cost, **_left(app)}


def _read_server_cpu(app: App) -> float:
    """The CPU that the Postgres server and its processes have used so far, in seconds."""
    with app.engine.connect() as connection:
        backend = connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()
    stats = {int(path.parent.name): _read_stat(path) for path in Path("/proc").glob("[0-9]*/stat")}
    server = stats[int(backend)][0]
    return sum(
        own + (ended if pid == server else 0.0)
        for pid, (parent, own, ended) in stats.items()
        if server in (pid, parent)
    )


def _read_stat(path: Path) -> tuple[int, float, float]:
    """The parent of a process, its CPU and that of its children that ended, in seconds."""
    try:
        fields = path.read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0.0, 0.0
    user, system, ended_user, ended_system = (int(ticks) for ticks in fields[11:15])
    second = os.sysconf("SC_CLK_TCK")
    return int(fields[1]), (user + system) / second, (ended_user + ended_system) / second


def _watched() -> list[Source | Endpoint]:
    source = Source(
        source_slug="towns", name="", base_url=f"http://{_HOST}", packs=["regulatory"], hierarchy=3
    )
    endpoint = Endpoint(
        endpoint_id="towns/sitemap", source_slug="towns", strategy="SITEMAP_XML",
        url=f"http://{_HOST}/sitemap.xml",
    )  # fmt: skip
    return [source, endpoint]


def run_home(home: Path, database_url: str | None) -> dict[str, float]:
    """Run all work of a home in a process of its own: its CPU, time and memory."""
    command = [sys.executable, "-m", "assay.cli", "--home", str(home), "run"]
    database = {"ASSAY_DATABASE_URL": database_url} if database_url else {}
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        env={**os.environ, **database},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"'assay run' ended with {process.returncode}")
    return {
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
        "wall_s": round(time.perf_counter() - began, 2),
        "most_mb": round(usage.ru_maxrss / 1024, 1),
    }


def _left(app: App) -> dict[str, Any]:
    """What the run stored, and how many jobs it took."""
    with app.engine.connect() as connection:

        def count(table: sa.Table) -> int:
            whole = sa.select(sa.func.count()).select_from(table)
            return int(connection.execute(whole).scalar_one())

        jobs = sa.select(t.job.c.stage, sa.func.count()).group_by(t.job.c.stage)
        found = {stage: int(number) for stage, number in connection.execute(jobs)}
        return {
            "rules": count(truth.rule),
            "conflicts": count(truth.conflict),
            "sides": count(truth.conflict_side),
            "largest_conflict": _count_most_sides(connection),
            "questions": count(t.review_request),
            "questions_about_conflicts": _count_conflict_questions(connection),
            "jobs_per_document": round(sum(found.values()) / max(1, found["fetch"]), 2),
            "jobs": dict(sorted(found.items())),
        }


def _count_most_sides(connection: sa.Connection) -> int:
    side = truth.conflict_side.c
    sizes = sa.select(sa.func.count().label("sides")).where(side.holds).group_by(side.conflict_id)
    return int(connection.execute(sa.select(sa.func.max(sizes.subquery().c.sides))).scalar() or 0)


def _count_conflict_questions(connection: sa.Connection) -> int:
    asked = t.review_request.c.subject_kind == "conflict"
    query = sa.select(sa.func.count()).select_from(t.review_request).where(asked)
    return int(connection.execute(query).scalar_one())


def measure_on(database: str, documents: int, corpus: str) -> dict[str, Any]:
    """One run on a database of its own: what an earlier one left behind costs nothing."""
    with postgres() if database == "postgres" else nullcontext() as url:
        return measured(documents, corpus, url)


def compare(counts: Sequence[int], disputed: int, database: str) -> dict[str, Any]:
    """What all corpora cost on one database."""
    found: dict[str, Any] = {}
    for corpus, count in _list_runs(counts, disputed):
        found[f"{corpus} {count}"] = measure_on(database, count, corpus)
    each = {name: entry["cpu_ms_per_document"] for name, entry in found.items()}
    few, many = min(counts), max(counts)
    return {
        "shared_by_unique": round(each[f"shared {many}"] / each[f"unique {many}"], 2),
        "shared_by_fewer": round(each[f"shared {many}"] / each[f"shared {few}"], 2),
        "unique_by_fewer": round(each[f"unique {many}"] / each[f"unique {few}"], 2),
        **found,
    }


def _list_runs(counts: Sequence[int], disputed: int) -> list[tuple[str, int]]:
    runs = [(corpus, count) for count in sorted(set(counts)) for corpus in ("unique", "shared")]
    return [*runs, ("disputed", disputed)]


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[300], metavar="COUNT")
    parser.add_argument("--disputed", type=int, default=1000, metavar="COUNT")
    parser.add_argument("--database", nargs="+", choices=_DATABASES, default=["sqlite"])
    parser.add_argument("--corpus", choices=_CORPORA, help="Run this one alone.")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.corpus:
        print(measure_on(given.database[0], given.documents[0], given.corpus))
        return
    found = {name: compare(given.documents, given.disputed, name) for name in given.database}
    worst = max(found, key=lambda name: found[name]["shared_by_unique"])
    many = max(given.documents)
    report = Report(
        name="many documents about the same concepts",
        unit=f"ms of CPU per document of {many} on {worst}",
        better="lower",
        ours=found[worst][f"shared {many}"]["cpu_ms_per_document"],
        peers={"unique": found[worst][f"unique {many}"]["cpu_ms_per_document"]},
        detail={**found, "cores": os.cpu_count()},
    )
    print_report(report, given.json)


if __name__ == "__main__":
    main()
