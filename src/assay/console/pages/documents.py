"""Documents: the list, the life of one, and two of its versions side by side."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.app import App
from assay.app.document_diffs import DiffLine, DiffRow, mark_words, pair_texts
from assay.app.document_search import (
    DocumentSearch,
    count_states,
    find_documents,
    list_source_names,
)
from assay.app.document_viewer import DocumentViewer
from assay.app.documents import (
    choose_versions_to_compare,
    describe_document,
    find_document,
    list_versions,
    parse_since,
    read_version_text,
)
from assay.app.evidence_views import PDF_CLASSES, read_unkept_text
from assay.app.status import describe_waiting
from assay.console.access import Reader
from assay.console.layout import OwnApp, OwnViewer, render_page
from assay.errors import InvalidInput
from assay.model.lifecycle import CandidateState

router = APIRouter()
_MOST_FACTS = 60
_CONTEXT = 3
"""Unchanged lines shown around a change."""
_MOST_ROWS = 2_000
"""Rows of a comparison on one page, …"""
_MOST_FOLDED = 200
"""… and of one stretch of unchanged rows that can be unfolded."""
_STATE_KINDS = {
    CandidateState.INGESTED: "good",
    CandidateState.BLOCKED: "warn",
    CandidateState.FAILED: "bad",
}


@router.get("/documents")
def show_documents(
    request: Request,
    app: OwnApp,
    _principal: Reader,
    source: str = "",
    state: str = "",
    since: str = "",
    words: str = "",
    after: str = "",
) -> Response:
    """The list, the latest change first."""
    wanted = DocumentSearch(
        source=source.strip(),
        state=_parse_state(state),
        since_ms=parse_since(since, app.clock.now_ms()) if since.strip() else None,
        words=words,
    )
    found = find_documents(app, wanted, after or None)
    given = {"source": source, "state": state, "since": since, "words": words}
    query = {name: value for name, value in given.items() if value.strip()}
    return render_page(
        request,
        "documents.html",
        documents=[_explain_state(app, entry) for entry in found.documents],
        next_url=found.after and f"/documents?{urlencode({**query, 'after': found.after})}",
        given=given,
        is_filtered=bool(query),
        is_first=not after,
        counts=count_states(app),
        states=list(CandidateState),
        sources=list_source_names(app),
        kind_of=_STATE_KINDS,
    )


@router.get("/documents/{doc_id:path}/versions")
def compare_versions(
    request: Request,
    doc_id: str,
    app: OwnApp,
    viewer: OwnViewer,
    _principal: Reader,
    a: str | None = None,
    b: str | None = None,
    start: int = 0,
) -> Response:
    """Two versions side by side; by default the current one and the one before it."""
    doc_id = find_document(app, doc_id)
    versions = list_versions(app, doc_id)
    before, after = choose_versions_to_compare(app, doc_id, versions, a or None, b or None)
    rows = list(pair_texts(_read_version(app, viewer, before), _read_version(app, viewer, after)))
    shown = fold_rows(rows, max(0, start))
    address = f"/documents/{quote(doc_id)}/versions?a={before['number']}&b={after['number']}"
    return render_page(
        request,
        "versions.html",
        document=describe_document(app, doc_id, most_facts=0),
        versions=versions,
        before=before,
        after=after,
        blocks=shown.blocks,
        next_url=shown.next_start and f"{address}&start={shown.next_start}",
        cut=cut_words,
        changed=sum(not row.is_same for row in rows),
        lines=len(rows),
    )


@router.get("/documents/{doc_id:path}")
def show_document(request: Request, doc_id: str, app: OwnApp, _principal: Reader) -> Response:
    """The life of one document."""
    doc_id = find_document(app, doc_id)
    found = _explain_state(app, describe_document(app, doc_id, most_facts=_MOST_FACTS + 1))
    routed = {(entry["evidence_id"], entry["pack"]): entry for entry in found["routing"]}
    return render_page(
        request,
        "document.html",
        document=found,
        facts=found["facts"][:_MOST_FACTS],
        has_more_facts=len(found["facts"]) > _MOST_FACTS,
        numbers={entry["evidence_id"]: entry["number"] for entry in found["versions"]},
        routed=routed,
        runs=list(dict.fromkeys(entry["run_id"] for entry in found["versions"])),
        kind_of=_STATE_KINDS,
        with_pages=PDF_CLASSES,
    )


def _parse_state(given: str) -> CandidateState | None:
    if not given:
        return None
    try:
        return CandidateState(given)
    except ValueError:
        raise InvalidInput(
            f"There is no state '{given}'.",
            advice=f"The states are {', '.join(CandidateState)}.",
        ) from None


def _explain_state(app: App, entry: dict[str, Any]) -> dict[str, Any]:
    """The entry with the reason for its state in words."""
    waiting = describe_waiting(entry["code"] or "", app.settings)
    reasons = dict.fromkeys(part for part in (entry["reason"], waiting) if part)
    return {**entry, "why": " · ".join(reasons)}


def _read_version(app: App, viewer: DocumentViewer, version: Any) -> str:
    if version["text_blob"] is None:
        return read_unkept_text(app, viewer, version)
    return read_version_text(app, version)


@dataclass(frozen=True, slots=True)
class DiffBlock:
    """Rows of a comparison that are shown, or that are folded until somebody wants them."""

    rows: list[DiffRow]
    is_folded: bool
    count: int
    """How many rows there are; of a long folded block, `rows` has the first ones."""


@dataclass(frozen=True, slots=True)
class FoldedRows:
    """A part of a comparison, and where the next part begins."""

    blocks: list[DiffBlock]
    next_start: int | None


def fold_rows(rows: Sequence[DiffRow], start: int = 0) -> FoldedRows:
    """The changes with the rows around them; what is the same in both lies folded in between."""
    near = _find_near(rows)
    blocks: list[DiffBlock] = []
    shown, at = 0, start
    for is_near, numbers in groupby(range(start, len(rows)), key=lambda number: bool(near[number])):
        block = [rows[number] for number in numbers]
        kept = block[: _MOST_ROWS - shown] if is_near else block[:_MOST_FOLDED]
        kept = list(mark_words(kept))
        blocks.append(DiffBlock(kept, not is_near, len(block)))
        shown += len(kept)
        at += len(kept) if is_near else len(block)
        if shown >= _MOST_ROWS:
            break
    return FoldedRows(blocks, at if at < len(rows) else None)


def _find_near(rows: Sequence[DiffRow]) -> bytearray:
    """For each row, whether it has changed or a row near it has."""
    near = bytearray(len(rows))
    for number, row in enumerate(rows):
        if not row.is_same:
            first, after = max(0, number - _CONTEXT), min(len(rows), number + _CONTEXT + 1)
            near[first:after] = b"\1" * (after - first)
    return near


def cut_words(line: DiffLine) -> Iterator[tuple[str, bool]]:
    """A line in pieces, each with whether its words differ."""
    at = 0
    for first, after in _merge(line.changed):
        yield line.text[at:first], False
        yield line.text[first:after], True
        at = after
    yield line.text[at:], False


def _merge(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    first, after = 0, 0
    for start, end in spans:
        if start > after:
            if after > first:
                yield first, after
            first = start
        after = end
    if after > first:
        yield first, after
