"""How the rules of concepts stand to each other: what is read for it, and what is written."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.engine.contract import Change
from assay.engine.reader import Reader
from assay.model.audit import AuditNote
from assay.model.records import Evidence, Record, Source
from assay.model.rules import (
    Conflict,
    ConflictState,
    ReviewDecision,
    Rule,
    RuleEdge,
    SourcePointer,
)
from assay.ruling.arbiter.arbitration import PERSON
from assay.ruling.review.judgement import Case, stands
from assay.ruling.rules.composition import borrowed
from assay.ruling.rules.relations import Settled, grounded, settled, twins
from assay.ruling.rules.rule_support import holding

ACTOR = "stage:apply"
_UNDECIDED: Mapping[str, Any] = dict.fromkeys(
    ("resolution", "winner", "ground", "confidence", "recommendation")
)
Key = tuple[str, str]
"""A pack and a concept."""


@dataclass(frozen=True)
class Book:
    """All that is known of the rules of one concept."""

    rules: Mapping[str, Rule]
    pointers: Sequence[SourcePointer]
    held: Mapping[str, Sequence[SourcePointer]]
    """rule → the pointers that still hold."""
    hierarchy: Mapping[str, int]
    conflicts: Sequence[Conflict]
    edges: Sequence[RuleEdge]
    refused: Collection[str]


@dataclass(frozen=True)
class Written:
    """What has to be written so that the store says what follows from the rules."""

    records: tuple[Record, ...]
    changes: tuple[Change, ...]
    audit: tuple[AuditNote, ...]
    concerned: frozenset[str]
    """Rules that must be judged again."""

    def __bool__(self) -> bool:
        return bool(self.records or self.changes)


async def stated_by(
    evidence_ids: Sequence[str], read: Reader
) -> dict[str, dict[Key, frozenset[str]]]:
    """evidence → concept → rules that any version of its document states, or stated."""
    evidence = await read.many(Evidence, evidence_ids)
    docs = {entry.doc_id for entry in evidence.values()}
    pointers = await read.where(SourcePointer, "doc_id", docs)
    rules = await read.many(Rule, {pointer.rule_id for pointer in pointers})
    of_doc: dict[str, dict[Key, set[str]]] = {doc_id: {} for doc_id in docs}
    for pointer in pointers:
        rule = rules[pointer.rule_id]
        of_doc[pointer.doc_id].setdefault((rule.pack, rule.concept), set()).add(rule.rule_id)
    return {
        key: {concept: frozenset(ids) for concept, ids in of_doc[entry.doc_id].items()}
        for key, entry in evidence.items()
    }


async def books_of(keys: Collection[Key], read: Reader) -> dict[Key, Book]:
    """What is known of these concepts, read once for all of them."""
    concepts = {concept for _, concept in keys}
    rules = [r for r in await read.where(Rule, "concept", concepts) if (r.pack, r.concept) in keys]
    ids = [rule.rule_id for rule in rules]
    pointers = await read.where(SourcePointer, "rule_id", ids)
    held = await _held(pointers, read)
    sources = await read.many(Source, {pointer.source_slug for pointer in pointers})
    decisions = await read.where(ReviewDecision, "subject", ids, beside={"subject_kind": "rule"})
    conflicts = await read.where(Conflict, "concept", concepts)
    edges = await read.where(RuleEdge, "from_rule", ids)
    said = {rule_id: [d for d in decisions if d.subject == rule_id] for rule_id in ids}
    books: dict[Key, Book] = {}
    for key in keys:
        own = {rule.rule_id: rule for rule in rules if (rule.pack, rule.concept) == key}
        books[key] = Book(
            rules=own,
            pointers=[pointer for pointer in pointers if pointer.rule_id in own],
            held={rule_id: held.get(rule_id, ()) for rule_id in own},
            hierarchy={slug: source.hierarchy for slug, source in sources.items()},
            conflicts=[c for c in conflicts if (c.pack, c.concept) == key],
            edges=[edge for edge in edges if edge.from_rule in own],
            refused=_refused(own, held, said),
        )
    return books


async def _held(pointers: Sequence[SourcePointer], read: Reader) -> dict[str, list[SourcePointer]]:
    held: dict[str, list[SourcePointer]] = {}
    for pointer in await holding(pointers, read):
        held.setdefault(pointer.rule_id, []).append(pointer)
    return held


def _refused(
    rules: Mapping[str, Rule],
    held: Mapping[str, Sequence[SourcePointer]],
    said: Mapping[str, Sequence[ReviewDecision]],
) -> frozenset[str]:
    """Rules with a ground that a person refused, and for which nothing new speaks."""
    return frozenset(
        key
        for key, rule in rules.items()
        if said[key]
        and not stands(
            Case(rule=rule, pointers=tuple(held.get(key, ())), decisions=tuple(said[key]))
        )
    )


def written(book: Book, now_ms: int) -> Written:
    """The difference between what is stored of a concept and what follows from its rules."""
    found = settled(
        [
            grounded(rule, book.held[key], book.hierarchy, refused=key in book.refused)
            for key, rule in book.rules.items()
        ],
        now_ms=now_ms,
    )
    edges, edge_notes = _edges(book, found)
    known = {conflict.conflict_id: conflict for conflict in book.conflicts}
    new = [c for c in found.conflicts if c.conflict_id not in known]
    changes = (*_moot(known, found), *_seen_otherwise(known, found))
    pairs = twins(book.rules.values())
    shared = _shared(book.pointers, pairs)
    touched = [*new, *(known[change.key] for change in changes)]
    return Written(
        records=(*edges, *new, *shared),
        changes=changes,
        audit=(*map(_found, new), *edge_notes),
        concerned=frozenset(
            {rule for conflict in touched for rule in (conflict.rule_a, conflict.rule_b)}
            | {pointer.rule_id for pointer in shared}
            | {undated for undated, _ in pairs}
        ),
    )


def _edges(book: Book, found: Settled) -> tuple[list[RuleEdge], list[AuditNote]]:
    """Edges that are new, hold again, or hold no more since others have come between."""
    drawn = {(edge.from_rule, edge.to_rule, edge.kind): edge for edge in book.edges}
    wanted = {(edge.from_rule, edge.to_rule, edge.kind): edge for edge in found.edges}
    records: list[RuleEdge] = []
    notes: list[AuditNote] = []
    for key, edge in wanted.items():
        before = drawn.get(key)
        if before == edge:
            continue
        records.append(edge)
        if before is None:
            notes.append(_edged("edge_created", edge))
        elif not before.holds:
            notes.append(_edged("edge_restored", edge, once=False))
    for key, edge in drawn.items():
        if edge.holds and key not in wanted:
            records.append(edge.model_copy(update={"holds": False}))
            notes.append(_edged("edge_withdrawn", edge, once=False))
    return records, notes


def _moot(known: Mapping[str, Conflict], found: Settled) -> Iterable[Change]:
    """Conflicts that are none any more: a party lost its ground, or puts an end to the other.

    What a person decided stays decided.
    """
    still = {conflict.conflict_id for conflict in found.conflicts}
    for key, conflict in known.items():
        decided = conflict.state == ConflictState.RESOLVED and conflict.ground == PERSON
        if key not in still and conflict.state != ConflictState.MOOT and not decided:
            to = {"state": ConflictState.MOOT.value, **_UNDECIDED}
            yield _changed(conflict, to, "conflict_moot")


def _seen_otherwise(known: Mapping[str, Conflict], found: Settled) -> Iterable[Change]:
    """Conflicts that are there again, or whose parties rest on other sources than before."""
    for conflict in found.conflicts:
        before = known.get(conflict.conflict_id)
        if before is None:
            continue
        if before.state == ConflictState.MOOT:
            to = {"state": ConflictState.OPEN.value, "kind": conflict.kind, "sign": conflict.sign}
            yield _changed(before, to, "conflict_reopened")
        elif (before.kind, before.sign) != (conflict.kind, conflict.sign):
            to = {"kind": conflict.kind, "sign": conflict.sign}
            yield _changed(before, to, "conflict_seen_otherwise")


def _changed(conflict: Conflict, to: Mapping[str, Any], action: str) -> Change:
    return Change(
        record=Conflict,
        key=conflict.conflict_id,
        when={name: getattr(conflict, name) for name in ("state", "ground", "kind", "sign")},
        to=to,
        audit=AuditNote(
            action=action,
            subject_kind="conflict",
            subject=conflict.conflict_id,
            actor=ACTOR,
            body={"from": conflict.state},
            once=False,
        ),
    )


def _shared(
    pointers: Sequence[SourcePointer], pairs: Iterable[tuple[str, str]]
) -> list[SourcePointer]:
    """What rests on a statement without a date bears out the dated rules that say the same."""
    known = {pointer.pointer_id for pointer in pointers}
    own: dict[str, list[SourcePointer]] = {}
    for pointer in pointers:
        own.setdefault(pointer.rule_id, []).append(pointer)
    lent = {
        copy.pointer_id: copy
        for undated, dated in sorted(pairs)
        for pointer in own.get(undated, ())
        for copy in (borrowed(pointer, dated),)
    }
    return [copy for key, copy in lent.items() if key not in known]


def _found(conflict: Conflict) -> AuditNote:
    return AuditNote(
        action="conflict_found",
        subject_kind="conflict",
        subject=conflict.conflict_id,
        actor=ACTOR,
        body={
            "kind": conflict.kind,
            "sign": conflict.sign,
            "rules": [conflict.rule_a, conflict.rule_b],
        },
    )


def _edged(action: str, edge: RuleEdge, *, once: bool = True) -> AuditNote:
    return AuditNote(
        action=action,
        subject_kind="rule",
        subject=edge.from_rule,
        actor=ACTOR,
        body={"kind": edge.kind, "to": edge.to_rule, "reason": edge.reason},
        once=once,
    )
