"""Which of two contradicting rules prevails, on what ground, and whether a person has to decide.

The order is fixed: authority, the rank of the source, the later date, precedent, a model. The first
that distinguishes the two decides.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from assay.model.records import Source
from assay.model.rules import PERSON_TIERS, ReviewDecision
from assay.ruling.review.judgement import RESOLVE, RuleCase
from assay.ruling.rules.authority import LOWEST, authority_of

AUTHORITY, HIERARCHY, LATER = "authority", "hierarchy", "later"
PRECEDENT, MODEL, PERSON, TIE = "precedent", "model", "person", "tie"
ESCALATION_FLOOR = 0.8
"""Below this confidence, a person decides."""
MIN_PRECEDENTS = 3
MIN_AGREEMENT = 0.7
_GROUND_CONFIDENCE = {AUTHORITY: 0.95, HIERARCHY: 0.9, LATER: 0.85}


@dataclass(frozen=True, kw_only=True)
class ConflictSide:
    """One of the two rules, with what matters for the decision."""

    rule_id: str
    tier: str
    hierarchy: int
    """The best rank among the sources that still support it."""
    source: str
    """That source; of several, the first by name."""
    effective_from: str | None = None
    approved_by: str | None = None
    """The person who approved it, if any."""


@dataclass(frozen=True, kw_only=True)
class Precedent:
    """A conflict that a person decided, and whose decision still stands."""

    kind: str
    winner: str
    """The source of the rule that prevailed."""
    loser: str


@dataclass(frozen=True, kw_only=True)
class ModelOpinion:
    """A model's opinion on two rules."""

    winner: str | None
    """The rule that should prevail; None for neither."""
    confidence: float
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ConflictVerdict:
    """Which rule should prevail, and whether that is a resolution or only a recommendation."""

    winner: str | None
    ground: str
    confidence: float
    escalated: str | None = None
    """Why a person has to decide; None: it is decided."""
    reason: str = ""


def build_side(case: RuleCase) -> ConflictSide:
    """What arbitration needs to know about a rule."""
    ranks = [(_rank_of(case.sources, p.source_slug), p.source_slug) for p in case.pointers]
    hierarchy, source = min(ranks, default=(LOWEST, ""))
    rule = case.rule
    return ConflictSide(
        rule_id=rule.rule_id,
        tier=rule.tier,
        hierarchy=hierarchy,
        source=source,
        effective_from=rule.effective_from,
        approved_by=rule.approved_by,
    )


def decide_by_grounds(
    a: ConflictSide, b: ConflictSide, kind: str, precedents: Iterable[Precedent]
) -> ConflictVerdict | None:
    """The verdict of the deterministic grounds; None if none of them distinguishes the two."""
    strength = authority_of(a.hierarchy), authority_of(b.hierarchy)
    if strength[0] != strength[1]:
        better, worse = sorted(strength, reverse=True)
        winner = a if strength[0] > strength[1] else b
        return _make_verdict(winner, AUTHORITY, f"{better.name} goes before {worse.name}")
    if a.hierarchy != b.hierarchy:
        winner = a if a.hierarchy < b.hierarchy else b
        return _make_verdict(winner, HIERARCHY, f"source '{winner.source}' ranks higher")
    # A rule without a date cannot be called the older one.
    if a.effective_from and b.effective_from and a.effective_from != b.effective_from:
        winner = a if a.effective_from > b.effective_from else b
        return _make_verdict(winner, LATER, f"it holds from {winner.effective_from}, the later day")
    return _decide_by_precedent(a, b, kind, precedents)


def conclude_verdict(
    a: ConflictSide,
    b: ConflictSide,
    verdict: ConflictVerdict | None,
    opinion: ModelOpinion | None = None,
) -> ConflictVerdict:
    """The conclusion: a resolution, or a recommendation and why a person has to decide."""
    if verdict is None and opinion is not None and opinion.winner in (a.rule_id, b.rule_id):
        verdict = ConflictVerdict(
            winner=opinion.winner,
            ground=MODEL,
            confidence=opinion.confidence,
            reason=opinion.reason,
        )
    if verdict is None:
        reason = "" if opinion is None else opinion.reason
        return ConflictVerdict(
            winner=None,
            ground=TIE,
            confidence=0.0,
            escalated="nothing tells the two apart",
            reason=reason,
        )
    return replace(verdict, escalated=_find_escalation_reason(a, b, verdict.confidence))


def derive_precedent(kind: str, winner: str, decision: ReviewDecision) -> Precedent | None:
    """The precedent that a person's decision sets for the next conflict of its kind."""
    sources = decision.machine.get("sources", {})
    others = [source for rule, source in sources.items() if rule != winner]
    if decision.decision != RESOLVE or winner not in sources or len(others) != 1:
        return None
    return Precedent(kind=kind, winner=sources[winner], loser=others[0])


def has_unseen_words(case: RuleCase, decision: ReviewDecision) -> bool:
    """Whether a rule has support in words that the person who decided a conflict did not see."""
    seen = decision.machine.get("quotes", {}).get(case.rule.rule_id, ())
    return not case.quote_keys <= set(seen)


def _decide_by_precedent(
    a: ConflictSide, b: ConflictSide, kind: str, precedents: Iterable[Precedent]
) -> ConflictVerdict | None:
    """What people decided before between the same two sources, in conflicts of the same kind.

    Only decisions that a person made and nobody has undone count. Two rules of one source cannot
    be distinguished in this way.
    """
    if a.source == b.source or not a.source or not b.source:
        return None
    pair = {a.source, b.source}
    alike = [p for p in precedents if p.kind == kind and {p.winner, p.loser} == pair]
    if len(alike) < MIN_PRECEDENTS:
        return None
    for side in (a, b):
        agreeing = sum(p.winner == side.source for p in alike)
        # Compared as integers, so that seven of ten are exactly 70 %.
        if agreeing >= round(MIN_AGREEMENT * 100) * len(alike) / 100:
            share = round(agreeing / len(alike), 4)
            reason = f"people decided for '{side.source}' in {agreeing} of {len(alike)} such cases"
            return ConflictVerdict(
                winner=side.rule_id, ground=PRECEDENT, confidence=share, reason=reason
            )
    return None


def _find_escalation_reason(a: ConflictSide, b: ConflictSide, confidence: float) -> str | None:
    if a.tier == b.tier == "T0":
        return "both are T0"
    for side in (a, b):
        if side.tier in PERSON_TIERS or side.tier not in ("T2", "T3"):
            return f"{side.rule_id} is {side.tier}"
    for side in (a, b):
        if side.approved_by is not None:
            # A machine does not revoke what a person approved.
            return f"{side.approved_by} approved {side.rule_id}"
    if confidence < ESCALATION_FLOOR:
        return f"confidence {confidence} is under {ESCALATION_FLOOR}"
    return None


def _make_verdict(winner: ConflictSide, ground: str, reason: str) -> ConflictVerdict:
    return ConflictVerdict(
        winner=winner.rule_id, ground=ground, confidence=_GROUND_CONFIDENCE[ground], reason=reason
    )


def _rank_of(sources: Mapping[str, Source], slug: str) -> int:
    known = sources.get(slug)
    return LOWEST if known is None else known.hierarchy
