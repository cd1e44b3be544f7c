"""Whether released rules are still what the store knows: what has changed since the release."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from assay.engine.grouping import group_pairs
from assay.model.facts import CoverageReport, FactEnd
from assay.model.records import Evidence, IngestCandidate, ReviewRequest
from assay.model.rules import (
    Conflict,
    ConflictSide,
    ConflictState,
    Release,
    ReleasedRule,
    Rule,
    RuleEdge,
    RuleStatus,
    SourcePointer,
)
from assay.ruling.release.gates import RELEASABLE
from assay.ruling.release.published_rules import PublishedRule
from assay.ruling.release.rule_standing import apply_person_version, is_ending, value_parts
from assay.ruling.review.lookup import read_rows
from assay.ruling.rules.conditions import is_same_condition, parse_condition_text
from assay.ruling.rules.descriptions import describe_value

_OPEN = "OPEN"


class StaleReason(StrEnum):
    """What has happened to a rule since it was released."""

    UNDER_REVIEW = "UNDER_REVIEW"
    """A person has to decide about it again."""
    WITHDRAWN = "WITHDRAWN"
    """A person rejected it."""
    DEPRECATED = "DEPRECATED"
    """No document supports it any more, or it gave way to another rule."""
    CONTRADICTED = "CONTRADICTED"
    """An open conflict has a rule that contradicts it."""
    EVIDENCE_CHANGED = "EVIDENCE_CHANGED"
    """A document that it cites has a newer version, which does not support it so far."""
    REPLACED = "REPLACED"
    """An approved rule or version replaces it, and is not part of the release."""


class Freshness(StrEnum):
    """Whether an answer is what the store knows by now."""

    CURRENT = "CURRENT"
    STALE = "STALE"
    UNKNOWN = "UNKNOWN"
    """An exported release does not know what happened after it was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewerRule:
    """A rule that is not in the release."""

    rule_id: str
    display: str
    """Its value in words."""
    status: str
    effective_from: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleMark:
    """Why a released rule may no longer be right, and what is newer."""

    reason: StaleReason
    what: str
    """One sentence, without its full stop."""
    evidence_id: str | None = None
    url: str | None = None
    request_id: str | None = None
    question: str | None = None
    conflict_id: str | None = None
    rules: tuple[NewerRule, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as values, for a program."""
        names = ("evidence_id", "url", "request_id", "question", "conflict_id")
        return {
            "reason": self.reason.value,
            "what": self.what,
            **{name: getattr(self, name) for name in names},
            "rules": [
                {
                    "rule_id": rule.rule_id,
                    "display": rule.display,
                    "status": rule.status,
                    "effective_from": rule.effective_from,
                }
                for rule in self.rules
            ],
        }


StaleMarks = Mapping[str, Sequence[StaleMark]]
"""rule → why it is stale; rules that are not are left out."""


@dataclass(frozen=True, kw_only=True)
class _Known:
    """What the store knows about some released rules and what is newer."""

    release: Release
    as_of: date
    rules: Mapping[str, Rule]
    """The released rules, and all others that the rest refers to."""
    members: frozenset[str]
    """Those of these that are in the release."""
    requests: Mapping[str, Sequence[ReviewRequest]]
    """rule or conflict → its open questions."""
    sides: Mapping[str, Sequence[ConflictSide]]
    """conflict → its sides."""
    conflicts: Mapping[str, Conflict]
    edges: Mapping[str, Sequence[RuleEdge]]
    """rule → the edges that end it."""
    pointers: Mapping[str, Sequence[SourcePointer]]
    """rule → its pointers."""
    ends: Mapping[str, Sequence[FactEnd]]
    """fact → what ended it, or may have."""
    newest: Mapping[str, Evidence]
    """document → its newest evidence."""
    evidence: Mapping[str, Evidence]
    examined: frozenset[tuple[str, str]]
    """Pairs of a pack and the evidence from which it extracted facts."""
    stating: Mapping[str, Sequence[str]]
    """evidence → the rules that it states."""


def find_stale_marks(
    connection: sa.Connection, released: Sequence[PublishedRule], release: Release, as_of: date
) -> StaleMarks:
    """What has happened to these rules of a release since it was made."""
    known = _read_known(connection, [rule.rule_id for rule in released], release, as_of)
    found = {
        rule.rule_id: tuple(_find_marks(rule, known.rules[rule.rule_id], known))
        for rule in released
        if rule.rule_id in known.rules
    }
    return {rule_id: marks for rule_id, marks in found.items() if marks}


def _find_marks(released: PublishedRule, rule: Rule, known: _Known) -> Iterator[StaleMark]:
    contradictions = list(_find_contradictions(rule, known))
    yield from contradictions
    yield from _find_status_mark(rule, known, is_contradicted=bool(contradictions))
    yield from _find_changed_evidence(released, rule, known)
    yield from _find_replacements(released, rule, known)


def _find_status_mark(rule: Rule, known: _Known, *, is_contradicted: bool) -> Iterator[StaleMark]:
    why = f": {rule.status_reason}" if rule.status_reason else ""
    asked = [
        request
        for request in known.requests.get(rule.rule_id, ())
        if rule.status not in RELEASABLE or request.created_ms > known.release.created_ms
    ]
    question = max(asked, key=lambda request: request.created_ms, default=None)
    if rule.status == RuleStatus.REJECTED:
        yield StaleMark(reason=StaleReason.WITHDRAWN, what=f"it was rejected{why}")
    elif rule.status == RuleStatus.DEPRECATED:
        others = {
            side.gave_way_to
            for sides in known.sides.values()
            for side in sides
            if side.rule_id == rule.rule_id and side.gave_way_to
        }
        yield StaleMark(
            reason=StaleReason.DEPRECATED,
            what=f"it is deprecated{why}",
            rules=_describe_rules(others, known),
        )
    elif question is not None or (rule.status not in RELEASABLE and not is_contradicted):
        yield StaleMark(
            reason=StaleReason.UNDER_REVIEW,
            what=f"it is under review{'' if rule.status in RELEASABLE else why}",
            request_id=None if question is None else question.request_id,
            question=None if question is None else question.question,
        )


def _find_contradictions(rule: Rule, known: _Known) -> Iterator[StaleMark]:
    for key, conflict in known.conflicts.items():
        present = [side for side in known.sides.get(key, ()) if side.holds]
        own = [side for side in present if side.rule_id == rule.rule_id and side.contested]
        # What was decided may have a new side, which the arbiter has not seen yet.
        if not own or conflict.state == ConflictState.MOOT:
            continue
        question = next(iter(known.requests.get(key, ())), None)
        others = [side.rule_id for side in present if side.rule_id != rule.rule_id]
        yield StaleMark(
            reason=StaleReason.CONTRADICTED,
            what=f"other rules contradict it in conflict {key}",
            conflict_id=key,
            request_id=None if question is None else question.request_id,
            question=None if question is None else question.question,
            rules=_describe_rules(others, known),
        )


def _find_changed_evidence(
    released: PublishedRule, rule: Rule, known: _Known
) -> Iterator[StaleMark]:
    """The documents that it cites and that have a newer version which does not support it."""
    if rule.effective_until is not None:
        # Its own words say until when it applies; the page has moved on to the next period.
        return
    cited = {(quotation.url, quotation.evidence_hash) for quotation in released.sources}
    pointers = known.pointers.get(rule.rule_id, ())
    supporting = {pointer.evidence_id for pointer in pointers}
    marked = set()
    for pointer in pointers:
        seen, now = known.evidence.get(pointer.evidence_id), known.newest.get(pointer.doc_id)
        if seen is None or now is None or (seen.url, seen.content_hash) not in cited:
            continue
        is_newer = now.fetched_ms > known.release.created_ms
        if now.evidence_id in supporting or not is_newer or now.evidence_id in marked:
            continue
        if _ends_after(pointer, known):
            continue
        marked.add(now.evidence_id)
        examined = (rule.pack, now.evidence_id) in known.examined
        stated = [
            key
            for key in known.stating.get(now.evidence_id, ())
            if known.rules[key].concept == rule.concept and key not in known.members
        ]
        yield StaleMark(
            reason=StaleReason.EVIDENCE_CHANGED,
            what="a newer version of its source "
            + ("no longer supports it" if examined else "has not been examined yet"),
            evidence_id=now.evidence_id,
            url=now.url,
            rules=_describe_rules(stated, known),
        )


def _ends_after(pointer: SourcePointer, known: _Known) -> bool:
    """Whether a newer version ended these words on a known day that is after the day asked for."""
    ends = known.ends.get(pointer.fact_id, ())
    days = [end.day for end in ends if end.day and not end.doubt]
    return bool(days) and len(days) == len(ends) and known.as_of.isoformat() < min(days)


def _find_replacements(released: PublishedRule, rule: Rule, known: _Known) -> Iterator[StaleMark]:
    approved = apply_person_version(rule)
    if rule.status in RELEASABLE and not _says_the_same(approved, released):
        yield StaleMark(
            reason=StaleReason.REPLACED,
            what="a person changed it after the release",
            rules=_describe_rules([rule.rule_id], known),
        )
    later = [
        edge.from_rule
        for edge in known.edges.get(rule.rule_id, ())
        if edge.from_rule in known.rules and edge.from_rule not in known.members
    ]
    in_force = [
        key
        for key in later
        if (new := apply_person_version(known.rules[key])).status in RELEASABLE
        and (new.effective_from or "") <= known.as_of.isoformat()
    ]
    if in_force:
        yield StaleMark(
            reason=StaleReason.REPLACED,
            what="a newer approved rule replaces it, and is not part of this release",
            rules=_describe_rules(in_force, known),
        )


def _says_the_same(rule: Rule, released: PublishedRule) -> bool:
    first = None if released.effective_from is None else released.effective_from.isoformat()
    return (
        value_parts(rule) == (released.value, released.value_type, released.unit)
        and rule.effective_from == first
        and is_same_condition(parse_condition_text(rule.applies_when), released.applies_when)
    )


def _describe_rules(keys: Iterable[str], known: _Known) -> tuple[NewerRule, ...]:
    found = (apply_person_version(known.rules[key]) for key in sorted(keys) if key in known.rules)
    return tuple(
        NewerRule(
            rule_id=rule.rule_id,
            display=describe_value(rule.value, rule.value_type, rule.unit),
            status=rule.status,
            effective_from=rule.effective_from,
        )
        for rule in found
    )


def _read_known(
    connection: sa.Connection, rule_ids: Sequence[str], release: Release, as_of: date
) -> _Known:
    def read(record: Any, column: str, values: Iterable[str], **beside: str) -> list[Any]:
        return read_rows(connection, record, column, values, **beside)

    own = read(ConflictSide, "rule_id", rule_ids)
    conflicts: list[Conflict] = read(Conflict, "conflict_id", {s.conflict_id for s in own})
    sides: list[ConflictSide] = read(ConflictSide, "conflict_id", {s.conflict_id for s in own})
    edges: list[RuleEdge] = [e for e in read(RuleEdge, "to_rule", rule_ids) if is_ending(e)]
    pointers: list[SourcePointer] = read(SourcePointer, "rule_id", rule_ids)
    candidates: list[IngestCandidate] = read(
        IngestCandidate, "doc_id", {pointer.doc_id for pointer in pointers}
    )
    newest = {c.doc_id: c.evidence_id for c in candidates if c.evidence_id is not None}
    cited = {pointer.evidence_id for pointer in pointers}
    evidence = {
        entry.evidence_id: entry
        for entry in read(Evidence, "evidence_id", {*cited, *newest.values()})
    }
    reports = read(CoverageReport, "evidence_id", newest.values())
    changed = {doc for doc, evidence_id in newest.items() if evidence_id not in cited}
    beside = read(SourcePointer, "doc_id", changed)
    stated = [pointer for pointer in beside if pointer.evidence_id == newest[pointer.doc_id]]
    named = {*rule_ids, *(edge.from_rule for edge in edges), *(p.rule_id for p in stated)}
    named |= {key for side in sides for key in (side.rule_id, side.gave_way_to) if key}
    rules = {rule.rule_id: rule for rule in read(Rule, "rule_id", named)}
    members = read(ReleasedRule, "rule_id", rules, release_id=release.release_id)
    requests = read(
        ReviewRequest, "subject", {*rule_ids, *(c.conflict_id for c in conflicts)}, state=_OPEN
    )
    return _Known(
        release=release,
        as_of=as_of,
        rules=rules,
        members=frozenset(member.rule_id for member in members),
        requests=group_pairs((request.subject, request) for request in requests),
        sides=group_pairs((side.conflict_id, side) for side in sides),
        conflicts={conflict.conflict_id: conflict for conflict in conflicts},
        edges=group_pairs((edge.to_rule, edge) for edge in edges),
        pointers=group_pairs((pointer.rule_id, pointer) for pointer in pointers),
        ends=group_pairs(
            (end.fact_id, end)
            for end in read(FactEnd, "fact_id", {pointer.fact_id for pointer in pointers})
            if end.holds
        ),
        newest={doc: evidence[key] for doc, key in newest.items() if key in evidence},
        evidence=evidence,
        examined=frozenset((report.pack, report.evidence_id) for report in reports),
        stating=group_pairs(dict.fromkeys((p.evidence_id, p.rule_id) for p in stated)),
    )
