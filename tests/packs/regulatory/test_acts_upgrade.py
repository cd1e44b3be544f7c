"""A home from before acts were known: what it stores is read as law once, and renamed."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from assay.model.facts import CandidateFact, CoverageReport
from assay.model.rules import Rule, SourcePointer
from assay.packs.regulatory import pack
from assay.packs.regulatory.records import ActAmendment, ActText
from assay.ruling.rules.composition import make_pointer, make_rule_id
from assay.settings import Settings
from assay.store import guards
from assay.store import tables as t
from assay.store.record_tables import table_of
from tests.engine.workers import MakeApp
from tests.packs.regulatory.test_amended_law import ACT, CHANGE, RATE, ends, publish
from tests.spine.sites import Watch, Workplace, watching

OLD = "turisticka_pristojba.rate"
AMENDED = ("5", "2026-07-01", "", True)


@pytest.fixture
def watch(make_app: MakeApp, settings: Settings, shared_workplace: Workplace) -> Iterator[Watch]:
    packs: dict[str, Any] = {"regulatory": pack()}
    with watching(make_app, settings, shared_workplace, packs=packs) as made:
        made.app.tools = made.tools
        made.endpoint(hierarchy=1)
        yield made


def rewind(watch: Watch) -> str:
    """Take away what the pack stores of acts, and let facts have the names of before."""
    with watch.app.engine.begin() as connection:
        guards.lift_guards(connection)
        for name in (
            "law_texts",
            "law_amendments",
            "law_amending_acts",
            "law_answers",
            "law_states",
            "assay_schema_regulatory",
        ):
            connection.execute(sa.text(f"DROP TABLE {name}"))
        read = t.job.c.stage.in_(("law_act", "law_statute", "extract", "compose"))
        connection.execute(sa.delete(t.job).where(read))
        connection.execute(sa.update(table_of(CandidateFact)).values(extractor="deterministic@1"))
    (row,) = [row for row in watch.rows(table_of(CandidateFact)) if row["value"] == "5"]
    renamed = CandidateFact(**{**row, "fact_id": "fa_old", "concept": OLD})
    rule_id = make_rule_id(renamed)
    (known,) = watch.rows(table_of(Rule), concept=row["concept"], value="5")
    rule = Rule(**{**known, "rule_id": rule_id, "concept": OLD, "status": "PENDING_REVIEW"})
    watch.store(renamed, rule, make_pointer(rule_id, renamed))
    return rule_id


def test_stored_documents_are_read_as_law_after_an_upgrade(watch: Watch) -> None:
    act, change = ("/act.html", ACT), ("/change.html", CHANGE.format(what=RATE))
    publish(watch, act)
    old = rewind(watch)
    watch.app.migrate()
    (job,) = [row for row in watch.rows(t.job) if row["state"] == "queued"]
    assert (job["stage"], job["payload"]["provider"]) == ("law_act", None)
    (run,) = watch.rows(t.run, run_id=job["run_id"])
    assert run["label"] == "upgrade" and watch.app.folders.path(run["run_id"]).is_dir()
    watch.drain()
    assert watch.dead() == []
    assert len(watch.rows(table_of(ActText))) == 1
    status = {row["rule_id"]: row["status"] for row in watch.rows(table_of(Rule))}
    assert status.pop(old) == "DEPRECATED"
    assert "DEPRECATED" not in status.values()
    (report,) = watch.rows(table_of(CoverageReport))
    assert report["outdated"] == ["fa_old"]
    # The act is known to the amendment that comes next.
    publish(watch, act, change)
    assert len(watch.rows(table_of(ActAmendment))) == 1
    assert AMENDED in ends(watch)


def test_a_home_without_documents_queues_nothing(watch: Watch) -> None:
    assert watch.rows(t.job) == watch.rows(t.run) == []


def test_other_packs_and_skipped_documents_are_left_alone(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT))
    rewind(watch)
    with watch.app.engine.begin() as connection:
        connection.execute(sa.update(t.routing_decision).values(decision="SKIP"))
    watch.app.migrate()
    assert [row for row in watch.rows(t.job) if row["state"] == "queued"] == []
    assert len(watch.rows(table_of(SourcePointer))) > 0
