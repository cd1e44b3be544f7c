"""Process: summarizes the items of a meeting, each matter once, or a packet without items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.packs.civic.jobs import PROCESS_STAGE, CivicJob, MatterJob
from assay.packs.civic.portals.listed import MeetingStatus, PaperKind
from assay.packs.civic.records import AgendaItem, Appearance, CivicSummary, Meeting, Paper
from assay.packs.civic.texts.summary import SourceText, SummarySentence, summarize
from assay.packs.civic.topics import find_topics
from assay.sdk.records import Artifact, Evidence, IngestCandidate, canonical_json, content_hash
from assay.sdk.services import Services
from assay.sdk.stages import CandidateState, Outcome, QueueLimits, Reader, Result, Stage

PROCESS = Stage(
    name=PROCESS_STAGE,
    version=1,
    payload=CivicJob,
    queue=QueueLimits(),
    reads=frozenset(
        {
            Meeting,
            AgendaItem,
            Appearance,
            Paper,
            CivicSummary,
            IngestCandidate,
            Evidence,
            Artifact,
        }
    ),
    writes=frozenset({CivicSummary}),
    batch=5,
    once="waiting",
    entry=True,
    purpose="summarizes the items of a meeting and the matters behind them",
)
_PENDING = (CandidateState.DISCOVERED, CandidateState.READY)
_SHORT, _LONG = 3, 6
"""Sentences in the summary of an item or a short packet, and in that of a long packet."""
_LONG_PACKET = 40_000


@dataclass(frozen=True)
class _Texts:
    """The documents of some items or of a meeting; each is read once and shared by all."""

    papers: Mapping[str, list[Paper]]
    """By the item or meeting that they belong to."""
    candidates: Mapping[str, IngestCandidate]
    texts: Mapping[str, SourceText]
    """By document."""

    def is_complete(self, owner_id: str) -> bool:
        """Whether none of the documents of an item or a meeting is still on its way."""
        return all(
            (found := self.candidates.get(paper.doc_id)) is not None and found.state not in _PENDING
            for paper in self.papers.get(owner_id, [])
        )

    def list_texts(self, owner_id: str, *kinds: PaperKind) -> list[SourceText]:
        """The texts of an item or a meeting that could be read."""
        return [
            self.texts[paper.doc_id]
            for paper in self.papers.get(owner_id, [])
            if paper.doc_id in self.texts and (not kinds or paper.kind in kinds)
        ]


async def process_jobs(
    jobs: Sequence[CivicJob], read: Reader, services: Services
) -> Sequence[Result]:
    """Process each with what has arrived so far; the rest comes with a later job."""
    return [
        await _process_matter(work, read)
        if isinstance(work := job.work, MatterJob)
        else await _process_meeting(work.meeting_id, read)
        for job in jobs
    ]


async def _process_meeting(meeting_id: str, read: Reader) -> Result:
    """Summarize the items that belong to no matter, or the packet if there are no items."""
    meeting = await read.get(Meeting, meeting_id)
    if meeting is None or _is_skipped(meeting):
        return Outcome(note="skipped")
    items = await read.find_where(AgendaItem, "meeting_id", [meeting_id])
    papers = await read.find_where(Paper, "meeting_id", [meeting_id])
    texts = await _load_texts(papers, read)
    known = await read.get_many(CivicSummary, [meeting_id, *(item.item_id for item in items)])
    if not items:
        made = _summarize_packet(meeting, texts, known.get(meeting_id))
    else:
        new = [i for i in items if i.matter_id is None and i.item_id not in known]
        made = [
            summary
            for item in sorted(new, key=lambda item: item.sequence)
            if _is_wanted(item) and texts.is_complete(item.item_id)
            if (summary := _summarize_item(meeting, item, item.item_id, texts)) is not None
        ]
    return Outcome(records=tuple(made), note="done" if made else "unchanged")


async def _process_matter(work: MatterJob, read: Reader) -> Result:
    """Summarize a matter from its latest item, and give the summary to all items without one.

    An item keeps the summary that it had at its meeting.
    """
    appearances = (await read.get_groups(Appearance, [work.matter_id])).get(work.matter_id, [])
    items = await read.get_many(AgendaItem, [each.item_id for each in appearances])
    meetings = await read.get_many(Meeting, {item.meeting_id for item in items.values()})
    held = [
        (meeting.starts, item.item_id, item, meeting)
        for item in items.values()
        if (meeting := meetings.get(item.meeting_id)) is not None
        and _is_wanted(item)
        and not _is_skipped(meeting)
    ]
    if not held:
        return Outcome(note="skipped")
    _, _, item, meeting = max(held, key=lambda each: each[:2])
    texts = await _load_texts(await read.find_where(Paper, "owner_id", [item.item_id]), read)
    if not texts.is_complete(item.item_id):
        return Outcome(note="waiting")
    known = await read.get_many(CivicSummary, [work.matter_id, *items])
    canonical = known.get(work.matter_id)
    made: list[CivicSummary] = []
    if canonical is None or canonical.input_hash != _hash_input(
        item.title, texts.list_texts(item.item_id)
    ):
        canonical = _summarize_item(meeting, item, work.matter_id, texts) or canonical
        made += [canonical] if canonical is not None else []
    if canonical is not None:
        made += [
            canonical.model_copy(
                update={"subject_id": other.item_id, "meeting_id": other.meeting_id}
            )
            for _, _, other, _ in held
            if other.item_id not in known
        ]
    return Outcome(records=tuple(made), note="done" if made else "unchanged")


def _is_skipped(meeting: Meeting) -> bool:
    return meeting.filter_reason is not None or meeting.status == MeetingStatus.CANCELLED


def _is_wanted(item: AgendaItem) -> bool:
    return item.filter_reason is None and not item.withdrawn


async def _load_texts(papers: Iterable[Paper], read: Reader) -> _Texts:
    grouped: dict[str, list[Paper]] = {}
    for paper in papers:
        if paper.listed and paper.wanted:
            grouped.setdefault(paper.owner_id, []).append(paper)
    wanted = {paper.doc_id for found in grouped.values() for paper in found}
    candidates = await read.get_many(IngestCandidate, wanted)
    ids = {c.evidence_id for c in candidates.values() if c.evidence_id is not None}
    evidence = await read.get_many(Evidence, ids)
    names = {e.primary_text_artifact_id for e in evidence.values() if e.primary_text_artifact_id}
    artifacts = await read.get_many(Artifact, names)
    texts = {}
    for doc_id, candidate in candidates.items():
        found = evidence.get(candidate.evidence_id or "")
        artifact = artifacts.get((found and found.primary_text_artifact_id) or "")
        if artifact is not None:
            data = await read.blob(artifact.content_hash)
            texts[doc_id] = SourceText(artifact.artifact_id, data.decode())
    return _Texts(grouped, candidates, texts)


def _summarize_packet(
    meeting: Meeting, texts: _Texts, before: CivicSummary | None
) -> list[CivicSummary]:
    """One summary for the meeting, where its agenda is not known item by item."""
    if not texts.is_complete(meeting.meeting_id):
        return []
    found = texts.list_texts(meeting.meeting_id, PaperKind.PACKET, PaperKind.AGENDA)
    key = _hash_input(meeting.title, found)
    if before is not None and before.input_hash == key:
        return []
    most = _LONG if sum(len(text.text) for text in found) > _LONG_PACKET else _SHORT
    summary = _build_summary(meeting, meeting.meeting_id, meeting.title, found, most)
    return [] if summary is None else [summary]


def _summarize_item(
    meeting: Meeting, item: AgendaItem, subject_id: str, texts: _Texts
) -> CivicSummary | None:
    return _build_summary(meeting, subject_id, item.title, texts.list_texts(item.item_id), _SHORT)


def _build_summary(
    meeting: Meeting, subject_id: str, title: str, texts: list[SourceText], most: int
) -> CivicSummary | None:
    sentences = summarize(texts, title, most)
    if not sentences:
        return None
    return CivicSummary(
        subject_id=subject_id,
        meeting_id=meeting.meeting_id,
        banana=meeting.banana,
        method="extractive",
        sentences=[_describe_sentence(sentence) for sentence in sentences],
        topics=find_topics(title, " ".join(sentence.text for sentence in sentences)),
        input_hash=_hash_input(title, texts),
    )


def _hash_input(title: str, texts: Iterable[SourceText]) -> str:
    """A hash of what a summary is made from: the documents, whatever the title of the day."""
    return content_hash(canonical_json(sorted(text.artifact_id for text in texts) or [title]))


def _describe_sentence(sentence: SummarySentence) -> dict[str, object]:
    place = {"artifact_id": sentence.artifact_id, "start": sentence.start, "end": sentence.end}
    return {"text": sentence.text, "citations": [place]}
