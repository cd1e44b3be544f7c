"""What examples taught, and how a sentence is judged by it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import exp

from assay.packs.graph.ids import folded_name
from assay.packs.graph.ontology.model import Property
from assay.packs.graph.plain.cueing import Claim, TypesOf
from assay.packs.graph.plain.cuts import Cut
from assay.packs.graph.plain.frames import Frame, framed
from assay.packs.graph.plain.lines import Line
from assay.packs.graph.plain.pairs import TELLING, Seen, pairs_of
from assay.sdk.records import canonical_json, content_hash

SURE = -2.0
"""The least score, in log odds, with which a pair is taken."""
_CUED = -4.0
"""The least where a cue tells it as well."""
_BEHIND = 1.0
"""How far a property may be behind the likeliest one of its pair."""
_SPOKEN = 0.5
"""How much words must speak for a property, whatever the look of things says."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text with what it says: subject words, property label or IRI, object words."""

    text: str
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Learned:
    """What was learned from examples; plain values only."""

    gazetteer: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """First word → names of the examples that begin with it, the longest first; all small."""
    weights: dict[str, dict[str, float]] = field(default_factory=dict)
    """Feature → property → how much it speaks for it."""
    base: dict[str, float] = field(default_factory=dict)
    """Property → its score where nothing is seen."""
    single: tuple[str, ...] = ()
    """Properties of which no example tells two of one subject."""
    cut: Cut = field(default_factory=Cut)
    """How names are cut."""
    spellings: dict[str, dict[str, str]] = field(default_factory=dict)
    """Property, or nothing for subjects → words of a text → how the examples write them."""
    frames: dict[str, Frame] = field(default_factory=dict)
    """Property → how the examples write its values."""

    @cached_property
    def key(self) -> str:
        """Names what was learned: equal keys find equal things."""
        return content_hash(canonical_json(asdict(self)))

    def judged(
        self,
        line: Line,
        claims: Iterable[Claim],
        properties: Mapping[str, Property],
        types_of: TypesOf,
    ) -> Iterator[Claim]:
        """What a line says, by its cues and by what was learned."""
        cued = {(one.subject, one.object, one.property): one.score for one in claims}
        scored: list[Claim] = []
        seen = Seen(line, types_of)
        by_pair: dict[tuple[int, int], list[str]] = {}
        for subject, object_, told in cued:
            by_pair.setdefault((subject, object_), []).append(told)
        for subject, object_ in pairs_of(line, by_pair):
            features = seen.features(subject, object_)
            own = by_pair.get((subject, object_), ())
            features += [f"*cue:{told}" for told in own]
            scores = {told: score for told, score in self._scores(features) if told in properties}
            best = max(scores.values(), default=0.0)
            for told, score in scores.items():
                least = _CUED if told in own else SURE
                if score >= least and score >= best - _BEHIND:
                    chance = 1 / (1 + exp(-min(score, 30.0)))
                    scored.append(Claim(subject, told, object_, chance))
        for (subject, object_, told), score in cued.items():
            if told not in self.base:
                scored.append(Claim(subject, told, object_, score))
        yield from self._kept(scored)

    def _scores(self, features: Iterable[str]) -> Iterator[tuple[str, float]]:
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

    def _kept(self, claims: Iterable[Claim]) -> Iterator[Claim]:
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


def as_written(learned: Learned, predicate: str, subject: str, object_: str) -> tuple[str, str]:
    """Subject and object as the examples write them, where they had the same words; for those who
    compare with them. A graph keeps the words of its text."""
    framed_object = framed(learned.frames, predicate, object_)
    return (
        _written(learned, ("",), subject),
        framed_object or _written(learned, (predicate, ""), object_),
    )


def _written(learned: Learned, roles: tuple[str, ...], words: str) -> str:
    folded = folded_name(words)
    for role in roles:
        known = learned.spellings.get(role, {}).get(folded)
        if known is not None:
            return known
    return words
