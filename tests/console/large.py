"""A large store: what an installation has after years, written in bulk within a minute.

As a program, it fills a home that 'assay init' made, or one that it makes itself:

    python -m tests.console.large /tmp/large-home
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from assay.app import App
from assay.app.composition import init_home
from assay.model.bookkeeping import SourceHealth
from assay.model.content import ContentClass
from assay.model.facts import CandidateFact, CoverageReport
from assay.model.hashes import canonical_json, content_hash
from assay.model.ids import derive_id, derive_item_id, doc_id_of_url
from assay.model.records import (
    DiscoveredItem,
    Document,
    Endpoint,
    Evidence,
    IngestCandidate,
    Record,
    ReviewRequest,
    RoutingDecision,
    ScoutResult,
    Source,
)
from assay.model.rules import Concept, Conflict, ConflictSide, Release, ReleasedRule, Rule
from assay.model.rules import SourcePointer as Pointer
from assay.packs.civic.records import AgendaItem, Appearance, City, Matter, Meeting
from assay.spine.texts import build_stored_text
from assay.store import spending, tables
from assay.store.bulk import insert_rows
from assay.store.upserts import upsert_records
from tests.conftest import quick_settings
from tests.console import large_work as work
from tests.console.large_plan import DAY_MS, HOUR_MS, SENTENCES, StorePlan, StoreSize
from tests.ruling.published import line, manifest

T = TypeVar("T")
_AT_ONCE = 20_000
_ALWAYS = '{"op":"true"}'
_STREETS = ("Quay Street", "Mill Lane", "Harbour Road", "Station Square", "Old Market")
_BODIES = ("Town Council", "Planning Board", "Finance Committee", "School Board")


def fill_store(app: App, size: StoreSize | None = None) -> None:
    """Write a store of this size into an empty one; the present is the app's clock."""
    _Writing(app, StorePlan(app, size or StoreSize())).write_everything()


class _Writing:
    """Writes what a plan says, table by table."""

    def __init__(self, app: App, plan: StorePlan) -> None:
        self.app, self.plan = app, plan
        self.size, self.now_ms = plan.size, plan.now_ms

    def write_everything(self) -> None:
        self._insert(tables.run, self._list_runs())
        for records in (
            self._list_sources(),
            self._list_documents(),
            self._list_facts(),
            self._list_rules(),
            self._list_questions(),
            self._list_conflicts(),
            self._list_releases(),
            self._list_meetings(),
        ):
            self._store(records)
        self._insert(tables.job, work.list_jobs(self.plan))
        self._insert(tables.progress, work.list_attempts(self.plan))
        self._insert(tables.dead_letter, work.list_dead_letters(self.plan))
        self._insert(tables.event, work.list_events(self.plan))
        calls = list(work.list_calls(self.plan))
        self._insert(spending.call, calls)
        self._insert(spending.meter, work.list_meters(calls))
        self._insert(tables.worker, work.list_workers(self.plan))
        with self.app.engine.begin() as connection:
            connection.execute(sa.text("ANALYZE"))

    def _store(self, records: Iterator[Record]) -> None:
        for some in _split(records):
            with self.app.engine.begin() as connection:
                upsert_records(connection, some)

    def _insert(self, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
        blank = {column.name: None for column in table.columns}
        for some in _split(rows):
            with self.app.engine.begin() as connection:
                insert_rows(connection, table, [{**blank, **row} for row in some])

    def _list_runs(self) -> Iterator[dict[str, Any]]:
        last = len(self.plan.run_ids) - 1
        for number, run_id in enumerate(self.plan.run_ids):
            started_ms = self.now_ms - (len(self.plan.run_ids) - number) * HOUR_MS * 6
            folder = self.app.folders.reserve(run_id)
            is_open = number == last
            if not is_open:
                (folder / "run.json").write_bytes(canonical_json({"run_id": run_id}) + b"\n")
            yield {
                "run_id": run_id,
                "label": "scheduled" if number % 5 else "manual",
                "params": {"sources": [self.plan.slug(number)]} if number % 7 == 0 else {},
                "state": "open" if is_open else "sealed",
                "started_ms": started_ms,
                "ended_ms": None if is_open else started_ms + HOUR_MS // 3,
            }

    def _list_sources(self) -> Iterator[Record]:
        today = self.now_ms // DAY_MS
        for number, slug in enumerate(self.plan.slugs):
            site = f"https://{slug}.example/"
            yield Source(
                source_slug=slug,
                name=f"Official gazette {number}",
                base_url=site,
                packs=["regulatory"],
                hierarchy=number % 7 + 1,
                active=number % 13 != 12,
            )
            is_failing = number % 11 == 5
            yield Endpoint(
                endpoint_id=f"{slug}/feed",
                source_slug=slug,
                url=f"{site}feed.xml",
                strategy="RSS_FEED",
                frequency="DAILY",
                consecutive_errors=5 if is_failing else 0,
                last_error="https://… answered 503. Try again later." if is_failing else None,
                last_content_hash="1" * 64,
                last_scraped_ms=self.now_ms - number * HOUR_MS,
                next_due_ms=self.now_ms + number * HOUR_MS,
                item_count=20 + number,
                expected_yield={"min_items": 10},
                yield_state={
                    "counts": [20 + number + day % 4 for day in range(20)],
                    "new_by_day": [[today - day, (day + number) % 6] for day in range(90, -1, -2)],
                    "low_looks": 0,
                },
                alarm="yielded 4 items; at least 10 are expected" if number % 17 == 9 else None,
            )
            yield SourceHealth(
                source_slug=slug,
                window_start_ms=self.now_ms - 3 * DAY_MS,
                total_attempts=200,
                success_count=180 - number,
                empty_count=number,
                error_count=20,
                health_score=max(0.1, 0.95 - number / 80),
                is_paused=number == 3,
                paused_ms=self.now_ms - HOUR_MS if number == 3 else None,
                pause_reason="The site is being rebuilt." if number == 3 else None,
                updated_ms=self.now_ms,
            )

    def _list_documents(self) -> Iterator[Record]:
        for text in self.plan.texts:
            for data in (text.packed.text, text.packed.map):
                self.app.blobs.put(data)
        for number in range(self.size.documents):
            yield from self._build_document(number)

    def _build_document(self, number: int) -> Iterator[Record]:
        slug, url = self.plan.slug(number), self.plan.url(number)
        at_ms = self.plan.ago(number, self.size.documents)
        text, evidence_id = self.plan.text(number), self.plan.evidence(number)
        doc_id = doc_id_of_url(url)
        stored = build_stored_text(evidence_id, text.packed, at_ms)
        endpoint_id = f"{slug}/feed"
        is_blocked = number % 40 == 7
        run_id = self.plan.run_ids[number % len(self.plan.run_ids)]
        yield Document(
            doc_id=doc_id,
            source_slug=slug,
            url=url,
            title=f"Ordinance {number} on local taxes and fees",
            first_seen_ms=at_ms,
        )
        yield DiscoveredItem(
            item_id=derive_item_id(endpoint_id, url),
            endpoint_id=endpoint_id,
            source_slug=slug,
            url=url,
            doc_id=doc_id,
            first_seen_ms=at_ms,
            last_seen_ms=self.now_ms,
            run_id=run_id,
        )
        yield Evidence(
            evidence_id=evidence_id,
            url=url,
            content_hash=content_hash(text.packed.text),
            doc_id=doc_id,
            source_slug=slug,
            content_type="text/html; charset=utf-8",
            content_class=ContentClass.HTML.value,
            size=len(text.packed.text) + 400,
            primary_text_artifact_id=stored.artifact_id,
            fetched_ms=at_ms,
            run_id=run_id,
        )
        yield from stored.records
        yield IngestCandidate(
            doc_id=doc_id,
            state="blocked" if is_blocked else "ingested",
            evidence_id=evidence_id,
            next_retry_unix=self.now_ms // 1000 + 3600 if is_blocked else None,
            event_count=2,
            updated_ms=at_ms,
        )
        yield ScoutResult(
            evidence_id=evidence_id,
            pack="regulatory",
            worth_it_score=0.9,
            doc_type="REGULATION",
            content_length=text.packed.length,
            language="en",
            boilerplate_ratio=0.1,
            estimated_tokens=900,
        )
        yield RoutingDecision(
            evidence_id=evidence_id,
            pack="regulatory",
            decision="EXTRACT_LOCAL",
            reason="score 0.90 reaches 0.40",
            worth_it_score=0.9,
            threshold=0.4,
            denial="GLOBAL_DAILY_CAP_EXCEEDED" if is_blocked else None,
        )
        yield CoverageReport(
            evidence_id=evidence_id,
            pack="regulatory",
            artifact_id=stored.artifact_id,
            sentences=SENTENCES,
            relevant=SENTENCES,
            covered=SENTENCES // 2,
            facts=self.size.facts // self.size.documents,
            rejected=0,
            share=0.5,
            extractor="deterministic@2",
            created_ms=at_ms,
        )

    def _list_facts(self) -> Iterator[Record]:
        for number in range(self.size.facts):
            yield CandidateFact(
                fact_id=f"fa_{number:024x}",
                pack="regulatory",
                domain="local",
                concept=self.plan.concept(number % self.size.rules),
                subject="local_tax",
                predicate="rate",
                value=str(number % 90 + 1),
                value_type="percentage",
                unit="%",
                effective_from="2025-01-01",
                applies_when=_ALWAYS,
                extractor="deterministic@2",
                **self.plan.place(number),
            )

    def _list_rules(self) -> Iterator[Record]:
        for number in range(self.size.rules):
            tier, status = f"T{number % 4}", self.status(number)
            if number % 3 == 0:
                yield Concept(
                    concept=self.plan.concept(number),
                    pack="regulatory",
                    domain="local",
                    subject="local_tax",
                    predicate="rate",
                    tier=tier,
                    label=f"local tax {number // 3}: rate",
                )
            is_approved = status in ("APPROVED", "PUBLISHED")
            yield Rule(
                rule_id=f"rl_{number:024x}",
                pack="regulatory",
                concept=self.plan.concept(number),
                domain="local",
                tier=tier,
                value=str(number % 90 + 1),
                value_type="percentage",
                unit="%",
                effective_from=f"{2020 + number % 6}-01-01",
                applies_when=_ALWAYS,
                status=status,
                confidence=0.9,
                approved_by="ana" if is_approved else None,
                approved_ms=self.now_ms - DAY_MS if is_approved else None,
                created_ms=self.plan.ago(number, self.size.rules),
            )
            for each in range(2):
                fact = number + each * self.size.rules
                yield Pointer(
                    pointer_id=f"sp_{number:020x}{each:04x}",
                    rule_id=f"rl_{number:024x}",
                    fact_id=f"fa_{fact % self.size.facts:024x}",
                    **self.plan.place(fact),
                )

    def status(self, rule: int) -> str:
        if rule < self.size.released:
            return "PUBLISHED"
        if rule < self.size.released + self.size.questions:
            return "PENDING_REVIEW"
        return ("APPROVED", "DRAFT", "REJECTED", "DEPRECATED")[rule % 4]

    def _list_questions(self) -> Iterator[Record]:
        for number in range(self.size.questions * 2):
            is_open = number < self.size.questions
            rule = self.size.released + number % self.size.questions
            tier = f"T{rule % 4}"
            yield ReviewRequest(
                request_id=f"rq_{number:024x}",
                reason=f"TIER_{tier}" if tier in ("T0", "T1") else "LOW_CONFIDENCE",
                subject_kind="rule",
                subject=f"rl_{rule % self.size.rules:024x}",
                source_slug=self.plan.slug(number),
                question=f"Does this hold? {tier}: only a person may approve it. "
                f"local tax {rule}: rate is {rule % 90 + 1} %.",
                state="OPEN" if is_open else "ANSWERED",
                answer=None if is_open else "APPROVE",
                answered_by=None if is_open else "ana",
                answered_ms=None if is_open else self.now_ms - DAY_MS,
                created_ms=self.now_ms - number * 600_000,
                deadline_ms=self.now_ms + (number - self.size.questions // 10) * 600_000,
            )

    def _list_conflicts(self) -> Iterator[Record]:
        for number in range(self.size.conflicts):
            rules = [f"rl_{(number * 3 + side) % self.size.rules:024x}" for side in range(2)]
            conflict_id = f"cf_{number:024x}"
            yield Conflict(
                conflict_id=conflict_id,
                pack="regulatory",
                concept=self.plan.concept(number * 3),
                value_type="percentage",
                unit="%",
                applies_when=_ALWAYS,
                kind="SOURCE",
                sign="VALUE_MISMATCH",
                state="ESCALATED" if number % 2 else "RESOLVED",
                resolution=None if number % 2 else "RULE_PREVAILS",
                winner=None if number % 2 else rules[0],
                ground=None if number % 2 else "person",
                confidence=0.8,
                recommendation=rules[0],
                created_ms=self.plan.ago(number, self.size.conflicts),
            )
            for rule_id in rules:
                yield ConflictSide(
                    side_id=derive_id("cs", conflict_id, rule_id),
                    conflict_id=conflict_id,
                    rule_id=rule_id,
                )

    def _list_releases(self) -> Iterator[Record]:
        released = range(self.size.released)
        for number in (1, 2):
            some = released[: len(released) // 2] if number == 1 else released
            lines = [
                line(
                    f"rl_{rule:024x}", str(rule % 90 + 1), concept=self.plan.concept(rule),
                    label=f"local tax {rule // 3}: rate", domain="local", tier=f"T{rule % 4}",
                    effective_from=f"{2020 + rule % 6}-01-01",
                )
                for rule in some
            ]  # fmt: skip
            data = manifest(*lines, version=f"{number}.0.0")
            self.app.blobs.put(data)
            release_id = f"re_regulatory_{number}"
            yield Release(
                release_id=release_id,
                pack="regulatory",
                version=f"{number}.0.0",
                number=number,
                previous=None if number == 1 else "re_regulatory_1",
                manifest_hash=content_hash(data),
                content_hash="2" * 64,
                rule_count=len(lines),
                released_by="ana",
                created_ms=self.now_ms - (3 - number) * DAY_MS,
            )
            for rule in some:
                yield ReleasedRule(
                    release_id=release_id,
                    rule_id=f"rl_{rule:024x}",
                    concept=self.plan.concept(rule),
                )

    def _list_meetings(self) -> Iterator[Record]:
        cities = [f"town{number}VD" for number in range(5)]
        for number, banana in enumerate(cities):
            yield City(
                banana=banana, name=f"Town {number}", state="VD", vendor="primegov",
                site=f"https://{banana}.example", timezone="Europe/Zagreb",
            )  # fmt: skip
        for number in range(self.size.meetings):
            banana = cities[number % len(cities)]
            at_ms = self.plan.ago(number, self.size.meetings, 700) + 60 * DAY_MS
            meeting_id = f"{banana}_{number:06}"
            document = number % self.size.documents
            place: dict[str, Any] = {"evidence_id": self.plan.evidence(document), "banana": banana}
            starts = time.strftime("%Y-%m-%dT19:00", time.gmtime(at_ms / 1000))
            yield Meeting(
                meeting_id=meeting_id,
                vendor_id=str(number),
                doc_id=doc_id_of_url(self.plan.url(document)),
                title=_BODIES[number % len(_BODIES)],
                starts=starts,
                starts_utc=starts[:11] + "18:00Z",
                recorded_ms=min(at_ms, self.now_ms),
                **place,
            )
            for each in range(4):
                # A matter comes before three meetings of its city.
                subject = number // (len(cities) * 3) * 4 + each
                matter_id = f"{banana}_m{subject:05}"
                item_id = f"{meeting_id}_{each}"
                title = f"Ordinance {subject} limiting the speed on {_STREETS[subject % 5]}"
                yield Matter(
                    matter_id=matter_id, banana=banana, title=title, matter_file=f"26-{subject:05}"
                )
                yield AgendaItem(
                    item_id=item_id,
                    meeting_id=meeting_id,
                    sequence=each + 1,
                    title=title,
                    matter_id=matter_id,
                    **place,
                )
                yield Appearance(matter_id=matter_id, item_id=item_id, meeting_id=meeting_id)


def _split(values: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(values)
    while some := list(islice(remaining, _AT_ONCE)):
        yield some


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill a home, and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    home = parser.parse_args(arguments).home
    settings = quick_settings(home)
    init_home(settings)
    with App(settings) as app:
        app.migrate()
        began = time.monotonic()
        fill_store(app)
        sys.stdout.write(f"{home}: written in {time.monotonic() - began:.0f} s\n")


if __name__ == "__main__":
    main()
