"""When a concept is settled: the one rule by which apply, review and arbiter terminate.

*A look that changed something asks for another look at the same concept. A look that changes
nothing ends it. After `MAX_LOOKS` looks in a row that changed something, a person is asked.*

A look reads everything that is stored about a concept, works out what follows from it, and writes
the difference. What follows never depends on the order in which things arrived, so it does not
matter which stage looks first, or how often. Two looks at one concept may overlap; the one that
read too early may write something that no longer follows. In that case it has changed something,
and the look that it asks for corrects it.

New evidence is settled by `apply` (edges and conflicts), judged by `review` (each rule), decided by
`arbiter` (each conflict) and judged once more by `review`. While a look at a concept waits, another
one is not queued (`Stage.once = "waiting"`), so a change costs a handful of jobs for each concept
that it touches, however many rules and conflicts the concept has.

If several values may apply side by side, rules do not affect each other. Only those of the document
that changed are looked at, because there may be thousands of others.

A person's decision follows the same rule: it is made in one transaction, and so are the looks at
its concept, until nothing changes.
"""

from collections.abc import Sequence
from typing import TypeVar

from assay.engine.contract import NextJob
from assay.engine.reader import Reader
from assay.model.concepts import parse_concept
from assay.model.ids import derive_id
from assay.model.records import Record, ReviewRequest
from assay.model.rules import Rule
from assay.ruling.declaration import Facts
from assay.ruling.payloads import ConceptJob
from assay.ruling.review.deadlines import ReviewReason, answer_time_ms

MAX_LOOKS = 9
"""How many looks in a row at one concept may each change something."""
_MAX_RULES_PER_READ = 300
"""How many rules of small concepts are read together."""
J = TypeVar("J", bound=ConceptJob)
ConceptKey = tuple[str, str]
"""A pack and a concept."""


def key_of(job: ConceptJob) -> ConceptKey:
    """The concept that a job is about."""
    return job.pack, job.concept


def has_one_value(concept: str, pack: Facts | None) -> bool:
    """Whether one value of a concept applies at a time; otherwise its rules do not affect each
    other."""
    predicate = None if pack is None else pack.predicates.get(parse_concept(concept).predicate)
    return predicate is not None and not predicate.many


async def split_jobs(jobs: Sequence[J], read: Reader) -> list[list[J]]:
    """Jobs in groups: small concepts are read together, and large ones are few in memory."""
    sizes = await read.count_by_value(
        Rule, "concept", {job.concept for job in jobs if not job.document}
    )
    groups: list[list[J]] = []
    room = 0
    for job in jobs:
        size = 0 if job.document else sizes.get(job.concept, 0)
        if room < size or not groups:
            groups.append([])
            room = _MAX_RULES_PER_READ
        groups[-1].append(job)
        room -= size
    return groups


async def find_missing(
    record: type[Record], jobs: Sequence[ConceptJob], read: Reader, *, why: str
) -> list[str | None]:
    """The result of a gate: None for concepts that have such a record, otherwise `why`."""
    found: set[ConceptKey] = set()
    for pack in {job.pack for job in jobs}:
        concepts = {job.concept for job in jobs if job.pack == pack}
        known = await read.count_by_value(record, "concept", concepts, beside={"pack": pack})
        found |= {(pack, concept) for concept in known}
    return [None if key_of(job) in found else why for job in jobs]


def make_next_look(
    stage: str, payload: type[ConceptJob], job: ConceptJob, *, new_evidence: bool = False
) -> NextJob:
    """Another look at the concept of a job: for new evidence, or because the job changed it."""
    return NextJob(
        stage,
        payload(
            pack=job.pack,
            concept=job.concept,
            document=job.document,
            source=job.source,
            look=0 if new_evidence else job.look + 1,
        ),
    )


def is_restless(job: ConceptJob) -> bool:
    """Whether a concept was looked at so often in a row that it will not settle."""
    return job.look >= MAX_LOOKS


def build_unrest_request(pack: str, concept: str, source: str | None, now_ms: int) -> ReviewRequest:
    """The question about a concept that does not settle."""
    reason = ReviewReason.QUALITY
    return ReviewRequest(
        request_id=derive_id("rq", reason.value, pack, concept),
        reason=reason.value,
        subject_kind="concept",
        subject=f"{pack}/{concept}",
        source_slug=source,
        question=f"What holds for {concept}? Its rules were looked at {MAX_LOOKS} times in a row, "
        "and each time something changed. Look at its rules and conflicts.",
        created_ms=now_ms,
        deadline_ms=now_ms + answer_time_ms(reason),
    )
