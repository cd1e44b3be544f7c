"""A meeting as its page shows it: each item with what was decided, and the words that say so."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Final

from assay.packs.civic.dossiers import (
    DocumentLink,
    MeetingDossier,
    find_documents,
    iterate_dossiers,
    list_cited,
)
from assay.packs.civic.outputs.digest import (
    MeetingDigest,
    describe_meeting,
    describe_outcome,
    format_start,
)
from assay.packs.civic.portals.listed import PaperKind, VoteValue
from assay.packs.civic.records import AgendaItem, CivicMotion, CivicSummary, Meeting, Paper
from assay.sdk.pages import EvidenceQuote, read_quotes
from assay.sdk.records import IngestCandidate
from assay.sdk.screens import pluralize
from assay.sdk.services import Services
from assay.sdk.stages import CandidateState

_MOST_ITEMS: Final = 400
"""Items on one page; the longest agendas that portals publish have fewer."""


def describe_meeting_page(services: Services, meeting: Meeting, today: date) -> dict[str, Any]:
    """What the page of a meeting shows."""
    (dossier,) = iterate_dossiers(services, [meeting])
    digest = describe_meeting(dossier)
    papers = [paper for own in dossier.papers.values() for paper in own]
    candidates = {
        each.doc_id: each
        for each in services.read_records(
            IngestCandidate, doc_id={paper.doc_id for paper in papers}
        )
    }
    sentences = link_sentences(services, dossier.summaries.values())
    motions = _link_motions(services, dossier)
    of_items = {item.item_id for item in dossier.items}
    return {
        "meeting": meeting,
        "city": dossier.city,
        "heading": digest.heading,
        "when": format_start(meeting.starts),
        "change": digest.change,
        "attending": digest.attending,
        "has_web_page": DocumentLink("", meeting.page or "").is_safe,
        "has_video": DocumentLink("", meeting.video or "").is_safe,
        "papers": _describe_papers(dossier.papers.get(meeting.meeting_id, ()), candidates),
        "sentences": sentences.get(meeting.meeting_id, []),
        "items": [
            {
                "item": item,
                "matter": dossier.matters.get(item.matter_id or ""),
                "topics": [name.replace("_", " ") for name in dossier.list_topics(item.item_id)],
                "outcome": describe_outcome(
                    item.action, item.passed, item.tally, item.mover, item.seconder
                ),
                "votes": _group_votes(dossier, item),
                "motions": motions.get(item.item_id, []),
                "sentences": sentences.get(item.item_id, []),
                "summary": dossier.summaries.get(item.item_id),
                "papers": _describe_papers(dossier.papers.get(item.item_id, ()), candidates),
            }
            for item in dossier.items[:_MOST_ITEMS]
        ],
        "more_items": max(0, len(dossier.items) - _MOST_ITEMS),
        "motions": [each for key, own in motions.items() if key not in of_items for each in own],
        "missing": _list_missing(dossier, digest, papers, candidates, today),
    }


def link_sentences(
    services: Services, summaries: Iterable[CivicSummary]
) -> dict[str, list[dict[str, Any]]]:
    """For each subject, the sentences of its summary with the quotes that they rest on."""
    summaries = [each for each in summaries if each.sentences]
    names = _name_documents(services, list_cited(summaries))
    quotes = read_quotes(
        services,
        (
            (place["artifact_id"], place["start"], place["end"])
            for summary in summaries
            for sentence in summary.sentences
            for place in sentence["citations"]
        ),
        names,
    )
    return {
        summary.subject_id: [
            {
                "text": sentence["text"],
                "quotes": [
                    quotes[span]
                    for place in sentence["citations"]
                    if (span := (place["artifact_id"], place["start"], place["end"])) in quotes
                ],
            }
            for sentence in summary.sentences
        ]
        for summary in summaries
    }


def _name_documents(services: Services, artifacts: set[str]) -> dict[str, str]:
    found = find_documents(services, artifacts)
    return {artifact_id: link.name for artifact_id, link in found.items()}


def _link_motions(
    services: Services, dossier: MeetingDossier
) -> dict[str | None, list[dict[str, Any]]]:
    """The motions of each item, with the words of the minutes."""
    names = {key: link.name for key, link in dossier.documents.items()}
    found: dict[str | None, list[dict[str, Any]]] = {}
    quotes = read_quotes(services, (_span_of(motion) for motion in dossier.motions), names)
    for motion in dossier.motions:
        quote = EvidenceQuote(
            evidence_id=motion.evidence_id,
            start=motion.start,
            end=motion.end,
            quote=motion.quote,
            source=names.get(motion.artifact_id, "Minutes"),
        )
        found.setdefault(motion.item_id, []).append(
            {
                "motion": motion,
                "outcome": describe_outcome(
                    None, motion.passed, motion.tally, motion.mover, motion.seconder
                ),
                # The stored words are what was checked; the text around them may be gone.
                "quotes": [quotes.get(_span_of(motion), quote)],
            }
        )
    return found


def _span_of(motion: CivicMotion) -> tuple[str, int, int]:
    return motion.artifact_id, motion.start, motion.end


def _group_votes(dossier: MeetingDossier, item: AgendaItem) -> list[tuple[str, list[str]]]:
    votes = dossier.votes.get(item.item_id, {})
    return [
        (value.value, sorted(name for name, vote in votes.items() if vote == value))
        for value in VoteValue
        if value in votes.values()
    ]


def _describe_papers(
    papers: Sequence[Paper], candidates: dict[str, IngestCandidate]
) -> list[dict[str, Any]]:
    """Documents with the evidence that they became, and how far they are if they are none."""
    rows = []
    for paper in papers:
        candidate = candidates.get(paper.doc_id)
        evidence_id = None if candidate is None else candidate.evidence_id
        rows.append(
            {
                "paper": paper,
                "kind": str(paper.kind).replace("_", " "),
                "evidence_id": evidence_id,
                "state": None if evidence_id else _describe_state(paper, candidate),
                "is_safe": DocumentLink(paper.name, paper.url).is_safe,
            }
        )
    return rows


def _describe_state(paper: Paper, candidate: IngestCandidate | None) -> str:
    if not paper.wanted:
        return "not fetched: procedural item"
    if candidate is None:
        return "not fetched yet"
    return candidate.last_error or candidate.state


def _list_missing(
    dossier: MeetingDossier,
    digest: MeetingDigest,
    papers: Sequence[Paper],
    candidates: dict[str, IngestCandidate],
    today: date,
) -> list[str]:
    """What a reader would expect to find here, in sentences."""
    meeting, missing = dossier.meeting, []
    if meeting.filter_reason:
        missing.append(f"This meeting is not processed: {meeting.filter_reason}.")
    if not dossier.items:
        missing.append("No agenda items are known yet.")
    unread = [
        paper
        for paper in papers
        if paper.wanted
        and (own := candidates.get(paper.doc_id)) is not None
        and own.state in (CandidateState.BLOCKED, CandidateState.FAILED)
    ]
    waiting = sum(1 for paper in papers if paper.wanted and paper.doc_id not in candidates)
    if unread:
        missing.append(f"{pluralize(len(unread), 'document')} could not be read.")
    if waiting:
        missing.append(f"{pluralize(waiting, 'document')} not fetched yet.")
    bare = [
        item
        for item in dossier.items
        if item.filter_reason is None and not _has_summary(dossier, item)
    ]
    if bare:
        missing.append(
            f"{pluralize(len(bare), 'item')} without a summary: no document says more about "
            f"{'it' if len(bare) == 1 else 'them'}, or none was read yet."
        )
    reasons = Counter(each.reason for each in dossier.summaries.values() if each.wants_model)
    for reason, count in sorted(reasons.items(), key=lambda entry: str(entry[0])):
        missing.append(
            f"{pluralize(count, 'summary', 'summaries')} in the documents' own sentences, until a "
            f"model can write {'it' if count == 1 else 'them'}{f': {reason}' if reason else ''}."
        )
    if meeting.starts[:10] < today.isoformat() and digest.change != "Cancelled":
        if not any(paper.kind == PaperKind.MINUTES for paper in papers):
            missing.append("The portal lists no minutes.")
        if not digest.has_results:
            missing.append("Nothing is known about what was decided.")
    return missing


def _has_summary(dossier: MeetingDossier, item: AgendaItem) -> bool:
    own = dossier.summaries.get(item.item_id)
    return own is not None and bool(own.sentences)
