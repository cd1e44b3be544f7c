"""Migrations keep what was stored before them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy.exc import DBAPIError

from assay.app import App
from assay.app.installed_packs import load_installed_facts
from assay.model.facts import CandidateFact, CoverageReport
from assay.model.records import (
    Artifact,
    DiscoveredItem,
    Document,
    Evidence,
    IngestCandidate,
    RoutingDecision,
    ScoutResult,
    Source,
)
from assay.model.rules import Concept, Conflict, Rule, SourcePointer
from assay.store import schema, truth
from assay.store import tables as t
from assay.store.record_tables import table_of
from tests.conftest import quick_settings
from tests.engine.hand import all_rows
from tests.engine.workers import MakeApp, work_off
from tests.ready import make_promised_databases
from tests.spine.sites import Watch, Workplace, sitemap, watching
from tests.store.rows import any_row, contents


@pytest.fixture
def of_five(empty: sa.Engine) -> sa.Engine:
    """A store of version 0005 with documents of a source that has a pack, and of one without."""
    with empty.begin() as connection:
        upgrade_to(connection, "0005")
        for slug, pack in (("gazette", "regulatory"), ("blog", "")):
            insert(connection, "sources", {"source_slug": slug, "pack": pack})
            key = {"evidence_id": f"ev_{slug}"}
            insert(connection, "evidence", {**key, "source_slug": slug, "url": slug})
            for table in ("scout_results", "routing_decisions"):
                insert(connection, table, key)
            insert(connection, "coverage_reports", {**key, "pack": "regulatory"})
        for table in ("documents", "discovered_items"):
            insert(connection, table, {})
    return empty


def insert(connection: sa.Connection, name: str, values: Mapping[str, Any]) -> None:
    table = sa.Table(name, sa.MetaData(), autoload_with=connection)
    row = {**_plain(table), **values}
    connection.execute(sa.insert(table).values(row))


def _plain(table: sa.Table) -> dict[str, Any]:
    values: dict[str, Any] = any_row(table)
    for column in table.columns:
        # A reflected column has the database's own name of its type.
        kind = column.type
        if isinstance(kind, sa.Boolean):
            values[column.name] = True
        elif isinstance(kind, sa.Float):
            values[column.name] = 0.5
        elif isinstance(kind, sa.String):
            values[column.name] = column.name
    return values


def test_what_was_judged_before_belongs_to_the_pack_of_its_source(of_five: sa.Engine) -> None:
    schema.migrate(of_five)
    with of_five.connect() as connection:
        sources = {row["source_slug"]: row for row in contents(connection, table_of(Source))}
        assert {slug: row["packs"] for slug, row in sources.items()} == {
            "gazette": ["regulatory"], "blog": [],
        }  # fmt: skip
        assert Source.from_row(sources["gazette"]).hierarchy == 1
        for record in (ScoutResult, RoutingDecision):
            rows = contents(connection, table_of(record))
            packs = {row["evidence_id"]: row["pack"] for row in rows}
            assert packs == {"ev_gazette": "regulatory", "ev_blog": ""}, record
        (scouted, _) = contents(connection, table_of(ScoutResult))
        assert (scouted["doc_type"], scouted["worth_it_score"]) == ("doc_type", 0.5)
        assert len(contents(connection, table_of(CoverageReport))) == 2


def test_documents_have_no_parents_yet(of_five: sa.Engine) -> None:
    schema.migrate(of_five)
    with of_five.connect() as connection:
        for name in ("documents", "discovered_items"):
            parents = connection.execute(sa.text(f"SELECT parent_doc_id FROM {name}")).scalars()
            assert list(parents) == [None]


def test_a_report_of_nothing_to_cover_loses_its_share(empty: sa.Engine) -> None:
    with empty.begin() as connection:
        upgrade_to(connection, "0012")
        for key, relevant in (("ev_full", 2), ("ev_none", 0)):
            told = {"evidence_id": key, "pack": "p", "relevant": relevant, "share": 1.0}
            insert(connection, "coverage_reports", told)
    schema.migrate(empty)
    with empty.connect() as connection:
        rows = contents(connection, table_of(CoverageReport))
    reports = {row["evidence_id"]: CoverageReport.from_row(row) for row in rows}
    assert (reports["ev_full"].share, reports["ev_none"].share) == (1.0, None)
    assert reports["ev_full"].values_total == reports["ev_full"].values_found == 0


def test_tables_that_were_made_anew_are_still_guarded(of_five: sa.Engine) -> None:
    schema.migrate(of_five)
    for record in (ScoutResult, RoutingDecision, CoverageReport):
        with pytest.raises(DBAPIError, match="is refused"), of_five.begin() as connection:
            connection.execute(sa.delete(table_of(record)))


def test_two_packs_may_judge_the_same_evidence(of_five: sa.Engine) -> None:
    schema.migrate(of_five)
    with of_five.begin() as connection:
        for record in (ScoutResult, RoutingDecision, CoverageReport):
            table = table_of(record)
            (first, *_) = contents(connection, table)
            connection.execute(sa.insert(table).values({**first, "pack": "another"}))
            rows = connection.execute(sa.select(table).where(table.c.pack == "another")).all()
            assert len(rows) == 1


ACT = """<html lang="en"><title>{title}</title><body><h1>{title}</h1>
<p>Article 1. This Act lays down the rates and the time limits for paying value added tax.</p>
<p>Article 2. The rate of value added tax shall be {rate} %.</p>
<p>Article 3. Invoices shall be kept for 7 years from the end of the year they relate to.</p>
<p>Article 4. This Act shall enter into force on 1 January 2026.</p></body></html>"""
RENAMED = {"packs": "pack", "relevant": "regulatory"}
RUN = "before-the-upgrade"


@pytest.fixture
def two_acts(tmp_path: Path, make_app: MakeApp, shared_workplace: Workplace) -> Iterator[Watch]:
    """A finished home with two acts that contradict each other."""
    settings = quick_settings(tmp_path / "finished")
    packs = load_installed_facts()
    with watching(make_app, settings, shared_workplace, packs=packs) as watch:
        watch.endpoint(hierarchy=1)
        watch.show("/sitemap.xml", sitemap("/a.html", "/b.html"))
        for name, rate in (("a", 25), ("b", 24)):
            watch.show(f"/{name}.html", ACT.format(title=f"Act {name} on VAT", rate=rate).encode())
        watch.run()
        yield watch


@pytest.fixture
def upgraded(two_acts: Watch, store_url: str) -> Iterator[App]:
    """The same home with a store of version 0005, in which extraction, review and arbiter wait."""
    make_promised_databases()
    settings = two_acts.app.settings.model_copy(update={"database_url": store_url})
    with App(settings) as app:
        app.queues.migrate()
        with app.engine.begin() as connection:
            upgrade_to(connection, "0005")
            rewind(two_acts.app, connection)
            queue_old_jobs(app, connection)
        yield app


def upgrade_to(connection: sa.Connection, version: str) -> None:
    connection.exec_driver_sql("SELECT 1")
    folder = schema.core_migrations_folder()
    command.upgrade(schema.build_branch_config(connection, schema.CORE, folder), version)
    if version < "0007":
        # So the column was called in homes that were made before it was renamed.
        connection.exec_driver_sql(
            "ALTER TABLE coverage_reports RENAME COLUMN relevant TO regulatory"
        )


def rewind(finished: App, connection: sa.Connection) -> None:
    """Copy what is stored, as if the last steps were still to come and in the old columns."""
    for record in (
        Source, Evidence, Artifact, Document, IngestCandidate, DiscoveredItem, ScoutResult,
        CandidateFact, Rule, SourcePointer, Concept, Conflict,
    ):  # fmt: skip
        table = sa.Table(table_of(record).name, sa.MetaData(), autoload_with=connection)
        for row in all_rows(finished, table_of(record)):
            row = {RENAMED.get(name, name): value for name, value in row.items()}
            if record is Source:
                row["pack"] = row["pack"][0]
            elif record is Rule:
                row |= {"status": "DRAFT", "status_reason": ""}
            elif record is Conflict:
                row |= {"state": "OPEN", "resolution": None, "recommendation": None}
                sides = sorted(side["rule_id"] for side in all_rows(finished, truth.conflict_side))
                row |= dict(zip(("rule_a", "rule_b"), sides, strict=True))
            given = {name: row[name] for name in table.columns.keys() & row.keys()}
            connection.execute(sa.insert(table).values(given))


def queue_old_jobs(app: App, connection: sa.Connection) -> None:
    """Extraction of both acts, a look at each of two rates, a dead one at a period, and one at
    the conflict: as version 0005 recorded them."""
    insert(connection, "runs", {"run_id": RUN, "state": "open", "ended_ms": None})
    evidence = read(connection, "SELECT evidence_id FROM evidence ORDER BY evidence_id")
    rates = read(connection, "SELECT rule_id FROM rules WHERE concept = 'pdv.rate'")
    (period,) = read(connection, "SELECT rule_id FROM rules WHERE concept LIKE '%retention%'")
    (conflict,) = read(connection, "SELECT conflict_id FROM conflicts")
    (source,) = read(connection, "SELECT source_slug FROM sources")
    for key in evidence:
        told = {"evidence_id": key, "source": source, "original": None, "visit": 0}
        add_old_job(app, connection, "extract", key, {**told, "provider": None})
    for key in (*rates, period):
        told = {"rule_id": key, "cause": "ev", "source": source, "look": 0}
        state = "dead" if key == period else "queued"
        add_old_job(app, connection, "review", f"{key}<ev", told, state)
    told = {"conflict_id": conflict, "cause": "", "source": source}
    add_old_job(app, connection, "arbiter", conflict, told)


def add_old_job(
    app: App, connection: sa.Connection, stage: str, subject: str, payload: dict[str, Any],
    state: str = "queued",
) -> None:  # fmt: skip
    batch = f"{stage}:{subject}"
    values: dict[str, Any] = {
        "job_id": f"{stage}.1:{subject}", "stage": stage, "run_id": RUN,
        "source_slug": payload["source"], "payload": payload,
    }  # fmt: skip
    told = {"subject": subject, "batch_id": batch, "state": state, "priority": 100, "attempt": 1}
    rest = dict.fromkeys(("not_before_ms", "ended_ms"))
    insert(connection, "jobs", {**values, **told, **rest})
    if state == "queued":
        app.queues.enqueue(connection, batch, stage, 100, 0.0)
    else:
        insert(connection, "dead_letters", values)


def read(connection: sa.Connection, query: str) -> list[str]:
    return list(connection.execute(sa.text(query)).scalars())


def test_jobs_that_waited_before_an_upgrade_are_done_after_it(upgraded: App) -> None:
    upgraded.migrate()
    waiting = Counter(row["stage"] for row in all_rows(upgraded, t.job) if row["state"] == "queued")
    assert waiting == {"extract": 2, "review": 2, "arbiter": 1, "apply": 1}
    assert all_rows(upgraded, t.dead_letter) == []
    (upgrade,) = {row["run_id"] for row in all_rows(upgraded, t.job)} - {RUN}
    for run in (RUN, upgrade):
        work_off(upgraded, run=run)
    jobs = all_rows(upgraded, t.job)
    assert {row["state"] for row in jobs} == {"done", "cancelled", "discarded"}
    replaced = [row for row in jobs if row["state"] != "done"]
    assert len(replaced) == 6
    assert all(row["error_message"].startswith("An upgrade replaced it by") for row in replaced)
    reports = all_rows(upgraded, table_of(CoverageReport))
    assert [(row["pack"], row["facts"] > 0) for row in reports] == 2 * [("regulatory", True)]
    assert "DRAFT" not in {row["status"] for row in all_rows(upgraded, table_of(Rule))}
    (conflict,) = all_rows(upgraded, table_of(Conflict))
    assert conflict["state"] != "OPEN"


def test_an_upgrade_queues_no_job_twice(upgraded: App) -> None:
    upgraded.migrate()
    before = all_rows(upgraded, t.job)
    upgraded.migrate()
    assert all_rows(upgraded, t.job) == before
    with upgraded.engine.connect() as connection:
        states = dict(upgraded.queues.read_open_job_states(connection, t.job))
    assert set(states.values()) == {"live"}


@pytest.fixture
def of_eight(empty: sa.Engine) -> sa.Engine:
    """A store of version 0008 with jobs of before; some of their work is known by newer jobs."""
    with empty.begin() as connection:
        upgrade_to(connection, "0008")
        for slug, packs in (("gazette", ["regulatory", "ferries"]), ("blog", [])):
            insert(connection, "sources", {"source_slug": slug, "packs": packs})
            for state in ("queued", "dead"):
                insert_job(connection, "extract", f"{slug}-{state}", state, source=slug)
        insert(connection, "rules", {"rule_id": "r1", "pack": "regulatory", "concept": "pdv.rate"})
        insert_job(connection, "review", "r1<ev", "queued", rule_id="r1")
        insert_job(connection, "review", "r2<ev", "queued", rule_id="r2")
        new = {"pack": "regulatory", "concept": "pdv.rate"}
        insert_job(connection, "review", "regulatory/pdv.rate", "queued", key="k", **new)
        insert_job(connection, "review", "regulatory/pdv.base", "dead", **new)
    return empty


def insert_job(
    connection: sa.Connection, stage: str, subject: str, state: str, key: str | None = None,
    **payload: str,
) -> None:  # fmt: skip
    values = {"job_id": f"{stage}.1:{subject}", "stage": stage, "payload": payload}
    row = {**values, "subject": subject, "state": state, "waiting_key": key}
    insert(connection, "jobs", {**row, "source_slug": payload.get("source")})
    if state == "dead":
        insert(connection, "dead_letters", values)


def test_an_upgrade_makes_an_extraction_for_each_pack_of_the_source(of_eight: sa.Engine) -> None:
    schema.migrate(of_eight)
    with of_eight.connect() as connection:
        jobs = {row["subject"]: row for row in contents(connection, t.job)}
        letters = {row["job_id"]: row["payload"] for row in contents(connection, t.dead_letter)}
    for pack in ("regulatory", "ferries"):
        new = jobs[f"gazette-queued/{pack}"]
        assert new["job_id"] == f"extract.1:gazette-queued/{pack}"
        assert (new["state"], new["batch_id"]) == ("queued", jobs["gazette-queued"]["batch_id"])
        assert new["payload"] == {"source": "gazette", "pack": pack}
    assert jobs["gazette-queued"]["state"] == jobs["blog-queued"]["state"] == "cancelled"
    assert jobs["blog-queued"]["error_message"] == "Its source has no pack."
    assert jobs["gazette-dead"]["state"] == "dead"
    assert jobs["gazette-dead"]["payload"] == letters["extract.1:gazette-dead"]
    assert jobs["gazette-dead"]["payload"] == {"source": "gazette", "pack": "regulatory"}


def test_an_upgrade_leaves_new_jobs_and_unknown_subjects_alone(of_eight: sa.Engine) -> None:
    schema.migrate(of_eight)
    with of_eight.connect() as connection:
        jobs = [row for row in contents(connection, t.job) if row["stage"] == "review"]
    assert {row["job_id"]: row["state"] for row in jobs} == {
        "review.1:r1<ev": "cancelled",
        "review.1:r2<ev": "queued",
        "review.1:regulatory/pdv.rate": "queued",
        "review.1:regulatory/pdv.base": "dead",
    }
