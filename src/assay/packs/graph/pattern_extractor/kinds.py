"""Parsed sentences, and the class of each named thing from the words around its name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.packs.graph.ontology.model import THING, Ontology
from assay.packs.graph.pattern_extractor import english
from assay.packs.graph.pattern_extractor.english import SentenceWord, read_word_list
from assay.packs.graph.pattern_extractor.lexicon import Lexicon
from assay.packs.graph.pattern_extractor.mentions import MentionKind, NameMention

NAMED = frozenset({MentionKind.NAME, MentionKind.QUOTED, MentionKind.STAND_IN})
"""How a subject may be mentioned."""
_SORTS = {MentionKind.QUOTED: MentionKind.NAME, MentionKind.COMMON: MentionKind.TERM}
"""Kinds that may be listed together."""
_LISTED = frozenset({",", "and", "&", "or", ";"})


@dataclass(frozen=True)
class SentenceLine:
    """One sentence."""

    words: Sequence[SentenceWord]
    mentions: Sequence[NameMention]
    """In order; none overlaps another."""
    at: Sequence[int] = field(init=False)
    """Word → the index of the mention that it belongs to, or -1."""

    depth: Sequence[int] = field(init=False)
    """Word → how many brackets surround it."""

    heads: Sequence[int] = field(init=False)
    """Mention → the first of its list."""

    def __post_init__(self) -> None:
        at = [-1] * len(self.words)
        for index, mention in enumerate(self.mentions):
            at[mention.first : mention.last] = [index] * (mention.last - mention.first)
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "depth", _count_depths(self.words))
        heads: list[int] = []
        for index in range(len(self.mentions)):
            listed = index > 0 and self._are_listed(index - 1, index)
            heads.append(heads[index - 1] if listed else index)
        object.__setattr__(self, "heads", heads)

    def word_at(self, index: int) -> str:
        """Return a word in lower case; empty outside the sentence."""
        return self.words[index].low if 0 <= index < len(self.words) else ""

    def find_list_head(self, index: int) -> int:
        """Find the first mention in the list of this one: `A` for `C` in `A, B and C`."""
        return self.heads[index]

    def list_from(self, index: int) -> list[int]:
        """List the mentions from this one to the end of its list."""
        found = [index]
        while index + 1 < len(self.mentions) and self.heads[index + 1] <= index:
            index += 1
            found.append(index)
        return found

    def _are_listed(self, one: int, other: int) -> bool:
        first, second = self.mentions[one], self.mentions[other]
        if _SORTS.get(first.kind, first.kind) is not _SORTS.get(second.kind, second.kind):
            return False
        between = range(first.last, second.first)
        return 0 < len(between) <= 3 and all(
            self.word_at(index) in _LISTED
            or (index == second.first - 1 and self.word_at(index) == "the")
            for index in between
        )

    def is_governed(self, index: int) -> bool:
        """Whether a mention follows a preposition and is therefore not a subject."""
        before = self.mentions[self.find_list_head(index)].first - 1
        while before >= 0 and (
            self.word_at(before) in english.DETERMINERS or self.is_modifier(before)
        ):
            before -= 1
        return self.word_at(before) in english.PREPOSITIONS

    def is_modifier(self, word: int) -> bool:
        """Whether a word only describes what follows it."""
        at = self.at[word]
        return at >= 0 and self.mentions[at].kind in (MentionKind.ADJECTIVE, MentionKind.COMMON)


def _count_depths(words: Sequence[SentenceWord]) -> list[int]:
    found: list[int] = []
    depth = 0
    for word in words:
        depth += word.form == "("
        found.append(depth)
        depth = max(0, depth - (word.form == ")"))
    return found


_ARTICLES = read_word_list("a an the one this")
REACH = 9
"""Most words of a description that are searched for its head noun."""


def find_stated_types(line: SentenceLine, lexicon: Lexicon, index: int) -> tuple[str, ...]:
    """Find the classes that a sentence states for one of its mentions, most telling first."""
    mention = line.mentions[index]
    if mention.kind not in (MentionKind.NAME, MentionKind.QUOTED):
        return ()
    found: dict[str, None] = {}
    for types in (
        _read_description(line, lexicon, mention),
        _read_introduction(line, lexicon, index),
        _read_own_name(line, lexicon, mention),
    ):
        found.update(dict.fromkeys(types))
        if found:
            break
    if not found and _was_born(line, mention):
        found.update(dict.fromkeys(lexicon.people))
    return tuple(found)


def drop_implied(types: Iterator[str] | tuple[str, ...], ontology: Ontology) -> tuple[str, ...]:
    """Drop the types that another one implies; sorted."""
    own = {one for one in types if one in ontology.classes or one == THING}
    implied = {
        above for below, above in ontology.find_above(own) if not ontology.is_a(above, below)
    }
    return tuple(sorted(own - implied))


def _read_description(
    line: SentenceLine, lexicon: Lexicon, mention: NameMention
) -> tuple[str, ...]:
    """`X is a 2010 animated film …`; `X, a director, …`; `X (film)`."""
    at = skip_brackets(line, mention.last)
    if line.word_at(mention.last) == "(":
        inside = _read_head_noun(line, lexicon, mention.last + 1)
        if inside:
            return inside
    if line.word_at(at) in english.BE or line.word_at(at) == ",":
        at += 1
        if line.word_at(at) in _ARTICLES:
            at += 2 if line.word_at(at) == "one" and line.word_at(at + 1) == "of" else 1
            return _read_head_noun(line, lexicon, at)
    return ()


def skip_brackets(line: SentenceLine, at: int) -> int:
    """Return the word after the brackets that begin here."""
    if line.word_at(at) != "(":
        return at
    for close in range(at + 1, min(at + 40, len(line.words))):
        if line.word_at(close) == ")":
            return close + 1
    return at


def _read_head_noun(line: SentenceLine, lexicon: Lexicon, at: int) -> tuple[str, ...]:
    """Return the classes of the noun that ends a description."""
    end = at
    while end < min(at + REACH, len(line.words)) and is_descriptive(line, end):
        end += 1
    for first in range(at, end):
        found = tuple(
            noun.cls
            for noun in lexicon.find_nouns_at(line.words, first)
            if first + len(noun.words) == end
        )
        if found:
            return found
    return lexicon.people if end > at and english.is_role(line.word_at(end - 1)) else ()


def is_descriptive(line: SentenceLine, at: int) -> bool:
    """Whether a word is part of a description; a function word ends it."""
    word = line.words[at]
    return word.is_word and (
        word.low not in english.STOP or word.low in ("first", "last", "former")
    )


def _read_introduction(line: SentenceLine, lexicon: Lexicon, index: int) -> tuple[str, ...]:
    """`the film X`, `Japanese director X`."""
    mention = line.mentions[index]
    before = mention.first - 1
    if line.word_at(before) in (",", '"', "“"):
        before -= 1
    if before < 0 or not line.words[before].is_word:
        return ()
    at = line.at[before]
    if at >= 0 and line.mentions[at].kind is not MentionKind.COMMON:
        return ()
    for first in range(max(0, before - 2), before + 1):
        found = tuple(
            noun.cls
            for noun in lexicon.find_nouns_at(line.words, first)
            if first + len(noun.words) == before + 1
        )
        if found:
            return found
    return lexicon.people if english.is_role(line.word_at(before)) else ()


def _read_own_name(line: SentenceLine, lexicon: Lexicon, mention: NameMention) -> tuple[str, ...]:
    """`Aarhus Airport`, `University of Toronto`."""
    ends = [mention.last]
    for at in range(mention.first + 1, mention.last):
        if line.word_at(at) in ("of", "for"):
            ends.insert(0, at)
            break
    for end in ends:
        for first in range(mention.first, end):
            found = tuple(
                noun.cls
                for noun in lexicon.find_nouns_at(line.words, first)
                if first + len(noun.words) == end
            )
            if found and end - mention.first < mention.last - mention.first + 1:
                return found
    return ()


def _was_born(line: SentenceLine, mention: NameMention) -> bool:
    near = [line.word_at(at) for at in range(mention.last, mention.last + 4)]
    return "born" in near[:2] or near[:2] == ["(", "née"]
