"""Statute: works out what an act says day by day, and what its amendments do to its facts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from assay.packs.regulatory.acts.law_changes import HeldFact, LawChanges, LawText
from assay.packs.regulatory.acts.shapes import Span
from assay.packs.regulatory.extractor.subjects import load_declared_facts
from assay.packs.regulatory.jobs import STATUTE_STAGE, StatuteJob
from assay.packs.regulatory.questions import (
    AMENDMENT,
    ENDED,
    build_amendment_request,
    build_unknown_act_request,
)
from assay.packs.regulatory.records import ActAmendment, ActText, AmendmentAnswer
from assay.sdk.errors import AssayError
from assay.sdk.facts import ApplyJob, CandidateFact, FactEnd
from assay.sdk.records import (
    Artifact,
    DiscoveredItem,
    Evidence,
    IngestCandidate,
    Record,
    ReviewRequest,
    ScoutResult,
)
from assay.sdk.stages import Change, Failed, NextJob, Outcome, QueueLimits, Reader, Result, Stage

if TYPE_CHECKING:
    from assay.sdk.extraction import StoredDocument
    from assay.sdk.services import Services

_OPEN: Final = "OPEN"
_MOOT: Final = "MOOT"
STATUTE = Stage(
    name=STATUTE_STAGE,
    version=1,
    payload=StatuteJob,
    queue=QueueLimits(),
    reads=frozenset(
        {
            Evidence, Artifact, ScoutResult, DiscoveredItem, IngestCandidate, ActText,
            ActAmendment, AmendmentAnswer, FactEnd, ReviewRequest, CandidateFact,
        }
    ),
    writes=frozenset({CandidateFact, FactEnd, ReviewRequest}),
    next=frozenset({"apply"}),
    once="waiting",
    purpose="applies amendments to the acts they name",
)  # fmt: skip


async def work_out_acts(
    jobs: Sequence[StatuteJob], read: Reader, services: "Services"
) -> Sequence[Result]:
    """Work out each act on its own."""
    return [await _work_out_act(job, read, services) for job in jobs]


async def _work_out_act(job: StatuteJob, read: Reader, services: "Services") -> Result:
    own = {"source_slug": job.source}
    texts = await read.find_where(ActText, "act_key", [job.act_key], beside=own)
    amending = await read.find_where(ActAmendment, "act_key", [job.act_key], beside=own)
    docs = {row.doc_id for row in texts} | {row.doc_id for row in amending}
    newest = await _find_newest(docs, read)
    texts = [row for row in texts if row.evidence_id in newest]
    amending = [row for row in amending if row.evidence_id in newest]
    asked = await read.find_where(
        ReviewRequest, "subject", [job.subject], beside={"subject_kind": AMENDMENT}
    )
    if not texts:
        wanted = [build_unknown_act_request(row, job, read.now_ms) for row in amending]
        return Outcome(**_ask(wanted, asked), note="unknown act" if amending else "settled")
    if not amending:
        return Outcome(**_ask([], asked), note="settled")
    from assay.sdk.extraction import read_stored_texts

    ids = [*(row.evidence_id for row in texts), *(row.evidence_id for row in amending)]
    documents = await read_stored_texts(ids, read)
    said = await read.find_where(AmendmentAnswer, "request_id", {r.request_id for r in asked})
    answers = {each.request_id: each.answer == ENDED for each in said}
    laws = [LawText(row.evidence_id, documents[row.evidence_id].text) for row in amending]
    found = []
    try:
        for row in texts:
            base = LawText(row.evidence_id, documents[row.evidence_id].text)
            found.append(
                await services.pool.run(work_out_stored_changes, base, laws, job.act_key, answers)
            )
    except AssayError as error:
        return Failed(error)
    book = _Records(job, texts[0].title, documents, read.now_ms)
    for changes in found:
        book.add(changes)
    return await book.finish(asked, read)


def work_out_stored_changes(
    base: LawText,
    amending: Sequence[LawText],
    act_key: str,
    answers: Mapping[str, bool],
) -> LawChanges:
    """The changes of an act, in a process of the pool."""
    # Only these processes need the patterns, which take long to compile.
    from assay.packs.regulatory.acts.changes import work_out_changes
    from assay.packs.regulatory.extractor.reader import load_facts_with_extractor

    return work_out_changes(base, amending, act_key, load_facts_with_extractor(), answers)


async def _find_newest(doc_ids: Iterable[str], read: Reader) -> set[str]:
    rows = await read.find_where(IngestCandidate, "doc_id", doc_ids)
    return {row.evidence_id for row in rows if row.evidence_id is not None}


def _ask(
    wanted: Sequence[ReviewRequest], asked: Sequence[ReviewRequest]
) -> dict[str, tuple[Any, ...]]:
    """The questions that are new, and the end of those that are over."""
    known = {request.request_id for request in asked}
    keys = {request.request_id for request in wanted}
    return {
        "records": tuple(request for request in wanted if request.request_id not in known),
        "changes": tuple(
            Change(
                record=ReviewRequest,
                key=request.request_id,
                when={"state": _OPEN},
                to={"state": _MOOT},
            )
            for request in asked
            if request.state == _OPEN and request.request_id not in keys
        ),
    }


class _Records:
    """What is written about an act."""

    def __init__(
        self, job: StatuteJob, title: str, documents: Mapping[str, "StoredDocument"], now_ms: int
    ) -> None:
        self._job = job
        self._title = title
        self._documents = documents
        self._now_ms = now_ms
        self._pack = load_declared_facts()
        self._facts: dict[str, CandidateFact] = {}
        self._ends: dict[tuple[str, str], FactEnd] = {}
        self._concepts: set[str] = set()
        self._requests: dict[str, ReviewRequest] = {}

    def add(self, changes: LawChanges) -> None:
        """Take in what follows from one text of the act."""
        for held in changes.new:
            fact = self._build_fact(held)
            self._facts[fact.fact_id] = fact
        for ended in changes.ended:
            fact = self._build_fact(ended.held)
            end = FactEnd(
                fact_id=fact.fact_id,
                by_evidence_id=ended.by.source,
                pack=self._pack.name,
                day=ended.day,
                doubt=ended.reason,
                quote=self._quote(ended.by),
                start=ended.by.start,
                end=ended.by.end,
            )
            known = self._ends.get((end.fact_id, end.by_evidence_id))
            if known is None or (known.doubt and not end.doubt):
                self._ends[end.fact_id, end.by_evidence_id] = end
            self._concepts.add(fact.concept)
        for each in changes.open:
            request = build_amendment_request(
                each, self._quote(each.quote), self._job, self._title, self._now_ms
            )
            self._requests.setdefault(request.request_id, request)

    async def finish(self, asked: Sequence[ReviewRequest], read: Reader) -> Outcome:
        """Everything that is new or no longer follows."""
        from assay.sdk.extraction import propose_rules

        stale = await self._find_stale_ends(read)
        facts = list(self._facts.values())
        jobs = [
            NextJob("apply", proposal)
            for evidence_id, of_text in _group_by_text(facts).items()
            for proposal in propose_rules(of_text, evidence_id, self._job.source, self._pack)
        ]
        proposed = {fact.concept for fact in facts}
        jobs += [
            NextJob("apply", ApplyJob(pack=self._pack.name, concept=c, source=self._job.source))
            for c in sorted(self._concepts - proposed)
        ]
        questions = _ask(list(self._requests.values()), asked)
        records: list[Record] = [*facts, *self._ends.values(), *stale, *questions["records"]]
        return Outcome(records=tuple(records), changes=questions["changes"], next=tuple(jobs))

    async def _find_stale_ends(self, read: Reader) -> list[FactEnd]:
        """Ends that were found before and no longer follow from the texts."""
        stored = await read.find_where(FactEnd, "by_evidence_id", list(self._documents))
        gone = [
            end
            for end in stored
            if end.holds and (end.fact_id, end.by_evidence_id) not in self._ends
        ]
        facts = await read.get_many(CandidateFact, {end.fact_id for end in gone})
        own = [e for e in gone if e.fact_id in facts]
        own = [e for e in own if facts[e.fact_id].evidence_id in self._documents]
        self._concepts |= {facts[end.fact_id].concept for end in own}
        return [end.model_copy(update={"holds": False}) for end in own]

    def _build_fact(self, held: HeldFact) -> CandidateFact:
        from assay.sdk.extraction import DETERMINISTIC_EXTRACTOR, FactBuilder

        document = self._documents[held.evidence_id]
        builder = FactBuilder(
            self._pack, document.evidence, document.artifact.artifact_id, DETERMINISTIC_EXTRACTOR
        )
        fact = builder.build_fact(held.fact)
        if held.base is None:
            return fact
        base = self._documents[held.base.source]
        amended = {
            "evidence_id": base.evidence.evidence_id,
            "artifact_id": base.artifact.artifact_id,
            "doc_id": base.evidence.doc_id,
            "quote": held.base_quote,
            "start": held.base.start,
            "end": held.base.end,
        }
        return fact.model_copy(update={"amended": amended})

    def _quote(self, span: Span) -> str:
        return self._documents[span.source].text.load_text()[span.start : span.end]


def _group_by_text(facts: Iterable[CandidateFact]) -> dict[str, list[CandidateFact]]:
    found: dict[str, list[CandidateFact]] = {}
    for fact in facts:
        found.setdefault(fact.evidence_id, []).append(fact)
    return found
