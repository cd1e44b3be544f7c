"""How a sentence is judged: by its descriptions, and by what was learned from examples."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import exp

from assay.packs.graph.ids import fold_name
from assay.packs.graph.literals import find_literals
from assay.packs.graph.ontology.model import XSD, Property
from assay.packs.graph.pattern_extractor import english
from assay.packs.graph.pattern_extractor.alignment import TELLING, PairFeatures, list_pairs
from assay.packs.graph.pattern_extractor.cues import CuedClaim, CueReader, TypesOf
from assay.packs.graph.pattern_extractor.english import split_label
from assay.packs.graph.pattern_extractor.kinds import (
    NAMED,
    REACH,
    SentenceLine,
    is_descriptive,
    skip_brackets,
)
from assay.packs.graph.pattern_extractor.mentions import MentionKind
from assay.packs.graph.pattern_extractor.reader import NameCut
from assay.sdk.records import canonical_json, content_hash

_DATED = frozenset({"publication", "release", "released", "published"})
_CALLED = frozenset({"occupation", "profession"})
_SURE = 0.6


def read_descriptions(reading: CueReader) -> Iterator[CuedClaim]:
    """Read claims from descriptions, for the properties that they can state."""
    dated = [one for one in reading.properties.values() if _has_label_word(one, _DATED)]
    called = [one for one in reading.properties.values() if _has_label_word(one, _CALLED)]
    placed = [one for one in reading.properties.values() if _is_location(reading, one)]
    if not dated and not called and not placed:
        return
    for subject, mention in enumerate(reading.line.mentions):
        at = _find_description(reading, mention.last) if mention.kind in NAMED else 0
        if not at:
            continue
        for prop in dated:
            yield from _claim_year(reading, prop, subject, at)
        for prop in called:
            yield from _claim_role(reading, prop, subject, at)
        for prop in placed:
            yield from _claim_place(reading, prop, subject, at)


def _has_label_word(prop: Property, words: frozenset[str]) -> bool:
    return any(words & set(split_label(name)) for name in (prop.label, *prop.names))


def _is_location(reading: CueReader, prop: Property) -> bool:
    return prop.iri in reading.lexicon.places


def _find_description(reading: CueReader, at: int) -> int:
    """Find where a description begins after its article; 0: there is none."""
    line = reading.line
    at = skip_brackets(line, at)
    is_described = line.word_at(at) in english.BE and line.word_at(at + 1) in ("a", "an")
    return at + 2 if is_described and at + 2 < len(line.words) else 0


def _claim_year(reading: CueReader, prop: Property, subject: int, at: int) -> Iterator[CuedClaim]:
    index = reading.line.at[at]
    if index < 0 or reading.line.mentions[index].kind is not MentionKind.VALUE:
        return
    words = reading.line.mentions[index].words
    year = len(words) == 4 and words.isdigit()
    if year and reading.fits_subject(prop, subject) and reading.fits_object(prop, index):
        yield CuedClaim(subject, prop.iri, index, _SURE)


def _claim_role(reading: CueReader, prop: Property, subject: int, at: int) -> Iterator[CuedClaim]:
    line = reading.line
    end = at
    while end < min(at + REACH, len(line.words)) and is_descriptive(line, end):
        end += 1
    index = line.at[end - 1] if end > at else -1
    if index < 0 or not english.is_role(line.word_at(end - 1)):
        return
    if reading.fits_subject(prop, subject) and reading.fits_object(prop, index):
        yield CuedClaim(subject, prop.iri, index, _SURE)


def _claim_place(reading: CueReader, prop: Property, subject: int, at: int) -> Iterator[CuedClaim]:
    """`is a city in England`; a subject of the same class as the place does not count."""
    line = reading.line
    end = at
    while end < min(at + REACH, len(line.words)) and is_descriptive(line, end):
        end += 1
    if line.word_at(end) != "in" or end == at:
        return
    place = end + (2 if line.word_at(end + 1) == "the" else 1)
    index = line.at[place] if place < len(line.words) else -1
    if index < 0 or line.mentions[index].kind is not MentionKind.NAME:
        return
    if prop.ranges and reading.types_of(subject) == prop.ranges != prop.domains:
        return
    if reading.fits_subject(prop, subject) and reading.fits_object(prop, index):
        yield CuedClaim(subject, prop.iri, index, _SURE)


_FRAMED = re.compile(r'("?)(\d{4}-\d\d-\d\d|-?\d+\.\d+|-?\d+)((?: \([^()]+\))?"?)')
_DATE, _DECIMAL, _INTEGER = f"{XSD}date", f"{XSD}decimal", f"{XSD}integer"
_SEEN = 2

Frame = tuple[str, str, str]
"""What precedes a value, its datatype, and what follows it."""


def learn_frames(triples: Iterable[tuple[str, str, str]]) -> dict[str, Frame]:
    """Learn property → the frame of most of its objects; frames that add nothing are left out."""
    counted: dict[str, Counter[Frame | None]] = {}
    for _, predicate, words in triples:
        counted.setdefault(predicate, Counter())[_parse_frame(words)] += 1
    found: dict[str, Frame] = {}
    for predicate, own in sorted(counted.items()):
        for frame, count in own.items():
            if frame is not None and count >= _SEEN and 2 * count > own.total():
                found[predicate] = frame
    return found


def _parse_frame(words: str) -> Frame | None:
    match = _FRAMED.fullmatch(words.strip())
    if match is None or not (match[1] or match[3]):
        return None
    value = match[2]
    datatype = _DATE if "-" in value[1:] else _DECIMAL if "." in value else _INTEGER
    return match[1], datatype, match[3]


def apply_frame(frames: Mapping[str, Frame], predicate: str, words: str) -> str | None:
    """Put words into the frame of a property; None if it has none or they are not a value."""
    frame = frames.get(predicate)
    if frame is None:
        return None
    before, datatype, after = frame
    for found in find_literals(words):
        # A unit is written only if the text has one, and a sign is never lost.
        if found.words != words or ("(" in after and words[-1].isdigit()):
            continue
        for reading in found.readings:
            if reading.datatype in (datatype, _INTEGER if datatype == _DECIMAL else datatype):
                value = reading.value
                if datatype == _DECIMAL and "." not in value:
                    value += ".0"
                return f"{before}{value}{after}"
    return None


SURE = -2.0
"""The minimum score, in log odds, of a pair that is accepted."""
_CUED = -4.0
"""The minimum if a cue states it as well."""
_BEHIND = 1.0
"""How far below the best property of its pair another may score."""
_SPOKEN = 0.5
"""How much words must count for a property, whatever the look of things suggests."""


@dataclass(frozen=True, slots=True)
class GraphExample:
    """A text with what it says: subject words, property label or IRI, object words."""

    text: str
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class LearnedCues:
    """What was learned from examples, as plain values."""

    gazetteer: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """First word → names in the examples that begin with it, the longest first; all lower case."""
    weights: dict[str, dict[str, float]] = field(default_factory=dict)
    """Feature → property → its weight."""
    base: dict[str, float] = field(default_factory=dict)
    """Property → its score without any feature."""
    single: tuple[str, ...] = ()
    """Properties that no example states twice for one subject."""
    cut: NameCut = field(default_factory=NameCut)
    """How names are cut."""
    spellings: dict[str, dict[str, str]] = field(default_factory=dict)
    """Property (empty for subjects) → words of a text → how the examples write them."""
    frames: dict[str, Frame] = field(default_factory=dict)
    """Property → how the examples write its values."""

    @cached_property
    def key(self) -> str:
        """Identifies what was learned: equal keys give equal results."""
        return content_hash(canonical_json(asdict(self)))

    def judge_line(
        self,
        line: SentenceLine,
        claims: Iterable[CuedClaim],
        properties: Mapping[str, Property],
        types_of: TypesOf,
    ) -> Iterator[CuedClaim]:
        """Judge what a line says, by its cues and by what was learned."""
        cued = {(one.subject, one.object, one.property): one.score for one in claims}
        scored: list[CuedClaim] = []
        seen = PairFeatures(line, types_of)
        by_pair: dict[tuple[int, int], list[str]] = {}
        for subject, object_, predicate in cued:
            by_pair.setdefault((subject, object_), []).append(predicate)
        for subject, object_ in list_pairs(line, by_pair):
            features = seen.list_features(subject, object_)
            own = by_pair.get((subject, object_), ())
            features += [f"*cue:{predicate}" for predicate in own]
            scores = {
                predicate: score
                for predicate, score in self._score_properties(features)
                if predicate in properties
            }
            best = max(scores.values(), default=0.0)
            for predicate, score in scores.items():
                least = _CUED if predicate in own else SURE
                if score >= least and score >= best - _BEHIND:
                    chance = 1 / (1 + exp(-min(score, 30.0)))
                    scored.append(CuedClaim(subject, predicate, object_, chance))
        for (subject, object_, predicate), score in cued.items():
            if predicate not in self.base:
                scored.append(CuedClaim(subject, predicate, object_, score))
        yield from self._choose_best(scored)

    def _score_properties(self, features: Iterable[str]) -> Iterator[tuple[str, float]]:
        """Yield properties with their scores, except those that no words support."""
        found = dict(self.base)
        spoken: dict[str, float] = {}
        for feature in features:
            for predicate, weight in self.weights.get(feature, {}).items():
                found[predicate] += weight
                if weight > 0 and feature[0] == TELLING:
                    spoken[predicate] = spoken.get(predicate, 0.0) + weight
        for predicate, score in found.items():
            if spoken.get(predicate, 0.0) >= _SPOKEN:
                yield predicate, score

    def _choose_best(self, claims: Iterable[CuedClaim]) -> Iterator[CuedClaim]:
        """Choose the likeliest subject of each property and object, and one object if the property
        allows only one."""
        taken: set[tuple[str, int]] = set()
        ones: set[tuple[str, int]] = set()
        for claim in sorted(claims, key=lambda c: (-c.score, c.property, c.subject, c.object)):
            if (claim.property, claim.object) in taken:
                continue
            if claim.property in self.single:
                if (claim.property, claim.subject) in ones:
                    continue
                ones.add((claim.property, claim.subject))
            taken.add((claim.property, claim.object))
            yield claim


def write_as_examples(
    learned: LearnedCues, predicate: str, subject: str, object_: str
) -> tuple[str, str]:
    """Write subject and object as the examples do, if they had the same words. This is only for
    comparison with examples; a graph keeps the words of its text."""
    framed_object = apply_frame(learned.frames, predicate, object_)
    return (
        _spell_as_examples(learned, ("",), subject),
        framed_object or _spell_as_examples(learned, (predicate, ""), object_),
    )


def _spell_as_examples(learned: LearnedCues, roles: tuple[str, ...], words: str) -> str:
    folded = fold_name(words)
    for role in roles:
        known = learned.spellings.get(role, {}).get(folded)
        if known is not None:
            return known
    return words
