"""A store with rules and the words they rest on, and the stages that judge them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import assay
from assay.app import App, runs
from assay.clock import TurnedClock
from assay.engine.contract import (
    BoundStage,
    Outcome,
    Pipeline,
    QueueLimits,
    Result,
    Stage,
)
from assay.engine.jobs import NewJob
from assay.engine.reader import Reader
from assay.model.facts import CoverageReport, FactEnd
from assay.model.records import IngestCandidate, Record, ScoutResult, Source
from assay.model.rules import (
    Conflict,
    ConflictResolution,
    ConflictSide,
    ReviewDecision,
    Rule,
    RuleEdge,
    SourcePointer,
)
from assay.ruling.arbiter.arbiter import ARBITER, arbiter
from assay.ruling.arbiter.opinions import AskArbiterModel
from assay.ruling.declaration import Facts, load_facts
from assay.ruling.payloads import ReviewJob
from assay.ruling.review.review import REVIEW, review
from assay.ruling.review.service import Reviewer, ReviewService
from assay.ruling.rules.rule_relations import make_conflict_id, make_side
from assay.settings import Settings
from assay.store import audit, truth
from assay.store import tables as t
from assay.store.upserts import upsert_records
from tests.engine.hand import all_rows, drain
from tests.ruling.rule_makers import a_pointer, a_rule

NOON = 1_700_049_600_000
ANA = Reviewer(person="Ana", note="read it")
PACK = load_facts(Path(assay.__file__).parent / "packs" / "regulatory")
PACKS: Mapping[str, Facts] = {"regulatory": PACK}
ENTRY = Stage(
    name="apply",
    version=1,
    payload=ReviewJob,
    queue=QueueLimits(),
    writes=frozenset(
        {Rule, SourcePointer, Conflict, ConflictSide, RuleEdge, IngestCandidate, CoverageReport}
    ),
    next=frozenset({"review"}),
    entry=True,
)


async def _nothing(jobs: Sequence[ReviewJob], read: Reader) -> Sequence[Result]:
    return [Outcome() for _ in jobs]


@dataclass
class Chamber:
    """Review and arbiter at work, on a store that a test fills."""

    app: App
    clock: TurnedClock

    @property
    def service(self) -> ReviewService:
        return ReviewService(self.app.engine, PACKS, self.clock.now_ms())

    def keep(self, *records: Record) -> None:
        with self.app.engine.begin() as connection:
            upsert_records(connection, records)

    def source(self, slug: str, hierarchy: int) -> None:
        self.keep(
            Source(source_slug=slug, name=slug.title(), base_url="http://x.test/",
                   hierarchy=hierarchy)
        )  # fmt: skip

    def rule(self, rule_id: str, value: str = "25", **more: Any) -> str:
        self.keep(a_rule(rule_id, value, **more))
        return rule_id

    def says(
        self,
        document: str,
        words: Mapping[str, str],
        *,
        version: int = 1,
        source: str = "gazette",
        confidence: float = 0.99,
    ) -> None:
        """A version of a document, and which rules it states in which words."""
        evidence = f"ev-{document}-{version}"
        self.keep(
            IngestCandidate(doc_id=document, state="ingested", evidence_id=evidence),
            CoverageReport(evidence_id=evidence, pack="regulatory", artifact_id="ar", sentences=1,
                           relevant=1, covered=1, facts=1, rejected=0, share=1.0,
                           extractor="deterministic@1"),
            *(
                a_pointer(rule_id, document, pointer_id=f"sp-{rule_id}-{evidence}",
                          evidence_id=evidence, quote=quote, source_slug=source,
                          confidence=confidence)
                for rule_id, quote in words.items()
            ),
        )  # fmt: skip

    def stated(self, rule_id: str, value: str = "25", **more: Any) -> str:
        """A rule of tier T0 (or as told) with one sentence of a document of its own."""
        source = more.pop("source", "gazette")
        confidence = more.pop("confidence", 0.99)
        self.rule(rule_id, value, **more)
        self.says(f"d-{rule_id}", {rule_id: f"The rate is {value} %."}, source=source,
                  confidence=confidence)  # fmt: skip
        return rule_id

    def conflict(self, *rule_ids: str, **more: Any) -> str:
        """These rules are sides of the one conflict about their case."""
        rules = [Rule.from_row(self.row(truth.rule, rule_id)) for rule_id in rule_ids]
        told: dict[str, Any] = {"kind": "SOURCE", "sign": "VALUE_MISMATCH", **more}
        first, key = rules[0], make_conflict_id(rules[0])
        assert {make_conflict_id(rule) for rule in rules} == {key}
        self.keep(
            Conflict(conflict_id=key, pack=first.pack, concept=first.concept,
                     value_type=first.value_type, unit=first.unit,
                     applies_when=first.applies_when, **told),
            *(make_side(key, rule.rule_id, rule.effective_until) for rule in rules),
        )  # fmt: skip
        return key

    def review(self, *rule_ids: str) -> None:
        """Let the stages look at the concepts of rules until nothing is left to do."""
        rules = [self.row(truth.rule, rule_id) for rule_id in rule_ids]
        self.look(*(ReviewJob(pack=rule["pack"], concept=rule["concept"]) for rule in rules))

    def look(self, *payloads: ReviewJob) -> None:
        run_id = runs.start_run(self.app)
        jobs = [NewJob("review", payload, run_id) for payload in payloads]
        with self.app.engine.begin() as connection:
            self.app.book.schedule(connection, jobs, self.clock.now_ms())
        drain(self.app)

    def undo_release(self, rule_id: str) -> None:
        """What taking a release back leaves of a rule in it."""
        gone = dict.fromkeys(("approved_by", "approved_ms", "approved_key"))
        with self.app.engine.begin() as connection:
            change = sa.update(truth.rule).where(truth.rule.c.rule_id == rule_id)
            connection.execute(change.values(status="PENDING_REVIEW", **gone))
        undo = ReviewDecision(
            decision_id="rd-undo", subject_kind="rule", subject=rule_id, decision="UNDO",
            person="Ana", at_ms=self.clock.now_ms() + 1,
        )  # fmt: skip
        self.keep(undo)

    def status(self, rule_id: str) -> str:
        return str(self.row(truth.rule, rule_id)["status"])

    def row(self, table: sa.Table, key: str) -> dict[str, Any]:
        column = next(iter(table.primary_key.columns)).name
        (found,) = [row for row in all_rows(self.app, table) if row[column] == key]
        return found

    def rows(self, table: sa.Table) -> list[dict[str, Any]]:
        return all_rows(self.app, table)

    def requests(self, subject: str, state: str | None = "OPEN") -> list[dict[str, Any]]:
        return [
            row
            for row in all_rows(self.app, t.review_request)
            if row["subject"] == subject and state in (None, row["state"])
        ]

    def reasons(self, subject: str) -> list[str]:
        return [row["reason"] for row in self.requests(subject)]

    def actions(self, subject: str) -> list[str]:
        with self.app.engine.connect() as connection:
            return [entry["action"] for entry in audit.read_entries(connection, subject)]

    def audit_is_whole(self) -> bool:
        with self.app.engine.connect() as connection:
            return audit.verify_chain(connection).ok


def opened(
    make_app: Callable[..., App], settings: Settings, ask: AskArbiterModel | None = None
) -> Chamber:
    """A chamber with this model, or with none."""
    clock = TurnedClock(NOON)
    pipeline = Pipeline(
        [
            BoundStage(ENTRY, _nothing),
            BoundStage(REVIEW, review(PACKS)),
            BoundStage(ARBITER, arbiter(PACKS, ask)),
        ],
        given=(Source, ReviewDecision, ConflictResolution, ScoutResult, FactEnd),
    )
    chamber = Chamber(make_app(settings, pipeline=pipeline, clock=clock), clock)
    for slug, rank in (("gazette", 1), ("ministry", 2), ("guide", 3), ("blog", 7)):
        chamber.source(slug, rank)
    return chamber
