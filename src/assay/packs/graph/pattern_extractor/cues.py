"""Claims from cues: subject, property and object around a phrase."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from assay.packs.graph.literals import read_literal
from assay.packs.graph.model import Literal
from assay.packs.graph.ontology.model import XSD, Ontology, Property, Takes
from assay.packs.graph.pattern_extractor import english
from assay.packs.graph.pattern_extractor.english import read_word_list
from assay.packs.graph.pattern_extractor.kinds import NAMED, SentenceLine
from assay.packs.graph.pattern_extractor.lexicon import Cue, Lexicon, Way
from assay.packs.graph.pattern_extractor.mentions import MentionKind

_STRINGS = frozenset(
    {
        f"{XSD}string",
        f"{XSD}normalizedString",
        f"{XSD}token",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
        "http://www.w3.org/2000/01/rdf-schema#Literal",
    }
)


def takes_words(prop: Property) -> bool:
    """Whether any words can be a value of a property."""
    own = prop.datatypes or ((prop.datatype,) if prop.datatype else ())
    return not own or any(one in _STRINGS for one in own)


def read_property_value(prop: Property, words: str) -> Literal | None:
    """Read words as a value of a property; None if they are not one."""
    own = prop.datatypes or ((prop.datatype,) if prop.datatype else (f"{XSD}string",))
    return _read_first_fitting(words, own)


@lru_cache(maxsize=4096)
def _read_first_fitting(words: str, datatypes: tuple[str, ...]) -> Literal | None:
    for datatype in datatypes:
        found = read_literal(words, datatype)
        if found is not None:
            return found
    return None


_PARTICIPLES = ("ed", "en", "wn", "ade", "ilt", "ung")
_LOOSE = frozenset({MentionKind.COMMON, MentionKind.TERM, MentionKind.VALUE})
"""Mentions whose words may belong to a cue."""
_DESCRIBING = frozenset({MentionKind.COMMON, MentionKind.ADJECTIVE})
"""Mentions that may describe the next one."""
_GAP = 8
"""Most words between a cue and what it leads to."""
_PASSED = read_word_list(
    """
    the a an its his her their city town village state of in on at named called about around
    approximately nearly over to from is
    """
)
_OWNED = frozenset({"'s", "its", "his", "her", "their", "whose", "with"})
_PLACING = frozenset({"in", "on", "at", "from", "of", "within"})
_LINKS = english.BE | read_word_list("named called of include includes being as : , the a an")


@dataclass(frozen=True, slots=True)
class CuedClaim:
    """What a sentence seems to say, with mentions by their index in the line."""

    subject: int
    property: str
    object: int
    score: float


TypesOf = Callable[[int], tuple[str, ...]]
"""Returns the known classes of a mention; none: unknown."""


@dataclass(frozen=True)
class CueReader:
    """Reads the claims of one line from its cues."""

    line: SentenceLine
    lexicon: Lexicon
    ontology: Ontology
    properties: Mapping[str, Property]
    types_of: TypesOf

    def read_claims(self) -> Iterator[CuedClaim]:
        """Read what the cues of the line say; a claim may come twice."""
        at = 0
        words = self.line.words
        while at < len(words):
            seen: set[tuple[str, Way]] = set()
            for cue in self.lexicon.find_cues_at(words, at):
                prop = self.properties.get(cue.property)
                # The longest phrase of a property comes first: `born in` before `born`.
                if prop is None or (prop.iri, cue.way) in seen or not self._is_free(cue, at):
                    continue
                seen.add((prop.iri, cue.way))
                yield from self._apply_cue(cue, prop, at, at + len(cue.words))
            for cue, end in self.lexicon.find_split_cues_at(words, at):
                prop = self.properties.get(cue.property)
                if prop is not None:
                    yield from self._apply_cue(cue, prop, at, end)
            at += 1

    def _is_free(self, cue: Cue, at: int) -> bool:
        """Whether a phrase is really a cue. Inside a name it is not (`The Director` is a title),
        nor is `by` after a verb, which then says what was done."""
        if cue.words == ("by",) and self.line.word_at(at - 1).endswith(_PARTICIPLES):
            return False
        for index in range(at, at + len(cue.words)):
            mention = self.line.at[index]
            if mention >= 0 and self.line.mentions[mention].kind not in _LOOSE:
                return False
        return True

    def _apply_cue(self, cue: Cue, prop: Property, at: int, end: int) -> Iterator[CuedClaim]:
        if cue.way is Way.FORWARD:
            yield from self._read_forward(prop, at, end)
        elif cue.way is Way.BACKWARD:
            yield from self._read_backward(prop, at, end)
        elif cue.way is Way.MEASURE:
            yield from self._read_measure(prop, at)
        else:
            yield from self._read_noun(prop, at, end)

    def _read_forward(self, prop: Property, at: int, end: int) -> Iterator[CuedClaim]:
        object_ = self._find_object_after(prop, end)
        if object_ is None:
            return
        objects = self.line.list_from(object_)
        subject = self._find_subject_before(prop, at)
        if subject is None:
            subject = self._find_subject_after(prop, objects, self.line.word_at(end - 1) == "of")
        yield from self._claim_all(subject, prop, objects, 0.8)

    def _read_backward(self, prop: Property, at: int, end: int) -> Iterator[CuedClaim]:
        if self.line.word_at(end) in ("by", "in", "on", "at", "as", "for"):
            return
        subject = self._find_next(end, lambda index: self.fits_subject(prop, index))
        object_ = self._find_doer_before(prop, at)
        if subject is not None and object_ is not None:
            for one in self.line.list_from(subject):
                yield from self._claim_all(one, prop, [object_], 0.7)

    def _read_measure(self, prop: Property, at: int) -> Iterator[CuedClaim]:
        value = self.line.at[at - 1] if at else -1
        if value < 0 or self.line.mentions[value].kind is not MentionKind.VALUE:
            value = self.line.at[at - 2] if at > 1 else -1
        if value >= 0 and self.line.mentions[value].kind is MentionKind.VALUE:
            yield from self._claim_all(self._find_subject_before(prop, at), prop, [value], 0.8)

    def _read_noun(self, prop: Property, at: int, end: int) -> Iterator[CuedClaim]:
        line = self.line
        if line.word_at(end) in ("of", "for", "in", "at"):
            inside = self._find_next(end + 1, lambda index: True, gap=2)
            if inside is None:
                return
            if self.fits_object(prop, inside) and line.mentions[inside].kind is MentionKind.VALUE:
                yield from self._claim_all(self._find_subject_before(prop, at), prop, [inside], 0.8)
            elif self.fits_subject(prop, inside):
                yield from self._read_of_phrase(prop, at, inside)
            return
        object_ = self._find_linked(prop, at, end)
        if object_ is not None:
            subject = self._find_subject_before(prop, at)
            yield from self._claim_all(subject, prop, line.list_from(object_), 0.7)
        else:
            yield from self._read_before_noun(prop, at)

    def _read_before_noun(self, prop: Property, at: int) -> Iterator[CuedClaim]:
        """`has a V8 engine`, `in the Serie B league`: the object is right before the noun."""
        line = self.line
        object_ = line.at[at - 1] if at else -1
        if object_ < 0 or line.mentions[object_].kind not in (
            MentionKind.NAME,
            MentionKind.ADJECTIVE,
        ):
            return
        first = line.mentions[object_].first
        if line.word_at(first - 1) in english.DETERMINERS and self.fits_object(prop, object_):
            subject = self._find_subject_before(prop, first)
            yield from self._claim_all(subject, prop, [object_], 0.6)

    def _read_of_phrase(self, prop: Property, at: int, subject: int) -> Iterator[CuedClaim]:
        """`the capital of France is Paris`; `Paris is the capital of France`."""
        line = self.line
        after = line.mentions[subject].last
        if line.word_at(after) in english.BE:
            object_ = self._find_next(after + 1, lambda index: self.fits_object(prop, index), gap=3)
            if object_ is not None:
                yield from self._claim_all(subject, prop, line.list_from(object_), 0.9)
                return
        before = at - 1
        while before >= 0 and (
            line.word_at(before) in english.DETERMINERS or line.is_modifier(before)
        ):
            before -= 1
        if line.word_at(before) in english.BE or line.word_at(before) in (",", "as"):
            object_ = self._find_doer_before(prop, before)
            if object_ is not None:
                yield from self._claim_all(subject, prop, [object_], 0.9)

    def _find_linked(self, prop: Property, noun: int, end: int) -> int | None:
        """Find what a noun is said to be: `its rector is Ada`, `in the constellation Cetus`; not
        `the album Squeeze`, which only states its kind."""
        before = noun - (2 if self.line.word_at(noun - 1) in english.DETERMINERS else 1)
        owned = self.line.word_at(noun - 1) in _OWNED or self.line.word_at(before) in _PLACING
        is_class = any(True for _ in self.lexicon.find_nouns_at(self.line.words, noun))
        if is_class and not owned and end < len(self.line.at) and self.line.at[end] >= 0:
            return None
        at = end
        while at < end + 4 and at < len(self.line.words):
            index = self.line.at[at]
            if index >= 0 and self.fits_object(prop, index):
                return index
            if self.line.word_at(at) not in _LINKS and not (
                index >= 0 and self.line.mentions[index].kind in _DESCRIBING
            ):
                return None
            at += 1
        return None

    def _find_object_after(self, prop: Property, end: int) -> int | None:
        """Find the object after a phrase. In `born in Tokyo on 5 January 1941` the place is skipped
        on the way to the date, and a date on the way to a place."""
        passed = {*_DESCRIBING, MentionKind.VALUE}
        if self.lexicon.takes_value(prop):
            passed = {*_DESCRIBING, MentionKind.NAME}
        return self._find_next(end, lambda index: self.fits_object(prop, index), passed=passed)

    def _find_next(
        self,
        at: int,
        fits: Callable[[int], bool],
        gap: int = _GAP,
        passed: Collection[MentionKind] = _DESCRIBING,
    ) -> int | None:
        """Find the mention that a phrase leads to, skipping what describes it."""
        line = self.line
        stop = min(at + gap, len(line.words))
        while at < stop:
            index = line.at[at]
            if index < 0:
                if line.word_at(at) not in _PASSED and line.word_at(at) not in english.BE:
                    return None
                at += 1
                continue
            if fits(index) and not self._describes_next(index):
                return index
            if line.mentions[index].kind not in passed:
                return None
            at = line.mentions[index].last
        return None

    def _describes_next(self, index: int) -> bool:
        """Whether a mention describes the next one: `director` in `director Hayao Miyazaki`."""
        mentions = self.line.mentions
        if mentions[index].kind not in _DESCRIBING or index + 1 >= len(mentions):
            return False
        after = mentions[index + 1]
        return after.first == mentions[index].last and after.kind is not MentionKind.VALUE

    def _find_subject_before(self, prop: Property, at: int) -> int | None:
        """Find the subject in the words before a phrase."""
        near: int | None = None
        for index in range(self._find_last_before(at), -1, -1):
            if not self.fits_subject(prop, index) or not self._is_outside_brackets(index, at):
                continue
            if self.line.mentions[index].last == at:
                return index
            if not self.line.is_governed(index):
                return self.line.find_list_head(index)
            if near is None and self._follows_at_once(index, at):
                near = index
        return near

    def _is_outside_brackets(self, index: int, at: int) -> bool:
        """Whether a mention is not in brackets, which the sentence does not continue."""
        return self.line.depth[self.line.mentions[index].first] <= self.line.depth[at]

    def _follows_at_once(self, index: int, at: int) -> bool:
        """Whether a phrase follows a mention directly: `of Paris, located in`, `Paris which`."""
        last = self.line.mentions[index].last
        words = [self.line.word_at(word) for word in range(last, at)]
        return len(words) <= 4 and all(
            word in english.BE or word in english.RELATIVE or word in (",", "(", "has")
            for word in words
        )

    def _find_doer_before(self, prop: Property, at: int) -> int | None:
        for index in range(self._find_last_before(at), -1, -1):
            if self.fits_object(prop, index) and self.line.mentions[index].kind in NAMED:
                if self.line.is_governed(index) and not self._follows_at_once(index, at):
                    continue
                return index
        return None

    def _find_subject_after(self, prop: Property, objects: list[int], of: bool) -> int | None:
        """Find the subject after the objects: in `Directed by X, Titanic …` it follows the comma,
        in `The capital of X is Paris` it follows `is`."""
        line = self.line
        last = objects[-1]
        if len(objects) > 1 and line.word_at(line.mentions[last].first - 1) == ",":
            return objects.pop() if self.fits_subject(prop, last) else None
        follows = line.word_at(line.mentions[last].last)
        if follows != "," and not (of and follows in english.BE):
            return None
        return self._find_next(
            line.mentions[last].last + 1,
            lambda index: self.fits_subject(prop, index),
            gap=4,
        )

    def _find_last_before(self, at: int) -> int:
        found = -1
        for index, mention in enumerate(self.line.mentions):
            if mention.last > at:
                break
            found = index
        return found

    def fits_subject(self, prop: Property, index: int) -> bool:
        """Whether a mention can be the subject of a property."""
        if self.line.mentions[index].kind not in NAMED | {MentionKind.TERM}:
            return False
        types = self.types_of(index)
        return not types or self.ontology.match_any(types, prop.domains)

    def fits_object(self, prop: Property, index: int) -> bool:
        """Whether a mention can be the object of a property."""
        kind = self.line.mentions[index].kind
        if prop.takes is Takes.LITERAL:
            words = self.line.mentions[index].words
            worded = kind in (
                MentionKind.NAME,
                MentionKind.QUOTED,
                MentionKind.TERM,
            ) and takes_words(prop)
            return worded or (
                kind is MentionKind.VALUE and read_property_value(prop, words) is not None
            )
        if self.lexicon.takes_value(prop):
            return kind is MentionKind.VALUE or kind is MentionKind.QUOTED
        if kind is MentionKind.VALUE:
            return not prop.ranges
        if kind is MentionKind.COMMON and not self._may_be_common(prop, index):
            return False
        types = self.types_of(index)
        return not types or self.ontology.match_any(types, prop.ranges)

    def _may_be_common(self, prop: Property, index: int) -> bool:
        """Whether lower-case words can be the object: they are never a person, and nothing that
        contains a verb."""
        mention = self.line.mentions[index]
        if self.line.word_at(mention.first - 1) == "the":
            return False
        return not set(prop.ranges) & set(self.lexicon.people) and not any(
            self.line.word_at(at).endswith(("ed", "ing"))
            for at in range(mention.first, mention.last)
        )

    def _claim_all(
        self, subject: int | None, prop: Property, objects: list[int], score: float
    ) -> Iterator[CuedClaim]:
        if subject is None:
            return
        common = self.line.mentions[objects[0]].kind is MentionKind.COMMON
        for index in objects:
            if (self.line.mentions[index].kind is MentionKind.COMMON) != common:
                continue
            if index != subject and self.fits_object(prop, index):
                yield CuedClaim(subject, prop.iri, index, score)
