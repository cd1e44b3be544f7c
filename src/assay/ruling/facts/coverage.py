"""How much of what a document states became facts: its sentences, and the values in them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from assay.ruling.facts.gates import AcceptedFact
from assay.ruling.facts.proposals import ProposedFact, Sentence
from assay.ruling.facts.values.numbers import NUMERIC_TYPES


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what a document states became facts."""

    sentences: int
    relevant: int
    covered: int
    values_total: int
    """Values in the relevant sentences."""
    values_found: int
    """Those of them that a fact states."""

    @property
    def share(self) -> float | None:
        """Covered sentences as a share of the relevant ones; None if there is nothing to cover."""
        return round(self.covered / self.relevant, 4) if self.relevant else None


def measure_coverage(sentences: Sequence[Sentence], accepted: Sequence[AcceptedFact]) -> Coverage:
    """Count the relevant sentences and their values, and what of them became facts."""
    looks = list(_look_at_relevant(sentences, accepted))
    return Coverage(
        sentences=len(sentences),
        relevant=len(looks),
        covered=sum(look.is_covered for look in looks),
        values_total=sum(len(look.sentence.values) for look in looks),
        values_found=sum(len(look.sentence.values) - len(look.missed) for look in looks),
    )


def find_uncovered(
    sentences: Sequence[Sentence], accepted: Sequence[AcceptedFact]
) -> tuple[Sentence, ...]:
    """The relevant sentences that no fact covers, or of which a fact misses a value."""
    looks = _look_at_relevant(sentences, accepted)
    return tuple(look.sentence for look in looks if look.missed or not look.is_covered)


def drop_repeats(
    proposals: Sequence[ProposedFact], accepted: Sequence[AcceptedFact]
) -> list[ProposedFact]:
    """The proposals, without those whose value a fact already takes from the same words."""
    known: dict[tuple[str, str], list[AcceptedFact]] = {}
    for fact in accepted:
        if not fact.covers:
            continue
        known.setdefault((fact.proposed.value, fact.proposed.unit), []).append(fact)
    return [
        proposed
        for proposed in proposals
        if proposed.start is None
        or not any(
            proposed.start < fact.end and fact.start < proposed.start + len(proposed.quote)
            for fact in known.get((proposed.value, proposed.unit), ())
        )
    ]


@dataclass(frozen=True, slots=True)
class _SentenceLook:
    """A relevant sentence, and what the facts that quote it leave out."""

    sentence: Sentence
    is_covered: bool
    missed: tuple[str, ...]


def _look_at_relevant(
    sentences: Sequence[Sentence], accepted: Sequence[AcceptedFact]
) -> Iterator[_SentenceLook]:
    ordered = sorted((s for s in sentences if s.is_relevant), key=lambda s: (s.start, s.end))
    starts = [sentence.start for sentence in ordered]
    # Rows of a table may all begin at its head, so a sentence can end before an earlier one does.
    reach = list(accumulate((sentence.end for sentence in ordered), max))
    covered = [False] * len(ordered)
    found: list[set[str]] = [set() for _ in ordered]
    for fact in accepted:
        if not fact.covers:
            continue
        for at in range(bisect_right(reach, fact.start), bisect_left(starts, fact.end)):
            sentence = ordered[at]
            if sentence.end <= fact.start:
                continue
            stated = _find_stated(sentence, fact.proposed)
            found[at] |= stated
            in_words = fact.proposed.value_type not in NUMERIC_TYPES
            covered[at] |= bool(stated) or in_words or not sentence.values
    for sentence, is_covered, stated in zip(ordered, covered, found, strict=True):
        missed = tuple(value for value in sentence.values if value not in stated)
        yield _SentenceLook(sentence, is_covered, missed)


def _find_stated(sentence: Sentence, claim: ProposedFact) -> set[str]:
    """The values of a sentence that a claim states: as its own, or in its condition."""
    named = {f"{value} {claim.unit}".strip() for value in (claim.value, claim.replaces) if value}
    bounds = set(_list_scalars(claim.applies_when))
    return {
        value for value in sentence.values if value in named or value.partition(" ")[0] in bounds
    }


def _list_scalars(condition: object) -> Iterator[str]:
    if isinstance(condition, Mapping):
        condition = list(condition.values())
    if isinstance(condition, list | tuple):
        for part in condition:
            yield from _list_scalars(part)
    else:
        yield str(condition)
