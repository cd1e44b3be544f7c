"""What a sentence opens with: the whole of a name that the rest of it tells of."""

from collections.abc import Sequence

from assay.packs.graph.plain import english
from assay.packs.graph.plain.words import Word

MOST_WORDS = 14
"""A longer run of capitals is a headline or noise, and is cut."""
_OPENED_BY = frozenset({"is", "was", "has", "had"})


def openings(words: Sequence[Word]) -> list[int]:
    """Where a subject may begin: at the start, and after `Directed by X,`."""
    if not words[0].low.endswith(("ed", "en")):
        return [0]
    commas = [at + 1 for at, word in enumerate(words[:-1]) if word.form == ","]
    return [0, *commas[:4]]


def opening_name(words: Sequence[Word]) -> tuple[int, int] | None:
    """`No Time for Nuts was …`: what a sentence says something of, up to its verb."""
    if not words[0].is_name_like and not words[0].form[0].isdigit():
        return None
    if words[0].low in english.PREPOSITIONS or words[0].low in english.MONTHS:
        return None
    capitals = 0
    tight = True
    for at, word in enumerate(words[:MOST_WORDS]):
        if word.is_name_like or word.form[0].isdigit():
            capitals += word.low not in english.STOP
        elif word.low in _OPENED_BY or word.form == "(":
            return _opened(words, at, capitals)
        elif word.low in english.CONNECTORS:
            tight = tight and word.low in english.TIGHT
        elif word.form not in ":!?'.&" and word.low != "'s":
            end = _end_of_kind(words, at) if capitals else 0
            if end:
                return _opened(words, end, capitals)
            plain = words[0].low == "the" or words[0].low not in english.STOP
            return _opened(words, at, capitals) if tight and plain and capitals > 1 else None
    return None


def _opened(words: Sequence[Word], end: int, capitals: int) -> tuple[int, int] | None:
    last = words[end - 1] if end else words[0]
    whole = last.form in "!?" or last.is_word
    alone = capitals == 1 and words[0].low in english.STOP
    if not whole or not capitals or alone or (end == 1 and words[end].form != "("):
        return None
    if end < len(words) and is_common(words[end]) and last.low.endswith(english.DEMONYM_ENDS):
        return None
    return (1, end) if _only_article(words, end) else (0, end)


def _end_of_kind(words: Sequence[Word], at: int) -> int:
    """Where the small words of `The Idaho pocket gopher (…` end; 0: they are no part of a name."""
    if words[0].low != "the" and not words[0].form[0].isdigit():
        return 0
    end = at
    while end < len(words) and end - at < 4 and is_common(words[end]):
        end += 1
    return end if _is_told_of(words, end) else 0


def opening_term(words: Sequence[Word]) -> int:
    """The end of `The great diving beetle (…`, `The potato is a …`; 0: nothing of the kind."""
    if words[0].low not in ("the", "a", "an"):
        return 0
    end = 1
    while end < len(words) and end <= 5 and is_common(words[end]):
        end += 1
    return end if end > 1 and _is_told_of(words, end) else 0


def _is_told_of(words: Sequence[Word], at: int) -> bool:
    """Whether what a sentence opens with is what it tells of: `… (`, `… is a`."""
    if at + 1 >= len(words):
        return False
    return words[at].form == "(" or (
        words[at].low in ("is", "was", "are") and words[at + 1].low in ("a", "an", "the", "one")
    )


def _only_article(words: Sequence[Word], end: int) -> bool:
    """Whether `The` at the start belongs to the sentence: one word follows, or a body's name."""
    if words[0].low != "the":
        return False
    return (
        end == 2
        or words[1].form[0].isdigit()
        or any(word.low in english.WITH_ARTICLE for word in words[1:end])
    )


def is_common(word: Word) -> bool:
    """Whether a word is small and says something: no name, no small word of grammar."""
    return (
        word.form[0].islower()
        and word.low not in english.STOP
        and word.low not in english.BE
        and word.low != "'s"
    )
