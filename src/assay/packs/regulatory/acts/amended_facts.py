"""Quoting what an amended act says: a fact needs words of a stored text, and the words of an
amended provision come from two or more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.packs.regulatory.acts.fact_places import choose_instruction
from assay.packs.regulatory.acts.law_changes import HeldFact
from assay.packs.regulatory.acts.printing import PrintedArticles
from assay.packs.regulatory.acts.shapes import Operation, Span
from assay.sdk.facts import (
    WORDING_FIELD,
    AcceptedFact,
    Facts,
    Passage,
    ProposedFact,
    check_proposals,
    is_value_in_quote,
)

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class UnquotedFact:
    """A fact that the amended act states, but no stored text by itself."""

    fact: AcceptedFact
    path: str
    by: Operation
    reason: str

    @property
    def figure(self) -> str:
        """What it says, or how that begins."""
        said = self.fact.proposed
        words = " ".join(filter(None, (said.value, said.unit)))
        return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


@dataclass(frozen=True, slots=True)
class AppliedAmendment:
    """What one amending act did to an act on one day."""

    day: str
    source: str
    passage: Passage
    applied: Sequence[Operation]
    printed: PrintedArticles
    """The changed articles, as they are after it."""
    ended: Sequence[HeldFact]
    """The facts that these articles no longer state."""
    texts: Mapping[str, str]
    """The stored texts that the words come from."""
    facts: Facts

    def quote_fact(self, fact: AcceptedFact) -> HeldFact | UnquotedFact:
        """A new fact, quoted from the amending act; or from where its value already was, if only
        the words around it changed."""
        spans = self.printed.find_sources(fact.start, fact.end)
        new = [span for span in spans if span.source == self.source]
        kept = [span for span in spans if span.source != self.source]
        path = self.printed.find_path(fact.start)
        by = self._choose_operation(path, fact, new)
        found = self._quote_amendment(fact, by, new, kept) if new else None
        if found is None:
            found = self._reword(fact, kept)
        if found is not None:
            return found
        unquoted = UnquotedFact(fact, path, by, "")
        words = f"“{unquoted.figure}”"
        why = f"the words around {words} changed, so its rule may be another one"
        if new and not self._has_value(fact.proposed, kept):
            why = f"the amended text says {words}, which the amending act does not say by itself"
        return replace(unquoted, reason=why)

    def _choose_operation(self, path: str, fact: AcceptedFact, new: Sequence[Span]) -> Operation:
        containing = (op for op in self.applied if any(_contains(op.quote, s) for s in new))
        words = fact.proposed.quote
        return next(containing, None) or choose_instruction(path, words, self.applied)

    def _quote_amendment(
        self, fact: AcceptedFact, by: Operation, new: Sequence[Span], kept: Sequence[Span]
    ) -> HeldFact | None:
        quote = by.quote if kept else Span(self.source, new[0].start, new[-1].end)
        own = fact.proposed
        words = self.passage.reading.text[quote.start : quote.end]
        old = [
            before.value
            for before in (held.fact.proposed for held in self.ended)
            if before.concept == own.concept
            and is_value_in_quote(before.value, before.value_type, before.unit, words)
        ]
        proposed: ProposedFact = replace(
            own,
            quote=words,
            start=quote.start,
            effective_from=self._find_first_day(own),
            amends=True,
            replaces=old[0] if len(old) == 1 else None,
        )
        accepted, _ = check_proposals([proposed], self.passage, self.facts)
        if not accepted:
            return None
        base = self._choose_kept(kept)
        if base is None:
            return HeldFact(self.source, accepted[0], is_amended=True, amended_by=self.source)
        words = self.texts[base.source][base.start : base.end]
        return HeldFact(
            self.source, accepted[0], base, words, is_amended=True, amended_by=self.source
        )

    def _reword(self, fact: AcceptedFact, kept: Sequence[Span]) -> HeldFact | None:
        """A fact whose value stayed, with the new words that limit it; None if that is not all
        that changed."""
        own = fact.proposed
        earlier = [held for held in self.ended if _has_same_value(held.fact.proposed, own)]
        if len(earlier) != 1 or not _is_worded(own) or not self._has_value(own, kept):
            return None
        (held,) = earlier
        said = held.fact.proposed
        proposed = replace(
            own,
            quote=said.quote,
            start=said.start,
            effective_from=self._find_first_day(own),
            amends=said.amends,
            replaces=said.replaces,
        )
        reworded = replace(held.fact, proposed=proposed)
        return replace(held, fact=reworded, is_amended=True, restated=False, amended_by=self.source)

    def _find_first_day(self, proposed: ProposedFact) -> str:
        return max(self.day, proposed.effective_from or "")

    def _has_value(self, proposed: ProposedFact, kept: Sequence[Span]) -> bool:
        """Whether the value itself is among the words that stayed."""
        said = proposed.value, proposed.value_type, proposed.unit
        pieces = (self.texts.get(span.source, "")[span.start : span.end] for span in kept)
        return any(is_value_in_quote(*said, piece) for piece in pieces)

    def _choose_kept(self, kept: Sequence[Span]) -> Span | None:
        """The words that an amendment left in place: those of one text, as many as possible."""
        joined: list[Span] = []
        for span in kept:
            last = joined[-1] if joined else None
            if last is not None and last.source == span.source and last.end <= span.start:
                joined[-1] = Span(span.source, last.start, span.end)
            else:
                joined.append(span)
        known = [span for span in joined if span.source in self.texts]
        return max(known, key=lambda span: (span.end - span.start, -span.start), default=None)


def _has_same_value(one: ProposedFact, other: ProposedFact) -> bool:
    said = other.concept, other.value_type, other.value, other.unit
    return (one.concept, one.value_type, one.value, one.unit) == said


def _is_worded(proposed: ProposedFact) -> bool:
    """Whether a condition quotes its sentence, so that a person reads what it means."""
    condition = proposed.applies_when
    parts = condition.get("all", [condition])
    return any(part.get("field") == WORDING_FIELD for part in parts)


def _contains(outer: Span, inner: Span) -> bool:
    return outer.source == inner.source and outer.start <= inner.start and inner.end <= outer.end
