"""Statute: works out what an act says day by day, and what this does to its facts.

An act changes by the amendments that are known, and by the versions of its page.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from assay.packs.regulatory.acts.law_changes import HeldFact, LawChanges, LawText, LawVersion
from assay.packs.regulatory.acts.shapes import Span
from assay.packs.regulatory.extractor.subjects import load_declared_facts
from assay.packs.regulatory.jobs import STATUTE_STAGE, StatuteJob
from assay.packs.regulatory.page_versions import PageVersions, find_newest, read_page_versions
from assay.packs.regulatory.questions import (
    AMENDMENT,
    CORRECTION,
    ENDED,
    VERSION,
    build_amendment_request,
    build_unknown_act_request,
    build_version_request,
)
from assay.packs.regulatory.records import ActAmendment, ActText, AmendmentAnswer
from assay.sdk.errors import AssayError
from assay.sdk.facts import FIRST_DAY_OF_ALL, CandidateFact, FactEnd
from assay.sdk.records import (
    Artifact,
    CandidateEvent,
    DiscoveredItem,
    Evidence,
    IngestCandidate,
    Record,
    ReviewRequest,
    ScoutResult,
)
from assay.sdk.stages import Change, Failed, NextJob, Outcome, QueueLimits, Reader, Result, Stage

if TYPE_CHECKING:
    from assay.packs.regulatory.acts.version_days import DatedVersion
    from assay.sdk.extraction import StoredDocument
    from assay.sdk.services import Services

_OPEN: Final = "OPEN"
_MOOT: Final = "MOOT"
VERSION_EXTRACTOR: Final = "law_version@1"
"""What found a fact whose first day another version of its page tells."""
STATUTE = Stage(
    name=STATUTE_STAGE,
    version=1,
    payload=StatuteJob,
    queue=QueueLimits(),
    reads=frozenset(
        {
            Evidence, Artifact, ScoutResult, DiscoveredItem, IngestCandidate, CandidateEvent,
            ActText, ActAmendment, AmendmentAnswer, FactEnd, ReviewRequest, CandidateFact,
        }
    ),
    writes=frozenset({CandidateFact, FactEnd, ReviewRequest}),
    next=frozenset({"apply"}),
    once="waiting",
    purpose="applies amendments to the acts they name, and compares the versions of a page",
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
    newest = await find_newest(docs, read)
    texts = [row for row in texts if row.evidence_id in newest]
    amending = [row for row in amending if row.evidence_id in newest]
    asked = [
        request
        for request in await read.find_where(ReviewRequest, "subject", [job.subject])
        if request.subject_kind in (AMENDMENT, VERSION)
    ]
    if not texts:
        wanted = [build_unknown_act_request(row, job, read.now_ms) for row in amending]
        return Outcome(**_ask(wanted, asked), note="unknown act" if amending else "settled")
    # An act that repeals one of its own name means the one before it, never itself.
    shown = {row.doc_id for row in texts}
    amending = [row for row in amending if shown - {row.doc_id}]
    pages = await read_page_versions(texts, read)
    known = {key for page in pages for key in page.known}
    if not amending and len(known) == len(pages):
        return Outcome(**_ask([], asked), note="settled")
    from assay.sdk.extraction import read_stored_texts

    ids = [*known, *(row.evidence_id for row in amending)]
    documents = await read_stored_texts(ids, read)
    said = await read.find_where(AmendmentAnswer, "request_id", {r.request_id for r in asked})
    laws = [
        (row.doc_id, LawText(row.evidence_id, documents[row.evidence_id].text)) for row in amending
    ]
    book = _Records(job, texts[0].title, documents, read.now_ms)
    try:
        for page in pages:
            others = [law for doc_id, law in laws if doc_id != page.doc_id]
            found = await _work_out_page(page, documents, others, job.act_key, said, services)
            book.add(found)
    except AssayError as error:
        return Failed(error)
    return await book.finish(asked, read)


async def _work_out_page(
    page: PageVersions,
    documents: "Mapping[str, StoredDocument]",
    laws: Sequence[LawText],
    act_key: str,
    said: Iterable[AmendmentAnswer],
    services: "Services",
) -> LawChanges:
    """Read each version by itself, so that a page may have any number of them, then compare."""
    stored = page.list_versions(documents)
    pieces = [(version, len(stored) > 1) for version in stored]
    read: list[DatedVersion] = []
    for version in await services.pool.run_each(read_stored_version, pieces):
        if isinstance(version, AssayError):
            raise version
        read.append(version)
    answers = {each.request_id: each.answer == ENDED for each in said}
    corrected = {each.request_id for each in said if each.answer == CORRECTION}
    return await services.pool.run(work_out_read_versions, read, laws, act_key, answers, corrected)


def read_stored_version(stored: LawVersion, has_others: bool) -> "DatedVersion":
    """A version of a page with its facts, in a process of the pool."""
    # Only these processes need the patterns, which take long to compile.
    from assay.packs.regulatory.acts.version_days import read_version
    from assay.packs.regulatory.extractor.reader import load_facts_with_extractor

    version = read_version(stored)
    version.list_facts(load_facts_with_extractor())
    if has_others:
        _ = version.notes
    return version


def work_out_read_versions(
    versions: "list[DatedVersion]",
    amending: Sequence[LawText],
    act_key: str,
    answers: Mapping[str, bool],
    corrected: Collection[str],
) -> LawChanges:
    """The changes of an act, in a process of the pool."""
    from assay.packs.regulatory.acts.changes import list_steps
    from assay.packs.regulatory.acts.version_days import date_versions
    from assay.packs.regulatory.acts.versions import work_out_versions
    from assay.packs.regulatory.extractor.reader import load_facts_with_extractor

    facts = load_facts_with_extractor()
    steps = list_steps(amending, act_key)
    return work_out_versions(date_versions(versions), steps, act_key, facts, answers, corrected)


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
        self._concepts: set[tuple[str, str]] = set()
        """Concepts of which a document says something else than before."""
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
                since=ended.since,
                doubt=ended.reason,
                quote=self._quote(ended.by),
                start=ended.by.start,
                end=ended.by.end,
            )
            known = self._ends.get((end.fact_id, end.by_evidence_id))
            if known is None or (known.doubt and not end.doubt):
                self._ends[end.fact_id, end.by_evidence_id] = end
            self._concepts.add((fact.concept, fact.doc_id))
        for each in changes.open:
            request = build_amendment_request(
                each, self._quote(each.quote), self._job, self._title, self._now_ms
            )
            self._requests.setdefault(request.request_id, request)
        for change in changes.unexplained:
            request = build_version_request(change, self._job, self._title, self._now_ms)
            self._requests.setdefault(request.request_id, request)

    async def finish(self, asked: Sequence[ReviewRequest], read: Reader) -> Outcome:
        """Everything that is new or no longer follows."""
        from assay.sdk.extraction import make_settling_job, propose_rules

        await self._end_stale_facts(read)
        stale = await self._find_stale_ends(read)
        facts = list(self._facts.values())
        jobs = [
            NextJob("apply", proposal)
            for evidence_id, of_text in _group_by_text(facts).items()
            for proposal in propose_rules(of_text, evidence_id, self._job.source, self._pack)
        ]
        proposed = {(fact.concept, fact.doc_id) for fact in facts}
        settling = [
            make_settling_job(
                concept, doc_id, self._job.source, name=self._pack.name, pack=self._pack
            )
            for concept, doc_id in sorted(self._concepts - proposed)
        ]
        jobs += [NextJob("apply", job) for job in dict.fromkeys(settling)]
        questions = _ask(list(self._requests.values()), asked)
        records: list[Record] = [*facts, *self._ends.values(), *stale, *questions["records"]]
        return Outcome(records=tuple(records), changes=questions["changes"], next=tuple(jobs))

    async def _end_stale_facts(self, read: Reader) -> None:
        """End facts that were restated with a day that no longer follows from the texts."""
        stored = await read.find_where(
            CandidateFact,
            "evidence_id",
            list(self._documents),
            beside={"extractor": VERSION_EXTRACTOR},
        )
        for fact in stored:
            if fact.fact_id not in self._facts:
                end = FactEnd(
                    fact_id=fact.fact_id,
                    by_evidence_id=fact.evidence_id,
                    pack=self._pack.name,
                    day=fact.effective_from or FIRST_DAY_OF_ALL,
                    quote=fact.quote,
                    start=fact.start,
                    end=fact.end,
                )
                self._ends[end.fact_id, end.by_evidence_id] = end
                self._concepts.add((fact.concept, fact.doc_id))

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
        self._concepts |= {(facts[end.fact_id].concept, facts[end.fact_id].doc_id) for end in own}
        return [end.model_copy(update={"holds": False}) for end in own]

    def _build_fact(self, held: HeldFact) -> CandidateFact:
        from assay.sdk.extraction import DETERMINISTIC_EXTRACTOR, FactBuilder

        document = self._documents[held.evidence_id]
        found_by = VERSION_EXTRACTOR if held.restated else DETERMINISTIC_EXTRACTOR
        builder = FactBuilder(
            self._pack, document.evidence, document.artifact.artifact_id, found_by
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
