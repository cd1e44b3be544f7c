"""Documents in pages, the latest change first: what the console's list shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.documents import describe_entries
from assay.errors import InvalidInput
from assay.model.lifecycle import CandidateState
from assay.store import tables as t
from assay.store.counts import count_by, count_rows

_state = sa.func.coalesce(t.candidate.c.state, CandidateState.DISCOVERED.value)
_changed_ms = sa.func.coalesce(t.candidate.c.updated_ms, t.document.c.first_seen_ms)
_ESCAPE = "\\"


@dataclass(frozen=True, kw_only=True)
class DocumentSearch:
    """Which documents are meant; all of them by default."""

    source: str = ""
    state: CandidateState | None = None
    since_ms: int | None = None
    """Only those whose state has changed since then."""
    words: str = ""
    """All of these words must be in the title or the address."""


@dataclass(frozen=True)
class FoundDocuments:
    """Some documents, and where the next ones begin."""

    documents: list[dict[str, Any]]
    after: str | None
    """The cursor of the next page; None if there is none."""


def find_documents(
    app: App, wanted: DocumentSearch, after: str | None = None, limit: int = 50
) -> FoundDocuments:
    """The documents after a cursor that the search describes, the latest change first."""
    document, candidate = t.document, t.candidate
    query = (
        sa.select(document.c.doc_id, _changed_ms.label("changed_ms"))
        .outerjoin(candidate, candidate.c.doc_id == document.c.doc_id)
        .where(*_build_conditions(wanted))
        .order_by(_changed_ms.desc(), document.c.doc_id.desc())
        .limit(limit + 1)
    )
    if after is not None:
        changed_ms, doc_id = _parse_cursor(after)
        query = query.where(
            sa.or_(
                _changed_ms < changed_ms,
                sa.and_(_changed_ms == changed_ms, document.c.doc_id < doc_id),
            )
        )
    # Only then what is shown of them: joining it all before sorting costs several times as much.
    found = app.fetch_rows(query)
    shown = _describe(app, found[:limit])
    if len(found) <= limit:
        return FoundDocuments(shown, None)
    last = found[limit - 1]
    return FoundDocuments(shown, f"{last['changed_ms']}.{last['doc_id']}")


def count_states(app: App) -> dict[str, int]:
    """How many documents there are in each state."""

    def count(connection: sa.Connection) -> dict[str, int]:
        found = count_by(connection, t.candidate.c.state)
        # What was listed, and not yet fetched, has no place in the lifecycle.
        rest = count_rows(connection, t.document) - sum(found.values())
        listed = CandidateState.DISCOVERED.value
        return found | ({listed: found.get(listed, 0) + rest} if rest > 0 else {})

    return app.read(count)


def list_source_names(app: App, most: int = 500) -> dict[str, str]:
    """The name of each source, by its permanent name."""
    source = t.source
    query = sa.select(source.c.source_slug, source.c.name).order_by(source.c.source_slug)
    return {row["source_slug"]: row["name"] for row in app.fetch_rows(query.limit(most))}


def _build_conditions(wanted: DocumentSearch) -> list[sa.ColumnElement[bool]]:
    document = t.document
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.source:
        conditions.append(document.c.source_slug == wanted.source)
    if wanted.state is not None:
        conditions.append(_state == wanted.state.value)
    if wanted.since_ms is not None:
        conditions.append(_changed_ms >= wanted.since_ms)
    for word in wanted.words.split()[:10]:
        pattern = f"%{_escape_pattern(word)}%"
        conditions.append(
            sa.or_(
                document.c.title.ilike(pattern, escape=_ESCAPE),
                document.c.url.ilike(pattern, escape=_ESCAPE),
            )
        )
    return conditions


def _escape_pattern(word: str) -> str:
    for sign in (_ESCAPE, "%", "_"):
        word = word.replace(sign, _ESCAPE + sign)
    return word


def _parse_cursor(cursor: str) -> tuple[int, str]:
    changed_ms, _, doc_id = cursor.partition(".")
    if not (changed_ms.isascii() and changed_ms.isdigit() and len(changed_ms) < 19):
        raise InvalidInput(
            "The list cannot be continued from there.", advice="Start again from its first page."
        )
    return int(changed_ms), doc_id


def _describe(app: App, found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The documents found, with what the list shows, in the order in which they were found."""
    entries = {
        entry["doc_id"]: entry for entry in describe_entries(app, [row["doc_id"] for row in found])
    }
    return [entries[row["doc_id"]] | {"changed_ms": row["changed_ms"]} for row in found]
