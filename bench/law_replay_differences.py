"""Whose words they are where a replayed provision differs from the official text.

A compiled text has gaps: words of a notice that nobody took over, or words that no notice enacted.
What an amending act says word for word, and the compiled text says nowhere, is a gap of the latter.
Everything else may be our error. No verdict is written down here: the texts decide.
"""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.packs.regulatory.acts.amending.folding import fold
from assay.packs.regulatory.acts.shapes import Act, Provision, join_words

_NEAR, _FAR, _ALL = 3, 25, 1_000_000
"""How many words on either side of a difference are looked at with it."""
_FOOTNOTE = re.compile(r"\(\s?\*+\d*\s?\)")
"""The mark of a footnote, which consolidated texts number anew."""
_PUNCTUATION = re.compile(r"[\s.—\-\"'\u201c]+")


class Verdict(StrEnum):
    """What a difference from the official text is."""

    GAP = "as the amending act words it, and the official copy does not"
    LATER = "in an article of which a part begins on another day, which is a question"
    ERROR = "not explained by the amending act's words"


def squeeze(text: str) -> str:
    """Words without spaces, typography, and the punctuation that ends a heading."""
    return _PUNCTUATION.sub("", _FOOTNOTE.sub("", fold(text))).lower()


@dataclass(frozen=True, slots=True)
class Sources:
    """The texts that decide, squeezed."""

    amending: str
    before: str
    official: str
    """With a line end around the words of each passage."""
    printed: str
    """The official text with its numbers."""


def squeeze_sources(amending: str, before: Act, official: Act) -> Sources:
    texts = [squeeze(each.words) for each in _list_passages(official.provisions)]
    old = "".join(squeeze(each.words) for each in _list_passages(before.provisions))
    printed = squeeze(join_words(official.provisions))
    return Sources(squeeze(amending), old, "\n" + "\n".join(filter(None, texts)) + "\n", printed)


@dataclass(frozen=True, slots=True)
class _Passage:
    """Words of a provision that follow each other in print: lists may be between two of them."""

    number: str
    words: str


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    passage: int
    printed: str
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A difference on one side: tokens from a start to an end, which may be the same."""

    tokens: Sequence[_Token]
    start: int
    end: int

    @property
    def words(self) -> str:
        return "".join(each.printed for each in self.tokens[self.start : self.end])

    @property
    def has_words(self) -> bool:
        return any(not each.is_number for each in self.tokens[self.start : self.end])

    def list_pieces(self, around: int, *, numbers: bool = False) -> list[str]:
        """It and some words around it, passage by passage, with a line end where one begins or
        ends. What is between two passages has no words around it. An amendment may change a
        number alone, so numbers count only if they are asked for."""
        inside = self.tokens[self.start : self.end] or self.tokens[max(0, self.start - 1) :][:2]
        passages = sorted({each.passage for each in inside})
        if self.start == self.end and len(passages) > 1:
            return []
        low, high = max(0, self.start - around), min(len(self.tokens), self.end + around)
        pieces = []
        for passage in passages:
            first, last = low, high
            while first < high and self.tokens[first].passage < passage:
                first += 1
            while last > first and self.tokens[last - 1].passage > passage:
                last -= 1
            kept = self.tokens[first:last]
            words = [e.printed for e in kept if numbers or not e.is_number]
            begins = first == 0 or self._is_outside(first - 1, passage) or kept[0].is_number
            ends = last == len(self.tokens) or self._is_outside(last, passage)
            if words:
                pieces.append("\n" * begins + "".join(words) + "\n" * ends)
        return pieces

    def print_around(self, around: int) -> str:
        """It and some words around it, whichever passage they are in, with their numbers."""
        low, high = max(0, self.start - around), self.end + around
        return "".join(each.printed for each in self.tokens[low:high])

    def _is_outside(self, at: int, passage: int) -> bool:
        return self.tokens[at].passage != passage or self.tokens[at].is_number


def judge_difference(
    ours: Sequence[Provision], official: Sequence[Provision], sources: Sources
) -> Verdict:
    """Whether all differences between two texts of a provision are gaps of the official one."""
    mine, theirs = _list_tokens(ours), _list_tokens(official)
    matcher = difflib.SequenceMatcher(
        None, [each.word for each in mine], [each.word for each in theirs], autojunk=False
    )
    are_gaps = all(
        _is_gap(_Stretch(mine, first, last), _Stretch(theirs, start, end), sources)
        for tag, first, last, start, end in matcher.get_opcodes()
        if tag != "equal"
    )
    return Verdict.GAP if are_gaps else Verdict.ERROR


def _is_gap(mine: _Stretch, theirs: _Stretch, sources: Sources) -> bool:
    if mine.words.rstrip(";,:") == theirs.words.rstrip(";,:"):
        return True
    if any(_is_in(each, sources.amending) for each in theirs.list_pieces(_FAR, numbers=True)):
        return False
    if not all(
        _is_in(each, sources.amending) or _is_in(each, sources.before)
        for each in mine.list_pieces(_NEAR)
    ):
        return False
    return _is_missing(mine, sources) or (
        theirs.has_words
        and not any(_is_in(each, sources.before) for each in theirs.list_pieces(_NEAR))
    )


def _is_missing(mine: _Stretch, sources: Sources) -> bool:
    """Whether the official text lacks, wherever it may have them, words of the amending act."""
    printed = mine.print_around(_NEAR)
    return (printed in sources.amending and printed not in sources.printed) or any(
        _is_in(piece, sources.amending) and piece not in sources.official
        for around in (_NEAR, _FAR, _ALL)
        for piece in mine.list_pieces(around)
    )


def _is_in(piece: str, text: str) -> bool:
    return piece.strip("\n") in text


def _list_tokens(provisions: Sequence[Provision]) -> list[_Token]:
    tokens = []
    for index, each in enumerate(_list_passages(provisions)):
        if number := re.sub(r"\W", "", each.number).lower():
            tokens.append(_Token(number, index, squeeze(each.number), is_number=True))
        words = map(squeeze, fold(_FOOTNOTE.sub("", each.words)).split())
        # Consolidated texts end the points of a list alike, whatever the amending act prints.
        tokens += [_Token(word.rstrip(";,:"), index, word) for word in words if word]
    return tokens


def _list_passages(provisions: Sequence[Provision]) -> list[_Passage]:
    """The words of provisions in the order of print, each line after a list on its own."""
    passages: list[_Passage] = []
    closings: list[Provision] = []

    def close() -> None:
        lines = closings.pop().closing.text.split("\n")
        passages.extend(_Passage("", line) for line in lines if line.strip())

    for each in provisions:
        while closings and not each.path.startswith(closings[-1].path + "__"):
            close()
        words = "\n".join(filter(None, (each.heading.text, each.opening.text)))
        passages.append(_Passage(each.number, words))
        closings.append(each)
    while closings:
        close()
    return passages
