"""Documents, their versions, and what became of them."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from assay.app.abbreviations import IdKind, expand_id
from assay.app.composition import App
from assay.app.tools import build_bounds, list_readable
from assay.engine.process_pool import ProcessPool
from assay.errors import InvalidInput, NotFound
from assay.model.bookkeeping import SeenVersion
from assay.model.ids import doc_id_of_url
from assay.model.lifecycle import CandidateState
from assay.notices.notice import read_stored_text
from assay.sources.responses import charset_of
from assay.store import tables as t
from assay.store import truth
from assay.store.upserts import upsert_records

_DURATION = re.compile(r"([0-9]{1,12})\s*([mhdw])")
_UNIT_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
_ID = re.compile(r"\b[a-z]{2}_[0-9a-f]{24}\b")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_UNFETCHED = "FETCH"
"""The code of a document that waits without having been judged."""
_LIST = "'assay documents list' lists them."


@dataclass(frozen=True, kw_only=True)
class DocumentFilter:
    """Which documents are meant; all of them by default."""

    source: str | None = None
    state: CandidateState | None = None
    reason: str | None = None
    """Words of the reason, or its code."""
    since_ms: int | None = None
    """Only those that are new, or whose newest version was fetched, since then."""


@dataclass(frozen=True)
class DocumentList:
    """The documents found, how many more there are, and how many there are of each kind."""

    documents: list[dict[str, Any]]
    more: int
    groups: list[dict[str, Any]]
    """Each state and reason, with its number of documents; the most frequent first."""


def parse_since(text: str, now_ms: int) -> int:
    """A time as a person gives it: a date, a date and time, or how long ago it was."""
    given = text.strip()
    if ago := _DURATION.fullmatch(given.lower()):
        # Longer ago than there was time is since the beginning.
        return max(0, now_ms - int(ago[1]) * _UNIT_MS[ago[2]])
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as error:
        raise InvalidInput(
            f"'{text}' is not a time.",
            advice="Use YYYY-MM-DD, YYYY-MM-DDTHH:MM, or how long ago: 90m, 12h, 3d or 2w.",
        ) from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)


def list_documents(app: App, wanted: DocumentFilter, limit: int | None = None) -> DocumentList:
    """The documents that the filter describes, the latest change first."""
    rows = app.fetch_rows(_select_documents(wanted))
    denials = _load_denials(app)
    found = [_describe_entry(row, denials) for row in rows]
    if wanted.reason is not None:
        words = wanted.reason.casefold()
        found = [
            entry
            for entry in found
            if words in entry["reason"].casefold() or words == (entry["code"] or "").casefold()
        ]
    counts = Counter((entry["state"], entry["code"] or "", _generalize(entry)) for entry in found)
    groups = [
        {"state": state, "code": code or None, "reason": reason, "documents": count}
        for (state, code, reason), count in sorted(
            counts.items(), key=lambda group: (-group[1], group[0])
        )
    ]
    return DocumentList(found[:limit], len(found) - len(found[:limit]), groups)


def _select_documents(
    wanted: DocumentFilter, doc_ids: Sequence[str] | None = None
) -> sa.Select[Any]:
    document, candidate, last = t.document, t.candidate, t.candidate_event
    counted = sa.select(
        t.evidence.c.doc_id,
        sa.func.count().label("versions"),
        sa.func.max(t.evidence.c.fetched_ms).label("fetched_ms"),
    ).group_by(t.evidence.c.doc_id)
    if doc_ids is not None:
        counted = counted.where(t.evidence.c.doc_id.in_(doc_ids))
    versions = counted.subquery()
    changed_ms = sa.func.coalesce(versions.c.fetched_ms, document.c.first_seen_ms)
    query = (
        sa.select(
            document.c.doc_id,
            document.c.title,
            document.c.source_slug,
            document.c.url,
            sa.func.coalesce(candidate.c.state, CandidateState.DISCOVERED.value).label("state"),
            sa.func.coalesce(last.c.reason, "").label("reason"),
            candidate.c.evidence_id,
            sa.func.coalesce(versions.c.versions, 0).label("versions"),
            changed_ms.label("changed_ms"),
            candidate.c.next_retry_unix,
        )
        .outerjoin(candidate, candidate.c.doc_id == document.c.doc_id)
        .outerjoin(
            last, sa.and_(last.c.doc_id == document.c.doc_id, last.c.seq == candidate.c.event_count)
        )
        .outerjoin(versions, versions.c.doc_id == document.c.doc_id)
        .order_by(changed_ms.desc(), document.c.doc_id)
    )
    if doc_ids is not None:
        query = query.where(document.c.doc_id.in_(doc_ids))
    if wanted.source is not None:
        query = query.where(document.c.source_slug == wanted.source)
    if wanted.state is not None:
        state = sa.func.coalesce(candidate.c.state, CandidateState.DISCOVERED.value)
        query = query.where(state == wanted.state.value)
    if wanted.since_ms is not None:
        query = query.where(changed_ms >= wanted.since_ms)
    return query


def describe_entries(app: App, doc_ids: Sequence[str]) -> list[dict[str, Any]]:
    """These documents as the list shows them, in no particular order."""
    rows = app.fetch_rows(_select_documents(DocumentFilter(), doc_ids))
    denials = _load_denials(app, [row["evidence_id"] for row in rows if row["evidence_id"]])
    return [_describe_entry(row, denials) for row in rows]


def _load_denials(app: App, evidence_ids: Sequence[str] | None = None) -> dict[str, str]:
    """Evidence whose document waits → why, in the words that the status counts by."""
    decision, candidate = t.routing_decision, t.candidate
    query = (
        sa.select(decision.c.evidence_id, decision.c.denial, decision.c.decision)
        .join(candidate, candidate.c.evidence_id == decision.c.evidence_id)
        .where(candidate.c.state == CandidateState.BLOCKED.value)
        .order_by(decision.c.denial.is_(None), decision.c.pack.desc())
    )
    if evidence_ids is not None:
        query = query.where(decision.c.evidence_id.in_(evidence_ids))
    rows = app.fetch_rows(query)
    return {row["evidence_id"]: row["denial"] or row["decision"] for row in reversed(rows)}


def _describe_entry(row: Mapping[str, Any], denials: Mapping[str, str]) -> dict[str, Any]:
    is_blocked = row["state"] == CandidateState.BLOCKED
    retry_unix = row["next_retry_unix"]
    return {
        **{name: value for name, value in row.items() if name != "next_retry_unix"},
        "code": denials.get(row["evidence_id"], _UNFETCHED) if is_blocked else None,
        "retry_ms": None if retry_unix is None else retry_unix * 1000,
    }


def _generalize(entry: Mapping[str, Any]) -> str:
    """The reason without what differs from document to document; none if the code says it."""
    if entry["code"] not in (None, _UNFETCHED):
        return ""
    return _FIGURE.sub("…", _ID.sub("…", str(entry["reason"])))


def find_document(app: App, given: str) -> str:
    """The document with this id, abbreviated or not, of this evidence, or at this address."""
    doc_id = expand_id(app, given, IdKind.DOCUMENT, IdKind.EVIDENCE)
    evidence = sa.select(t.evidence.c.doc_id).where(t.evidence.c.evidence_id == doc_id)
    if rows := app.fetch_rows(evidence):
        doc_id = rows[0]["doc_id"]
    names = [doc_id, doc_id_of_url(given)] if "://" in given else [doc_id]
    query = sa.select(t.document.c.doc_id).where(
        sa.or_(t.document.c.doc_id.in_(names), t.document.c.url == given)
    )
    if not (found := app.fetch_rows(query)):
        raise NotFound(f"There is no document {given}.", advice=_LIST)
    return str(found[0]["doc_id"])


def list_versions(app: App, doc_id: str) -> list[dict[str, Any]]:
    """The versions of a document, the oldest first, with their numbers."""
    evidence, artifact = t.evidence, t.artifact
    query = (
        sa.select(evidence, artifact.c.length, artifact.c.content_hash.label("text_blob"))
        .outerjoin(artifact, artifact.c.artifact_id == evidence.c.primary_text_artifact_id)
        .where(evidence.c.doc_id == doc_id)
        .order_by(evidence.c.fetched_ms, evidence.c.evidence_id)
    )
    rows = app.fetch_rows(query)
    current = app.fetch_rows(sa.select(t.candidate).where(t.candidate.c.doc_id == doc_id))
    newest = current[0]["evidence_id"] if current else None
    return [
        {"number": number, "is_current": row["evidence_id"] == newest, **row}
        for number, row in enumerate(rows, start=1)
    ]


def select_version(
    app: App, doc_id: str, versions: Sequence[Mapping[str, Any]], given: str | None = None
) -> Mapping[str, Any]:
    """One version by its number, or by the id of its evidence; by default the current one."""
    if not versions:
        raise NotFound(
            f"Document {doc_id} has no version yet.",
            advice=f"'assay documents show {doc_id}' shows why.",
        )
    if given is None:
        return next((entry for entry in versions if entry["is_current"]), versions[-1])
    evidence_id = expand_id(app, given, IdKind.EVIDENCE)
    for entry in versions:
        if given == str(entry["number"]) or evidence_id == entry["evidence_id"]:
            return entry
    raise NotFound(
        f"Document {doc_id} has no version {given}.",
        advice=f"It has the versions 1 to {len(versions)}; 'assay documents show' lists them.",
    )


def read_version_text(app: App, version: Mapping[str, Any]) -> str:
    """The text of a version, as it was read; its bytes are read for one that was skipped."""
    if version["text_blob"] is not None:
        return app.blobs.get(version["text_blob"]).decode("utf-8", "replace")
    return asyncio.run(_read_stored_version(app, version))


async def _read_stored_version(app: App, version: Mapping[str, Any]) -> str:
    hash_of_content, charset = version["content_hash"], charset_of(version["content_type"])
    bounds, readable = build_bounds(app.settings), list_readable(app.settings)
    async with ProcessPool(1, bounds, readable) as pool:
        return await pool.run(
            read_stored_text,
            app.blobs.path(hash_of_content),
            hash_of_content,
            charset,
            app.tools.scout.limits,
        )


def choose_versions_to_compare(
    app: App,
    doc_id: str,
    versions: Sequence[Mapping[str, Any]],
    earlier: str | None,
    later: str | None,
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The two versions that a person names; by default the current one and the one before it."""
    after = select_version(app, doc_id, versions, later)
    if earlier is not None:
        return select_version(app, doc_id, versions, earlier), after
    others = [entry for entry in versions if entry["evidence_id"] != after["evidence_id"]]
    before = [entry for entry in others if entry["number"] < after["number"]] or others
    if not before:
        raise NotFound(
            f"Document {doc_id} has only one version.",
            advice="It is compared once a run has found a change.",
        )
    return before[-1], after


def mark_seen(app: App, doc_id: str, evidence_id: str) -> None:
    """Remember which version of a document a person has looked at."""
    seen = SeenVersion(doc_id=doc_id, evidence_id=evidence_id, seen_ms=app.clock.now_ms())
    with app.engine.begin() as connection:
        upsert_records(connection, [seen])


def find_seen_version(app: App, doc_id: str) -> dict[str, Any] | None:
    """The version that a person last marked as seen, and when."""
    rows = app.fetch_rows(sa.select(t.seen_version).where(t.seen_version.c.doc_id == doc_id))
    return rows[0] if rows else None


def describe_document(app: App, doc_id: str, most_facts: int | None = None) -> dict[str, Any]:
    """Everything about a document: its versions, the decisions about it, its facts, its family."""
    document = t.document
    (found,) = app.fetch_rows(sa.select(document).where(document.c.doc_id == doc_id))
    versions = list_versions(app, doc_id)
    evidence_ids = [entry["evidence_id"] for entry in versions]
    (entry,) = describe_entries(app, [doc_id])
    family = sa.select(document.c.doc_id, document.c.title, document.c.url)
    return {
        **found,
        **{name: entry[name] for name in ("state", "reason", "code", "retry_ms", "changed_ms")},
        "seen": find_seen_version(app, doc_id),
        "places": _fetch_of(app, t.document_source, "doc_id", [doc_id]),
        "parent": next(
            iter(app.fetch_rows(family.where(document.c.doc_id == found["parent_doc_id"]))), None
        ),
        "children": app.fetch_rows(
            family.where(document.c.parent_doc_id == doc_id).order_by(document.c.doc_id)
        ),
        "versions": [
            {name: value for name, value in row.items() if name != "text_blob"} for row in versions
        ],
        "scout_results": _fetch_of(app, t.scout_result, "evidence_id", evidence_ids),
        "routing": _fetch_of(app, t.routing_decision, "evidence_id", evidence_ids),
        "facts": list_facts_of(app, evidence_ids, most_facts),
        "history": _fetch_of(app, t.candidate_event, "doc_id", [doc_id]),
    }


def describe_evidence(app: App, evidence_id: str) -> dict[str, Any]:
    """One version of a document with its text and the facts found in it."""
    rows = app.fetch_rows(sa.select(t.evidence).where(t.evidence.c.evidence_id == evidence_id))
    if not rows:
        raise NotFound(f"There is no evidence {evidence_id}.", advice=_LIST)
    versions = list_versions(app, rows[0]["doc_id"])
    (version,) = (entry for entry in versions if entry["evidence_id"] == evidence_id)
    text = "" if version["text_blob"] is None else read_version_text(app, version)
    return {
        **{name: value for name, value in version.items() if name != "text_blob"},
        "text": text,
        "facts": list_facts_of(app, [evidence_id]),
    }


def read_fact_text(app: App, fact: Mapping[str, Any]) -> str:
    """The text that a fact was found in: a document may have been read again since."""
    artifact = t.artifact
    rows = app.fetch_rows(sa.select(artifact).where(artifact.c.artifact_id == fact["artifact_id"]))
    return app.blobs.get(rows[0]["content_hash"]).decode("utf-8", "replace") if rows else ""


def list_facts_of(
    app: App, evidence_ids: Iterable[str], most: int | None = None
) -> list[dict[str, Any]]:
    """The facts found in some evidence, in the order of the text."""
    fact = truth.candidate_fact
    query = sa.select(fact).where(fact.c.evidence_id.in_(list(evidence_ids)))
    query = query.order_by(fact.c.evidence_id, fact.c.start, fact.c.fact_id).limit(most)
    return app.fetch_rows(query)


def _fetch_of(
    app: App, table: sa.Table, column: str, values: Sequence[str]
) -> list[dict[str, Any]]:
    query = sa.select(table).where(table.c[column].in_(values))
    return app.fetch_rows(query.order_by(*table.primary_key.columns))
