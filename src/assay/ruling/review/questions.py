"""Questions about rules: what is said, for whom, from when, in which words, and by whom."""

from collections.abc import Mapping, Sequence

from assay.model.records import Source
from assay.model.rules import Conflict, Rule, SourcePointer
from assay.ruling.review.deadlines import ReviewReason
from assay.ruling.review.judgement import Case
from assay.ruling.rules.authority import LOWEST, authority_of
from assay.ruling.rules.conditions import parse_text, rendered
from assay.ruling.rules.readable import period_said, value_said

_MOST_QUOTES = 5
_LONGEST_QUOTE = 600
_OPENINGS = {
    ReviewReason.TIER_T0: "Does this hold? {tier}: nobody but a person approves it.",
    ReviewReason.TIER_T1: "Does this hold? {tier}: nobody but a person approves it.",
    ReviewReason.LOW_CONFIDENCE: "Does this hold? Confidence {confidence} is too little.",
    ReviewReason.EVIDENCE_CHANGED: "Does this still hold? The words have changed since a person "
    "decided.",
    ReviewReason.QUALITY: "Does this hold? A person has to look at it again.",
}


def rule_said(rule: Rule, labels: Mapping[str, str] | None = None) -> str:
    """`pdv.rate is 25 %, always, from 2026-01-01 on`."""
    condition = rendered(parse_text(rule.applies_when), "en", labels)
    return (
        f"{rule.concept} is {value_said(rule.value, rule.value_type, rule.unit)}, {condition}, "
        f"{period_said(rule.effective_from, rule.effective_until)}"
    )


def quote_said(pointer: SourcePointer, sources: Mapping[str, Source]) -> str:
    """The words, and with what authority who says them where."""
    source = sources.get(pointer.source_slug)
    rank = LOWEST if source is None else source.hierarchy
    name = pointer.source_slug if source is None else source.name
    page = "" if pointer.page is None else f", page {pointer.page}"
    article = f", {pointer.article}" if pointer.article else ""
    words = " ".join(pointer.quote.split())
    if len(words) > _LONGEST_QUOTE:
        words = words[:_LONGEST_QUOTE].rstrip() + " …"
    return f'"{words}" ({name}, {authority_of(rank).name}{article}{page})'


def rule_question(
    case: Case, reason: ReviewReason, confidence: float, labels: Mapping[str, str] | None = None
) -> str:
    """What a person is asked about a rule."""
    opening = _OPENINGS[reason].format(tier=case.rule.tier, confidence=confidence)
    return " ".join([opening, f"{rule_said(case.rule, labels)}.", *_quotes(case)])


def conflict_question(
    conflict: Conflict,
    a: Case,
    b: Case,
    advice: str,
    labels: Mapping[str, str] | None = None,
) -> str:
    """What a person is asked about two rules that cannot both hold."""
    sides = [f"({name}) {_side_said(side, labels)}" for name, side in (("a", a), ("b", b))]
    return " ".join([f"Which of the two holds for {conflict.concept}?", *sides, advice])


def _side_said(case: Case, labels: Mapping[str, str] | None) -> str:
    """A rule with its words; worded once, though it may be a party to many conflicts."""
    if "side" not in case.worded:
        rule = case.rule
        case.worded["side"] = (
            f"{rule.rule_id}: {rule_said(rule, labels)}. {' '.join(_quotes(case))}"
        )
    return case.worded["side"]


def _quotes(case: Case) -> Sequence[str]:
    if not case.pointers:
        return ["No document says so any more."]
    # One after the other in an order that does not depend on how they were found.
    said = sorted({quote_said(pointer, case.sources) for pointer in case.pointers})
    more = len(said) - _MOST_QUOTES
    return said[:_MOST_QUOTES] + ([f"And {more} more."] if more > 0 else [])
