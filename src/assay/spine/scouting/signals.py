"""What speaks for rules in a text: their words, and figures with their units."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from assay.reading.stems import Letters
from assay.spine.scouting.vocabulary import FIGURE, LISTS

FULL_DENSITY = 0.12
"""The share of words that are signals from which a text counts as wholly regulatory. Statutes in
plain prose have half of it, tables of rates twice as much, a report of a visit next to nothing."""

# Written in letters: 25 %, EUR 300; 12 days, 1 March.
_AMOUNT = re.compile(r"n%|cn|nc")
_DATE = re.compile(r"nm|nt")
# A figure within a dozen words behind the verb that makes a rule of it.
_STATED = re.compile(r"v[^v]{0,12}?(?:n%|cn|nc|nm|nt)")
_STATED_DATE = re.compile(r"v[^v]{0,12}?(?:nm|nt)")
_NUMBERED = re.compile(r"an")
_BARE_NUMBER = re.compile(r"(?<![acm])n(?![%cmt])")
_ENOUGH_FIGURES = 0.02
"""Figures for each word from which a text is as full of them as a text of rules is."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What was counted in a text."""

    words: int
    rules: int
    """Words of rules: taxes, rates, deadlines, duties, and numbered articles."""
    legal: int
    """Words that the law likes and others use as well."""
    amounts: int
    """Per cents and sums of money."""
    dates: int
    """Dates and spans of time."""
    stated_dates: int
    """Those that stand close behind a verb of duty; a date alone stands in every report."""
    stated: int
    """Figures that stand close behind a verb of duty."""
    articles: int
    """Articles, paragraphs and sections that are named with their number."""
    numbers: int
    bare_numbers: int
    """Numbers that are neither a figure nor the number of an article."""
    news: int
    site: int
    fields: int

    @property
    def density(self) -> float:
        """How regulatory the text reads, 0 to 1."""
        if not self.words:
            return 0.0
        signals = self.rules + self.legal / 2 + self.amounts + self.stated_dates
        return min(1.0, signals / self.words / FULL_DENSITY)

    @property
    def figures(self) -> int:
        """Figures with a unit."""
        return self.amounts + self.dates

    @property
    def determinism(self) -> float:
        """How likely rules written for the purpose find the facts without a model, 0 to 1.

        High where figures have units, stand close to a verb of duty, and are many; low where
        numbers are bare or figures stand in flowing prose.
        """
        if not self.figures:
            return 0.0
        with_unit = self.figures / (self.figures + self.bare_numbers / 2)
        stated = min(1.0, self.stated / self.figures)
        plenty = min(1.0, self.figures / self.words / _ENOUGH_FIGURES)
        return round(with_unit * (0.4 + 0.6 * stated) * plenty, 4)


def signals_of(words: Sequence[str]) -> Signals:
    """Count the signals of a text, given its words."""
    letters = _letters().of(words)
    count = letters.count
    articles = len(_NUMBERED.findall(letters))
    return Signals(
        words=len(letters),
        rules=count("r") + count("v") + articles,
        legal=count("l"),
        amounts=len(_AMOUNT.findall(letters)),
        dates=len(_DATE.findall(letters)),
        stated_dates=len(_STATED_DATE.findall(letters)),
        stated=len(_STATED.findall(letters)),
        articles=articles,
        numbers=count(FIGURE),
        bare_numbers=len(_BARE_NUMBER.findall(letters)),
        news=count("w"),
        site=count("b"),
        fields=count("f"),
    )


@cache
def _letters() -> Letters:
    return Letters(LISTS, figures=FIGURE)
