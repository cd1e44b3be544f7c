"""Finds entities and relations without a model: by names, labels, cues and examples."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from assay.packs.graph.computing import stop_if_unwanted
from assay.packs.graph.ids import derive_entity_id, derive_relation_id
from assay.packs.graph.model import (
    DETERMINISTIC,
    Chunk,
    Entity,
    Literal,
    Relation,
    TextSpan,
)
from assay.packs.graph.ontology.model import THING, Ontology, Property, Takes
from assay.packs.graph.pattern_extractor.cues import CuedClaim, CueReader, read_property_value
from assay.packs.graph.pattern_extractor.english import SentenceWord
from assay.packs.graph.pattern_extractor.judging import LearnedCues, read_descriptions
from assay.packs.graph.pattern_extractor.kinds import SentenceLine, drop_implied
from assay.packs.graph.pattern_extractor.lexicon import Lexicon, build_lexicon
from assay.packs.graph.pattern_extractor.mentions import MentionKind, NameMention
from assay.packs.graph.pattern_extractor.reader import (
    CoreferenceTracker,
    build_mention_finder,
    split_lines,
)

_FAR = 800
"""Most characters between the sentence that names a thing and the one that says `it`, if both are
to be quoted together."""


@dataclass
class _FoundThing:
    """A thing while its chunk is being read."""

    spans: dict[tuple[int, int], str] = field(default_factory=dict)
    stated: dict[str, None] = field(default_factory=dict)
    """Classes stated in words."""
    roles: Counter[str] = field(default_factory=Counter)
    """Classes implied by its relations → how certain they are."""


def find_entities(
    chunk: Chunk, ontology: Ontology, document: str, learned: LearnedCues | None = None
) -> list[Entity]:
    """Find the things that a chunk mentions, in the order of their first mention."""
    lexicon = build_lexicon(ontology)
    threads = CoreferenceTracker(ontology, lexicon)
    finder = (
        build_mention_finder(learned.gazetteer, learned.cut)
        if learned
        else build_mention_finder({})
    )
    found: dict[str, _FoundThing] = {}
    for line in split_lines(chunk, finder):
        stop_if_unwanted()
        line = threads.resolve_line(line)
        claims = list(_list_claims(line, threads, lexicon, ontology, ontology.properties, learned))
        ends = _collect_end_classes(claims, line, ontology)
        threads.roles.update(
            (threads.key_of(line.mentions[index]), tuple(roles))
            for index, roles in ends.items()
            if roles
        )
        for index, mention in enumerate(line.mentions):
            if mention.kind is MentionKind.STAND_IN:
                key = mention.of
                if key in found:
                    found[key].roles.update(ends.get(index, {}))
                continue
            if index not in ends and not _is_thing(mention):
                continue
            key = threads.key_of(mention)
            thing = found.setdefault(key, _FoundThing())
            thing.spans[mention.start, mention.end] = mention.words
            thing.roles.update(ends.get(index, {}))
    for key, thing in found.items():
        thing.stated.update(threads.types.get(key, {}))
    taught = learned is not None
    return [_build_entity(thing, chunk, ontology, document, taught) for thing in found.values()]


def _is_thing(mention: NameMention) -> bool:
    if mention.kind is MentionKind.QUOTED:
        return mention.words[0].isupper()
    return mention.kind is MentionKind.NAME


def _collect_end_classes(
    claims: Iterable[CuedClaim], line: SentenceLine, ontology: Ontology
) -> dict[int, Counter[str]]:
    """Map mentions at an end of a claim → the classes implied by it, with their certainty."""
    found: dict[int, Counter[str]] = {}
    for claim in claims:
        prop = ontology.properties[claim.property]
        weight = round(100 * claim.score)
        found.setdefault(claim.subject, Counter()).update(dict.fromkeys(prop.domains[:1], weight))
        kind = line.mentions[claim.object].kind
        if prop.takes is Takes.LITERAL or (
            prop.takes is Takes.EITHER and kind is MentionKind.VALUE
        ):
            continue
        found.setdefault(claim.object, Counter()).update(dict.fromkeys(prop.ranges[:1], weight))
    return found


def _choose_agreeing(roles: Counter[str], ontology: Ontology) -> tuple[str, ...]:
    """Choose the likeliest class, with those that are compatible with it."""
    if not roles:
        return ()
    best = min(roles, key=lambda one: (-roles[one], one))
    return drop_implied(
        tuple(one for one in roles if ontology.are_compatible((one,), (best,))), ontology
    )


def _build_entity(
    thing: _FoundThing, chunk: Chunk, ontology: Ontology, document: str, taught: bool
) -> Entity:
    stated = drop_implied(tuple(thing.stated), ontology)
    # Examples overrule what words seem to say: they were written with the ontology in mind.
    roles = tuple(thing.roles) if taught else _choose_agreeing(thing.roles, ontology)
    types = drop_implied((*stated, *roles), ontology) if taught else stated or roles
    types = types or (THING,)
    confidence = 0.9 if stated else 0.7 if roles else 0.4
    spans = tuple(
        sorted(
            TextSpan(chunk.start + start, chunk.start + end, words, document)
            for (start, end), words in thing.spans.items()
        )
    )
    name = " ".join(max((span.words for span in spans), key=len).split())
    return Entity(
        id=derive_entity_id(name, types),
        name=name,
        types=types,
        mentions=spans,
        confidence=confidence,
    )


def find_relations(
    chunk: Chunk,
    entities: Sequence[Entity],
    properties: Sequence[Property],
    ontology: Ontology,
    document: str,
    learned: LearnedCues | None = None,
) -> list[Relation]:
    """Find what the sentences of a chunk say about the entities, with the sentence as the quote."""
    lexicon = build_lexicon(ontology)
    by_id = {entity.id: entity for entity in entities}
    threads = CoreferenceTracker(ontology, lexicon, _find_topic(chunk, entities))
    threads.given = {
        entity.id: tuple(one for one in entity.types if one != THING) for entity in entities
    }
    allowed = {prop.iri: prop for prop in properties if prop.iri in ontology.properties}
    overlay = _EntityOverlay(chunk, entities, learned)
    found: dict[str, Relation] = {}
    named = _NamedThings()
    for line in split_lines(chunk, overlay.find_mentions):
        stop_if_unwanted()
        line = threads.resolve_line(line)
        named.note_line(line)
        for claim in _list_claims(line, threads, lexicon, ontology, allowed, learned):
            prop = allowed[claim.property]
            quote = _make_quote(chunk, line, named.find_quote_start(line, claim), document)
            relation = _build_relation(claim, line, by_id, prop, quote)
            if relation is not None:
                before = found.get(relation.id)
                found[relation.id] = (
                    relation if before is None else _merge_relation(before, relation)
                )
    return sorted(found.values(), key=lambda one: (one.quotes, one.id))


class _NamedThings:
    """Where each thing was last named, for later sentences that call it `it`."""

    def __init__(self) -> None:
        self._at: dict[str, tuple[int, int]] = {}
        self._lines = 0

    def note_line(self, line: SentenceLine) -> None:
        """Record the names of the next line."""
        self._lines += 1
        for mention in line.mentions:
            if mention.kind is not MentionKind.STAND_IN and mention.of:
                self._at[mention.of] = (self._lines, line.words[0].start)

    def find_quote_start(self, line: SentenceLine, claim: CuedClaim) -> int:
        """Find where the quote of a claim begins: at its own sentence, or at the one that names its
        subject if that is further back than the previous sentence."""
        own = line.words[0].start
        subject = line.mentions[claim.subject]
        if subject.kind is not MentionKind.STAND_IN or subject.of not in self._at:
            return own
        number, start = self._at[subject.of]
        return own if self._lines - number < 2 or own - start > _FAR else start


def _make_quote(chunk: Chunk, line: SentenceLine, start: int, document: str) -> TextSpan:
    end = line.words[-1].end
    return TextSpan(chunk.start + start, chunk.start + end, chunk.text[start:end], document)


def _find_topic(chunk: Chunk, entities: Sequence[Entity]) -> str:
    """Find the first entity of the text, if it was mentioned before this chunk."""
    first = min(entities, key=lambda one: one.mentions[0], default=None)
    return first.id if first is not None and first.mentions[0].start < chunk.start else ""


class _EntityOverlay:
    """Replaces what the words look like with the given entities."""

    def __init__(
        self, chunk: Chunk, entities: Sequence[Entity], learned: LearnedCues | None
    ) -> None:
        self._look = (
            build_mention_finder(learned.gazetteer, learned.cut)
            if learned
            else build_mention_finder({})
        )
        self._at: dict[int, tuple[int, str]] = {}
        for entity in entities:
            for span in entity.mentions:
                start, end = span.start - chunk.start, span.end - chunk.start
                inside = start >= 0 and chunk.text[start:end] == span.words
                if inside and self._at.get(start, (0, ""))[0] < end:
                    self._at[start] = (end, entity.id)

    def find_mentions(self, text: str, words: Sequence[SentenceWord]) -> list[NameMention]:
        """Find the mentions of a sentence: the given entities, and any others."""
        own = list(self._list_given(text, words))
        taken = bytearray(len(words))
        for mention in own:
            taken[mention.first : mention.last] = b"\x01" * (mention.last - mention.first)
        seen = self._look(text, words)
        kinds = {(one.start, one.end): one.kind for one in seen}
        free = [one for one in seen if not any(taken[one.first : one.last])]
        given = [
            NameMention(
                one.start,
                one.end,
                one.words,
                one.first,
                one.last,
                kinds.get((one.start, one.end), one.kind),
                one.of,
            )
            for one in own
        ]
        return sorted([*free, *given], key=lambda one: one.first)

    def _list_given(self, text: str, words: Sequence[SentenceWord]) -> Iterator[NameMention]:
        at = 0
        while at < len(words):
            end, of = self._at.get(words[at].start, (0, ""))
            last = at
            while last < len(words) and words[last].end <= end:
                last += 1
            if last > at and words[last - 1].end == end:
                start = words[at].start
                kind = MentionKind.TERM if words[at].form[0].islower() else MentionKind.NAME
                yield NameMention(start, end, text[start:end], at, last, kind, of)
                at = last
            else:
                at += 1


def _list_claims(
    line: SentenceLine,
    threads: CoreferenceTracker,
    lexicon: Lexicon,
    ontology: Ontology,
    properties: Mapping[str, Property],
    learned: LearnedCues | None,
) -> Iterator[CuedClaim]:
    cueing = CueReader(line, lexicon, ontology, properties, threads.given_types_of(line))
    best: dict[tuple[int, str, int], CuedClaim] = {}
    for claim in chain(cueing.read_claims(), read_descriptions(cueing)):
        key = (claim.subject, claim.property, claim.object)
        if key not in best or best[key].score < claim.score:
            best[key] = claim
    if learned is not None:
        return iter(learned.judge_line(line, best.values(), properties, threads.types_of(line)))
    return iter(best.values())


def _build_relation(
    claim: CuedClaim,
    line: SentenceLine,
    entities: Mapping[str, Entity],
    prop: Property,
    quote: TextSpan,
) -> Relation | None:
    subject = line.mentions[claim.subject].of
    if subject not in entities:
        return None
    object_ = _resolve_object(line.mentions[claim.object], prop, entities)
    if object_ is None or object_ == subject:
        return None
    return Relation(
        id=derive_relation_id(subject, prop.iri, object_),
        subject=subject,
        predicate=prop.iri,
        object=object_,
        quotes=(quote,),
        confidence=round(claim.score, 4),
        by=DETERMINISTIC,
    )


def _resolve_object(
    mention: NameMention, prop: Property, entities: Mapping[str, Entity]
) -> str | Literal | None:
    if prop.takes is not Takes.LITERAL and mention.of in entities:
        return mention.of
    if prop.takes is Takes.ENTITY:
        return None
    return read_property_value(prop, mention.words)


def _merge_relation(one: Relation, other: Relation) -> Relation:
    """Merge a relation that two sentences state."""
    quotes = tuple(sorted({*one.quotes, *other.quotes}))
    confidence = max(one.confidence, other.confidence)
    return Relation(
        id=one.id,
        subject=one.subject,
        predicate=one.predicate,
        object=one.object,
        quotes=quotes,
        confidence=confidence,
        by=one.by,
    )
