"""Which kind of a thing a fact is about, in a form that neither word order nor endings change."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from assay.packs.regulatory.extractor.subjects import load_declared_facts

_STEM = 6
"""Letters of a word that count: the rest may be an ending."""
_SHORTEST = 4
_ENDINGS = "aeiousy"
_MOST = 4
"""How many words make a kind: the more there are, the less likely two texts use the same."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_GERMAN_NOUN = re.compile(r"[A-ZÄÖÜ][^\W\d_]{2,}")
_CLASS = re.compile(
    r"(?<!\w)(?:(?P<before>[IVX]{1,4}|\d{1,2})\.?\s(?=stup|razred|skupin|zon|kategorij|säule|stufe"
    r"|klasse|gruppe|pillar|band|tier)|(?:klasse|stufe|gruppe|zone|anlage|nummer|nr\.|class|category"
    r"|group|schedule|tarifni\sbroj|razred|skupina|zona)\s(?P<after>[IVX]{1,4}|\d{1,3}|[A-Z])(?!\w))",
    re.IGNORECASE,
)
_ORDINALS = {
    "prv": "1", "drug": "2", "treć": "3", "erst": "1", "zweit": "2", "dritt": "3", "first": "1",
    "second": "2", "third": "3",
}  # fmt: skip
_ORDINAL = re.compile(
    r"(?<!\w)(?P<word>prv|drug|treć|erst|zweit|dritt|first|second|third)\w{0,3}\s(?:\w+\s)?"
    r"(?=stup|säule|stufe|pillar|band|tier|dijete|kind|child|hund|dog)",
    re.IGNORECASE,
)
_DUE = (
    r"(?=(?:osnovic|stop[aeiu]|iznos(?!i)|naknad|pristojb|cijen|plać[aeu](?!\w)|dnevnic|mirovin"
    r"|rates?(?!\w)|bas[ei]s?(?!\w)|fees?(?!\w)|amounts?(?!\w)|charges?(?!\w)|premiums?(?!\w)|wages?(?!\w)"
    r"|s[aä]tz|betr[aä]g|beitr[aä]g|gebühr|entgelt|bemessung|lohn))"
)
_EXTREME = re.compile(
    r"(?<!\w)(?:(?P<least>najniž\w{1,3}|najmanj\w{1,3}|minimaln\w{1,3}|minimum|lowest|niedrigste\w?)"
    r"|(?P<most>najviš\w{1,3}|najveć\w{1,3}|maksimaln\w{1,3}|maximum|highest|höchste\w?))"
    rf"\s(?:[^\W\d_]{{3,16}}\s){{0,2}}{_DUE}|(?<!\w)(?:(?P<de_least>mindest)|(?P<de_most>höchst)){_DUE}",
    re.IGNORECASE,
)
"""`Najniža osnovica`, `Höchstsatz`: the same words without "najviše 30 dana" say nothing."""
_FEE = re.compile(
    r"(?<!\w)(?P<what>application|late|registration|renewal|issue|filing)\s(?:[a-z]{3,14}\s)?(?:fees?|charges?)(?!\w)",
    re.IGNORECASE,
)
"""Words that any act uses, and that name a fee of their own."""
_TELLING = frozenset(
    {
        "pens",
        "health",
        "unempl",
        "accide",
        "mirov",
        "zdravs",
        "nezapo",
        "ozljed",
        "renten",
        "kranke",
        "arbeit",
        "unfall",
        "pflege",
    }
)
"""Kinds of insurance, although the names of contributions contain them."""
_LETTERS = str.maketrans({"đ": "d", "ß": "ss"})


def make_kind(qualifiers: Iterable[str], language: str | None, known: Iterable[str] = ()) -> str:
    """The stems of the words that tell one kind of thing from another, in alphabetical order.

    Words that any act uses tell nothing, nor do those that name the levy or the town (`known`).
    Numbers count only where they name a class: the first
    pillar is not the second.
    """
    text = " · ".join(qualifiers)
    pattern = _GERMAN_NOUN if language == "de" else _WORD
    stems = [make_stem(word) for word in pattern.findall(text)]
    empty = load_common_stems() | set(map(make_stem, known))
    named = [stem for stem in dict.fromkeys(stems) if stem not in empty][:_MOST]
    named += [(m["before"] or m["after"]).lower() for m in _CLASS.finditer(text)]
    named += [_ORDINALS[m["word"].lower()] for m in _ORDINAL.finditer(text)]
    named += [_name_extreme(m) for m in _EXTREME.finditer(text)]
    named += [make_stem(m["what"]) for m in _FEE.finditer(text)]
    return "_".join(sorted(set(named)))


def _name_extreme(match: re.Match[str]) -> str:
    return "min" if match["least"] or match["de_least"] else "max"


def make_stem(word: str) -> str:
    """The first letters of a word, without case, accents and most endings."""
    start = strip_marks(word)[:_STEM]
    bare = start.rstrip(_ENDINGS)
    return bare if len(bare) >= _SHORTEST else start


def strip_marks(word: str) -> str:
    """A word without case and accents."""
    split = unicodedata.normalize("NFKD", word.casefold().translate(_LETTERS))
    return "".join(letter for letter in split if not unicodedata.combining(letter))


@cache
def load_common_stems() -> frozenset[str]:
    """Stems that tell no kind from another; the names of the pack's subjects and predicates too."""
    lines = (Path(__file__).parent / "common_words.txt").read_text(encoding="utf-8").splitlines()
    stems = {stem for line in lines if not line.startswith("#") for stem in line.split()}
    declared = load_declared_facts()
    names = [name for one in declared.predicates.values() for name in one.labels.values()]
    for subject in declared.subjects.values():
        names += [name for some in subject.labels.values() for name in some]
    words = " ".join(names).split()
    return frozenset(map(make_stem, [*stems, *words])) - _TELLING
