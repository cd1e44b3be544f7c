"""Numbers written as words in Croatian, English and German, as in the deadlines of laws."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple


class WordAt(NamedTuple):
    """A word in a text."""

    start: int
    end: int
    word: str
    """Case-folded."""


@dataclass(frozen=True, slots=True)
class _NumberWords:
    """The number words of a language."""

    small: Mapping[str, int]
    """Words whose value is added: below a hundred, and hundreds written as one word."""
    hundred: frozenset[str]
    """Words that multiply by a hundred."""
    scales: Mapping[str, int]
    """Words that multiply everything before them."""
    alone: frozenset[str]
    """Words for round numbers that need no number before them."""
    joint: str
    """The word for "and" inside a number."""
    ordinals: Mapping[str, int]
    joined: Callable[[str], int | None] = lambda _: None
    """Returns the value of a word that is composed of several."""


def _assign_numbers(text: str, first: int, step: int = 1) -> dict[str, int]:
    """`a b/c d` as a: first, b and c: first + step, d: first + 2 * step; case-folded."""
    return {
        word.casefold(): first + step * place
        for place, words in enumerate(text.split())
        for word in words.split("/")
    }


_HR_UNITS = _assign_numbers(
    "jedan/jedna/jedno/jednog/jednoga/jednu/jedne/jednom/jednoj dva/dvije/dvaju/dviju tri/triju "
    "četiri/četiriju pet šest sedam osam devet deset jedanaest dvanaest trinaest četrnaest "
    "petnaest šesnaest sedamnaest osamnaest devetnaest",
    1,
)
_HR_TENS = _assign_numbers(
    "dvadeset trideset četrdeset pedeset šezdeset sedamdeset osamdeset devedeset", 20, 10
)
_HR_HUNDREDS = _assign_numbers(
    "sto/stotinu dvjesto/dvjesta tristo/trista četiristo petsto šesto/šeststo "
    "sedamsto osamsto devetsto",
    100,
    100,
)
_HR_ORDINAL_STEMS = _assign_numbers(
    "prv drug treć četvrt pet šest sedm osm devet deset jedanaest dvanaest trinaest četrnaest "
    "petnaest šesnaest sedamnaest osamnaest devetnaest dvadeset",
    1,
) | _assign_numbers("trideset četrdeset pedeset šezdeset sedamdeset osamdeset devedeset", 30, 10)
_HR_ORDINALS = {
    stem + ending: value
    for stem, value in _HR_ORDINAL_STEMS.items()
    for ending in (("i", "eg", "ega", "em") if stem == "treć" else ("i", "og", "oga", "om"))
}
_EN_UNITS = _assign_numbers(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen",
    1,
)
_EN_TENS = _assign_numbers("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
_EN_ORDINALS = _assign_numbers(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    1,
) | _assign_numbers("thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", 30, 10)
_DE_UNITS = _assign_numbers(
    "eins zwei/zweier drei/dreier vier fünf sechs sieben acht neun zehn elf zwölf dreizehn "
    "vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    1,
)
_DE_TENS = _assign_numbers(
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", 20, 10
)
_DE_STEMS = _assign_numbers("ein zwei drei vier fünf sechs sieben acht neun", 1)
_DE_COMPOUNDS = {
    f"{unit}und{ten}": tens + units
    for unit, units in _DE_STEMS.items()
    for ten, tens in _DE_TENS.items()
}
_DE_HUNDREDS = {f"{unit}hundert": 100 * value for unit, value in _DE_STEMS.items()}
_DE_BELOW_HUNDRED = _DE_STEMS | _DE_UNITS | _DE_TENS | _DE_COMPOUNDS
_DE_JOINED = re.compile(
    "(?:(?P<thousands>[a-zäöüß]{0,40}?)(?P<thousand>tausend))?"
    "(?:(?P<hundreds>[a-zäöüß]{0,6}?)(?P<hundred>hundert))?(?P<rest>[a-zäöüß]{0,20})"
)
_DE_ORDINAL_STEMS = {
    **_assign_numbers("erst zweit dritt viert fünft sechst siebt acht neunt", 1),
    **_assign_numbers("zehnt elft zwölft dreizehnt vierzehnt fünfzehnt", 10),
    **_assign_numbers("sechzehnt siebzehnt achtzehnt neunzehnt", 16),
    **{f"{ten}st": value for ten, value in (_DE_TENS | _DE_COMPOUNDS).items()},
}
_DE_ORDINALS = {
    stem + ending: value
    for stem, value in _DE_ORDINAL_STEMS.items()
    for ending in ("e", "en", "er", "es")
}


def _read_german(word: str) -> int | None:
    """`zweitausendfünfhundert`, which German writes as one word."""
    if "hundert" not in word and "tausend" not in word:
        return None
    match = _DE_JOINED.fullmatch(word)
    if match is None or word == "tausend":
        return None
    total = 0
    if match["thousand"]:
        before = match["thousands"]
        thousands = _DE_BELOW_HUNDRED.get(before) or (_read_german(before) if before else 1)
        total = 1000 * (thousands or 0)
    if match["hundred"]:
        total += 100 * (_DE_STEMS.get(match["hundreds"], 0) if match["hundreds"] else 1)
    rest = _DE_BELOW_HUNDRED.get(match["rest"].removeprefix("und"), 0) if match["rest"] else 0
    read = (not match["thousand"] or total >= 1000) and (not match["rest"] or rest)
    known = not match["hundred"] or not match["hundreds"] or match["hundreds"] in _DE_STEMS
    return total + rest if read and known else None


_LANGUAGES = {
    "hr": _NumberWords(
        small=_HR_UNITS | _HR_TENS | _HR_HUNDREDS,
        hundred=frozenset({"stotina", "stotine"}),
        scales=dict.fromkeys(("tisuća", "tisuće", "tisuću"), 10**3)
        | dict.fromkeys(("milijun", "milijuna", "milijuni"), 10**6)
        | dict.fromkeys(("milijarda", "milijarde", "milijardi", "milijardu"), 10**9),
        alone=frozenset({"tisuću", "milijun", "milijardu"}),
        joint="i",
        ordinals=_HR_ORDINALS,
    ),
    "en": _NumberWords(
        small=_EN_UNITS | _EN_TENS,
        hundred=frozenset({"hundred"}),
        scales={"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12},
        alone=frozenset(),
        joint="and",
        ordinals=_EN_ORDINALS,
    ),
    "de": _NumberWords(
        small=_DE_UNITS | _DE_TENS | _DE_COMPOUNDS | _DE_HUNDREDS,
        hundred=frozenset(),
        scales={"tausend": 10**3}
        | dict.fromkeys(("million", "millionen"), 10**6)
        | dict.fromkeys(("milliarde", "milliarden"), 10**9),
        alone=frozenset({"tausend", "million", "milliarde"}),
        joint="und",
        ordinals=_DE_ORDINALS,
        joined=_read_german,
    ),
}
SHORT_SCALES: Mapping[str, int] = {
    **dict.fromkeys(("tsd", "tis"), 10**3),
    **dict.fromkeys(("mio", "mil", "mn"), 10**6),
    **dict.fromkeys(("mrd", "mlrd", "bn"), 10**9),
}
"""Abbreviations, which are read only after digits."""
SCALES: Mapping[str, int] = {
    **{word: value for words in _LANGUAGES.values() for word, value in words.scales.items()},
    **SHORT_SCALES,
}
ORDINALS: Mapping[str, int] = {
    word: value for words in _LANGUAGES.values() for word, value in words.ordinals.items()
}
"""`osmog`, `twentieth`, `zehnten`. Some have other meanings; what follows decides."""

_WORD = re.compile(r"[^\W\d_]++")
_GAPS = frozenset({" ", "-", "\u00a0", "\u202f"})


def scan_words(text: str) -> Iterator[WordAt]:
    """The words in a text that are not part of a longer token such as `A4`."""
    for match in _WORD.finditer(text):
        before = text[match.start() - 1 : match.start()]
        if not _is_word_character(before) and not _is_word_character(
            text[match.end() : match.end() + 1]
        ):
            yield WordAt(match.start(), match.end(), match.group().casefold())


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"


def scan_word_numbers(text: str, language: str | None = None) -> Iterator[tuple[int, int, Decimal]]:
    """Start, end and value of each number that is written in words, language by language."""
    found = list(scan_words(text))
    chosen = [_LANGUAGES[language]] if language in _LANGUAGES else list(_LANGUAGES.values())
    for words in chosen:
        yield from _find_in_language(text, found, words)


def _find_in_language(
    text: str, found: list[WordAt], words: _NumberWords
) -> Iterator[tuple[int, int, Decimal]]:
    sum_of: _WordSum | None = None
    for at, after in pairwise([*found, WordAt(len(text), len(text), "")]):
        if sum_of is not None and text[sum_of.reach : at.start] not in _GAPS:
            yield from sum_of.emit_number()
            sum_of = None
        if sum_of is not None and at.word == words.joint and sum_of.can_continue(after.word):
            sum_of.reach = at.end
        elif sum_of is None or not sum_of.take(at):
            if sum_of is not None:
                yield from sum_of.emit_number()
            sum_of = _WordSum(words, at.start)
            if not sum_of.take(at):
                sum_of = None
    if sum_of is not None:
        yield from sum_of.emit_number()


class _WordSum:
    """A number, added up word by word."""

    def __init__(self, words: _NumberWords, start: int) -> None:
        self._words = words
        self._start = start
        self._end = start
        self._total = 0
        self._current = 0
        self._scale = 10**15
        self.reach = start
        """The end of the last word that may belong to it."""

    def take(self, at: WordAt) -> bool:
        """Add the word if it continues this number, and return whether it does."""
        small = self._words.small.get(at.word)
        if small is None:
            small = self._words.joined(at.word)
        if small is not None:
            if not self._adds(small):
                return False
            self._current += small
        elif at.word in self._words.hundred:
            if not 1 <= self._current <= 9:
                return False
            self._current *= 100
        elif not self._scale_sum(at.word):
            return False
        self._end = self.reach = at.end
        return True

    def can_continue(self, word: str) -> bool:
        """Whether "and" and this word belong to the number."""
        small = self._words.small.get(word)
        if small is None or self._current + self._total == 0:
            return False
        # "twenty and five" are two numbers, "dvadeset i pet" is one.
        tens = self._words.joint == "i" and self._current % 100 >= 20
        return self._adds(small) and (tens or self._current % 100 == 0)

    def emit_number(self) -> Iterator[tuple[int, int, Decimal]]:
        yield self._start, self._end, Decimal(self._total + self._current)

    def _adds(self, small: int) -> bool:
        if small >= 100:
            return self._current == 0
        rest = self._current % 100
        return rest == 0 or (small < 10 and rest >= 20 and rest % 10 == 0)

    def _scale_sum(self, word: str) -> bool:
        scale = self._words.scales.get(word)
        if scale is None or scale >= self._scale:
            return False
        if self._current == 0 and word not in self._words.alone:
            return False
        self._total += max(self._current, 1) * scale
        self._current, self._scale = 0, scale
        return True
