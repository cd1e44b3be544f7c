"""Learning from examples: names, and the words that state a property."""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.packs.graph.ids import fold_name
from assay.packs.graph.model import Chunk
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.pattern_extractor import english
from assay.packs.graph.pattern_extractor.alignment import (
    NAMING,
    PairFeatures,
    Spelling,
    align_words,
    fold_label,
    list_pairs,
    strip_marks,
)
from assay.packs.graph.pattern_extractor.cues import CueReader, TypesOf
from assay.packs.graph.pattern_extractor.english import split_words
from assay.packs.graph.pattern_extractor.judging import (
    GraphExample,
    LearnedCues,
    learn_frames,
    read_descriptions,
)
from assay.packs.graph.pattern_extractor.kinds import SentenceLine
from assay.packs.graph.pattern_extractor.lexicon import build_lexicon
from assay.packs.graph.pattern_extractor.mentions import MentionKind
from assay.packs.graph.pattern_extractor.reader import (
    CoreferenceTracker,
    CutLearner,
    NameCut,
    build_mention_finder,
    split_lines,
)
from assay.sdk.reading import split_sentences

_ROUNDS = 60
_RATE = 0.5
_DECAY = 0.0005
"""Weight decay: few examples must not be learned by heart."""
_LEAST = 0.04

Floats = npt.NDArray[np.float64]


def fit_weights(
    rows: Sequence[Sequence[int]],
    right: Sequence[bool],
    importance: Sequence[float],
    features: int,
) -> Floats:
    """Fit the weights of the features; the last one is the intercept."""
    lengths = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    index = np.fromiter((one for row in rows for one in row), dtype=np.int64)
    row_of = np.repeat(np.arange(len(rows)), lengths)
    wanted = np.asarray(right, dtype=np.float64)
    weight = np.asarray(importance, dtype=np.float64)
    weight = weight / weight.sum()
    weights = np.zeros(features + 1)
    squares = np.full(features + 1, 1e-8)
    for _ in range(_ROUNDS):
        scores = np.bincount(row_of, weights=weights[index], minlength=len(rows)) + weights[-1]
        chance = 1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30)))
        error = (chance - wanted) * weight
        slope = np.zeros(features + 1)
        slope += np.bincount(index, weights=error[row_of], minlength=features + 1)
        slope[-1] = error.sum()
        slope[:-1] += _DECAY * weights[:-1]
        squares += slope**2
        weights -= _RATE * slope / np.sqrt(squares)
    return weights


def choose_weights(weights: Floats, names: Sequence[str]) -> dict[str, float]:
    """Choose the weights that matter, by name; rounding makes them the same on every machine."""
    return {
        name: round(float(weight), 3)
        for name, weight in zip(names, weights[:-1], strict=True)
        if abs(weight) >= _LEAST
    }


_RIGHT = 4.0
"""The weight of a correct pair, because there are few of them."""
_MOST_OTHERS = 3_000
"""How many pairs from examples without a property are enough to learn it."""


@dataclass
class _Lesson:
    """One parsed example."""

    lines: list[SentenceLine]
    right: dict[tuple[int, int, int], set[str]] = field(default_factory=dict)
    """Line, subject, object → the properties that are true."""
    predicates: set[str] = field(default_factory=set)
    of: str = ""
    """What it is about: examples that share a subject, even indirectly, are about the same."""
    types_of: list[TypesOf] = field(default_factory=list)
    cued: dict[tuple[int, int, int], list[str]] = field(default_factory=dict)
    """Line, subject, object → the properties that a cue states."""


class _Row(NamedTuple):
    """The features of a pair, its true properties, and the properties of its example."""

    features: "array[int]"
    right: set[str]
    predicates: set[str]


def learn_examples(examples: Iterable[GraphExample], ontology: Ontology) -> LearnedCues:
    """Learn from examples; equal examples give equal results."""
    given = list(examples)
    by_label = _index_labels(ontology)
    triples = [_list_known_triples(example, by_label) for example in given]
    # A name in only one example must be found by its look, as names in other texts will be.
    known = _build_gazetteer(given, least=2)
    cut = _learn_cut(given)
    lessons = [_read_lesson(example, ontology, known, cut) for example in given]
    spelling = Spelling(
        [
            (lesson.lines, known_triples)
            for lesson, known_triples in zip(lessons, triples, strict=True)
        ]
    )
    terms = spelling.list_terms()
    for lesson, known_triples, of in zip(lessons, triples, _group_by_subject(triples), strict=True):
        lesson.of = of
        lesson.lines = [_mark_terms(line, terms) for line in lesson.lines]
        _align_lesson(lesson, known_triples, spelling)
    weights, base = _fit_properties(lessons)
    return LearnedCues(
        gazetteer=_build_gazetteer(given, least=1, terms=terms),
        weights=weights,
        base=base,
        single=_list_single(triples),
        cut=replace(cut, article=spelling.keeps_article()),
        spellings=spelling.build_table(),
        frames=learn_frames(chain.from_iterable(triples)),
    )


def _group_by_subject(triples: Sequence[Sequence[tuple[str, str, str]]]) -> list[str]:
    """Find what each example is about: one subject for all connected examples."""
    head: dict[str, str] = {}

    def find_root(name: str) -> str:
        while head.setdefault(name, name) != name:
            head[name] = name = head[head[name]]
        return name

    subjects = [[fold_name(subject) for subject, _, _ in own] for own in triples]
    for own in subjects:
        for one in own:
            head[find_root(one)] = find_root(own[0])
    return [find_root(own[0]) if own else "" for own in subjects]


def _index_labels(ontology: Ontology) -> dict[str, str]:
    found: dict[str, str] = {}
    for iri, prop in sorted(ontology.properties.items()):
        for name in (*prop.names, prop.label):
            found.setdefault(fold_label(name), iri)
    for iri in ontology.properties:
        found[iri] = iri
    return found


def _list_known_triples(
    example: GraphExample, by_label: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for subject, label, object_ in example.triples:
        predicate = by_label.get(label) or by_label.get(fold_label(label))
        if predicate is not None and subject.strip() and object_.strip():
            found.append((subject, predicate, object_))
    return found


def _mark_terms(line: SentenceLine, terms: Collection[str]) -> SentenceLine:
    """Mark lower-case words that were found to mean something as terms."""
    return SentenceLine(
        line.words,
        [
            replace(one, kind=MentionKind.TERM)
            if one.kind is MentionKind.COMMON and fold_name(one.words) in terms
            else one
            for one in line.mentions
        ],
    )


def _build_gazetteer(
    examples: Sequence[GraphExample], least: int, terms: Iterable[str] = ()
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Collect the names that at least `least` examples have in their texts, and further terms."""
    counted: Counter[tuple[str, ...]] = Counter()
    counted.update({name: least for name in map(_split_name, terms) if name})
    for example in examples:
        text = " ".join(word.low for word in split_words(example.text, 0, len(example.text)))
        own = {
            name
            for subject, _, object_ in example.triples
            for name in (_split_name(subject), _split_name(object_))
        }
        counted.update(name for name in own if name and f" {' '.join(name)} " in f" {text} ")
    found: dict[str, list[tuple[str, ...]]] = {}
    for name, count in sorted(counted.items(), key=lambda one: (-len(one[0]), one[0])):
        if count >= least:
            found.setdefault(name[0], []).append(name)
    return {first: tuple(names) for first, names in found.items()}


def _split_name(words: str) -> tuple[str, ...]:
    plain = strip_marks(words)
    found = tuple(word.low for word in split_words(plain, 0, len(plain)))
    alone = len(found) == 1
    if alone and (found[0] in english.STOP or not found[0][0].isalpha() or len(found[0]) < 3):
        return ()
    return found if any(word[0].isalpha() for word in found) else ()


def _make_chunk(text: str) -> Chunk:
    return Chunk(index=0, start=0, end=len(text), text=text, sentences=tuple(split_sentences(text)))


def _learn_cut(examples: Sequence[GraphExample]) -> NameCut:
    """Learn how names are cut, compared with what their look alone suggests."""
    taught = CutLearner()
    for example in examples:
        names = [
            strip_marks(one) for subject, _, other in example.triples for one in (subject, other)
        ]
        for line in split_lines(_make_chunk(example.text), build_mention_finder({})):
            taught.note_sentence(line.words, line.mentions, names)
    return taught.build_cut(article=True)


def _read_lesson(
    example: GraphExample,
    ontology: Ontology,
    known: dict[str, tuple[tuple[str, ...], ...]],
    cut: NameCut,
) -> _Lesson:
    text = example.text
    chunk = _make_chunk(text)
    lexicon = build_lexicon(ontology)
    threads = CoreferenceTracker(ontology, lexicon)
    lines = [
        threads.resolve_line(line) for line in split_lines(chunk, build_mention_finder(known, cut))
    ]
    lesson = _Lesson(lines, types_of=[threads.types_of(line) for line in lines])
    for at, line in enumerate(lines):
        cueing = CueReader(line, lexicon, ontology, ontology.properties, lesson.types_of[at])
        for claim in chain(cueing.read_claims(), read_descriptions(cueing)):
            cued = lesson.cued.setdefault((at, claim.subject, claim.object), [])
            if claim.property not in cued:
                cued.append(claim.property)
    return lesson


def _align_lesson(
    lesson: _Lesson, triples: Sequence[tuple[str, str, str]], spelling: Spelling
) -> None:
    """Find the pairs of mentions that the triples are about."""
    for subject, predicate, object_ in triples:
        lesson.predicates.add(predicate)
        subjects = align_words(subject, lesson.lines, subject=True)
        objects = align_words(object_, lesson.lines) or spelling.find_meant(
            lesson.lines, predicate, object_
        )
        for at, index in objects:
            near = [one for line, one in subjects if line == at and one != index]
            if near:
                best = min(near, key=lambda one: abs(one - index))
                lesson.right.setdefault((at, best, index), set()).add(predicate)


def _fit_properties(
    lessons: Sequence[_Lesson],
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    rows, names = _number_features(lessons)
    weights: dict[str, dict[str, float]] = {}
    base: dict[str, float] = {}
    for predicate in sorted({one for lesson in lessons for one in lesson.predicates}):
        mine = [row for row in rows if predicate in row.predicates]
        if not any(predicate in row.right for row in mine):
            continue
        others = [row for row in rows if predicate not in row.predicates]
        step = max(1, len(others) // _MOST_OTHERS)
        used = [*mine, *others[::step]]
        found = fit_weights(
            [row.features for row in used],
            [predicate in row.right for row in used],
            [_RIGHT if predicate in row.right else 1.0 for row in used],
            len(names),
        )
        base[predicate] = round(float(found[-1]), 3)
        for name, weight in choose_weights(found, names).items():
            weights.setdefault(name, {})[predicate] = weight
    return weights, base


def _number_features(lessons: Sequence[_Lesson]) -> tuple[list[_Row], list[str]]:
    """Return the pairs of all examples with numbered features, and the names of the features. A
    feature of only one example teaches nothing and is left out."""
    numbers: dict[str, int] = {}
    counted: Counter[int] = Counter()
    rows: list[_Row] = []
    first: dict[int, str] = {}
    several: set[int] = set()
    for lesson in lessons:
        own: set[int] = set()
        for features, right in _list_lesson_pairs(lesson):
            row = array("l", (numbers.setdefault(one, len(numbers)) for one in features))
            own.update(row)
            rows.append(_Row(row, right, lesson.predicates))
        counted.update(own)
        several.update(one for one in own if first.setdefault(one, lesson.of) != lesson.of)
    names = [
        name
        for name, number in numbers.items()
        if counted[number] > 1 and (number in several or not name.startswith(NAMING))
    ]
    kept = {numbers[name]: index for index, name in enumerate(names)}
    return [
        row._replace(features=array("l", (kept[one] for one in row.features if one in kept)))
        for row in rows
    ], names


def _list_lesson_pairs(lesson: _Lesson) -> Iterator[tuple[list[str], set[str]]]:
    nothing: set[str] = set()
    for at, line in enumerate(lesson.lines):
        seen = PairFeatures(line, lesson.types_of[at])
        cued = [(one, other) for place, one, other in lesson.cued if place == at]
        for subject, object_ in list_pairs(line, cued):
            features = seen.list_features(subject, object_)
            features += [f"*cue:{p}" for p in lesson.cued.get((at, subject, object_), ())]
            yield features, lesson.right.get((at, subject, object_), nothing)


def _list_single(triples: Sequence[Sequence[tuple[str, str, str]]]) -> tuple[str, ...]:
    seen: set[str] = set()
    several: set[str] = set()
    for own in triples:
        counted = Counter((subject, one) for subject, one, _ in dict.fromkeys(own))
        seen.update(one for _, one in counted)
        several.update(one for (_, one), count in counted.items() if count > 1)
    return tuple(sorted(seen - several))
