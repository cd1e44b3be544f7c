"""How well extracted facts agree with what is known."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import PurePath
from typing import Any, TypeVar

from assay.ruling.evaluation.truth import KnownDocument, KnownFact
from assay.ruling.facts.proposals import ProposedFact

UNSCORED = frozenset({"text"})
"""Value types that nobody labels."""
WORDED = frozenset({"cross_reference", "exemption_condition", "text"})
"""Value types whose values are words."""
_WORD = re.compile(r"\w+|[%‰§]")
_A = TypeVar("_A")
_B = TypeVar("_B")


@dataclass(frozen=True, slots=True)
class FactTally:
    """How many facts are known, how many were found, and how many match."""

    known: int = 0
    found: int = 0
    matched: int = 0
    named: int = 0
    """Of the matched, those whose concept agrees as well."""

    @property
    def precision(self) -> float | None:
        """None if nothing was found."""
        return compute_share(self.matched, self.found)

    @property
    def recall(self) -> float | None:
        """None if there is nothing to find."""
        return compute_share(self.matched, self.known)

    @property
    def f1(self) -> float | None:
        return compute_share(2 * self.matched, self.known + self.found)

    @property
    def named_precision(self) -> float | None:
        return compute_share(self.named, self.found)

    @property
    def named_recall(self) -> float | None:
        return compute_share(self.named, self.known)

    @property
    def named_f1(self) -> float | None:
        return compute_share(2 * self.named, self.known + self.found)

    def to_dict(self) -> dict[str, Any]:
        """The tally as values, for a program."""
        return {
            **asdict(self),
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "named_precision": self.named_precision,
            "named_recall": self.named_recall,
            "named_f1": self.named_f1,
        }


def compute_share(part: int, whole: int) -> float | None:
    """A part as a share of the whole; None if the whole is 0."""
    return round(part / whole, 4) if whole else None


@dataclass(frozen=True, slots=True)
class MissedFact:
    """A known fact that was not found."""

    document: str
    fact: KnownFact


@dataclass(frozen=True, slots=True)
class FalseAlarm:
    """A fact that was found but is not known."""

    document: str
    fact: ProposedFact


@dataclass(frozen=True, slots=True)
class MisnamedFact:
    """A fact that was found under another concept."""

    document: str
    known: KnownFact
    found: ProposedFact


@dataclass(frozen=True, slots=True)
class FactScore:
    """How well the facts of all documents were found."""

    overall: FactTally
    by_value_type: Mapping[str, FactTally]
    by_language: Mapping[str, FactTally]
    by_kind: Mapping[str, FactTally]
    misses: tuple[MissedFact, ...]
    false_alarms: tuple[FalseAlarm, ...]
    misnamed: tuple[MisnamedFact, ...]


def score_facts(
    found: Mapping[str, Sequence[ProposedFact]], truth: Sequence[KnownDocument]
) -> FactScore:
    """Compare what was found in each document, by its name, with what is known about it."""
    sums = _ScoreCounter()
    for document in truth:
        known = [fact for fact in document.facts if fact.value_type not in UNSCORED]
        given = [
            fact for fact in found.get(document.document, ()) if fact.value_type not in UNSCORED
        ]
        sums.add(document, known, given)
    return sums.score()


def kind_of(document: KnownDocument) -> str:
    """The kind of a file: what the truth file says, otherwise the file's extension."""
    return document.kind or PurePath(document.document).suffix.lstrip(".").lower() or "file"


class _ScoreCounter:
    """The counts of all documents so far."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._misses: list[MissedFact] = []
        self._alarms: list[FalseAlarm] = []
        self._misnamed: list[MisnamedFact] = []

    def add(
        self, document: KnownDocument, known: Sequence[KnownFact], found: Sequence[ProposedFact]
    ) -> None:
        pairs = match_pairs(known, found, facts_agree)
        # Matched separately, so that a pair that agrees only in value does not take a fact away
        # from one that agrees in name as well.
        named = match_pairs(
            known, found, lambda one, other: facts_agree(one, other) and _has_same_name(one, other)
        )
        for fact in known:
            self._count_fact(document, fact.value_type, "known")
        for given in found:
            self._count_fact(document, given.value_type, "found")
        for index in pairs:
            self._count_fact(document, known[index].value_type, "matched")
        for index in named:
            self._count_fact(document, known[index].value_type, "named")
        self._list(document.document, known, found, pairs, named)

    def _count_fact(self, document: KnownDocument, value_type: str, what: str) -> None:
        for key in (
            ("", ""),
            ("value_type", value_type),
            ("language", document.language),
            ("kind", kind_of(document)),
        ):
            self._counts[key][what] += 1

    def _list(
        self,
        name: str,
        known: Sequence[KnownFact],
        found: Sequence[ProposedFact],
        pairs: Mapping[int, int],
        named: Mapping[int, int],
    ) -> None:
        taken = set(pairs.values())
        self._misses += [MissedFact(name, fact) for at, fact in enumerate(known) if at not in pairs]
        self._alarms += [FalseAlarm(name, fact) for at, fact in enumerate(found) if at not in taken]
        self._misnamed += [
            MisnamedFact(name, known[at], found[other])
            for at, other in sorted(pairs.items())
            if at not in named and not _has_same_name(known[at], found[other])
        ]

    def score(self) -> FactScore:
        def tally_by(what: str) -> dict[str, FactTally]:
            return {
                name: FactTally(**counts)
                for (kind, name), counts in sorted(self._counts.items())
                if kind == what
            }

        return FactScore(
            overall=FactTally(**self._counts["", ""]),
            by_value_type=tally_by("value_type"),
            by_language=tally_by("language"),
            by_kind=tally_by("kind"),
            misses=tuple(self._misses),
            false_alarms=tuple(self._alarms),
            misnamed=tuple(self._misnamed),
        )


def facts_agree(known: KnownFact, found: ProposedFact) -> bool:
    """Whether both state the same value in the same words."""
    if known.value_type != found.value_type or (known.unit and known.unit != found.unit):
        return False
    return is_same_value(known.value_type, known.value, found.value) and quotes_overlap(
        known.quote, found.quote
    )


def is_same_value(value_type: str, one: str, other: str) -> bool:
    """Whether two values in canonical form are the same; for words, half of them is enough."""
    if value_type in WORDED:
        shorter, longer = sorted((_split_words(one), _split_words(other)), key=len)
        if _contains_words(shorter, longer):
            return True
        # § 6 is not § 60, however many words agree.
        numbers = {word for word in shorter if word.isdigit()}
        return (
            numbers <= set(longer) and _count_shared_words(shorter, longer) * 2 >= len(longer) > 0
        )
    try:
        return Decimal(one) == Decimal(other)
    except InvalidOperation:
        return one == other


def quotes_overlap(one: str, other: str) -> bool:
    """Whether one quote contains the other, or shares half of the shorter one's words."""
    first, second = _split_words(one), _split_words(other)
    shorter = min(len(first), len(second))
    return shorter > 0 and (
        _contains_words(first, second) or _count_shared_words(first, second) * 2 >= shorter
    )


def _has_same_name(known: KnownFact, found: ProposedFact) -> bool:
    """Whether subject and predicate agree; the predicates, if the concept is not known."""
    if known.concept is None:
        return known.predicate == found.predicate
    return known.concept == found.topic


@lru_cache(maxsize=10_000)
def _split_words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _contains_words(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the longer sequence contains the words of the shorter one in a row."""
    shorter, longer = sorted((one, other), key=len)
    return bool(shorter) and f" {' '.join(shorter)} " in f" {' '.join(longer)} "


def _count_shared_words(one: Iterable[str], other: Iterable[str]) -> int:
    return (Counter(one) & Counter(other)).total()


def match_pairs(
    known: Sequence[_A], found: Sequence[_B], fits: Callable[[_A, _B], bool]
) -> dict[int, int]:
    """As many pairs as possible if each is used once: indexes in `known` → in `found`."""
    fitting = [
        [other for other, given in enumerate(found) if fits(entry, given)] for entry in known
    ]
    partner: dict[int, int] = {}
    for entry in range(len(known)):
        _assign_partner(entry, fitting, partner)
    return partner


def _assign_partner(entry: int, fitting: Sequence[Sequence[int]], partner: dict[int, int]) -> None:
    """Find a partner for one more, moving others to another of theirs if that makes room."""
    owner = {other: at for at, other in partner.items()}
    seekers, came = [entry], dict[int, int]()
    for seeker in seekers:
        for other in fitting[seeker]:
            if other in came:
                continue
            came[other] = seeker
            if other in owner:
                seekers.append(owner[other])
                continue
            while True:
                mover = came[other]
                left = partner.get(mover)
                partner[mover] = other
                if left is None:
                    return
                other = left
