"""Compose: facts by concept, proposed and not written."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from assay.engine.contract import Outcome
from assay.model.facts import CandidateFact
from assay.model.records import Evidence, Record
from assay.model.rules import Rule, SourcePointer
from assay.ruling.payloads import ApplyJob, ComposeJob
from assay.ruling.rules.compose import COMPOSE, compose
from assay.ruling.rules.composition import make_rule_id
from tests.ruling.rule_makers import a_fact, a_pointer, a_rule
from tests.ruling.statements import PACK

PACKS = {"regulatory": PACK, "other": replace(PACK, name="other")}
EVIDENCE = Evidence(
    evidence_id="ev1", url="http://x.test/", content_hash="h", doc_id="d1", source_slug="gazette",
    content_type="text/html", size=1,
)  # fmt: skip


class Shelf:
    """A reader of records that a test lays out."""

    def __init__(self, *records: Record) -> None:
        self.records = [EVIDENCE, *records]
        self.read: set[type[Record]] = set()

    async def find_where(
        self, record: type[Record], column: str, values: Iterable[Any]
    ) -> list[Any]:
        self.read.add(record)
        wanted = set(values)
        return [r for r in self.records if type(r) is record and getattr(r, column) in wanted]

    async def get_many(self, record: type[Record], keys: Iterable[str]) -> dict[str, Any]:
        column = {Evidence: "evidence_id", Rule: "rule_id"}[record]
        return {getattr(r, column): r for r in await self.find_where(record, column, keys)}


def proposed(*records: Record, **told: Any) -> list[ApplyJob]:
    job = ComposeJob(evidence_id="ev1", source="gazette", **told)
    shelf = Shelf(*records)
    (outcome,) = asyncio.run(_composed([job], shelf))
    assert isinstance(outcome, Outcome)
    assert outcome == Outcome(next=outcome.next, note=outcome.note)
    assert shelf.read <= COMPOSE.reads
    return [wanted.payload for wanted in outcome.next if isinstance(wanted.payload, ApplyJob)]


async def _composed(jobs: Sequence[ComposeJob], shelf: Shelf) -> Sequence[Any]:
    return await compose(PACKS)(jobs, shelf)  # type: ignore[arg-type]


def test_facts_of_one_meaning_are_one_rule_and_those_of_one_concept_one_proposal() -> None:
    facts = [a_fact("f1"), a_fact("f2", start=90, end=99), a_fact("f3", "13")]
    (job,) = proposed(*facts, found="fs", visit=2)
    assert (job.pack, job.concept, job.found, job.visit) == ("regulatory", "pdv.rate", "fs", 2)
    assert {rule.rule_id: set(rule.fact_ids) for rule in job.rules} == {
        make_rule_id(facts[0]): {"f1", "f2"},
        make_rule_id(facts[2]): {"f3"},
    }
    assert proposed(*reversed(facts), found="fs", visit=2) == [job]


def test_two_packs_are_never_mixed() -> None:
    jobs = proposed(a_fact("f1"), a_fact("f2", pack="other"))
    assert [(job.pack, len(job.rules)) for job in jobs] == [("other", 1), ("regulatory", 1)]
    assert len({job.subject for job in jobs}) == 2


@pytest.mark.parametrize(
    "changed",
    [
        {"predicate": "refers_to", "concept": "pdv.refers_to"},
        {"predicate": "unheard_of", "concept": "pdv.unheard_of"},
        {"pack": "gone"},
    ],
    ids=["a reference", "unknown predicate", "unknown pack"],
)
def test_what_is_no_rule_is_not_proposed(changed: dict[str, str]) -> None:
    assert proposed(a_fact("f1", **changed)) == []


def test_what_the_document_said_before_is_settled_again() -> None:
    before = a_rule("r", "7", concept="pdv.retention_period")
    pointer = a_pointer("r", "d1", evidence_id="ev0")
    jobs = proposed(a_fact("f1"), before, pointer)
    assert [(job.concept, bool(job.rules)) for job in jobs] == [
        ("pdv.rate", True), ("pdv.retention_period", False)
    ]  # fmt: skip
    (only,) = proposed(before, pointer)
    assert only.rules == () and only.subject == "regulatory/pdv.retention_period"


def test_other_facts_are_other_jobs() -> None:
    first, again, more = (proposed(a_fact("f1"), found=found)[0] for found in ("a", "a", "b"))
    assert first.subject == again.subject != more.subject
    settling = first.model_copy(update={"rules": ()})
    looks = [settling.model_copy(update={"look": look}).subject for look in range(3)]
    # New evidence is never taken for a look that only follows from another.
    assert len({first.subject, *looks}) == 3 and looks[1] == looks[2]


def test_it_reads_what_it_declares_and_writes_nothing() -> None:
    assert COMPOSE.writes == frozenset() and COMPOSE.next == {"apply"}
    assert {CandidateFact, Rule, SourcePointer} <= COMPOSE.reads
