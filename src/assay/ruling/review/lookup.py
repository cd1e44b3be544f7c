"""Reading all that decides about rules and conflicts, within one transaction."""

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

import sqlalchemy as sa

from assay.errors import NotFound
from assay.model.facts import CoverageReport
from assay.model.records import IngestCandidate, Record, ReviewRequest, ScoutResult, Source
from assay.model.rules import Conflict, ConflictResolution, ReviewDecision, Rule, SourcePointer
from assay.model.storage import storage_of
from assay.ruling.arbiter.rulings import Dispute
from assay.ruling.declaration import Facts
from assay.ruling.review.cases import Rows, case_of, with_twins
from assay.ruling.review.judgement import Case
from assay.ruling.rules.support import copies_among, extracted_by_pack
from assay.store.bulk import CHUNK
from assay.store.record_tables import table_of

R = TypeVar("R", bound=Record)


def rows_where(
    connection: sa.Connection, record: type[R], column: str, values: Iterable[str], **beside: str
) -> list[R]:
    """The rows whose column has one of the values, in the order of their key."""
    table, key = table_of(record), storage_of(record).key
    chosen = sorted(set(values))
    found: list[R] = []
    for start in range(0, len(chosen), CHUNK):
        query = sa.select(table).where(table.c[column].in_(chosen[start : start + CHUNK]))
        query = query.where(*(table.c[name] == value for name, value in beside.items()))
        rows = connection.execute(query.order_by(*(table.c[name] for name in key))).mappings()
        found += [record.restored(dict(row)) for row in rows]
    return found


def rule_of(connection: sa.Connection, rule_id: str) -> Rule:
    """The rule under that id."""
    found = rows_where(connection, Rule, "rule_id", [rule_id])
    if not found:
        raise NotFound(f"There is no rule {rule_id}.", advice="'assay review list' names some.")
    return found[0]


def conflict_of(connection: sa.Connection, conflict_id: str) -> Conflict:
    """The conflict under that id."""
    found = rows_where(connection, Conflict, "conflict_id", [conflict_id])
    if not found:
        raise NotFound(
            f"There is no conflict {conflict_id}.", advice="'assay conflicts list' names them."
        )
    return found[0]


def request_of(connection: sa.Connection, request_id: str) -> ReviewRequest:
    """The question under that id."""
    found = rows_where(connection, ReviewRequest, "request_id", [request_id])
    if not found:
        raise NotFound(
            f"There is no question {request_id}.", advice="'assay review list' names them."
        )
    return found[0]


def rows_of(connection: sa.Connection, rule_ids: Collection[str]) -> Rows:
    """Everything about these rules."""
    named = rows_where(connection, Rule, "rule_id", rule_ids)
    of_concepts = rows_where(connection, Rule, "concept", {rule.concept for rule in named})
    rules = {rule.rule_id: rule for rule in of_concepts}
    rule_ids = with_twins(rule_ids, rules)
    pointers = rows_where(connection, SourcePointer, "rule_id", rule_ids)
    candidates = rows_where(
        connection, IngestCandidate, "doc_id", {pointer.doc_id for pointer in pointers}
    )
    newest = {candidate.doc_id: candidate.evidence_id for candidate in candidates}
    reports = rows_where(
        connection, CoverageReport, "evidence_id", {key for key in newest.values() if key}
    )
    judgements = rows_where(
        connection, ScoutResult, "evidence_id", {pointer.evidence_id for pointer in pointers}
    )
    sources = rows_where(
        connection, Source, "source_slug", {pointer.source_slug for pointer in pointers}
    )
    conflicts = {
        conflict.conflict_id: conflict
        for column in ("rule_a", "rule_b")
        for conflict in rows_where(connection, Conflict, column, rule_ids)
    }
    return Rows(
        rules=rules,
        pointers=pointers,
        newest=newest,
        extracted=extracted_by_pack(reports),
        copies=copies_among(judgements),
        conflicts=list(conflicts.values()),
        decisions=rows_where(connection, ReviewDecision, "subject", rule_ids, subject_kind="rule"),
        requests=rows_where(connection, ReviewRequest, "subject", rule_ids, subject_kind="rule"),
        sources={source.source_slug: source for source in sources},
    )


def case_in(connection: sa.Connection, rule_id: str, packs: Mapping[str, Facts]) -> Case:
    """One rule with all that decides about it."""
    rule_of(connection, rule_id)
    return case_of(rule_id, rows_of(connection, [rule_id]), packs)


def dispute_in(connection: sa.Connection, conflict_id: str, packs: Mapping[str, Facts]) -> Dispute:
    """One conflict with all that decides about it."""
    conflict = conflict_of(connection, conflict_id)
    rows = rows_of(connection, [conflict.rule_a, conflict.rule_b])
    about = {"subject_kind": "conflict"}
    return Dispute(
        conflict=conflict,
        a=case_of(conflict.rule_a, rows, packs),
        b=case_of(conflict.rule_b, rows, packs),
        decisions=tuple(rows_where(connection, ReviewDecision, "subject", [conflict_id], **about)),
        requests=tuple(rows_where(connection, ReviewRequest, "subject", [conflict_id], **about)),
        resolutions=tuple(rows_where(connection, ConflictResolution, "conflict_id", [conflict_id])),
    )
