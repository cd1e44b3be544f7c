"""The rules of Text2KGBench, and a stricter count beside them.

The benchmark's own figures flatter every system in the same ways: what it found under a relation
that the gold triples do not have is left out before precision is counted, every sentence weighs
the same, and so does every ontology. The strict count leaves nothing out: it takes all triples of
all sentences together.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Final

from bench.text2kg_data import Answers, Dataset, Labels, Part, Sentence, Triple
from bench.text2kg_words import stems

_GAP: Final = re.compile(r"(_|\s+)")
_NEW_YEAR: Final = "01januari"
"""The stems of `01 January`, which the gold triples put before a year that stands alone."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The benchmark's figures of one sentence, or their average."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    conformance: float = 0.0
    """The share of found triples whose relation the ontology has."""
    relation_made_up: float = 0.0
    subject_made_up: float = 0.0
    """The share of found triples whose subject stands in neither sentence nor ontology."""
    object_made_up: float = 0.0

    def rounded(self, digits: int = 4) -> dict[str, float]:
        return {name: round(getattr(self, name), digits) for name in FIGURES}


FIGURES: Final = tuple(Figures.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Strict:
    """All triples of all sentences counted together, none left out."""

    right: int = 0
    found: int = 0
    gold: int = 0

    def __add__(self, other: "Strict") -> "Strict":
        return Strict(self.right + other.right, self.found + other.found, self.gold + other.gold)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.found + self.gold) if self.found + self.gold else 0.0

    def rounded(self, digits: int = 4) -> dict[str, float]:
        return {name: round(getattr(self, name), digits) for name in ("precision", "recall", "f1")}


@dataclass(frozen=True)
class PartScore:
    """How a system did on the sentences of one ontology."""

    name: str
    by_sentence: Mapping[str, Figures]
    """Of the sentences that were answered."""
    all: Figures
    selected: Figures | None
    """Of the sentences that a person has verified; None where there are none."""
    strict: Strict
    sentences: int
    triples: int


@dataclass(frozen=True)
class Score:
    """How a system did on a data set: the average over its ontologies."""

    parts: tuple[PartScore, ...]

    @property
    def all(self) -> Figures:
        return average([part.all for part in self.parts], len(self.parts))

    @property
    def selected(self) -> Figures | None:
        told = [part.selected for part in self.parts if part.selected is not None]
        return average(told, len(told)) if told else None

    @property
    def strict(self) -> Strict:
        return sum((part.strict for part in self.parts), Strict())

    @property
    def sentences(self) -> int:
        return sum(part.sentences for part in self.parts)

    @property
    def answered(self) -> int:
        return sum(len(part.by_sentence) for part in self.parts)

    @property
    def triples_per_sentence(self) -> float:
        return sum(part.triples for part in self.parts) / self.sentences if self.sentences else 0.0


def score(dataset: Dataset, answers: Mapping[str, Answers]) -> Score:
    """A system's answers, by ontology, against the gold triples of a data set."""
    return Score(tuple(score_part(part, answers.get(part.name, {})) for part in dataset.parts))


def score_part(part: Part, answers: Answers) -> PartScore:
    """Answers against the gold triples of one ontology; an unanswered sentence counts as 0."""
    by_sentence = {
        sentence.id: score_sentence(sentence, answers[sentence.id], part.labels)
        for sentence in part.sentences
        if sentence.id in answers
    }
    selected = [by_sentence[id_] for id_ in set(part.selected) if id_ in by_sentence]
    strict = [_strict(sentence, answers.get(sentence.id, ())) for sentence in part.sentences]
    return PartScore(
        name=part.name,
        by_sentence=by_sentence,
        all=average(by_sentence.values(), len(part.sentences)),
        selected=average(selected, len(part.selected)) if part.selected else None,
        strict=sum(strict, Strict()),
        sentences=len(part.sentences),
        triples=sum(len(answers.get(sentence.id, ())) for sentence in part.sentences),
    )


def score_sentence(sentence: Sentence, found: Sequence[Triple], labels: Labels) -> Figures:
    """What was found in one sentence, against its gold triples."""
    wanted = {_joined(relation) for _, relation, _ in sentence.gold}
    kept = {folded(triple) for triple in found if triple[1] in wanted}
    precision, recall, f1 = _shares({folded(triple) for triple in sentence.gold}, kept)
    conformance = _conformance(found, labels)
    subject, object_ = _made_up(found, sentence.text, labels)
    return Figures(precision, recall, f1, conformance, 1 - conformance, subject, object_)


def average(figures: Iterable[Figures], over: int) -> Figures:
    """The average over so many; whoever is missing counts as 0."""
    columns = list(zip(*map(astuple, figures), strict=True))
    return Figures(*(sum(column) / over for column in columns)) if columns else Figures()


def folded(triple: Triple) -> str:
    """A triple as it is compared: one string of small letters, without white space and `_`."""
    return "".join(map(_folded, triple))


def _joined(label: str) -> str:
    """A relation's name as systems owe it. Only spaces are replaced; nothing else is folded."""
    return label.replace(" ", "_")


def _shares(gold: set[str], found: set[str]) -> tuple[float, float, float]:
    if not found:
        return 0.0, 0.0, 0.0
    right = len(gold & found)
    precision, recall = right / len(found), right / len(gold)
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def _conformance(found: Sequence[Triple], labels: Labels) -> float:
    if not found:
        return 1.0
    known = set(map(_joined, labels.relations))
    return sum(relation in known for _, relation, _ in found) / len(found)


def _made_up(found: Sequence[Triple], text: str, labels: Labels) -> tuple[float, float]:
    """The shares of subjects and of objects that stand in neither the sentence nor the ontology."""
    if not found:
        return 0.0, 0.0
    # The benchmark puts no space between the sentence and the first concept.
    where = stems(text + " ".join(labels.concepts))
    subjects = sum(_entity(subject) not in where for subject, _, _ in found)
    objects = sum(_entity(object_) not in where for _, _, object_ in found)
    return subjects / len(found), objects / len(found)


def _entity(name: str) -> str:
    return stems(name).replace(_NEW_YEAR, "")


def in_words(dataset: Dataset) -> float:
    """The share of gold triples whose subject and object stand in their sentence, folded.

    Whoever only quotes can find no more than these.
    """
    gold = [
        (_folded(sentence.text), subject, object_)
        for part in dataset.parts
        for sentence in part.sentences
        for subject, _, object_ in sentence.gold
    ]
    said = sum(_folded(one) in text and _folded(other) in text for text, one, other in gold)
    return said / len(gold) if gold else 0.0


def _folded(words: str) -> str:
    return _GAP.sub("", words).lower()


def _strict(sentence: Sentence, found: Sequence[Triple]) -> Strict:
    gold, told = set(map(folded, sentence.gold)), set(map(folded, found))
    return Strict(len(gold & told), len(told), len(gold))
