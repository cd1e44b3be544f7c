"""Articles of an amending act of which only a part begins on a day of its own.

"Artikel 1 Nummer 2 tritt am 1. Januar 2022 in Kraft" dates some instructions of the article, not
all. Which ones would have to be read from the numbering of the act, so the day of each of them is
a question.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from assay.packs.regulatory.acts.amending import Tradition, hide_quotations, list_own_articles

_SENTENCE: Final = 400
_BEGINS: Final = re.compile(
    r"\b(?:tritt|treten)\b.{0,200}?\bin\s+Kraft\b|\bist\b.{0,80}?\banzuwenden\b"
    r"|\bshall\s+(?:only\s+)?(?:apply|enter\s+into\s+force|take\s+effect)\b"
    r"|\bshall\s+not\s+(?:apply|enter\s+into\s+force|take\s+effect)\s+(?:until|before)\b"
    r"|\bcomes?\s+into\s+(?:force|operation)\b|\b(?:has|have)\s+effect\b|\bapplies\s+from\b"
    r"|\bstupa\w*\s+na\s+snagu\b|\bprimjenjuj\w+\s+se\b",
    re.IGNORECASE | re.DOTALL,
)
_PARTS: Final = (
    re.compile(r"\bArtikels?\s+(\d+[a-z]?)\s+(?:Nummern?|Nr\.|Abs(?:atz|ätze|\.)|Buchstaben?)"),
    re.compile(r"\b(?:Articles?|[Rr]egulations?|[Ss]ections?)\s+(\d+[a-z]?)\s?\(\w+\)"),
    re.compile(r"\bArticles?\s+(\d+[a-z]?),?\s+(?:points?|paragraphs?|(?:first|second)\b)"),
    re.compile(r"\b(?:[Pp]oints?|[Pp]aragraphs?)\s+[^.;\n]{1,80}?\bof\s+Article\s+(\d+[a-z]?)\b"),
    re.compile(r"\b[Čč]lan\w{1,4}\s+(\d+)\.\s*(?:stav|toč|podtoč)"),
)
_SENTENCE_END: Final = re.compile(r"(?<!\d)\.\s+(?=[A-ZČĆĐŠŽÄÖÜ(])|\n\s*\n")


@dataclass(frozen=True, slots=True)
class DividedArticles:
    """The articles of which an amending act dates a part."""

    numbers: Collection[str]
    own: Sequence[tuple[int, str]]
    """Where each article begins. The tree of the act may take an article that it quotes for one
    of its own, if the quotation does not end where it should."""

    def contains(self, article: str, at: int) -> bool:
        """Whether an instruction is in one of them, by its article in the tree or its place."""
        if not self.numbers:
            return False
        place = bisect_right(self.own, at, key=lambda each: each[0]) - 1
        return article in self.numbers or (place >= 0 and self.own[place][1] in self.numbers)


def read_divided(text: str, tradition: Tradition) -> DividedArticles:
    numbers = find_divided_articles(text, tradition)
    return DividedArticles(numbers, list_own_articles(text, tradition) if numbers else ())


def find_divided_articles(text: str, tradition: Tradition) -> set[str]:
    """The numbers of the articles of which the act dates a part."""
    plain = hide_quotations(text, tradition)
    found = set()
    for pattern in _PARTS:
        for part in pattern.finditer(plain):
            following = plain[part.end() : part.end() + _SENTENCE]
            end = _SENTENCE_END.search(following)
            if _BEGINS.search(following[: end.start() + 1 if end else None]):
                found.add(part[1])
    return found
