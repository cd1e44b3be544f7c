"""The versions of an act's page, with the days on which each of them was seen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assay.packs.regulatory.acts.law_changes import LawText, LawVersion
from assay.packs.regulatory.jobs import StatuteJob
from assay.packs.regulatory.records import ActAmendment, ActText, AmendingAct
from assay.sdk.records import CandidateEvent, Evidence, IngestCandidate
from assay.sdk.stages import Reader

if TYPE_CHECKING:
    from assay.sdk.extraction import StoredDocument


@dataclass(frozen=True)
class PageVersions:
    """What was stored of an address that shows an act."""

    doc_id: str
    newest: str
    """The evidence of what it shows now."""
    evidence: tuple[Evidence, ...]
    """Everything that it showed, the oldest first."""
    known: frozenset[str]
    """The evidence that is a text of the act."""

    def list_versions(self, documents: Mapping[str, "StoredDocument"]) -> list[LawVersion]:
        """The texts of the act up to the newest one, the oldest first.

        If a page goes back to an earlier text, what it showed in between was withdrawn.
        """
        now = next(e.shown_ms for e in self.evidence if e.evidence_id == self.newest)
        texts = [
            entry
            for entry in self.evidence
            if entry.evidence_id in self.known
            and entry.evidence_id in documents
            and (entry.shown_ms, entry.evidence_id == self.newest) <= (now, True)
        ]
        texts.sort(key=lambda entry: entry.evidence_id == self.newest)
        return [
            LawVersion(
                LawText(entry.evidence_id, documents[entry.evidence_id].text),
                _format_day(entry.shown_ms),
                self._find_last_seen(texts[at - 1]) if at else "",
            )
            for at, entry in enumerate(texts)
        ]

    def _find_last_seen(self, entry: Evidence) -> str:
        """The last day on which the page showed something: right before it showed another thing."""
        later = self.evidence[self.evidence.index(entry) + 1 :]
        seen = later[0].previous_seen_ms if later else None
        return _format_day(max(entry.shown_ms, seen or 0))


@dataclass(frozen=True)
class ActSources:
    """What is stored about an act: its texts and its amendments, as their documents say now."""

    texts: list[ActText]
    amending: list[ActAmendment]
    pages: list[PageVersions]
    own: list[AmendingAct]
    """Its texts, if it only amends others."""
    later: list[tuple[AmendingAct, ActAmendment]]
    """Each text that is an amendment, with a text that amends it in turn."""

    @property
    def versions(self) -> set[str]:
        """The evidence of all versions of its pages."""
        return {key for page in self.pages for key in page.known}

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to apply and nothing to compare."""
        return not self.amending and len(self.versions) == len(self.pages)


async def read_act_sources(act: StatuteJob, read: Reader) -> ActSources:
    """The texts and amendments of an act."""
    own = {"source_slug": act.source}
    texts = await read.find_where(ActText, "act_key", [act.act_key], beside=own)
    amending = await read.find_where(ActAmendment, "act_key", [act.act_key], beside=own)
    amends = await read.find_where(AmendingAct, "act_key", [act.act_key], beside=own)
    docs = {row.doc_id for row in texts} | {row.doc_id for row in amending}
    docs |= {row.doc_id for row in amends}
    newest = await find_newest(docs, read)
    texts = [row for row in texts if row.evidence_id in newest]
    amending = [row for row in amending if row.evidence_id in newest]
    amends = [row for row in amends if row.evidence_id in newest]
    return ActSources(
        texts,
        amending,
        await read_page_versions(texts, read),
        amends,
        await _read_later(amending, read),
    )


async def _read_later(
    amending: Sequence[ActAmendment], read: Reader
) -> list[tuple[AmendingAct, ActAmendment]]:
    """The texts that amend amending acts, each with the text that it amends."""
    known = await read.get_many(AmendingAct, [row.evidence_id for row in amending])
    keys = {row.act_key for row in known.values()}
    rows = await read.find_where(ActAmendment, "act_key", keys)
    newest = await find_newest({row.doc_id for row in rows}, read)
    return [
        (own, row)
        for own in known.values()
        for row in rows
        if row.evidence_id in newest
        and (row.act_key, row.source_slug) == (own.act_key, own.source_slug)
        and row.doc_id != own.doc_id
    ]


async def list_amended_acts(sources: ActSources, read: Reader) -> list[StatuteJob]:
    """The acts that an amending act amends: what a later one does to it concerns them.

    Amending acts are left out, because two of them may amend each other.
    """
    texts = {row.evidence_id for row in sources.own}
    rows = await read.find_where(ActAmendment, "doc_id", {row.doc_id for row in sources.own})
    keys = {(row.act_key, row.source_slug) for row in rows if row.evidence_id in texts}
    known = await read.find_where(AmendingAct, "act_key", {key for key, _ in keys})
    amending = {row.act_key for row in known}
    return [
        StatuteJob(act_key=key, source=source)
        for key, source in sorted(keys)
        if key not in amending
    ]


async def read_page_versions(newest: Sequence[ActText], read: Reader) -> list[PageVersions]:
    """The pages whose newest text is one of these, with their history."""
    docs = [row.doc_id for row in newest]
    events = await read.find_where(CandidateEvent, "doc_id", docs)
    ids = {event.evidence_id for event in events if event.evidence_id}
    ids |= {row.evidence_id for row in newest}
    evidence = sorted(
        (await read.get_many(Evidence, ids)).values(),
        key=lambda entry: (entry.shown_ms, entry.evidence_id),
    )
    texts = await read.get_many(ActText, ids)
    return [
        PageVersions(
            row.doc_id,
            row.evidence_id,
            tuple(entry for entry in evidence if entry.doc_id == row.doc_id),
            frozenset(key for key, text in texts.items() if text.doc_id == row.doc_id),
        )
        for row in newest
    ]


async def find_newest(doc_ids: Iterable[str], read: Reader) -> set[str]:
    """The evidence of what these documents say now."""
    rows = await read.find_where(IngestCandidate, "doc_id", doc_ids)
    return {row.evidence_id for row in rows if row.evidence_id is not None}


def _format_day(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).date().isoformat()
