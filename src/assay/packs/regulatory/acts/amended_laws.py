"""Amending acts that a later act amends in turn: what they do is in doubt, because such changes are
not applied."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from assay.packs.regulatory.acts.amendment_steps import list_steps
from assay.packs.regulatory.acts.changes import meaning_of
from assay.packs.regulatory.acts.hand_changes import parse_end
from assay.packs.regulatory.acts.law_changes import (
    NO_CHANGE,
    AmendedLaw,
    EndedFact,
    HeldFact,
    LawChanges,
    LawText,
)
from assay.packs.regulatory.acts.naming import make_amended_law_id
from assay.packs.regulatory.acts.shapes import Span
from assay.sdk.facts import FIRST_DAY_OF_ALL, Facts, take_facts

_REASON: Final = "a later act amends the one that says so, and such changes are not applied"


@dataclass(frozen=True, slots=True)
class _Doubt:
    """From when a later act may have changed what an amending act says."""

    evidence_id: str
    day: str
    """Empty if unknown."""
    quote: Span
    ended: bool
    """Whether a person said that it ended."""

    def end(self, held: HeldFact) -> EndedFact:
        start = held.fact.proposed.effective_from or FIRST_DAY_OF_ALL
        return EndedFact(held, max(self.day, start), self.quote, "" if self.ended else _REASON)


def doubt_results(
    changes: LawChanges, laws: Sequence[AmendedLaw], answers: Mapping[str, str]
) -> None:
    """Doubt what amending acts did to an act, if a later act amends them."""
    for doubt in _list_doubts(laws, answers):
        changes.ended = [_doubt_end(ended, doubt) for ended in changes.ended]
        own = [held for held in changes.new if held.amended_by == doubt.evidence_id]
        said = {meaning_of(held.fact) for held in own}
        # A later version of the page may say the same since that day.
        restated = [held for held in changes.new if held.restated and meaning_of(held.fact) in said]
        changes.ended += [doubt.end(held) for held in (*own, *restated)]


def doubt_statements(
    own: Iterable[LawText], laws: Sequence[AmendedLaw], facts: Facts, answers: Mapping[str, str]
) -> LawChanges:
    """Doubt what amending acts say by themselves, if a later act amends them."""
    changes = LawChanges()
    doubts = _list_doubts(laws, answers)
    for text in own:
        held = [HeldFact(text.evidence_id, f) for f in take_facts(text.text.load_passage(), facts)]
        mine = [doubt for doubt in doubts if doubt.evidence_id == text.evidence_id]
        changes.ended += [doubt.end(one) for doubt in mine for one in held]
    return changes


def _doubt_end(ended: EndedFact, doubt: _Doubt) -> EndedFact:
    """An end that the later act may have prevented, because it counts from that day or before."""
    is_concerned = ended.by.source == doubt.evidence_id and doubt.day <= ended.day
    return replace(ended, reason=ended.reason or _REASON) if is_concerned else ended


def _list_doubts(laws: Iterable[AmendedLaw], answers: Mapping[str, str]) -> list[_Doubt]:
    found = []
    for law in laws:
        said = answers.get(make_amended_law_id(law.later.evidence_id, law.act_key), "")
        steps = list_steps([law.later], law.act_key, {})
        if said == NO_CHANGE or not steps:
            continue
        end = parse_end(said)
        day = end or min((step.day or "" for step in steps), default="")
        found.append(_Doubt(law.evidence_id, day, steps[0].parsed.quote, end is not None))
    return found
