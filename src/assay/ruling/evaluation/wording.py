"""Compares words of annotations with those of an extractor: strictly, but not by their endings."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

_COVERED = 2, 3
"""So much of an annotation's words an extractor has to state."""
_WITHIN = 1, 2
"""So much of what it states has to be in the annotation."""
_NUMBER = re.compile(r"\d+(?:[  .]\d{3})*(?:[.,]\d+)?")
_WORD = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+")
_LETTERS = str.maketrans({"đ": "d", "ß": "ss", "æ": "ae", "ø": "o"})
_SHORTEST = 3
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "hr": ("ovima", "evima", "ijega", "ijemu", "ama", "ima", "oga", "ome", "omu", "ega", "emu",
           "ovi", "evi", "ova", "eva", "om", "em", "og", "oj", "im", "ih", "a", "e", "i", "o",
           "u"),
    "de": ("ern", "em", "en", "er", "es", "e", "n", "s"),
    "en": ("ing", "ies", "es", "ed", "s", "y", "e"),
}  # fmt: skip
_EMPTY_WORDS: Mapping[str, str] = {
    "hr": "i ili te a na u od do za po s sa se je su koji koja koje kojeg kojem koju ovoga ovog"
    " ovom članka stavka stavku članku točke točaka zakona što kao iz o odnosno pri prema biti"
    " može mogu će",
    "de": "der die das den dem des ein eine einer eines einem einen und oder in im an am auf aus"
    " bei mit nach von vom zu zum zur für ist sind wird werden hat haben er sie es sowie sich dass"
    " daß wenn so wie jeweils als",
    "en": "the a an of to in on by for with and or is are be been was were has have had that which"
    " who whose it its such any as at from under this those these their his her he she other than",
}
_EMPTY = {language: frozenset(words.split()) for language, words in _EMPTY_WORDS.items()}
"""Function words; a negation is none."""
_NEGATIONS = re.compile(
    r"(?<!\w)(?:not|no|nor|neither|unless|except|without|other\s+than|but\s+for|nicht|kein\w{0,2}"
    r"|ohne|außer|ausgenommen|es\s+sei\s+denn|weder|mit\s+ausnahme|ne|ni|niti|nije|nisu|nema|neće"
    r"|bez|osim|izuzev|s\s+iznimkom)(?!\w)",
    re.IGNORECASE,
)
"""What turns a condition into its opposite, or excepts something from it."""
_WORDED_OPS = frozenset({"eq", "ne", "in", "matches"})
"""The comparisons of a condition whose values may be words."""

Stems = frozenset[str]


def find_stems(text: str, language: str) -> Stems:
    """The words of a text without case, accents, endings and function words; figures as digits."""
    plain = _NUMBER.sub(lambda found: f" {_write_plainly(found.group())} ", text.casefold())
    empty = _EMPTY.get(language, frozenset())
    words = (word for word in _WORD.findall(plain.replace("_", " ")) if word not in empty)
    return frozenset(_cut_ending(_bare(word), language) for word in words)


def find_figures(stems: Stems) -> Stems:
    """Those that are figures."""
    return frozenset(stem for stem in stems if stem[:1].isdigit())


def covers(stated: Stems, known: Stems) -> bool:
    """Whether two thirds of the known words are stated, and every figure among them."""
    return find_figures(known) <= stated and _is_share(len(known & stated), len(known), _COVERED)


def is_negated(words: str) -> bool:
    """Whether words deny or except something."""
    return _NEGATIONS.search(words) is not None


def is_within(stated: Stems, allowed: Stems) -> bool:
    """Whether at least half of what is stated is allowed; nothing is always within."""
    return _is_share(len(stated & allowed), len(stated), _WITHIN)


def _is_share(part: int, whole: int, share: tuple[int, int]) -> bool:
    return part * share[1] >= whole * share[0]


@lru_cache(maxsize=20_000)
def _cut_ending(word: str, language: str) -> str:
    if word[:1].isdigit():
        return word
    for ending in _ENDINGS.get(language, ()):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            # "Einkommens" has two endings, of which "Einkommen" has one.
            return _cut_ending(word[: -len(ending)], language)
    return word


def _bare(word: str) -> str:
    split = unicodedata.normalize("NFKD", word.translate(_LETTERS))
    return "".join(char for char in split if not unicodedata.combining(char))


def _write_plainly(number: str) -> str:
    """`66.360,00`, `66 360` and `66360` as the same digits."""
    whole, point, rest = number, "", ""
    last = max(number.rfind("."), number.rfind(","))
    if last >= 0 and len(number) - last - 1 != 3:
        whole, point, rest = number[:last], ".", number[last + 1 :].rstrip("0")
    digits = re.sub(r"\D", "", whole)
    return f"{digits}{point}{rest}" if rest else digits


def flatten_words(value: Any) -> str:
    """All words of whatever an extractor stores: text, lists, or fields with values."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return " ".join(flatten_words(one) for one in value.values())
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return " ".join(flatten_words(one) for one in value)
    return str(value)


def describe_condition(
    condition: Mapping[str, Any],
    terms: Mapping[str, Sequence[str]],
    known: Stems = frozenset(),
    language: str = "",
) -> tuple[str, bool]:
    """The words of a condition, and whether it only compares figures.

    Names of fields are left out, because the excerpt does not contain them. A value such as
    `legal_person` is replaced by the words that it stands for: of those in several languages, the
    ones nearest to what is known.
    """
    words: list[str] = []

    def write_value(value: Any) -> str:
        meant = terms.get(str(value), (str(value),))
        return max(meant, key=lambda one: len(find_stems(one, language) & known))

    compared = _collect_words(condition, write_value, words)
    return " ".join(words), bool(words) and compared


def _collect_words(
    condition: Mapping[str, Any], write_value: Callable[[Any], str], words: list[str]
) -> bool:
    compared = condition.get("op") not in _WORDED_OPS
    for key, value in condition.items():
        if key in {"op", "field"}:
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, Mapping):
                compared = _collect_words(one, write_value, words) and compared
            else:
                words.append(write_value(one))
    return compared
