"""What a sentence says by its cues: subject, property and object around a phrase."""

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


def takes_words(told: Property) -> bool:
    """Whether any words are a value of a property."""
    own = told.datatypes or ((told.datatype,) if told.datatype else ())
    return not own or any(one in _STRINGS for one in own)


def read_property_value(told: Property, words: str) -> Literal | None:
    """Words as a value of a property; None where they are none."""
    own = told.datatypes or ((told.datatype,) if told.datatype else (f"{XSD}string",))
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
"""Mentions whose words may be those of a cue."""
_DESCRIBING = frozenset({MentionKind.COMMON, MentionKind.ADJECTIVE})
"""Mentions that may describe the one which follows."""
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
    """What a sentence seems to say: mentions by their index in the line."""

    subject: int
    property: str
    object: int
    score: float


TypesOf = Callable[[int], tuple[str, ...]]
"""The known classes of a mention; none: unknown."""


@dataclass(frozen=True)
class CueReader:
    """Reads one line by its cues."""

    line: SentenceLine
    lexicon: Lexicon
    ontology: Ontology
    properties: Mapping[str, Property]
    types_of: TypesOf

    def read_claims(self) -> Iterator[CuedClaim]:
        """What the cues of the line say; the same may be said twice."""
        at = 0
        words = self.line.words
        while at < len(words):
            seen: set[tuple[str, Way]] = set()
            for cue in self.lexicon.find_cues_at(words, at):
                told = self.properties.get(cue.property)
                # The longest phrase of a property comes first: `born in` before `born`.
                if told is None or (told.iri, cue.way) in seen or not self._is_free(cue, at):
                    continue
                seen.add((told.iri, cue.way))
                yield from self._apply_cue(cue, told, at, at + len(cue.words))
            for cue, end in self.lexicon.find_split_cues_at(words, at):
                told = self.properties.get(cue.property)
                if told is not None:
                    yield from self._apply_cue(cue, told, at, end)
            at += 1

    def _is_free(self, cue: Cue, at: int) -> bool:
        """A cue inside a name is none: `The Director` is a title. Nor is `by` after a verb, which
        then tells what was done."""
        if cue.words == ("by",) and self.line.word_at(at - 1).endswith(_PARTICIPLES):
            return False
        for index in range(at, at + len(cue.words)):
            mention = self.line.at[index]
            if mention >= 0 and self.line.mentions[mention].kind not in _LOOSE:
                return False
        return True

    def _apply_cue(self, cue: Cue, told: Property, at: int, end: int) -> Iterator[CuedClaim]:
        if cue.way is Way.FORWARD:
            yield from self._read_forward(told, at, end)
        elif cue.way is Way.BACKWARD:
            yield from self._read_backward(told, at, end)
        elif cue.way is Way.MEASURE:
            yield from self._read_measure(told, at)
        else:
            yield from self._read_noun(told, at, end)

    def _read_forward(self, told: Property, at: int, end: int) -> Iterator[CuedClaim]:
        object_ = self._find_object_after(told, end)
        if object_ is None:
            return
        objects = self.line.list_from(object_)
        subject = self._find_subject_before(told, at)
        if subject is None:
            subject = self._find_subject_after(told, objects, self.line.word_at(end - 1) == "of")
        yield from self._claim_all(subject, told, objects, 0.8)

    def _read_backward(self, told: Property, at: int, end: int) -> Iterator[CuedClaim]:
        if self.line.word_at(end) in ("by", "in", "on", "at", "as", "for"):
            return
        subject = self._find_next(end, lambda index: self.fits_subject(told, index))
        object_ = self._find_doer_before(told, at)
        if subject is not None and object_ is not None:
            for one in self.line.list_from(subject):
                yield from self._claim_all(one, told, [object_], 0.7)

    def _read_measure(self, told: Property, at: int) -> Iterator[CuedClaim]:
        value = self.line.at[at - 1] if at else -1
        if value < 0 or self.line.mentions[value].kind is not MentionKind.VALUE:
            value = self.line.at[at - 2] if at > 1 else -1
        if value >= 0 and self.line.mentions[value].kind is MentionKind.VALUE:
            yield from self._claim_all(self._find_subject_before(told, at), told, [value], 0.8)

    def _read_noun(self, told: Property, at: int, end: int) -> Iterator[CuedClaim]:
        line = self.line
        if line.word_at(end) in ("of", "for", "in", "at"):
            inside = self._find_next(end + 1, lambda index: True, gap=2)
            if inside is None:
                return
            if self.fits_object(told, inside) and line.mentions[inside].kind is MentionKind.VALUE:
                yield from self._claim_all(self._find_subject_before(told, at), told, [inside], 0.8)
            elif self.fits_subject(told, inside):
                yield from self._read_of_phrase(told, at, inside)
            return
        object_ = self._find_linked(told, at, end)
        if object_ is not None:
            subject = self._find_subject_before(told, at)
            yield from self._claim_all(subject, told, line.list_from(object_), 0.7)
        else:
            yield from self._read_before_noun(told, at)

    def _read_before_noun(self, told: Property, at: int) -> Iterator[CuedClaim]:
        """`has a V8 engine`, `in the Serie B league`: the object stands right before the noun."""
        line = self.line
        object_ = line.at[at - 1] if at else -1
        if object_ < 0 or line.mentions[object_].kind not in (
            MentionKind.NAME,
            MentionKind.ADJECTIVE,
        ):
            return
        first = line.mentions[object_].first
        if line.word_at(first - 1) in english.DETERMINERS and self.fits_object(told, object_):
            subject = self._find_subject_before(told, first)
            yield from self._claim_all(subject, told, [object_], 0.6)

    def _read_of_phrase(self, told: Property, at: int, subject: int) -> Iterator[CuedClaim]:
        """`the capital of France is Paris`; `Paris is the capital of France`."""
        line = self.line
        after = line.mentions[subject].last
        if line.word_at(after) in english.BE:
            object_ = self._find_next(after + 1, lambda index: self.fits_object(told, index), gap=3)
            if object_ is not None:
                yield from self._claim_all(subject, told, line.list_from(object_), 0.9)
                return
        before = at - 1
        while before >= 0 and (
            line.word_at(before) in english.DETERMINERS or line.is_modifier(before)
        ):
            before -= 1
        if line.word_at(before) in english.BE or line.word_at(before) in (",", "as"):
            object_ = self._find_doer_before(told, before)
            if object_ is not None:
                yield from self._claim_all(subject, told, [object_], 0.9)

    def _find_linked(self, told: Property, noun: int, end: int) -> int | None:
        """What a noun is said to be: `its rector is Ada`, `in the constellation Cetus`; not `the
        album Squeeze`, which only tells what it is."""
        before = noun - (2 if self.line.word_at(noun - 1) in english.DETERMINERS else 1)
        owned = self.line.word_at(noun - 1) in _OWNED or self.line.word_at(before) in _PLACING
        is_class = any(True for _ in self.lexicon.find_nouns_at(self.line.words, noun))
        if is_class and not owned and end < len(self.line.at) and self.line.at[end] >= 0:
            return None
        at = end
        while at < end + 4 and at < len(self.line.words):
            index = self.line.at[at]
            if index >= 0 and self.fits_object(told, index):
                return index
            if self.line.word_at(at) not in _LINKS and not (
                index >= 0 and self.line.mentions[index].kind in _DESCRIBING
            ):
                return None
            at += 1
        return None

    def _find_object_after(self, told: Property, end: int) -> int | None:
        """`born in Tokyo on 5 January 1941`: a place is passed on the way to a date, and a date
        on the way to a place."""
        passed = {*_DESCRIBING, MentionKind.VALUE}
        if self.lexicon.takes_value(told):
            passed = {*_DESCRIBING, MentionKind.NAME}
        return self._find_next(end, lambda index: self.fits_object(told, index), passed=passed)

    def _find_next(
        self,
        at: int,
        fits: Callable[[int], bool],
        gap: int = _GAP,
        passed: Collection[MentionKind] = _DESCRIBING,
    ) -> int | None:
        """The mention that a phrase leads to: what describes it is passed over."""
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
        """`director` in `director Hayao Miyazaki`."""
        mentions = self.line.mentions
        if mentions[index].kind not in _DESCRIBING or index + 1 >= len(mentions):
            return False
        after = mentions[index + 1]
        return after.first == mentions[index].last and after.kind is not MentionKind.VALUE

    def _find_subject_before(self, told: Property, at: int) -> int | None:
        """The one that the words before a phrase speak of."""
        near: int | None = None
        for index in range(self._find_last_before(at), -1, -1):
            if not self.fits_subject(told, index) or not self._is_outside_brackets(index, at):
                continue
            if self.line.mentions[index].last == at:
                return index
            if not self.line.is_governed(index):
                return self.line.find_list_head(index)
            if near is None and self._follows_at_once(index, at):
                near = index
        return near

    def _is_outside_brackets(self, index: int, at: int) -> bool:
        """What stands in brackets is not what the sentence goes on about."""
        return self.line.depth[self.line.mentions[index].first] <= self.line.depth[at]

    def _follows_at_once(self, index: int, at: int) -> bool:
        """Whether a phrase follows a mention at once: `of Paris, located in`, `Paris which`."""
        last = self.line.mentions[index].last
        words = [self.line.word_at(word) for word in range(last, at)]
        return len(words) <= 4 and all(
            word in english.BE or word in english.RELATIVE or word in (",", "(", "has")
            for word in words
        )

    def _find_doer_before(self, told: Property, at: int) -> int | None:
        for index in range(self._find_last_before(at), -1, -1):
            if self.fits_object(told, index) and self.line.mentions[index].kind in NAMED:
                if self.line.is_governed(index) and not self._follows_at_once(index, at):
                    continue
                return index
        return None

    def _find_subject_after(self, told: Property, objects: list[int], of: bool) -> int | None:
        """`Directed by X, Titanic …`: the subject follows the comma; `The capital of X is Paris`:
        it follows `is`."""
        line = self.line
        last = objects[-1]
        if len(objects) > 1 and line.word_at(line.mentions[last].first - 1) == ",":
            return objects.pop() if self.fits_subject(told, last) else None
        follows = line.word_at(line.mentions[last].last)
        if follows != "," and not (of and follows in english.BE):
            return None
        return self._find_next(
            line.mentions[last].last + 1,
            lambda index: self.fits_subject(told, index),
            gap=4,
        )

    def _find_last_before(self, at: int) -> int:
        found = -1
        for index, mention in enumerate(self.line.mentions):
            if mention.last > at:
                break
            found = index
        return found

    def fits_subject(self, told: Property, index: int) -> bool:
        """Whether a mention can be the subject of a property."""
        if self.line.mentions[index].kind not in NAMED | {MentionKind.TERM}:
            return False
        types = self.types_of(index)
        return not types or self.ontology.match_any(types, told.domains)

    def fits_object(self, told: Property, index: int) -> bool:
        """Whether a mention can be the object of a property."""
        kind = self.line.mentions[index].kind
        if told.takes is Takes.LITERAL:
            words = self.line.mentions[index].words
            worded = kind in (
                MentionKind.NAME,
                MentionKind.QUOTED,
                MentionKind.TERM,
            ) and takes_words(told)
            return worded or (
                kind is MentionKind.VALUE and read_property_value(told, words) is not None
            )
        if self.lexicon.takes_value(told):
            return kind is MentionKind.VALUE or kind is MentionKind.QUOTED
        if kind is MentionKind.VALUE:
            return not told.ranges
        if kind is MentionKind.COMMON and not self._may_be_common(told, index):
            return False
        types = self.types_of(index)
        return not types or self.ontology.match_any(types, told.ranges)

    def _may_be_common(self, told: Property, index: int) -> bool:
        """Small words are no person, and no thing where a verb is among them."""
        mention = self.line.mentions[index]
        if self.line.word_at(mention.first - 1) == "the":
            return False
        return not set(told.ranges) & set(self.lexicon.people) and not any(
            self.line.word_at(at).endswith(("ed", "ing"))
            for at in range(mention.first, mention.last)
        )

    def _claim_all(
        self, subject: int | None, told: Property, objects: list[int], score: float
    ) -> Iterator[CuedClaim]:
        if subject is None:
            return
        common = self.line.mentions[objects[0]].kind is MentionKind.COMMON
        for index in objects:
            if (self.line.mentions[index].kind is MentionKind.COMMON) != common:
                continue
            if index != subject and self.fits_object(told, index):
                yield CuedClaim(subject, told.iri, index, score)
