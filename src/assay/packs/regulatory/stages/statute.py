"""Statute: works out what an act says day by day, and what this does to its facts.

An act changes by the amendments that are known, and by the versions of its page.
"""

import pickle
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assay.packs.regulatory.acts.law_changes import (
    AmendedLaw,
    EndedFact,
    HeldFact,
    LawChanges,
    LawText,
    LawVersion,
)
from assay.packs.regulatory.acts.naming import make_amended_law_id
from assay.packs.regulatory.acts.shapes import Span
from assay.packs.regulatory.extractor.subjects import load_declared_facts
from assay.packs.regulatory.jobs import STATUTE_STAGE, StatuteJob
from assay.packs.regulatory.page_versions import PageVersions, list_amended_acts, read_act_sources
from assay.packs.regulatory.questions import (
    build_amended_law_request,
    build_amendment_request,
    build_unknown_act_request,
    build_version_request,
    read_answers,
    read_questions,
)
from assay.packs.regulatory.records import (
    ActAmendment,
    ActState,
    ActText,
    AmendingAct,
    AmendmentAnswer,
)
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
AMENDMENT_EXTRACTOR: Final = "law_amendment@1"
"""What found a fact in an act that an amendment changed."""
STATUTE = Stage(
    name=STATUTE_STAGE,
    version=1,
    payload=StatuteJob,
    # One at a time: what a second job of the same act took back, a first one could state again.
    queue=QueueLimits(concurrency=1),
    reads=frozenset(
        {
            Evidence, Artifact, ScoutResult, DiscoveredItem, IngestCandidate, CandidateEvent,
            ActText, ActAmendment, AmendingAct, ActState, AmendmentAnswer, FactEnd, ReviewRequest,
            CandidateFact,
        }
    ),
    writes=frozenset({CandidateFact, FactEnd, ReviewRequest, ActState}),
    next=frozenset({"apply", STATUTE_STAGE}),
    once="waiting",
    purpose="applies amendments to the acts they name, and compares the versions of a page",
)  # fmt: skip


async def work_out_acts(
    jobs: Sequence[StatuteJob], read: Reader, services: "Services"
) -> Sequence[Result]:
    """Work out each act on its own."""
    return [await _work_out_act(job, read, services) for job in jobs]


async def _work_out_act(job: StatuteJob, read: Reader, services: "Services") -> Result:
    sources = await read_act_sources(job, read)
    before = await read.get(ActState, job.subject)
    asked = await read_questions(job, read)
    if sources.is_plain and before is None and not asked:
        return Outcome(note="settled")
    from assay.sdk.extraction import read_stored_texts

    laws = [row.evidence_id for row in sources.amending]
    laws += [row.evidence_id for row in sources.own]
    laws += [row.evidence_id for _, row in sources.later]
    documents = await read_stored_texts([*sources.versions, *laws], read)
    title = sources.texts[0].title if sources.texts else ""
    book = _Records(job, title, documents, read.now_ms)
    if sources.own:
        book.ask(build_amended_law_request(row, job, read.now_ms) for row in sources.amending)
    elif not sources.texts:
        book.ask(build_unknown_act_request(row, job, read.now_ms) for row in sources.amending)
    later = [
        AmendedLaw(own.evidence_id, own.act_key, _take_text(row, documents))
        for own, row in sources.later
    ]
    elsewhere = {make_amended_law_id(law.later.evidence_id, law.act_key) for law in later}
    answers = await read_answers(asked, read, elsewhere)
    try:
        for page in () if sources.is_plain else sources.pages:
            # An act that repeals one of its own name means the one before it, never itself.
            others = [row for row in sources.amending if row.doc_id != page.doc_id]
            amending = [_take_text(row, documents) for row in others]
            book.add(
                await _work_out_page(
                    page, documents, amending, job.act_key, answers, services, later
                )
            )
        if sources.own:
            own = [_take_text(row, documents) for row in sources.own]
            changed = [
                AmendedLaw(text.evidence_id, job.act_key, _take_text(row, documents))
                for text in own
                for row in sources.amending
            ]
            book.add(await services.pool.run(doubt_amended_law, own, changed, answers))
    except AssayError as error:
        return Failed(error)
    following = await list_amended_acts(sources, read)
    return await book.finish(asked, before, read, following)


def _take_text(
    row: ActAmendment | AmendingAct, documents: "Mapping[str, StoredDocument]"
) -> LawText:
    return LawText(row.evidence_id, documents[row.evidence_id].text)


async def _work_out_page(
    page: PageVersions,
    documents: "Mapping[str, StoredDocument]",
    laws: Sequence[LawText],
    act_key: str,
    answers: Mapping[str, str],
    services: "Services",
    later: Sequence[AmendedLaw],
) -> LawChanges:
    """Read each version by itself, so that a page may have any number of them, then compare."""
    stored = page.list_versions(documents)
    pieces = [(version, len(stored) > 1) for version in stored]
    read: list[bytes] = []
    for version in await services.pool.run_each(read_stored_version, pieces):
        if isinstance(version, AssayError):
            raise version
        read.append(version)
    return await services.pool.run(work_out_read_versions, read, laws, act_key, answers, later)


def read_stored_version(stored: LawVersion, has_others: bool) -> bytes:
    """A version of a page with its facts, in a process of the pool.

    It is pickled for another such process; this one must not open it.
    """
    # Only these processes need the patterns, which take long to compile.
    from assay.packs.regulatory.acts.version_days import read_version
    from assay.packs.regulatory.extractor.reader import load_facts_with_extractor

    version = read_version(stored)
    version.list_facts(load_facts_with_extractor())
    if has_others:
        _ = version.notes
    return pickle.dumps(version)


def work_out_read_versions(
    pickled: Sequence[bytes],
    amending: Sequence[LawText],
    act_key: str,
    answers: Mapping[str, str],
    later: Sequence[AmendedLaw],
) -> LawChanges:
    """The changes of an act, in a process of the pool."""
    from assay.packs.regulatory.acts.amended_laws import doubt_results
    from assay.packs.regulatory.acts.amendment_steps import list_steps, list_withdrawn
    from assay.packs.regulatory.acts.version_days import date_versions
    from assay.packs.regulatory.acts.versions import work_out_versions
    from assay.packs.regulatory.extractor.reader import load_facts_with_extractor

    versions: list[DatedVersion] = [pickle.loads(each) for each in pickled]
    facts = load_facts_with_extractor()
    steps = list_steps(amending, act_key, answers)
    changes = work_out_versions(date_versions(versions), steps, act_key, facts, answers)
    changes.withdrawn = list_withdrawn(steps, facts)
    doubt_results(changes, later, answers)
    return changes


def doubt_amended_law(
    own: Sequence[LawText], laws: Sequence[AmendedLaw], answers: Mapping[str, str]
) -> LawChanges:
    """What an amending act says by itself and a later act may have changed, in a process of the
    pool."""
    from assay.packs.regulatory.acts.amended_laws import doubt_statements
    from assay.packs.regulatory.extractor.reader import load_facts_with_extractor

    return doubt_statements(own, laws, load_facts_with_extractor(), answers)


def _plan_questions(
    wanted: Mapping[str, ReviewRequest], asked: Sequence[ReviewRequest]
) -> tuple[list[ReviewRequest], list[Change]]:
    """The questions that are new, and which of the known ones open again or are over."""
    states = {request.request_id: request.state for request in asked}
    changes = [
        Change(record=ReviewRequest, key=key, when={"state": state}, to={"state": other})
        for key, state in states.items()
        for other in (_OPEN if key in wanted else _MOOT,)
        if {state, other} == {_OPEN, _MOOT}
    ]
    return [request for key, request in wanted.items() if key not in states], changes


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
        self._withdrawn: dict[str, EndedFact] = {}
        """What the extractor read in instructions that have been applied."""

    def add(self, changes: LawChanges) -> None:
        """Take in what follows from one text of the act."""
        for held in changes.new:
            fact = self._build_fact(held)
            self._facts[fact.fact_id] = fact
        for ended in changes.ended:
            self._add_end(ended)
        for taken in changes.withdrawn:
            self._withdrawn[self._build_fact(taken.held).fact_id] = taken
        self.ask(
            build_amendment_request(
                each, self._quote(each.quote), self._job, self._title, self._now_ms
            )
            for each in changes.open
        )
        self.ask(
            build_version_request(change, self._job, self._title, self._now_ms)
            for change in changes.unexplained
        )

    def ask(self, requests: Iterable[ReviewRequest]) -> None:
        """Ask a person; the same question only once."""
        for request in requests:
            self._requests.setdefault(request.request_id, request)

    async def finish(
        self, asked: Sequence[ReviewRequest], before: ActState | None, read: Reader,
        following: Iterable[StatuteJob],
    ) -> Outcome:  # fmt: skip
        """Everything that is new or no longer follows."""
        from assay.sdk.extraction import make_settling_job, propose_rules

        for fact_id, taken in self._withdrawn.items():
            if fact_id not in self._facts:
                self._add_end(taken)
        stated = {*self._facts, *(before.facts if before else ())}
        await self._end_stale_facts(stated - self._facts.keys(), read)
        stale = await self._find_stale_ends(before, read)
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
        jobs += [NextJob(STATUTE_STAGE, act) for act in following]
        questions, changes = _plan_questions(self._requests, asked)
        state = ActState(
            subject=self._job.subject,
            facts=sorted(stated),
            ends=sorted(" ".join(key) for key in self._ends),
        )
        states = [state] if before or state.facts or state.ends else []
        records: list[Record] = [*facts, *self._ends.values(), *stale, *questions, *states]
        return Outcome(records=tuple(records), changes=tuple(changes), next=tuple(jobs))

    async def _end_stale_facts(self, fact_ids: Iterable[str], read: Reader) -> None:
        """End facts that this stage stated and that no longer follow from the texts."""
        for fact in (await read.get_many(CandidateFact, fact_ids)).values():
            if fact.extractor not in (VERSION_EXTRACTOR, AMENDMENT_EXTRACTOR):
                # The extractor states it as well.
                continue
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

    async def _find_stale_ends(self, before: ActState | None, read: Reader) -> list[FactEnd]:
        """Ends that were found before and no longer follow from the texts."""
        known = [tuple(key.split(" ")) for key in before.ends] if before else []
        gone = {key for key in known if key not in self._ends}
        stored = await read.get_groups(FactEnd, {fact_id for fact_id, _ in gone})
        ends = [
            end
            for group in stored.values()
            for end in group
            if end.holds and (end.fact_id, end.by_evidence_id) in gone
        ]
        facts = await read.get_many(CandidateFact, {end.fact_id for end in ends})
        self._concepts |= {(fact.concept, fact.doc_id) for fact in facts.values()}
        return [end.model_copy(update={"holds": False}) for end in ends]

    def _add_end(self, ended: EndedFact) -> None:
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

    def _build_fact(self, held: HeldFact) -> CandidateFact:
        from assay.sdk.extraction import DETERMINISTIC_EXTRACTOR, FactBuilder

        document = self._documents[held.evidence_id]
        found_by = DETERMINISTIC_EXTRACTOR
        if held.restated:
            found_by = VERSION_EXTRACTOR
        elif held.is_amended:
            found_by = AMENDMENT_EXTRACTOR
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
