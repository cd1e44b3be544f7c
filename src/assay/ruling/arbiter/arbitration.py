"""Which of several contradicting rules prevails, on what ground, and whether a person must decide.

The order is fixed: authority, the rank of the source, the later date, precedent, a model. Each
leaves out the rules that it ranks lower, and the first that leaves one value decides. A later date
alone never decides: it only recommends that the rules hold in turn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from assay.engine.grouping import group_pairs
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
_GROUND_CONFIDENCE = {AUTHORITY: 0.95, HIERARCHY: 0.9, LATER: 0.75}
IN_TURN = "in-turn"
"""The choice that each rule holds until the next one begins."""
DIFFERENT = "different"
"""The choice that the rules are about different things."""


@dataclass(frozen=True, kw_only=True)
class RankedSide:
    """One of the rules, with what matters for the decision."""

    rule_id: str
    value: str
    tier: str
    hierarchy: int
    """The best rank among the sources that still support it."""
    source: str
    """That source; of several, the first by name."""
    effective_from: str | None = None
    until: str | None = None
    """The first day on which it no longer applies."""
    approved_by: str | None = None
    """The person who approved it, if any."""


@dataclass(frozen=True, kw_only=True)
class Precedent:
    """That a person preferred one source to another, in a decision that still stands."""

    kind: str
    winner: str
    """The source of the rule that prevailed."""
    loser: str


@dataclass(frozen=True, kw_only=True)
class ModelOpinion:
    """A model's opinion on rules that contradict each other."""

    winner: str | None
    """The rule that should prevail; None for neither."""
    confidence: float
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ConflictVerdict:
    """Which rule should prevail, and whether that is a resolution or only a recommendation."""

    winner: str | None
    """A rule, or `in-turn`."""
    ground: str
    confidence: float
    escalated: str | None = None
    """Why a person has to decide; None: it is decided."""
    reason: str = ""


def build_side(case: RuleCase, until: str | None = None) -> RankedSide:
    """What arbitration needs to know about a rule that applies until a day."""
    ranks = [(_rank_of(case.sources, p.source_slug), p.source_slug) for p in case.pointers]
    hierarchy, source = min(ranks, default=(LOWEST, ""))
    rule = case.rule
    return RankedSide(
        rule_id=rule.rule_id,
        value=rule.value,
        tier=rule.tier,
        hierarchy=hierarchy,
        source=source,
        effective_from=rule.effective_from,
        until=until or rule.effective_until,
        approved_by=rule.approved_by,
    )


def decide_by_grounds(
    sides: Sequence[RankedSide], kind: str, precedents: Iterable[Precedent]
) -> ConflictVerdict | None:
    """The verdict of the deterministic grounds; None if none of them leaves one value."""
    best = _select_lowest(sides, lambda side: -authority_of(side.hierarchy))
    if _has_one_value(best):
        better = authority_of(best[0].hierarchy)
        worse = max(a for s in sides if (a := authority_of(s.hierarchy)) != better)
        return _make_verdict(best, AUTHORITY, f"{better.name} goes before {worse.name}")
    if len(best) < len(sides) and _follow_each_other(best):
        # Together they say what applies when; the last one prevails first, and the rest is decided
        # in the same way.
        better = authority_of(best[0].hierarchy)
        newest = max(best, key=lambda side: (str(side.effective_from), side.rule_id))
        return _make_verdict([newest], AUTHORITY, f"{better.name} goes before what it leaves open")
    best = _select_lowest(best, lambda side: side.hierarchy)
    if _has_one_value(best):
        return _make_verdict(best, HIERARCHY, f"source '{best[0].source}' ranks higher")
    rank = best[0].hierarchy
    # A rule without a date cannot be called the older one.
    is_mixed = any(s.effective_from for s in sides if s.hierarchy != rank)
    if find_turn_obstacle(sides) is None and not is_mixed:
        last = max(str(side.effective_from) for side in best)
        return ConflictVerdict(
            winner=IN_TURN,
            ground=LATER,
            confidence=_GROUND_CONFIDENCE[LATER],
            reason=f"each holds until the next one begins, the last from {last}",
        )
    return _decide_by_precedent(best, kind, precedents)


def _follow_each_other(sides: Sequence[RankedSide]) -> bool:
    """Whether rules have different values only in periods that do not overlap."""
    if any(side.effective_from is None for side in sides):
        return False
    ordered = sorted(sides, key=lambda side: str(side.effective_from))
    return all(
        one.value == other.value
        or (one.until is not None and one.until <= str(other.effective_from))
        for one, other in pairwise(ordered)
    )


def find_turn_obstacle(sides: Iterable[RankedSide]) -> str | None:
    """Why rules cannot hold in turn; None if they can."""
    values: dict[str, str] = {}
    for side in sides:
        if side.effective_from is None:
            return f"{side.rule_id} has no first day"
        if values.setdefault(side.effective_from, side.value) != side.value:
            return f"several begin on {side.effective_from}"
    return None


def conclude_verdict(
    sides: Sequence[RankedSide],
    verdict: ConflictVerdict | None,
    opinion: ModelOpinion | None = None,
) -> ConflictVerdict:
    """The conclusion: a resolution, or a recommendation and why a person has to decide."""
    known = {side.rule_id for side in sides}
    if verdict is None and opinion is not None and opinion.winner in known:
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
            escalated="nothing distinguishes them",
            reason=reason,
        )
    return replace(verdict, escalated=_find_escalation_reason(sides, verdict.confidence))


def derive_precedents(kind: str, decision: ReviewDecision) -> list[Precedent]:
    """The precedents that a person's decision sets for the next conflict of its kind."""
    sources = decision.machine.get("sources", {})
    winner = chosen_in(decision)
    if decision.decision != RESOLVE or winner not in sources:
        return []
    others = {source for rule, source in sources.items() if rule != winner}
    return [
        Precedent(kind=kind, winner=sources[winner], loser=other)
        for other in sorted(others - {sources[winner]})
    ]


def chosen_in(decision: ReviewDecision) -> str | None:
    """What a person chose: a rule, `in-turn` or `different`."""
    chosen = decision.version.get("winner")
    return None if chosen is None else str(chosen)


def has_seen_words(case: RuleCase, decision: ReviewDecision) -> bool:
    """Whether the person who decided a conflict saw all words that support a rule."""
    seen = decision.machine.get("quotes", {}).get(case.rule.rule_id)
    return seen is not None and case.quote_keys <= set(seen)


def _select_lowest(
    sides: Sequence[RankedSide], rank: Callable[[RankedSide], int]
) -> list[RankedSide]:
    lowest = min(rank(side) for side in sides)
    return [side for side in sides if rank(side) == lowest]


def _has_one_value(sides: Iterable[RankedSide]) -> bool:
    return len({side.value for side in sides}) == 1


def _decide_by_precedent(
    sides: Sequence[RankedSide], kind: str, precedents: Iterable[Precedent]
) -> ConflictVerdict | None:
    """What people decided before between the same sources, in conflicts of the same kind.

    Only decisions that a person made and nobody has undone count. Rules of one source cannot be
    distinguished in this way.
    """
    of_source = group_pairs((side.source, side) for side in sides)
    alike = group_pairs(
        (frozenset((p.winner, p.loser)), p.winner) for p in precedents if p.kind == kind
    )
    for source, own in sorted(of_source.items()):
        others = of_source.keys() - {source}
        if not source or not others or "" in others or not _has_one_value(own):
            continue
        shares = [_compute_share(source, alike.get(frozenset((source, o)), ())) for o in others]
        # Compared as integers, so that seven of ten are exactly 70 %.
        if all(
            total and 100 * wins >= round(MIN_AGREEMENT * 100) * total for wins, total in shares
        ):
            wins, total = min(shares, key=lambda share: share[0] / share[1])
            return ConflictVerdict(
                winner=_choose_first(own).rule_id,
                ground=PRECEDENT,
                confidence=round(wins / total, 4),
                reason=f"people decided for '{source}' in {wins} of {total} such cases",
            )
    return None


def _compute_share(source: str, winners: Sequence[str]) -> tuple[int, int]:
    """How often a source won, and how often it was decided; nothing if that is too rare."""
    return (winners.count(source), len(winners)) if len(winners) >= MIN_PRECEDENTS else (0, 0)


def _find_escalation_reason(sides: Sequence[RankedSide], confidence: float) -> str | None:
    if all(side.tier == "T0" for side in sides):
        return "all are T0"
    for side in sides:
        if side.tier in PERSON_TIERS or side.tier not in ("T2", "T3"):
            return f"{side.rule_id} is {side.tier}"
    for side in sides:
        if side.approved_by is not None:
            # A machine does not revoke what a person approved.
            return f"{side.approved_by} approved {side.rule_id}"
    if confidence < ESCALATION_FLOOR:
        return f"confidence {confidence} is under {ESCALATION_FLOOR}"
    return None


def _make_verdict(best: Sequence[RankedSide], ground: str, reason: str) -> ConflictVerdict:
    return ConflictVerdict(
        winner=_choose_first(best).rule_id,
        ground=ground,
        confidence=_GROUND_CONFIDENCE[ground],
        reason=reason,
    )


def _choose_first(sides: Iterable[RankedSide]) -> RankedSide:
    """Of rules that say the same, the one that holds first."""
    return min(sides, key=lambda side: (side.effective_from or "~", side.rule_id))


def _rank_of(sources: Mapping[str, Source], slug: str) -> int:
    known = sources.get(slug)
    return LOWEST if known is None else known.hierarchy
