"""The corpus through the whole spine: a real worker watches a site that means harm."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App, runs
from assay.app.composition import init_home
from assay.model.records import Endpoint, Source
from assay.settings import FILE_NAME, Settings, load_settings
from assay.store import tables as t
from assay.store.upserts import upsert_records
from tests.bad_site.behaviours import build_catalogue, serve_page
from tests.bad_site.site import serve_in_thread
from tests.hostile.case import READ, SKIPPED
from tests.hostile.measured import Watch
from tests.hostile.outcome import Ended
from tests.hostile.site import HOST, Trap, endless_robots, good_pages, sitemap
from tests.waiting import PATIENCE_S

_LOOK_EVERY_S = 0.2
_SOURCE = Source(source_slug="hostile", name="", base_url=f"http://{HOST}/")
_ENDPOINT = Endpoint(
    endpoint_id="hostile/sitemap",
    source_slug="hostile",
    url=f"http://{HOST}/sitemap.xml",
    strategy="SITEMAP_XML",
)


@dataclass
class Watched:
    """What became of a site's documents, and of the worker that watched it."""

    ended: dict[str, list[Ended]] = field(default_factory=dict)
    """Path → all reasons that stand anywhere; one for what is bad, `read` for what is not."""
    without_artifact: list[str] = field(default_factory=list)
    """Good pages that were not read, or not routed."""
    same_worker: bool = False
    """Whether the process that began is the one that lived to the end."""
    jobs_left: int = 0
    run_state: str = ""
    seconds: float = 0.0
    worker_mb: int = 0
    reader_mb: int = 0
    log: list[str] = field(default_factory=list)
    """What the worker's log has to say of crashes."""

    def wrong(self, traps: Sequence[Trap]) -> list[str]:
        """What is not as it should be, one line each."""
        found = [
            f"{path}: a good page without artifact or decision" for path in self.without_artifact
        ]
        if not self.same_worker:
            found.append("the worker did not live to the end")
        if self.jobs_left or self.run_state != runs.SEALED:
            found.append(f"{self.jobs_left} jobs are left, and the run is {self.run_state}")
        for trap in traps:
            found += [f"{trap.path}: {line}" for line in _wrong(trap, self.ended[trap.path])]
        return found


def _wrong(trap: Trap, ended: list[Ended]) -> Iterator[str]:
    if len(ended) != 1:
        told = "; ".join(f"{one.way}: {one.reason}" for one in ended)
        yield f"{len(ended)} reasons where one is due: {told}"
        return
    (one,) = ended
    if one.way not in trap.ends:
        yield f"ended as {one.way}, not {' or '.join(sorted(trap.ends))}: {one.reason}"
    elif one.way != READ and (not one.reason or trap.told not in one.reason):
        yield f"does not say {trap.told!r}: {one.reason}"


def watch(
    home: Path, traps: Sequence[Trap], good: int, given: dict[str, Any], patience_s: float
) -> Watched:
    """Let a worker see a run of the site through, and look at what it left."""
    pages = good_pages(good)
    paths = [*(trap.path for trap in traps), *pages]
    # Good and bad in turn, so that they meet in the same batches.
    paths.sort(key=lambda path: path.encode()[::-1])
    site = {
        "/sitemap.xml": serve_page(sitemap(paths), headers={"Content-Type": "application/xml"}),
        "/robots.txt": endless_robots(),
        **build_catalogue(),
        **{trap.path: trap.behave for trap in traps},
        **{path: serve_page(body) for path, body in pages.items()},
    }
    with serve_in_thread(site) as server:
        settings = _settled(home, {**given, "hosts": {HOST: server.url}})
        with App(settings) as app:
            app.migrate()
            with app.engine.begin() as connection:
                upsert_records(connection, [_SOURCE, _ENDPOINT])
            watched = _worked(app, patience_s)
            watched.ended = {path: _reasons(app, path) for path in paths}
    watched.without_artifact = [
        path for path in pages if [one.way for one in watched.ended[path]] != [READ]
    ]
    return watched


def _settled(home: Path, given: dict[str, Any]) -> Settings:
    """A home whose settings are in its file, where the worker finds them."""
    init_home(load_settings(home=home, env={}))
    lines = [f"{name} = {_toml(value)}" for name, value in given.items()]
    (home / FILE_NAME).write_text("\n".join(lines) + "\n")
    return load_settings(home=home, env={})


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def _worked(app: App, patience_s: float) -> Watched:
    began = time.monotonic()
    run_id = runs.start_run(app)
    with _worker(app.settings.home) as process, Watch(process.pid) as memory:
        while not runs.are_runs_finished(app, [run_id]) or _is_open(app, run_id):
            late = time.monotonic() - began > patience_s
            if late or process.poll() is not None:
                break
            time.sleep(_LOOK_EVERY_S)
        took_s = time.monotonic() - began
        alive = process.poll() is None
    return Watched(
        same_worker=alive,
        jobs_left=runs.count_jobs_left(app, [run_id]),
        run_state=runs.get_run(app, run_id).state,
        seconds=took_s,
        worker_mb=memory.own_mb,
        reader_mb=memory.child_mb,
        log=_crashes(app),
    )


def _is_open(app: App, run_id: str) -> bool:
    return runs.get_run(app, run_id).state == runs.OPEN


@contextmanager
def _worker(home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "assay.cli", "--home", str(home), "worker"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 128 + signal.SIGTERM, said.decode()


def _crashes(app: App) -> list[str]:
    lines = app.settings.log_file.read_text().splitlines()
    return [line for line in lines if '"stage_crashed"' in line or "Traceback" in line]


def _reasons(app: App, path: str) -> list[Ended]:
    """Every reason that stands anywhere for one address; `read` where its text was kept."""
    with app.engine.connect() as connection:
        rows = _Rows(connection, f"http://{HOST}{path}")
        candidate, evidence = rows.candidate(), rows.evidence()
        key = evidence["evidence_id"] if evidence else ""
        scouted, routed = rows.one(t.scout_result, key), rows.one(t.routing_decision, key)
        found = [Ended(row["error_code"], row["error_message"]) for row in rows.dead_letters()]
        last = candidate["last_error"] if candidate["state"] in ("blocked", "failed") else None
        # One failure is told by the dead letter and by its candidate; and a source whose pages
        # fail so often rests, which is no fault of the page that has to wait for it.
        told = [one.reason for one in found] + ([routed["reason"]] if routed else [])
        if last and not any(reason.startswith(last) for reason in told):
            found.append(Ended(rows.code() or rows.note(), last))
        if scouted and scouted["skip_reason"]:
            found.append(Ended(rows.code() or SKIPPED, scouted["skip_reason"]))
        elif routed and routed["decision"] == "SKIP":
            found.append(Ended(SKIPPED, routed["reason"]))
        elif routed and evidence and evidence["primary_text_artifact_id"]:
            found.append(Ended(READ, routed["reason"]))
    return found


class _Rows:
    """What the store has about one address."""

    def __init__(self, connection: sa.Connection, url: str) -> None:
        self._connection = connection
        (self._item,) = self._where(t.item, t.item.c.url == url)

    def _where(self, table: sa.Table, condition: sa.ColumnElement[bool]) -> list[dict[str, Any]]:
        rows = self._connection.execute(sa.select(table).where(condition)).mappings()
        return [dict(row) for row in rows]

    def evidence(self) -> dict[str, Any] | None:
        found = self._where(t.evidence, t.evidence.c.url == self._item["url"])
        return found[0] if found else None

    def candidate(self) -> dict[str, Any]:
        (found,) = self._where(t.candidate, t.candidate.c.doc_id == self._item["doc_id"])
        return found

    def one(self, table: sa.Table, evidence_id: str) -> dict[str, Any] | None:
        found = self._where(table, table.c.evidence_id == evidence_id)
        return found[0] if found else None

    def dead_letters(self) -> list[dict[str, Any]]:
        subjects = self._subjects()
        letters = self._where(t.dead_letter, sa.true())
        return [row for row in letters if subjects & set(row["payload"].values())]

    def code(self) -> str | None:
        """The code of the last error among the attempts at its jobs."""
        codes = [row["error_code"] for row in self._attempts() if row["error_code"]]
        return codes[-1] if codes else None

    def note(self) -> str:
        """What became of the last attempt."""
        return str(self._attempts()[-1]["outcome"])

    def _attempts(self) -> list[dict[str, Any]]:
        subjects = self._subjects()
        rows = self._where(t.progress, sa.true())
        mine = [row for row in rows if any(part in row["subject"] for part in subjects)]
        return sorted(mine, key=lambda row: row["ended_ms"])

    def _subjects(self) -> set[str]:
        evidence = self.evidence()
        return {self._item["url"], *([evidence["evidence_id"]] if evidence else [])}
