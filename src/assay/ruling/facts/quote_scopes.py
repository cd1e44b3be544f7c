"""Cases that a sentence speaks of and nobody has put into a condition.

What holds only if something is so must never become what holds always. Where a claim names no
condition and its words have one, the words themselves are the condition: the rule then holds for
whoever says that he is in that case, and for nobody else.
"""

import re
from dataclasses import replace

from assay.ruling.declaration import Facts
from assay.ruling.facts.proposals import ProposedFact
from assay.ruling.rules.conditions import is_always, parse_condition

SCOPE_FIELD = "scope"
"""The field of a situation that such a condition asks for; a pack has to declare it."""
_MAX_SCOPE = 300
_SELF_BOUND = ("cross_reference", "exemption_condition")
"""Values that are words themselves, with whatever bounds them."""
_CASE = re.compile(
    r"(?:(?<![^\W_])(?:ako|ukoliko|pod uvjetom|osim|izuzev|if|unless|provided that|provided|except"
    r"|in so far as|wenn|falls|sofern|soweit|außer|ausgenommen|es sei denn|vorbehaltlich)"
    r"|(?:^|(?<=[,;:.] ))(?:kad|kada|where|when|in cases where|in the case of))(?![^\W_])",
    re.IGNORECASE,
)
_END = re.compile(r"[,;:](?=\s)|\.(?=\s|$)")


def find_scope(quote: str) -> str | None:
    """The words that bound what a sentence says: from `if` to the end of the clause."""
    folded = " ".join(quote.split())
    found = _CASE.search(folded)
    if found is None:
        return None
    end = _END.search(folded, found.end())
    words = folded[found.start() : end.start() if end else len(folded)]
    return words[:_MAX_SCOPE].strip() or None


def limit_to_scope(proposed: ProposedFact, pack: Facts) -> ProposedFact:
    """The claim, which no longer says that it holds always where its words do not."""
    if SCOPE_FIELD not in pack.fields or proposed.value_type in _SELF_BOUND:
        return proposed
    words = find_scope(proposed.quote)
    if words is None or not is_always(parse_condition(proposed.applies_when)):
        return proposed
    return replace(proposed, applies_when={"op": "eq", "field": SCOPE_FIELD, "value": words})
