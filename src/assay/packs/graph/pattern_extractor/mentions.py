"""Where a sentence names things: capitalised names, quoted titles, values, common nouns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from assay.packs.graph.literals import find_literals
from assay.packs.graph.pattern_extractor import english
from assay.packs.graph.pattern_extractor.english import (
    MOST_WORDS,
    SentenceWord,
    find_opening_name,
    find_opening_term,
    find_openings,
    is_common,
)

_OPEN = {'"': '"', "“": "”", "„": "“", "«": "»"}


class MentionKind(StrEnum):
    """How a thing is mentioned."""

    NAME = "name"
    QUOTED = "quoted"
    VALUE = "value"
    COMMON = "common"
    """Lower-case words, which are a thing only if a property asks for them."""
    TERM = "term"
    """Lower-case words that are known to name a thing: `science fiction`."""
    ADJECTIVE = "adjective"
    """`Japanese` in `Japanese film`."""
    STAND_IN = "stand-in"
    """`it`, `the college`: a thing that was named before."""


@dataclass(frozen=True, slots=True)
class NameMention:
    """Words of a sentence that mention one thing."""

    start: int
    end: int
    words: str
    first: int
    """Its first word in the sentence."""
    last: int
    """The word after its last one."""
    kind: MentionKind
    of: str = ""
    """What it was resolved to: the id of an entity, or the name that a stand-in refers to."""


Gazetteer = Mapping[str, Sequence[tuple[str, ...]]]
"""First word → known names that begin with it, the longest first; all lower case."""


def find_mentions(
    text: str, words: Sequence[SentenceWord], known: Gazetteer, *, article: bool = True
) -> list[NameMention]:
    """Find everything that a sentence may mention, in order, without overlaps. `article` says
    whether `The` at the start of a sentence may belong to a name."""
    if not words:
        return []
    found: list[NameMention] = []
    taken = bytearray(len(words))
    for at in find_openings(words):
        opening = find_opening_name(words[at:])
        if opening:
            first, last = at + opening[0], at + opening[1]
            if not article and words[first].low == "the":
                first += 1
            first = _skip_title(words, first, last)
            _take_mention(text, words, taken, found, first, last, MentionKind.NAME)
    if not found and (end := find_opening_term(words)):
        _take_mention(text, words, taken, found, 1, end, MentionKind.TERM)
    for step in (_find_known, _find_quoted):
        for first, last, kind in step(words, known):
            _take_mention(text, words, taken, found, first, last, kind)
    values = _find_values(text, words)
    for first, last in values:
        if not _begins_name(words, first, last) and not _ends_name(words, first, last):
            _take_mention(text, words, taken, found, first, last, MentionKind.VALUE)
    for first, last in _find_names(words, taken):
        _take_mention(text, words, taken, found, first, last, _classify_name(words, first, last))
    for first, last in values:
        _take_mention(text, words, taken, found, first, last, MentionKind.VALUE)
    for first, last in _find_commons(words, taken):
        _take_mention(text, words, taken, found, first, last, MentionKind.COMMON)
    return sorted(found, key=lambda one: one.first)


def _take_mention(
    text: str,
    words: Sequence[SentenceWord],
    taken: bytearray,
    found: list[NameMention],
    first: int,
    last: int,
    kind: MentionKind,
) -> None:
    if first >= last or any(taken[first:last]):
        return
    taken[first:last] = b"\x01" * (last - first)
    start, end = words[first].start, words[last - 1].end
    found.append(NameMention(start, end, text[start:end], first, last, kind))


def _find_known(
    words: Sequence[SentenceWord], known: Gazetteer
) -> list[tuple[int, int, MentionKind]]:
    found: list[tuple[int, int, MentionKind]] = []
    at = 0
    while at < len(words):
        for name in known.get(words[at].low, ()):
            end = at + len(name)
            if tuple(word.low for word in words[at:end]) == name:
                if _is_part_of_name(words, at, end):
                    continue
                named = any(word.is_name_like or word.form[0].isdigit() for word in words[at:end])
                found.append((at, end, MentionKind.NAME if named else MentionKind.TERM))
                at = end - 1
                break
        at += 1
    return found


def _is_part_of_name(words: Sequence[SentenceWord], first: int, last: int) -> bool:
    """Whether known words are only part of a longer name: `California` in `University of
    California Press`."""
    if not words[first].is_name_like:
        return False
    if (
        last < len(words)
        and words[last].is_name_like
        and words[last].start == words[last - 1].end + 1
    ):
        return words[last].low not in english.STOP
    before = first - 1
    if before > 0 and words[before].low == "of":
        return words[before - 1].is_name_like and before - 1 > 0
    return (
        before > 0
        and words[before].is_name_like
        and _are_side_by_side(words, before)
        and words[before].low not in english.STOP
        and not (
            words[before].low.endswith(english.DEMONYM_ENDS)
            and words[last - 1].low not in english.BODY_WORDS
        )
    )


def _are_side_by_side(words: Sequence[SentenceWord], at: int) -> bool:
    return words[at].end + 1 == words[at + 1].start


def _find_quoted(
    words: Sequence[SentenceWord], known: Gazetteer
) -> list[tuple[int, int, MentionKind]]:
    found: list[tuple[int, int, MentionKind]] = []
    at = 0
    while at < len(words):
        close = _OPEN.get(words[at].form)
        if close is not None:
            for end in range(at + 1, min(at + MOST_WORDS + 2, len(words))):
                if words[end].form == close:
                    if end > at + 1:
                        inside = end - 1 if words[end - 1].form in ",.;" else end
                        found.append((at + 1, inside, MentionKind.QUOTED))
                    at = end
                    break
        at += 1
    return found


def _find_values(text: str, words: Sequence[SentenceWord]) -> list[tuple[int, int]]:
    begin = words[0].start
    places = {word.start: index for index, word in enumerate(words)}
    found: list[tuple[int, int]] = []
    for start, end in _find_literal_places(text[begin : words[-1].end]):
        first = places.get(begin + start)
        if first is None:
            continue
        last = first
        while last < len(words) and words[last].end <= begin + end:
            last += 1
        if last > first and words[last - 1].end == begin + end:
            found.append((first, last))
    return found


def _find_literal_places(text: str) -> tuple[tuple[int, int], ...]:
    return (_recall_literal_places if len(text) <= _MOST_RECALLED else _scan_literal_places)(text)


def _scan_literal_places(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((value.start, value.end) for value in find_literals(text))


_recall_literal_places = lru_cache(maxsize=4096)(_scan_literal_places)
"""Every sentence is read twice, for its entities and for its relations, and looking for its values
takes longer than everything else."""
_MOST_RECALLED = 500
"""Characters; with longer ones, what is remembered would take much memory."""


def _begins_name(words: Sequence[SentenceWord], first: int, last: int) -> bool:
    """Whether a number begins a name: `200 Public Square`, `6042 Cheshirecat`."""
    if last != first + 1 or last >= len(words) or not words[last].is_name_like:
        return False
    number = words[first].form
    if not number.isdigit() or words[last].low in english.MONTHS or words[last].low in english.STOP:
        return False
    is_year = len(number) == 4 and number[0] in "12"
    return first == 0 or (not is_year and words[first - 1].low in english.BEFORE_NAMES)


def _ends_name(words: Sequence[SentenceWord], first: int, last: int) -> bool:
    """Whether a short number ends the name before it: `Toy Story 2`, `Soyuz 23`."""
    if first == 0 or last != first + 1 or not words[first].form.isdigit():
        return False
    before, number = words[first - 1], words[first].form
    year = len(number) == 4 and number[0] in "12"
    return (
        before.is_name_like
        and len(number) < 5
        and not year
        and before.low not in english.MONTHS
        and before.low not in english.STOP
        and words[first].start == before.end + 1
    )


def _find_names(words: Sequence[SentenceWord], taken: bytearray) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(words):
        if taken[at] or not _may_begin_name(words, at):
            at += 1
            continue
        end = _find_name_end(words, taken, at)
        name = _skip_title(words, at, end)
        if name > at:
            found.append((at, name))
        if not _is_mere_word(words, at, end):
            found.append((name, end))
        at = end
    return found


def _skip_title(words: Sequence[SentenceWord], first: int, last: int) -> int:
    """Find where the name begins after a title, as in `Rear Admiral Grace Hopper`."""
    at = first
    while at < last - 2 and words[at].low in english.TITLES:
        at += 1
    follows = words[at].low if at > first else ""
    return first if follows in english.TIGHT else at


def _may_begin_name(words: Sequence[SentenceWord], at: int) -> bool:
    word = words[at]
    if word.form[0].isdigit():
        return _begins_name(words, at, at + 1)
    if not word.is_name_like or word.low in english.MONTHS or word.low in english.DAYS:
        return False
    if word.low == "the" and at > 0:
        return at + 1 < len(words) and words[at + 1].is_name_like
    return word.low not in english.STOP and word.low not in english.PRONOUNS


def _find_name_end(words: Sequence[SentenceWord], taken: bytearray, first: int) -> int:
    at = first + 1
    bracketed = first > 0 and words[first - 1].form == "("
    while at < len(words) and at - first < MOST_WORDS and not taken[at]:
        word = words[at]
        before = words[at - 1]
        if word.is_name_like:
            if word.low in english.MONTHS and at + 1 < len(words) and words[at + 1].form.isdigit():
                break
            at += 1
        elif word.form[0].isdigit() and before.is_name_like and word.start == before.end + 1:
            at += 1
        elif word.form == "." and _is_short_form(before):
            if at + 1 >= len(words):
                break
            at += 1
        elif word.form == "," and at + 1 < len(words) and words[at + 1].low in english.FORMS:
            at += 2
        elif word.low == "of" and at - first > 1 and not _continues_with_of(words, first, at):
            break
        elif step := _count_joining(words, taken, at, bracketed):
            at += step
        else:
            break
    while at > first + 1 and not (words[at - 1].is_word or words[at - 1].form == "."):
        at -= 1
    return at


def _continues_with_of(words: Sequence[SentenceWord], first: int, at: int) -> bool:
    """Whether `of` continues a name: `Polish Academy of Sciences`, not `Ann Lee of the Lakers`."""
    before = words[at - 1].low
    return (
        before in english.BODY_WORDS
        or before in english.OFFICES
        or words[first].low == "the"
        or any(word.low in english.CONNECTORS for word in words[first:at])
    )


def _is_short_form(word: SentenceWord) -> bool:
    return len(word.form) == 1 or "." in word.form or word.low in english.ENDERS


def _count_joining(
    words: Sequence[SentenceWord], taken: bytearray, at: int, bracketed: bool
) -> int:
    """Count the words from here to the next part of the name; 0: it ends."""
    word, before = words[at], words[at - 1]
    if word.form == ":" and not bracketed and word.start == before.end:
        return 1 if at + 1 < len(words) and words[at + 1].is_name_like else 0
    joins = word.low in english.TIGHT or (
        word.low in english.LEADING_ON and before.low in english.BODIES
    )
    if not joins:
        return 0
    for step in (1, 2):
        if at + step >= len(words) or taken[at + step]:
            return 0
        after = words[at + step]
        if after.is_name_like and after.low not in english.MONTHS:
            return step
        if after.low not in english.TIGHT:
            return 0
    return 0


def _is_mere_word(words: Sequence[SentenceWord], first: int, last: int) -> bool:
    """Whether it is an ordinary word, capitalized only because it begins the sentence."""
    if first > 0 or last != 1 or len(words) < 2:
        return False
    return words[0].low.endswith(("ed", "ing", "ly")) and (
        words[1].low in english.STOP or not words[1].is_name_like
    )


def _classify_name(words: Sequence[SentenceWord], first: int, last: int) -> MentionKind:
    if last >= len(words) or not is_common(words[last]):
        return MentionKind.NAME
    if words[last - 1].low.endswith(english.DEMONYM_ENDS) and last - first <= 2:
        return MentionKind.ADJECTIVE
    before = first - 1
    if before > 0 and words[before].form.isdigit():
        before -= 1
    describes = before >= 0 and words[before].low in ("a", "an")
    return MentionKind.ADJECTIVE if describes else MentionKind.NAME


def _find_commons(words: Sequence[SentenceWord], taken: bytearray) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(words):
        first = at
        while at < len(words) and at - first < 4 and not taken[at] and is_common(words[at]):
            at += 1
            if at == first + 1 and _is_verb(words, first, taken):
                break
        if at > first:
            found.append((first, at))
        else:
            at += 1
    return found


def _is_verb(words: Sequence[SentenceWord], at: int, taken: bytearray) -> bool:
    """Whether a lower-case word is the verb of the name before it, as in `X performs jazz`."""
    low = words[at].low
    if at == 0 or not low.endswith(("s", "ed")) or low.endswith(("ss", "us", "is")):
        return False
    return bool(taken[at - 1]) or words[at - 1].low in ("who", "which", "that")
