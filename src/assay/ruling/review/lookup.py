"""Reading everything that decisions about rules and conflicts depend on, in one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import sqlalchemy as sa

from assay.errors import NotFound
from assay.model.facts import CoverageReport, FactEnd
from assay.model.records import IngestCandidate, Record, ReviewRequest, ScoutResult, Source
from assay.model.rules import (
    Conflict,
    ConflictResolution,
    ConflictSide,
    ReviewDecision,
    Rule,
    SourcePointer,
)
from assay.model.storage import storage_of
from assay.ruling.arbiter.rulings import Dispute
from assay.ruling.convergence import has_one_value
from assay.ruling.declaration import Facts
from assay.ruling.review.judgement import RuleCase
from assay.ruling.review.rule_cases import CaseRows, build_case
from assay.ruling.rules.rule_support import RuleSupport, build_support, list_reported_evidence
from assay.store.bulk import CHUNK
from assay.store.record_tables import table_of

R = TypeVar("R", bound=Record)


def read_rows(
    connection: sa.Connection, record: type[R], column: str, values: Iterable[str], **beside: str
) -> list[R]:
    """The rows whose column has one of the values, ordered by key."""
    table, key = table_of(record), storage_of(record).key
    chosen = sorted(set(values))
    found: list[R] = []
    for start in range(0, len(chosen), CHUNK):
        query = sa.select(table).where(table.c[column].in_(chosen[start : start + CHUNK]))
        query = query.where(*(table.c[name] == value for name, value in beside.items()))
        rows = connection.execute(query.order_by(*(table.c[name] for name in key))).mappings()
        found += [record.from_row(dict(row)) for row in rows]
    return found


def read_rule(connection: sa.Connection, rule_id: str) -> Rule:
    """The rule with that id."""
    return _read_one(connection, Rule, "rule", rule_id, "Find rules with 'assay review list'.")


def read_conflict(connection: sa.Connection, conflict_id: str) -> Conflict:
    """The conflict with that id."""
    advice = "List conflicts with 'assay conflicts list'."
    return _read_one(connection, Conflict, "conflict", conflict_id, advice)


def read_request(connection: sa.Connection, request_id: str) -> ReviewRequest:
    """The question with that id."""
    advice = "List questions with 'assay review list'."
    return _read_one(connection, ReviewRequest, "question", request_id, advice)


def _read_one(connection: sa.Connection, record: type[R], name: str, key: str, advice: str) -> R:
    found = read_rows(connection, record, storage_of(record).key[0], [key])
    if not found:
        raise NotFound(f"There is no {name} {key}.", advice=advice)
    return found[0]


def read_concept_rows(
    connection: sa.Connection, rule: Rule, packs: Mapping[str, Facts]
) -> CaseRows:
    """Everything about a rule and about the others of its concept that affect it."""
    if has_one_value(rule.concept, packs.get(rule.pack)):
        rules = read_rows(connection, Rule, "concept", [rule.concept], pack=rule.pack)
    else:
        # Read again: a decision may just have changed it.
        rules = read_rows(connection, Rule, "rule_id", [rule.rule_id])
    return read_rule_rows(connection, rules)


def read_rule_rows(connection: sa.Connection, rules: Sequence[Rule]) -> CaseRows:
    """Everything about these rules and their conflicts."""
    ids = [entry.rule_id for entry in rules]
    pointers = read_rows(connection, SourcePointer, "rule_id", ids)
    sources = read_rows(connection, Source, "source_slug", {p.source_slug for p in pointers})
    concepts = {entry.concept for entry in rules}
    conflicts = read_rows(connection, Conflict, "concept", concepts)
    packs = {entry.pack for entry in rules}
    return CaseRows(
        rules={entry.rule_id: entry for entry in rules},
        pointers=pointers,
        support=_read_support(connection, pointers, rules),
        conflicts=[conflict for conflict in conflicts if conflict.pack in packs],
        sides=read_rows(connection, ConflictSide, "rule_id", ids),
        decisions=read_rows(connection, ReviewDecision, "subject", ids, subject_kind="rule"),
        requests=read_rows(connection, ReviewRequest, "subject", ids, subject_kind="rule"),
        sources={source.source_slug: source for source in sources},
    )


def _read_support(
    connection: sa.Connection, pointers: Sequence[SourcePointer], rules: Sequence[Rule]
) -> RuleSupport:
    candidates = read_rows(connection, IngestCandidate, "doc_id", {p.doc_id for p in pointers})
    newest = {candidate.doc_id: candidate.evidence_id for candidate in candidates}
    reported = list_reported_evidence(pointers, newest)
    reports = read_rows(connection, CoverageReport, "evidence_id", reported)
    judgements = read_rows(
        connection, ScoutResult, "evidence_id", {pointer.evidence_id for pointer in pointers}
    )
    ends = read_rows(connection, FactEnd, "fact_id", {pointer.fact_id for pointer in pointers})
    return build_support(newest, reports, judgements, rules, ends)


def read_case(connection: sa.Connection, rule_id: str, packs: Mapping[str, Facts]) -> RuleCase:
    """One rule with everything that its status depends on."""
    rows = read_concept_rows(connection, read_rule(connection, rule_id), packs)
    return build_case(rule_id, rows)


def read_dispute(
    connection: sa.Connection, conflict_id: str, packs: Mapping[str, Facts]
) -> Dispute:
    """One conflict with everything that its decision depends on."""
    conflict = read_conflict(connection, conflict_id)
    sides = read_rows(connection, ConflictSide, "conflict_id", [conflict_id])
    rows = read_concept_rows(connection, read_rule(connection, sides[0].rule_id), packs)
    return build_dispute(connection, conflict, rows)


def build_dispute(connection: sa.Connection, conflict: Conflict, rows: CaseRows) -> Dispute:
    """The same, if the rows of its concept were already read."""
    key, about = conflict.conflict_id, {"subject_kind": "conflict"}
    sides = rows.sides_of.get(key, ())
    return Dispute(
        conflict=conflict,
        sides=tuple(sides),
        cases={side.rule_id: build_case(side.rule_id, rows) for side in sides},
        decisions=tuple(read_rows(connection, ReviewDecision, "subject", [key], **about)),
        requests=tuple(read_rows(connection, ReviewRequest, "subject", [key], **about)),
        resolutions=tuple(read_rows(connection, ConflictResolution, "conflict_id", [key])),
    )
