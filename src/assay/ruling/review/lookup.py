"""Reading all that decides about rules and conflicts, within one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import sqlalchemy as sa

from assay.errors import NotFound
from assay.model.facts import CoverageReport
from assay.model.records import IngestCandidate, Record, ReviewRequest, ScoutResult, Source
from assay.model.rules import Conflict, ConflictResolution, ReviewDecision, Rule, SourcePointer
from assay.model.storage import storage_of
from assay.ruling.arbiter.rulings import Dispute
from assay.ruling.convergence import has_one_value
from assay.ruling.declaration import Facts
from assay.ruling.review.judgement import Case
from assay.ruling.review.rule_cases import CaseRows, build_case
from assay.ruling.rules.rule_support import Support, support_from
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
        found += [record.from_row(dict(row)) for row in rows]
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


def concept_rows(connection: sa.Connection, rule: Rule, packs: Mapping[str, Facts]) -> CaseRows:
    """Everything about a rule and the others of its concept, as far as they bear on it."""
    rules = [rule]
    if has_one_value(rule.concept, packs.get(rule.pack)):
        rules = rows_where(connection, Rule, "concept", [rule.concept], pack=rule.pack)
    ids = [entry.rule_id for entry in rules]
    pointers = rows_where(connection, SourcePointer, "rule_id", ids)
    sources = rows_where(connection, Source, "source_slug", {p.source_slug for p in pointers})
    return CaseRows(
        rules={entry.rule_id: entry for entry in rules},
        pointers=pointers,
        support=_support_of(connection, pointers, rules),
        conflicts=rows_where(connection, Conflict, "concept", [rule.concept], pack=rule.pack),
        decisions=rows_where(connection, ReviewDecision, "subject", ids, subject_kind="rule"),
        requests=rows_where(connection, ReviewRequest, "subject", ids, subject_kind="rule"),
        sources={source.source_slug: source for source in sources},
    )


def _support_of(
    connection: sa.Connection, pointers: Sequence[SourcePointer], rules: Sequence[Rule]
) -> Support:
    candidates = rows_where(connection, IngestCandidate, "doc_id", {p.doc_id for p in pointers})
    newest = {candidate.doc_id: candidate.evidence_id for candidate in candidates}
    reports = rows_where(
        connection, CoverageReport, "evidence_id", {key for key in newest.values() if key}
    )
    judgements = rows_where(
        connection, ScoutResult, "evidence_id", {pointer.evidence_id for pointer in pointers}
    )
    return support_from(newest, reports, judgements, rules)


def case_in(connection: sa.Connection, rule_id: str, packs: Mapping[str, Facts]) -> Case:
    """One rule with all that decides about it."""
    rows = concept_rows(connection, rule_of(connection, rule_id), packs)
    return build_case(rule_id, rows, packs)


def dispute_in(connection: sa.Connection, conflict_id: str, packs: Mapping[str, Facts]) -> Dispute:
    """One conflict with all that decides about it."""
    conflict = conflict_of(connection, conflict_id)
    rows = concept_rows(connection, rule_of(connection, conflict.rule_a), packs)
    return build_dispute(connection, conflict, rows, packs)


def build_dispute(
    connection: sa.Connection, conflict: Conflict, rows: CaseRows, packs: Mapping[str, Facts]
) -> Dispute:
    """The same, where its concept was read already."""
    key, about = conflict.conflict_id, {"subject_kind": "conflict"}
    return Dispute(
        conflict=conflict,
        a=build_case(conflict.rule_a, rows, packs),
        b=build_case(conflict.rule_b, rows, packs),
        decisions=tuple(rows_where(connection, ReviewDecision, "subject", [key], **about)),
        requests=tuple(rows_where(connection, ReviewRequest, "subject", [key], **about)),
        resolutions=tuple(rows_where(connection, ConflictResolution, "conflict_id", [key])),
    )
