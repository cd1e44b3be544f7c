"""The library in the console: works by state, search, and what is known about a work."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from assay.packs.literature.citing import CitationStyle, cite_work
from assay.packs.literature.corpus import find_work
from assay.packs.literature.index import SearchFilters, SearchMode
from assay.packs.literature.matches import MATCH
from assay.packs.literature.records import FullText, ReferenceList, WorkId, WorkReference
from assay.packs.literature.searching import choose_text, search_corpus
from assay.packs.literature.texts import decode_passages
from assay.packs.literature.works import Work, load_works
from assay.sdk.errors import AssayError
from assay.sdk.pack import Page
from assay.sdk.pages import ConsolePage, ConsoleRequest
from assay.sdk.records import Artifact, Contains, IngestCandidate, ReviewRequest, ValuesOf
from assay.sdk.services import Services
from assay.sdk.stages import CandidateState

_ON_THE_BOARD: Final = 12
"""Works of a state on the board; alone, a state shows more."""
_ALONE: Final = 200
_HITS: Final = 20
_PASSAGES: Final = 3
"""Passages of a work that a search shows."""
_QUESTIONS: Final = 12
_LONGEST_QUERY: Final = 500
_MOST_CITED: Final = 200
_MOST_PASSAGES: Final = 60
_PASSAGE: Final = 400
"""Characters of a passage that a list shows."""
_WORKS: Final = ValuesOf(WorkId, "doc_id")
_TITLES: Final[Mapping[CandidateState, tuple[str, str]]] = {
    CandidateState.DISCOVERED: ("New", "Named by a list, and not looked up yet"),
    CandidateState.READY: ("Text found", "The full text can be fetched"),
    CandidateState.INGESTED: ("Read", "The full text is in the library"),
    CandidateState.RESOLVED: ("Known", "Its details are known, without a text"),
    CandidateState.BLOCKED: ("Waiting", "Tried again later"),
    CandidateState.FAILED: ("Failed", "Could not be read"),
    CandidateState.SKIPPED: ("Left out", "Not wanted, or not readable"),
}
"""What each state is called, in the order of the board."""


def pages() -> tuple[Page, ...]:
    """The pages of this pack."""
    return (
        Page(path="/library", title="Library", handler=show_library),
        Page(path="/works/{work_id:path}", title="A work", handler=show_work),
    )


async def show_library(request: ConsoleRequest, services: Services) -> ConsolePage:
    """The board of works by state; or what a search finds."""
    query = " ".join(request.query.get("q", "").replace("\x00", " ").split())[:_LONGEST_QUERY]
    state = request.query.get("state", "")
    values: dict[str, Any] = {"q": query, "hits": None}
    if query:
        found = await search_corpus(services, query, SearchFilters(), SearchMode.FUSED, _HITS)
        values["hits"] = await asyncio.to_thread(_link_hits, services, found)
    return ConsolePage(
        "library.html", values | await asyncio.to_thread(_read_board, services, state, bool(query))
    )


def _read_board(services: Services, state: str, is_search: bool) -> dict[str, Any]:
    """The works of each state, those that changed last first; a search needs only the numbers."""
    chosen = [each for each in _TITLES if state in ("", each.value)]
    counts = services.count_records_by(IngestCandidate, "state", doc_id=_WORKS)
    most = _ALONE if len(chosen) == 1 else _ON_THE_BOARD
    rows = {
        each: [] if is_search or not counts.get(each) else services.read_last(
            IngestCandidate, "updated_ms", most, state=each.value, doc_id=_WORKS
        )
        for each in chosen
    }  # fmt: skip
    works = _load_by_id(services, [row.doc_id for own in rows.values() for row in own])
    questions = [] if is_search or state else services.read_last(
        ReviewRequest, "created_ms", _QUESTIONS, subject_kind=MATCH, state="OPEN"
    )  # fmt: skip
    return {
        "columns": [
            {
                "state": each.value,
                "title": _TITLES[each][0],
                "hint": _TITLES[each][1],
                "count": counts.get(each.value, 0),
                "works": [works[row.doc_id] for row in own if row.doc_id in works],
            }
            for each, own in rows.items()
        ],
        "state": state,
        "questions": questions,
        "open_questions": services.count_records(ReviewRequest, subject_kind=MATCH, state="OPEN"),
        "lists": services.count_records(ReferenceList),
        "total": sum(counts.values()),
    }


def _load_by_id(services: Services, ids: list[str]) -> dict[str, Work]:
    return {each: work for work in load_works(services, ids) for each in work.ids}


def _link_hits(services: Services, hits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a search found, with the evidence that each passage is part of."""
    names = {each["artifact_id"] for hit in hits for each in hit["passages"]} - {None}
    rows = services.read_records(Artifact, artifact_id=names)
    evidence = {row.artifact_id: row.evidence_id for row in rows}
    return [
        {
            **hit,
            "passages": [
                {
                    **each,
                    "words": _shorten(each["text"]),
                    "evidence_id": evidence.get(each["artifact_id"] or ""),
                }
                for each in _drop_repeated(hit["passages"])[:_PASSAGES]
            ],
        }
        for hit in hits
    ]


def _drop_repeated(passages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without abstracts of services whose words the text itself has."""
    own = {" ".join(each["text"].split()) for each in passages if each["artifact_id"]}
    return [
        each
        for each in passages
        if each["artifact_id"] or " ".join(each["text"].split()) not in own
    ]


def show_work(request: ConsoleRequest, services: Services) -> ConsolePage:
    """What is known about a work and who says so, what it cites, and its text in passages."""
    work = find_work(services, request.path["work_id"].replace("\x00", ""))
    ids = {*work.ids}
    named = services.read_last(WorkReference, "reference_id", _MOST_CITED, doc_id=ids)
    cited = load_works(services, work.cites[:_MOST_CITED])
    citing = load_works(services, {row.citing for row in named} - {""})
    known = {each for one in cited for each in one.ids}
    return ConsolePage(
        "work.html",
        {
            "work": work,
            "state": _TITLES.get(CandidateState(work.state), (work.state, ""))[0],
            "entries": [row for row in named if not row.citing and row.evidence_id],
            "cited": [each for each in cited if each.doc_id != work.doc_id],
            "unknown": [each for each in work.cites[:_MOST_CITED] if each not in known],
            "more_cited": max(0, len(work.cites) - _MOST_CITED),
            "citing": [each for each in citing if each.doc_id != work.doc_id],
            "citation": cite_work(work, CitationStyle.TEXT),
            "bibtex": cite_work(work, CitationStyle.BIBTEX),
            "questions": _find_questions(services, work),
            "has_page": work.url.startswith(("https://", "http://")),
            **_read_passages(services, work),
        },
    )


def _find_questions(services: Services, work: Work) -> list[ReviewRequest]:
    """The open questions about whether it is the same as another work."""
    return [
        question
        for each in work.ids[:10]
        for question in services.read_last(
            ReviewRequest, "created_ms", 5, subject_kind=MATCH, state="OPEN",
            subject=Contains((each,)),
        )
    ]  # fmt: skip


def _read_passages(services: Services, work: Work) -> dict[str, Any]:
    """The first passages of its text, each with its place."""
    text = choose_text(work, services.read_records(FullText, doc_id=set(work.ids)))
    empty: dict[str, Any] = {"text": None, "passages": [], "more_passages": 0}
    if text is None:
        return empty
    artifacts = services.read_records(Artifact, artifact_id=text.artifact_id)
    try:
        spans = decode_passages(services.blobs.get(text.passages_hash))
        whole = services.blobs.get(artifacts[0].content_hash).decode() if artifacts else ""
    except AssayError:
        # What was lost can be made again from the evidence, which the page still leads to.
        return {**empty, "text": text}
    return {
        "text": text,
        "passages": [
            {"span": span, "words": _shorten(whole[span.start : span.end])}
            for span in spans[:_MOST_PASSAGES]
        ],
        "more_passages": max(0, len(spans) - _MOST_PASSAGES),
    }


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _PASSAGE else f"{words[:_PASSAGE].rsplit(' ', 1)[0]} …"
