"""Limits in the words of a quote that the claim's condition does not express.

A rule that applies only under a condition must never become one that always applies. If a claim has
no condition but its words contain one, the words themselves become the condition: the rule then
applies only to users who say that they are in that case.
"""

import re
from dataclasses import replace

from assay.ruling.declaration import Facts
from assay.ruling.facts.proposals import ProposedFact
from assay.ruling.rules.conditions import is_always, parse_condition

SCOPE_FIELD = "scope"
"""The field of a situation that such a condition uses; a pack has to declare it."""
_MAX_SCOPE = 300
_SELF_BOUND = ("cross_reference", "exemption_condition")
"""Value types whose values are words, which already include any limits."""
_CASE = re.compile(
    r"(?:(?<![^\W_])(?:ako|ukoliko|pod uvjetom|osim|izuzev|if|unless|provided that|provided|except"
    r"|in so far as|wenn|falls|sofern|soweit|außer|ausgenommen|es sei denn|vorbehaltlich)"
    r"|(?:^|(?<=[,;:.] ))(?:kad|kada|where|when|in cases where|in the case of))(?![^\W_])",
    re.IGNORECASE,
)
_END = re.compile(r"[,;:](?=\s)|\.(?=\s|$)")


def find_scope(quote: str) -> str | None:
    """The words that limit what a sentence says: from `if` to the end of the clause."""
    folded = " ".join(quote.split())
    found = _CASE.search(folded)
    if found is None:
        return None
    end = _END.search(folded, found.end())
    words = folded[found.start() : end.start() if end else len(folded)]
    return words[:_MAX_SCOPE].strip() or None


def limit_to_scope(proposed: ProposedFact, pack: Facts) -> ProposedFact:
    """The claim, limited by the condition in its words if it would otherwise always apply."""
    if SCOPE_FIELD not in pack.fields or proposed.value_type in _SELF_BOUND:
        return proposed
    words = find_scope(proposed.quote)
    if words is None or not is_always(parse_condition(proposed.applies_when)):
        return proposed
    return replace(proposed, applies_when={"op": "eq", "field": SCOPE_FIELD, "value": words})
