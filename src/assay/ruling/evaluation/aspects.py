"""How well extracted facts agree with annotated excerpts, aspect by aspect."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from assay.ruling.evaluation.excerpts import AnnotatedDocument, AnnotatedFact, LocatedText
from assay.ruling.evaluation.scoring import compute_share
from assay.ruling.evaluation.wording import (
    Stems,
    covers,
    describe_condition,
    find_figures,
    find_stems,
    flatten_words,
    is_negated,
    is_within,
)
from assay.ruling.facts.proposals import ProposedFact
from assay.ruling.rules.conditions import WORDING_FIELD, fields_of, is_always, parse_condition

FIGURES = frozenset({"currency", "percentage", "threshold", "count", "date"})
"""Value types that are annotated."""
UNSCORED = frozenset({"entry_into_force", "repeal"})
"""Predicates that are the dates of other facts."""
_NUMBER = re.compile(r"\d[\d  .,]*")
_DAY = re.compile(r"\d{4}-\d\d-\d\d$")
_STEP = re.compile(r"\d+[a-z]{0,3}|(?<=\()[a-z]{1,4}(?=\))|(?<=_)[a-z]{1,4}(?=__|$)")
_NO_STEP = re.compile(r"(?<=\d)\.(?=\s|$|[a-z])|\bsatz \d+|\brečenica \d+|\bsentence_\d+")


class Aspect(StrEnum):
    """What is compared of a fact."""

    VALUE = "value and unit"
    CONCEPT = "concept"
    QUALIFIERS = "qualifiers"
    CONDITION = "condition"
    DATES = "dates"
    PROVISION = "provision"


_CORE = frozenset({Aspect.VALUE, Aspect.CONCEPT, Aspect.CONDITION, Aspect.DATES})


@dataclass(frozen=True, slots=True)
class FoundFact:
    """An extracted fact and the place of its quote."""

    fact: ProposedFact
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """An annotated fact, what was found for it, and which aspects are wrong."""

    document: str
    known: AnnotatedFact
    found: ProposedFact | None
    wrong: Mapping[Aspect, str]
    """For each wrong aspect the kind of error."""


@dataclass(frozen=True, slots=True)
class UnfoundedFact:
    """A fact that should not exist, and why."""

    document: str
    fact: ProposedFact
    why: str


@dataclass(frozen=True)
class AspectScore:
    """The result for a set of excerpts."""

    documents: int
    judged: tuple[JudgedFact, ...]
    unfounded: tuple[UnfoundedFact, ...]
    traps: int
    found: int
    """Facts that were found, without those that are arguable."""
    jurisdictions: int = field(default=0)
    """Matched facts that state the right jurisdiction."""

    @property
    def known(self) -> int:
        return len(self.judged)

    @property
    def matched(self) -> int:
        return sum(entry.found is not None for entry in self.judged)

    @property
    def all_right(self) -> int:
        """Annotated facts that were found with every aspect right."""
        return sum(entry.found is not None and not entry.wrong for entry in self.judged)

    @property
    def core_right(self) -> int:
        """Annotated facts that were found with value, concept, condition and dates right."""
        return sum(
            entry.found is not None and not entry.wrong.keys() & _CORE for entry in self.judged
        )

    @property
    def sprung(self) -> int:
        """Facts from figures that must not become one."""
        return sum(entry.why != _UNKNOWN for entry in self.unfounded)

    def count_right(self, aspect: Aspect) -> int:
        """Matched facts of which the aspect is right."""
        return sum(entry.found is not None and aspect not in entry.wrong for entry in self.judged)

    def count_errors(self) -> list[tuple[str, str, int]]:
        """The kinds of error, most frequent first."""
        kinds: Counter[tuple[str, str]] = Counter()
        for entry in self.judged:
            if entry.found is None:
                kinds["missed", _describe_missed(entry.known)] += 1
            for aspect, kind in entry.wrong.items():
                kinds[aspect.value, kind] += 1
        for unfounded in self.unfounded:
            why = unfounded.why if unfounded.why != _UNKNOWN else unfounded.fact.predicate
            kinds["should not exist", why] += 1
        return [(what, kind, count) for (what, kind), count in kinds.most_common()]

    def to_dict(self) -> dict[str, Any]:
        """The totals, for a program."""
        return {
            "documents": self.documents,
            "known": self.known,
            "matched": self.matched,
            "recall": compute_share(self.matched, self.known),
            "found": self.found,
            "precision": compute_share(self.matched, self.found),
            "traps": self.traps,
            "sprung": self.sprung,
            "jurisdiction_right": self.jurisdictions,
            "aspects": {
                aspect.value: {
                    "right": self.count_right(aspect),
                    "share": compute_share(self.count_right(aspect), self.matched),
                }
                for aspect in Aspect
            },
            "value_concept_condition_dates": self.core_right,
            "all_aspects": self.all_right,
            "all_aspects_of_matched": compute_share(self.all_right, self.matched),
            "all_aspects_of_known": compute_share(self.all_right, self.known),
        }


_UNKNOWN = "not annotated"
_ACTS = frozenset({"zakon", "act", "gesetz"})
"""Words in the name of an act that do not distinguish it."""


def _describe_missed(fact: AnnotatedFact) -> str:
    return f"{fact.predicates[0]} in {fact.unit or 'a number'}"


class AspectScorer:
    """Judges documents one by one."""

    def __init__(self, terms: Mapping[str, Sequence[str]]) -> None:
        self._terms = terms
        self._judged: list[JudgedFact] = []
        self._unfounded: list[UnfoundedFact] = []
        self._documents = self._traps = self._found = self._jurisdictions = 0

    def add(self, document: AnnotatedDocument, text: str, found: Iterable[FoundFact]) -> None:
        """Judge what was found in a document."""
        located = LocatedText(text)
        facts = [
            one
            for one in found
            if one.fact.value_type in FIGURES and one.fact.predicate not in UNSCORED
        ]
        judged = self._judge_document(document, located, facts)
        matched = [one.found for one in judged if one.found is not None]
        left = [one for one in facts if not any(one.fact is fact for fact in matched)]
        arguable = [one for one in left if _is_listed(one, document.arguable, located)]
        self._judged += judged
        self._unfounded += [
            UnfoundedFact(document.document, one.fact, _explain(one, document, located))
            for one in left
            if one not in arguable
        ]
        self._documents += 1
        self._traps += len(document.not_facts)
        self._found += len(facts) - len(arguable)
        self._jurisdictions += sum(
            _is_jurisdiction(getattr(fact, "jurisdiction", None), document.jurisdiction)
            for fact in matched
        )

    def score(self) -> AspectScore:
        """The result so far."""
        return AspectScore(
            documents=self._documents,
            judged=tuple(self._judged),
            unfounded=tuple(self._unfounded),
            traps=self._traps,
            found=self._found,
            jurisdictions=self._jurisdictions,
        )

    def _judge_document(
        self, document: AnnotatedDocument, located: LocatedText, facts: Sequence[FoundFact]
    ) -> list[JudgedFact]:
        """Every annotated fact with the best found fact of the same value at the same place."""
        pairs = [
            (at, other, self._judge(document, known, found.fact))
            for at, known in enumerate(document.facts)
            for places in [located.locate(known.at)]
            for other, found in enumerate(facts)
            if _is_same_number(known.value, found.fact.value) and _overlap(found, places)
        ]
        best: dict[int, tuple[int, Mapping[Aspect, str]]] = {}
        taken: set[int] = set()
        for at, other, wrong in sorted(pairs, key=lambda pair: (len(pair[2]), *pair[:2])):
            if at not in best and other not in taken:
                best[at] = other, wrong
                taken.add(other)
        name = document.document
        return [
            JudgedFact(name, known, facts[best[at][0]].fact, best[at][1])
            if at in best
            else JudgedFact(name, known, None, {})
            for at, known in enumerate(document.facts)
        ]

    def _judge(
        self, document: AnnotatedDocument, known: AnnotatedFact, found: ProposedFact
    ) -> dict[Aspect, str]:
        language = document.language
        qualifiers = find_stems(" ".join(known.qualifiers), language)
        condition = find_stems(known.condition, language)
        optional = find_stems(" ".join(known.optional), language)
        named = find_stems(" ".join((*known.about, *document.instrument)), language)
        words, only_compares = describe_condition(
            found.applies_when, self._terms, condition | qualifiers | named, language
        )
        always = is_always(parse_condition(found.applies_when))
        stated = frozenset() if always else find_stems(words, language)
        own_kinds = flatten_words(getattr(found, "qualifiers", ()))
        kinds = find_stems(own_kinds, language)
        subject = find_stems(_name_subject(found), language)
        checks = {
            Aspect.VALUE: "another unit" if known.unit and known.unit != found.unit else "",
            Aspect.CONCEPT: _judge_concept(document, known, found, subject),
            Aspect.QUALIFIERS: _judge_qualifiers(
                qualifiers, kinds, stated | subject, condition | named | optional
            ),
            Aspect.CONDITION: _judge_condition(
                condition,
                stated - optional,
                kinds,
                qualifiers | named | _find_own_comparison(known, stated),
                only_compares=only_compares,
                lacks_negation=is_negated(known.condition)
                and not is_negated(f"{words} {own_kinds}"),
                is_whole=WORDING_FIELD in fields_of(parse_condition(found.applies_when)),
            ),
            Aspect.DATES: _judge_dates(known, found),
            Aspect.PROVISION: _judge_provision(known.provision, found.article),
        }
        return {aspect: kind for aspect, kind in checks.items() if kind}


def _judge_concept(
    document: AnnotatedDocument, known: AnnotatedFact, found: ProposedFact, subject: Stems
) -> str:
    stated = getattr(found, "jurisdiction", None)
    if stated and not _is_jurisdiction(stated, document.jurisdiction):
        return "another jurisdiction"
    names = [find_stems(name, document.language) for name in known.about]
    names += [find_stems(name, document.language) - _ACTS for name in document.instrument]
    if found.subject not in known.about and not any(name and name <= subject for name in names):
        return "another levy or instrument"
    if found.predicate not in known.predicates:
        return f"{found.predicate} instead of {known.predicates[0]}"
    return ""


def _judge_qualifiers(known: Stems, stated: Stems, elsewhere: Stems, allowed: Stems) -> str:
    """An extractor may put what kind it is into the name or the condition as well."""
    if not covers(stated | elsewhere, known):
        return "missing" if not stated else "incomplete"
    return "" if is_within(stated, known | allowed) else "too many words"


def _judge_condition(
    known: Stems,
    stated: Stems,
    kinds: Stems,
    allowed: Stems,
    *,
    only_compares: bool,
    lacks_negation: bool,
    is_whole: bool,
) -> str:
    if known and not stated and not covers(kinds, known):
        return "always, although limited"
    if only_compares and find_figures(known) and find_figures(known) == find_figures(stated):
        # A comparison with all the figures of the condition says the same in other words.
        return ""
    if lacks_negation or not covers(stated | kinds, known):
        return "incomplete"
    if not is_whole and not is_within(stated, known | allowed):
        return "too many words" if known else "limited, although it always applies"
    return ""


def _find_own_comparison(known: AnnotatedFact, stated: Stems) -> Stems:
    """The words that compare with a threshold, if they are stated as its condition."""
    is_threshold = "threshold" in known.predicates and known.value in find_figures(stated)
    return stated if is_threshold else frozenset()


def _judge_dates(known: AnnotatedFact, found: ProposedFact) -> str:
    if known.dates == "arguable":
        return ""
    wrong = []
    for name, right, stated in (
        ("start", known.effective_from, found.effective_from),
        ("end", known.effective_until, found.effective_until),
    ):
        if right != stated:
            kind = "missing" if stated is None else "invented" if right is None else "another"
            wrong.append(f"{kind} {name}")
    return ", ".join(wrong)


def _judge_provision(known: Sequence[str], article: str) -> str:
    """Article and paragraph have to agree; points only if it names one."""
    stated = find_steps(article)
    if not stated:
        return "missing"
    for path in known:
        steps = find_steps(path)
        needed = len(find_steps(path.partition("__point_")[0]))
        shared = min(len(steps), len(stated))
        exact = len(steps) > 1 or len(stated) == 1
        if exact and len(stated) >= needed and steps[:shared] == stated[:shared]:
            return ""
    if all(find_steps(path)[:1] != stated[:1] for path in known):
        return "another article"
    return "paragraph missing" if len(stated) == 1 else "another paragraph"


def find_steps(provision: str) -> tuple[str, ...]:
    """The numbers of a provision: `§ 4 Abs. 2a`, `Article 4(2a)` and `sec_4__para_2a` alike."""
    plain = _NO_STEP.sub("", provision.casefold())
    return tuple(_STEP.findall(plain))


def _name_subject(found: ProposedFact) -> str:
    levy = flatten_words(getattr(found, "levy", ""))
    return f"{found.subject.replace('_', ' ')} {levy}"


def _is_jurisdiction(stated: Any, right: str) -> bool:
    """`de`, or a body of it such as `de/berlin`, which is not annotated."""
    return isinstance(stated, str) and stated.casefold() == right


def _is_same_number(one: str, other: str) -> bool:
    try:
        return Decimal(one) == Decimal(other)
    except InvalidOperation:
        return one == other


def _overlap(found: FoundFact, places: Iterable[tuple[int, int]]) -> bool:
    return any(found.start < end and start < found.end for start, end in places)


def _is_listed(found: FoundFact, anchors: Iterable[str], located: LocatedText) -> bool:
    """Whether the words contain its value, at its place."""
    return any(
        _overlap(found, located.locate(anchor)) and _may_contain(anchor, found.fact.value)
        for anchor in anchors
    )


def _may_contain(anchor: str, value: str) -> bool:
    digits = {re.sub(r"\D", "", number) for number in _NUMBER.findall(anchor)}
    if _DAY.match(value):
        return value[:4] in digits
    wanted = re.sub(r"\D", "", value).strip("0")
    # A number in words cannot be compared so simply.
    return not digits or any(one.strip("0") == wanted for one in digits)


def _explain(found: FoundFact, document: AnnotatedDocument, located: LocatedText) -> str:
    for trap in document.not_facts:
        if _is_listed(found, (trap.at,), located):
            return trap.why
    return _UNKNOWN
