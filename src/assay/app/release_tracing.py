"""Follows every released value through pointer, fact and decision to its evidence in the store."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assay.engine.grouping import group_pairs
from assay.errors.faults import Fault, FaultKind
from assay.model.rules import PERSON_TIERS
from assay.ruling.release.manifest import ManifestLine
from assay.ruling.review.judgement import APPROVE, EDIT
from assay.store import tables as t
from assay.store import truth

_CHUNK = 200
_PLACE = ("quote", "start", "end")
_SPAN = (*_PLACE, "evidence_id", "artifact_id")
_MEANING = ("value", "value_type", "unit")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Rows:
    """What some rules of a release rest on."""

    rules: Mapping[str, Row]
    pointers: Mapping[str, Sequence[Row]]
    facts: Mapping[str, Row]
    evidence: Mapping[str, Row]
    artifacts: Mapping[str, Row]
    decisions: Mapping[str, Sequence[Row]]


def find_trace_faults(connection: sa.Connection, lines: Sequence[ManifestLine]) -> Iterator[Fault]:
    """Every break between a line of a manifest and the rows that it rests on.

    Whether a cited quote has a pointer at all is checked with the rows of the release.
    """
    for start in range(0, len(lines), _CHUNK):
        some = lines[start : start + _CHUNK]
        rows = _read_rows(connection, [line["rule_id"] for line in some])
        for line in some:
            name = f"{line['concept']} ({line['rule_id']})"
            for fault in _trace_line(line, rows):
                yield fault.about(name)


def _trace_line(line: ManifestLine, rows: _Rows) -> Iterator[Fault]:
    rule = rows.rules.get(line["rule_id"])
    for source in line["sources"]:
        for pointer in rows.pointers.get(line["rule_id"], ()):
            if all(pointer[name] == source[name] for name in _PLACE) and (
                pointer["source_slug"] == source["source_slug"]
            ):
                yield from _trace_pointer(pointer, source, rule, rows)
    if line["tier"] in PERSON_TIERS and not any(
        decision["person"] == line["approved_by"] and decision["decision"] in (APPROVE, EDIT)
        for decision in rows.decisions.get(line["rule_id"], ())
    ):
        yield FaultKind.DECISION_MISSING.report(
            f"no decision of {line['approved_by']} to approve it is stored"
        )


def _trace_pointer(
    pointer: Row, source: ManifestLine, rule: Row | None, rows: _Rows
) -> Iterator[Fault]:
    name = f"pointer {pointer['pointer_id']}"
    evidence = rows.evidence.get(pointer["evidence_id"])
    artifact = rows.artifacts.get(pointer["artifact_id"])
    if evidence is None or evidence["content_hash"] != source["evidence_hash"]:
        yield FaultKind.EVIDENCE_DIFFERS.report(f"{name} does not lead to the cited evidence")
    elif artifact is None or (artifact["evidence_id"], artifact["content_hash"]) != (
        evidence["evidence_id"],
        source["artifact_hash"],
    ):
        yield FaultKind.EVIDENCE_DIFFERS.report(f"{name} does not lead to the cited text")
    fact = rows.facts.get(pointer["fact_id"])
    if fact is None:
        yield FaultKind.FACT_MISSING.report(
            f"{name} leads to fact {pointer['fact_id']}, which is gone"
        )
        return
    if any(fact[column] != pointer[column] for column in _SPAN):
        yield FaultKind.FACT_DIFFERS.report(f"fact {fact['fact_id']} has other words than {name}")
    if rule is not None and any(fact[column] != rule[column] for column in _MEANING):
        yield FaultKind.FACT_DIFFERS.report(f"fact {fact['fact_id']} has another value")


def _read_rows(connection: sa.Connection, rule_ids: Sequence[str]) -> _Rows:
    def read(column: sa.Column[Any], values: Sequence[str]) -> list[Row]:
        found: list[Row] = []
        for start in range(0, len(values), _CHUNK):
            some = column.in_(values[start : start + _CHUNK])
            query = sa.select(column.table).where(some)
            found += [dict(row) for row in connection.execute(query).mappings()]
        return found

    def index(column: sa.Column[Any], values: set[str]) -> dict[str, Row]:
        return {row[column.name]: row for row in read(column, sorted(values))}

    pointers = read(truth.source_pointer.c.rule_id, rule_ids)
    decisions = read(truth.review_decision.c.subject, rule_ids)
    return _Rows(
        rules=index(truth.rule.c.rule_id, set(rule_ids)),
        pointers=group_pairs((row["rule_id"], row) for row in pointers),
        facts=index(truth.candidate_fact.c.fact_id, {row["fact_id"] for row in pointers}),
        evidence=index(t.evidence.c.evidence_id, {row["evidence_id"] for row in pointers}),
        artifacts=index(t.artifact.c.artifact_id, {row["artifact_id"] for row in pointers}),
        decisions=group_pairs(
            (row["subject"], row) for row in decisions if row["subject_kind"] == "rule"
        ),
    )
