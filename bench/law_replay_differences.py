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
    """With a line end around the words of each provision."""
    printed: str
    """The official text with its numbers."""


def squeeze_sources(amending: str, before: Act, official: Act) -> Sources:
    texts = [squeeze(_spell(each)) for each in official.provisions]
    old = "".join(squeeze(_spell(each)) for each in before.provisions)
    printed = squeeze(join_words(official.provisions))
    return Sources(squeeze(amending), old, "\n" + "\n".join(filter(None, texts)) + "\n", printed)


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    provision: int
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
        """It and some words around it, provision by provision, with a line end where one begins or
        ends. What is between two provisions has no words around it. An amendment may change a
        number alone, so numbers count only if they are asked for."""
        inside = self.tokens[self.start : self.end] or self.tokens[max(0, self.start - 1) :][:2]
        provisions = sorted({each.provision for each in inside})
        if self.start == self.end and len(provisions) > 1:
            return []
        low, high = max(0, self.start - around), min(len(self.tokens), self.end + around)
        pieces = []
        for provision in provisions:
            first, last = low, high
            while first < high and self.tokens[first].provision < provision:
                first += 1
            while last > first and self.tokens[last - 1].provision > provision:
                last -= 1
            kept = self.tokens[first:last]
            words = [e.printed for e in kept if numbers or not e.is_number]
            begins = first == 0 or self._is_outside(first - 1, provision) or kept[0].is_number
            ends = last == len(self.tokens) or self._is_outside(last, provision)
            if words:
                pieces.append("\n" * begins + "".join(words) + "\n" * ends)
        return pieces

    def print_around(self, around: int) -> str:
        """It and some words around it, whichever provision they are in, with their numbers."""
        low, high = max(0, self.start - around), self.end + around
        return "".join(each.printed for each in self.tokens[low:high])

    def _is_outside(self, at: int, provision: int) -> bool:
        return self.tokens[at].provision != provision or self.tokens[at].is_number


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
    for index, each in enumerate(provisions):
        if number := re.sub(r"\W", "", each.number).lower():
            tokens.append(_Token(number, index, squeeze(each.number), is_number=True))
        words = map(squeeze, fold(_FOOTNOTE.sub("", _spell(each))).split())
        # Consolidated texts end the points of a list alike, whatever the amending act prints.
        tokens += [_Token(word.rstrip(";,:"), index, word) for word in words if word]
    return tokens


def _spell(provision: Provision) -> str:
    fields = (provision.heading, provision.opening, provision.closing)
    return "\n".join(each.text for each in fields if each.text)
