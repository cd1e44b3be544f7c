"""Documents that state facts, put straight into a store, and the stages from compose on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import assay
from assay.app import App, runs
from assay.clock import TurnedClock
from assay.engine.contract import BoundStage, Pipeline, StageFunction
from assay.engine.jobs import NewJob
from assay.engine.loop import LoopThread
from assay.model.facts import CandidateFact, CoverageReport, FactEnd
from assay.model.ids import derive_id
from assay.model.records import Evidence, IngestCandidate, ScoutResult, Source
from assay.model.rules import ReviewDecision
from assay.ruling.arbiter.arbiter import ARBITER, arbiter
from assay.ruling.declaration import Facts, load_facts
from assay.ruling.payloads import ComposeJob
from assay.ruling.review.review import REVIEW, review
from assay.ruling.rules.apply import APPLY, apply
from assay.ruling.rules.compose import COMPOSE, compose
from assay.settings import Settings
from assay.store.dump import dump_canonical
from assay.store.upserts import upsert_records
from tests.engine.hand import all_rows, open_batches
from tests.ruling.rule_makers import a_fact

PACK = load_facts(Path(assay.__file__).parent / "packs" / "regulatory")
PACKS: Mapping[str, Facts] = {"regulatory": PACK}
RANKS = {"gazette": 1, "ministry": 2, "guide": 3, "blog": 7}


@dataclass(frozen=True)
class Says:
    """One version of a document, and what it states."""

    document: str
    facts: tuple[dict[str, Any], ...]
    source: str = "gazette"

    @property
    def evidence_id(self) -> str:
        return derive_id("ev", self.document, repr(self.facts))


def rate(value: str, day: str | None = None, **more: Any) -> dict[str, Any]:
    return {"value": value, "effective_from": day, **more}


@dataclass
class Bench:
    """The stages from compose on, batch by batch."""

    app: App
    loop: LoopThread
    run_id: str = ""
    visits: dict[str, int] = field(default_factory=dict)

    def say(self, *told: Says) -> None:
        """The documents as they are now; their facts wait to be composed."""
        self.run_id = self.run_id or runs.start_run(self.app)
        jobs = []
        with self.app.engine.begin() as connection:
            for entry in told:
                upsert_records(connection, _records(entry))
                visit = self.visits.get(entry.evidence_id, -1) + 1
                self.visits[entry.evidence_id] = visit
                payload = ComposeJob(
                    evidence_id=entry.evidence_id, source=entry.source, visit=visit
                )
                jobs.append(NewJob("compose", payload, self.run_id))
            self.app.book.schedule(connection, jobs, self.app.clock.now_ms())

    def drain(self, order: int = 1) -> None:
        runner = self.app.make_runner(self.app.make_committer(), self.loop)
        for _ in range(200):
            if not (batches := open_batches(self.app)):
                return
            for batch, stage in batches[::order]:
                runner.run(batch, stage)
        raise AssertionError("there is always another batch")

    def round(self, order: int = 1) -> None:
        """Only what waits now, not what follows from it."""
        runner = self.app.make_runner(self.app.make_committer(), self.loop)
        for batch, stage in open_batches(self.app)[::order]:
            runner.run(batch, stage)

    def rows(self, table: sa.Table, **equal: Any) -> list[dict[str, Any]]:
        found = all_rows(self.app, table)
        return [row for row in found if all(row[k] == v for k, v in equal.items())]

    def dump(self) -> bytes:
        with self.app.engine.connect() as connection:
            return b"".join(dump_canonical(connection))


def opened(
    make_app: Callable[..., App],
    settings: Settings,
    loop: LoopThread,
    apply_with: StageFunction | None = None,
) -> Bench:
    pipeline = Pipeline(
        [
            BoundStage(replace(COMPOSE, entry=True), compose(PACKS)),
            BoundStage(APPLY, apply_with or apply(PACKS)),
            BoundStage(REVIEW, review(PACKS)),
            BoundStage(ARBITER, arbiter(PACKS)),
        ],
        given=(
            Source,
            ReviewDecision,
            Evidence,
            IngestCandidate,
            CandidateFact,
            CoverageReport,
            FactEnd,
            ScoutResult,
        ),
    )
    app = make_app(settings, pipeline=pipeline, clock=TurnedClock())
    with app.engine.begin() as connection:
        upsert_records(
            connection,
            [
                Source(source_slug=slug, name=slug, base_url="http://x.test/", packs=["regulatory"],
                       hierarchy=rank)
                for slug, rank in RANKS.items()
            ],
        )  # fmt: skip
    return Bench(app, loop)


def _records(told: Says) -> Sequence[Any]:
    evidence, document = told.evidence_id, told.document
    facts = [
        a_fact(
            derive_id("fa", evidence, str(number)),
            **{
                "evidence_id": evidence,
                "artifact_id": f"ar-{evidence}",
                "doc_id": document,
                "source_slug": told.source,
                "start": 100 * number,
                "end": 100 * number + 30,
                "quote": f"{document} says {number}: {sorted(fact.items(), key=str)}",
                "confidence": 0.9,
                **fact,
            },
        )
        for number, fact in enumerate(told.facts)
    ]
    report = CoverageReport(
        evidence_id=evidence, pack="regulatory", artifact_id=f"ar-{evidence}", sentences=9,
        relevant=9, covered=len(facts), facts=len(facts), rejected=0, share=1.0,
        extractor="deterministic@1",
    )  # fmt: skip
    stored = Evidence(
        evidence_id=evidence, url=f"http://x.test/{document}", content_hash=evidence,
        doc_id=document, source_slug=told.source, content_type="text/html", size=1, run_id="r",
    )  # fmt: skip
    candidate = IngestCandidate(doc_id=document, state="ingested", evidence_id=evidence)
    return [stored, candidate, report, *facts]
