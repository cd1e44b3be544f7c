"""Questions about rules: what a rule says, when it applies, in which words, and from whom."""

from collections.abc import Mapping, Sequence

from assay.model.records import Source
from assay.model.rules import Conflict, Rule, SourcePointer
from assay.ruling.review.deadlines import ReviewReason
from assay.ruling.review.judgement import RuleCase
from assay.ruling.rules.authority import LOWEST, authority_of
from assay.ruling.rules.conditions import parse_condition_text, render_condition
from assay.ruling.rules.descriptions import describe_period, describe_value

_MAX_QUOTES = 5
_MAX_SIDES = 8
"""How many sides of a conflict a question shows."""
_MAX_QUOTE_CHARS = 600
_OPENINGS = {
    ReviewReason.TIER_T0: "Does this hold? {tier}: only a person may approve it.",
    ReviewReason.TIER_T1: "Does this hold? {tier}: only a person may approve it.",
    ReviewReason.LOW_CONFIDENCE: "Does this hold? Confidence {confidence} is too little.",
    ReviewReason.EVIDENCE_CHANGED: "Does this still hold? The words have changed since a person "
    "decided.",
    ReviewReason.QUALITY: "Does this hold? A person has to look at it again.",
}


def describe_rule(rule: Rule, labels: Mapping[str, str] | None = None) -> str:
    """`pdv.rate is 25 %, always, from 2026-01-01 on`."""
    condition = render_condition(parse_condition_text(rule.applies_when), "en", labels)
    return (
        f"{rule.concept} is {describe_value(rule.value, rule.value_type, rule.unit)}, {condition}, "
        f"{describe_period(rule.effective_from, rule.effective_until)}"
    )


def describe_quote(pointer: SourcePointer, sources: Mapping[str, Source]) -> str:
    """The words, who says them, with what authority, and where."""
    source = sources.get(pointer.source_slug)
    rank = LOWEST if source is None else source.hierarchy
    name = pointer.source_slug if source is None else source.name
    page = "" if pointer.page is None else f", page {pointer.page}"
    article = f", {pointer.article}" if pointer.article else ""
    words = " ".join(pointer.quote.split())
    if len(words) > _MAX_QUOTE_CHARS:
        words = words[:_MAX_QUOTE_CHARS].rstrip() + " …"
    return f'"{words}" ({name}, {authority_of(rank).name}{article}{page})'


def word_rule_question(
    case: RuleCase, reason: ReviewReason, confidence: float, labels: Mapping[str, str] | None = None
) -> str:
    """What a person is asked about a rule."""
    opening = _OPENINGS[reason].format(tier=case.rule.tier, confidence=confidence)
    return " ".join([opening, f"{describe_rule(case.rule, labels)}.", *_describe_quotes(case)])


def word_conflict_question(
    conflict: Conflict,
    contested: Sequence[RuleCase],
    advice: str,
    labels: Mapping[str, str] | None = None,
) -> str:
    """What a person is asked about rules that contradict each other."""
    shown = [
        f"{case.rule.rule_id}: {describe_rule(case.rule, labels)}. "
        f"{' '.join(_describe_quotes(case))}"
        for case in contested[:_MAX_SIDES]
    ]
    more = len(contested) - len(shown)
    if more > 0:
        shown.append(f"And {more} more: 'assay conflicts show {conflict.conflict_id}'.")
    sources = [{pointer.source_slug for pointer in case.pointers} for case in contested]
    opening = f"Which of these {len(contested)} rules holds for {conflict.concept}?"
    if len(set().union(*sources)) == 1:
        # One source does not contradict itself as easily as several contradict each other.
        opening += " One source states all of them: they may be about different things."
    return " ".join([opening, *shown, advice])


def _describe_quotes(case: RuleCase) -> Sequence[str]:
    if not case.pointers:
        return ["No document says so any more."]
    # In an order that does not depend on how they were found.
    quotes = sorted({describe_quote(pointer, case.sources) for pointer in case.pointers})
    more = len(quotes) - _MAX_QUOTES
    return quotes[:_MAX_QUOTES] + ([f"And {more} more."] if more > 0 else [])
