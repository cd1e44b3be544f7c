"""How a sentence is judged: by its own description, and by what examples taught."""

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
_PLACED = frozenset({("located", "in"), ("is", "in")})
"""What is said of a thing that lies somewhere."""
_SURE = 0.6


def read_descriptions(reading: CueReader) -> Iterator[CuedClaim]:
    """The claims of descriptions, for the properties that they can tell."""
    dated = [one for one in reading.properties.values() if _has_label_word(one, _DATED)]
    called = [one for one in reading.properties.values() if _has_label_word(one, _CALLED)]
    placed = [one for one in reading.properties.values() if _is_location(reading, one)]
    if not dated and not called and not placed:
        return
    for subject, mention in enumerate(reading.line.mentions):
        at = _find_description(reading, mention.last) if mention.kind in NAMED else 0
        if not at:
            continue
        for told in dated:
            yield from _claim_year(reading, told, subject, at)
        for told in called:
            yield from _claim_role(reading, told, subject, at)
        for told in placed:
            yield from _claim_place(reading, told, subject, at)


def _has_label_word(told: Property, words: frozenset[str]) -> bool:
    return any(words & set(split_label(name)) for name in (told.label, *told.names))


def _is_location(reading: CueReader, told: Property) -> bool:
    cues = (*reading.lexicon.cues.get("located", ()), *reading.lexicon.cues.get("is", ()))
    return any(cue.property == told.iri and cue.words in _PLACED for cue in cues)


def _find_description(reading: CueReader, at: int) -> int:
    """Where the words of a description begin after its article; 0: there is none."""
    line = reading.line
    at = skip_brackets(line, at)
    is_told = line.word_at(at) in english.BE and line.word_at(at + 1) in ("a", "an")
    return at + 2 if is_told and at + 2 < len(line.words) else 0


def _claim_year(reading: CueReader, told: Property, subject: int, at: int) -> Iterator[CuedClaim]:
    index = reading.line.at[at]
    if index < 0 or reading.line.mentions[index].kind is not MentionKind.VALUE:
        return
    words = reading.line.mentions[index].words
    year = len(words) == 4 and words.isdigit()
    if year and reading.fits_subject(told, subject) and reading.fits_object(told, index):
        yield CuedClaim(subject, told.iri, index, _SURE)


def _claim_role(reading: CueReader, told: Property, subject: int, at: int) -> Iterator[CuedClaim]:
    line = reading.line
    end = at
    while end < min(at + REACH, len(line.words)) and is_descriptive(line, end):
        end += 1
    index = line.at[end - 1] if end > at else -1
    if index < 0 or not english.is_role(line.word_at(end - 1)):
        return
    if reading.fits_subject(told, subject) and reading.fits_object(told, index):
        yield CuedClaim(subject, told.iri, index, _SURE)


def _claim_place(reading: CueReader, told: Property, subject: int, at: int) -> Iterator[CuedClaim]:
    """`is a city in England`; what is of the same class as the place is not told of it."""
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
    if told.ranges and reading.types_of(subject) == told.ranges != told.domains:
        return
    if reading.fits_subject(told, subject) and reading.fits_object(told, index):
        yield CuedClaim(subject, told.iri, index, _SURE)


_FRAMED = re.compile(r'("?)(\d{4}-\d\d-\d\d|-?\d+\.\d+|-?\d+)((?: \([^()]+\))?"?)')
_DATE, _DECIMAL, _INTEGER = f"{XSD}date", f"{XSD}decimal", f"{XSD}integer"
_SEEN = 2

Frame = tuple[str, str, str]
"""What stands before a value, its datatype, and what stands after it."""


def learn_frames(triples: Iterable[tuple[str, str, str]]) -> dict[str, Frame]:
    """Property → the frame of most of its objects; without those that add nothing to a value."""
    counted: dict[str, Counter[Frame | None]] = {}
    for _, told, words in triples:
        counted.setdefault(told, Counter())[_parse_frame(words)] += 1
    found: dict[str, Frame] = {}
    for told, own in sorted(counted.items()):
        for frame, count in own.items():
            if frame is not None and count >= _SEEN and 2 * count > own.total():
                found[told] = frame
    return found


def _parse_frame(words: str) -> Frame | None:
    match = _FRAMED.fullmatch(words.strip())
    if match is None or not (match[1] or match[3]):
        return None
    value = match[2]
    datatype = _DATE if "-" in value[1:] else _DECIMAL if "." in value else _INTEGER
    return match[1], datatype, match[3]


def apply_frame(frames: Mapping[str, Frame], told: str, words: str) -> str | None:
    """Words of a text in the frame of a property; None where it has none or they are no value."""
    frame = frames.get(told)
    if frame is None:
        return None
    before, datatype, after = frame
    for found in find_literals(words):
        # A unit is written where one is told, and a sign is never lost.
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
"""The least score, in log odds, with which a pair is taken."""
_CUED = -4.0
"""The least where a cue tells it as well."""
_BEHIND = 1.0
"""How far a property may be behind the likeliest one of its pair."""
_SPOKEN = 0.5
"""How much words must speak for a property, whatever the look of things says."""


@dataclass(frozen=True, slots=True)
class GraphExample:
    """A text with what it says: subject words, property label or IRI, object words."""

    text: str
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class LearnedCues:
    """What was learned from examples; plain values only."""

    gazetteer: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """First word → names of the examples that begin with it, the longest first; all small."""
    weights: dict[str, dict[str, float]] = field(default_factory=dict)
    """Feature → property → how much it speaks for it."""
    base: dict[str, float] = field(default_factory=dict)
    """Property → its score where nothing is seen."""
    single: tuple[str, ...] = ()
    """Properties of which no example tells two of one subject."""
    cut: NameCut = field(default_factory=NameCut)
    """How names are cut."""
    spellings: dict[str, dict[str, str]] = field(default_factory=dict)
    """Property, or nothing for subjects → words of a text → how the examples write them."""
    frames: dict[str, Frame] = field(default_factory=dict)
    """Property → how the examples write its values."""

    @cached_property
    def key(self) -> str:
        """Names what was learned: equal keys find equal things."""
        return content_hash(canonical_json(asdict(self)))

    def judge_line(
        self,
        line: SentenceLine,
        claims: Iterable[CuedClaim],
        properties: Mapping[str, Property],
        types_of: TypesOf,
    ) -> Iterator[CuedClaim]:
        """What a line says, by its cues and by what was learned."""
        cued = {(one.subject, one.object, one.property): one.score for one in claims}
        scored: list[CuedClaim] = []
        seen = PairFeatures(line, types_of)
        by_pair: dict[tuple[int, int], list[str]] = {}
        for subject, object_, told in cued:
            by_pair.setdefault((subject, object_), []).append(told)
        for subject, object_ in list_pairs(line, by_pair):
            features = seen.list_features(subject, object_)
            own = by_pair.get((subject, object_), ())
            features += [f"*cue:{told}" for told in own]
            scores = {
                told: score
                for told, score in self._score_properties(features)
                if told in properties
            }
            best = max(scores.values(), default=0.0)
            for told, score in scores.items():
                least = _CUED if told in own else SURE
                if score >= least and score >= best - _BEHIND:
                    chance = 1 / (1 + exp(-min(score, 30.0)))
                    scored.append(CuedClaim(subject, told, object_, chance))
        for (subject, object_, told), score in cued.items():
            if told not in self.base:
                scored.append(CuedClaim(subject, told, object_, score))
        yield from self._choose_best(scored)

    def _score_properties(self, features: Iterable[str]) -> Iterator[tuple[str, float]]:
        """Properties with their scores; those for which no words speak are left out."""
        found = dict(self.base)
        spoken: dict[str, float] = {}
        for feature in features:
            for told, weight in self.weights.get(feature, {}).items():
                found[told] += weight
                if weight > 0 and feature[0] == TELLING:
                    spoken[told] = spoken.get(told, 0.0) + weight
        for told, score in found.items():
            if spoken.get(told, 0.0) >= _SPOKEN:
                yield told, score

    def _choose_best(self, claims: Iterable[CuedClaim]) -> Iterator[CuedClaim]:
        """Of each property and object the likeliest subject; one object where there is but one."""
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
    """Subject and object as the examples write them, where they had the same words; for those who
    compare with them. A graph keeps the words of its text."""
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
