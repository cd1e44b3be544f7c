"""The texts of the documents of meetings and items, and the parts of packets."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.packs.civic.portals.listed import PaperKind
from assay.packs.civic.records import AgendaItem, Meeting, PacketPart, Paper
from assay.packs.civic.texts.agenda import AgendaEntry, locate_items_in_packet
from assay.packs.civic.texts.summary import SourceText
from assay.sdk.reading import restore_reading
from assay.sdk.records import Artifact, Evidence, IngestCandidate
from assay.sdk.stages import CandidateState, Reader

_PENDING = (CandidateState.DISCOVERED, CandidateState.READY)


@dataclass(frozen=True)
class MeetingTexts:
    """The documents of some items or of a meeting; each is read once and shared by all."""

    papers: Mapping[str, list[Paper]]
    """By the item or meeting that they belong to."""
    candidates: Mapping[str, IngestCandidate]
    artifacts: Mapping[str, Artifact]
    """By document, as the two below."""
    texts: Mapping[str, SourceText]
    owners: Mapping[str, int]
    """How many items have a document."""

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

    def divide(self, item_id: str) -> tuple[list[SourceText], list[SourceText]]:
        """The texts that only this item has, and those that others have as well."""
        papers = [p for p in self.papers.get(item_id, []) if p.doc_id in self.texts]
        own = [self.texts[p.doc_id] for p in papers if self.owners[p.doc_id] == 1]
        return own, [self.texts[p.doc_id] for p in papers if self.owners[p.doc_id] > 1]


async def load_texts(papers: Iterable[Paper], read: Reader) -> MeetingTexts:
    """Load the texts of the documents that are listed and wanted."""
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
    own: dict[str, Artifact] = {}
    texts = {}
    for doc_id, candidate in candidates.items():
        found = evidence.get(candidate.evidence_id or "")
        artifact = artifacts.get((found and found.primary_text_artifact_id) or "")
        if artifact is not None:
            own[doc_id] = artifact
            data = await read.blob(artifact.content_hash)
            texts[doc_id] = SourceText(artifact.artifact_id, data.decode())
    everywhere = await read.find_where(Paper, "doc_id", wanted)
    owners = Counter(p.doc_id for p in everywhere if p.listed and p.owner_id != p.meeting_id)
    return MeetingTexts(grouped, candidates, own, texts, owners)


async def load_part(part: PacketPart, read: Reader) -> SourceText | None:
    """The pages of a packet that are about an item."""
    return await load_span(part.artifact_id, part.start, part.end, read)


async def load_span(artifact_id: str, start: int, end: int, read: Reader) -> SourceText | None:
    """A part of the text of an artifact."""
    artifact = await read.get(Artifact, artifact_id)
    if artifact is None:
        return None
    text = (await read.blob(artifact.content_hash)).decode()
    return SourceText(artifact_id, text[start:end], start)


async def locate_parts(
    meeting: Meeting, items: Sequence[AgendaItem], texts: MeetingTexts, read: Reader
) -> tuple[dict[str, PacketPart], list[PacketPart]]:
    """The pages of the meeting's packet for each item without documents, and which are new."""
    packet = next(
        (
            paper.doc_id
            for paper in texts.papers.get(meeting.meeting_id, [])
            if paper.kind == PaperKind.PACKET and paper.doc_id in texts.texts
        ),
        None,
    )
    bare = {i.item_id for i in items if not texts.papers.get(i.item_id) and not i.withdrawn}
    known = await read.get_many(PacketPart, bare)
    if packet is None or not bare:
        return known, []
    source, artifact = texts.texts[packet], texts.artifacts[packet]
    if artifact.map_hash is None or any(
        p.artifact_id == source.artifact_id for p in known.values()
    ):
        return known, []
    places = await read.blob(artifact.map_hash)
    listed = sorted((i for i in items if not i.withdrawn), key=lambda item: item.sequence)
    spans = await asyncio.to_thread(_locate, listed, source.text, places)
    found = {
        listed[place].item_id: PacketPart(
            item_id=listed[place].item_id,
            meeting_id=meeting.meeting_id,
            artifact_id=source.artifact_id,
            start=start,
            end=end,
        )
        for place, (start, end) in spans.items()
        if listed[place].item_id in bare
    }
    return {**known, **found}, list(found.values())


def _locate(items: Sequence[AgendaItem], packet: str, places: bytes) -> dict[int, tuple[int, int]]:
    entries = [
        AgendaEntry(
            number=item.number, title=item.title, section=item.section, start=0, end=0, page=None,
            matter_file=None,
        )
        for item in items
    ]  # fmt: skip
    return locate_items_in_packet(entries, packet, restore_reading(packet, places).pages)
