"""The name under which an act and the acts that amend it find each other."""

import re
import unicodedata

from assay.sdk.records import derive_id

_IN_BRACKETS = re.compile(r"\([^()]*\)|[»„“\"‚‘'][^«”“\"’']*[«”“\"’']")
_AMENDING = re.compile(
    r"^(?:zakon|uredb|odluk|pravilnik|propis)\w*\s+o\s+(?:izmjen|dopun|izmjen\w+\s+i\s+dopun)\w*\s+"
    r"(?:i\s+dopun\w*\s+)?"
    r"|^isprav(?:ak|ka)\s+(?=zakon|uredb|odluk|pravilnik)"
    r"|^(?:\w+\s+)?(?:gesetz|verordnung|satzung)\s+zur\s+(?:\w+\s+)?änderung\s+(?:der|des|von)\s+",
    re.IGNORECASE,
)
_PUBLISHER = re.compile(r"\s[–—|]\s|\s-\s")
_EU = r"(?:eu|ec|eec|euratom|eg|ewg|ez|eez)"
_EU_ACT = re.compile(
    r"(?:(?:council|commission|delegated|implementing|framework)\s)*"
    r"(?P<kind>regul|direc|decis|veror|richt|besch|uredb|direk|odluk)\w{0,7}\s"
    rf"(?P<body>\({_EU}(?:,\s?{_EU})*\)\s)?"
    r"(?:(?:no|nr|br)\.?\s(?P<number>\d{1,4})/(?P<year>\d{2,4})"
    r"|(?P<first>(?:19|20)\d\d)/(?P<second>\d{1,4}))"
    rf"(?(body)(?!\d)|/{_EU}\b)"
)
"""Acts of the European Union are known by their number, whatever else their titles say."""
_EU_KINDS = {
    "regul": "regulation", "veror": "regulation", "uredb": "regulation",
    "direc": "directive", "richt": "directive", "direk": "directive",
    "decis": "decision", "besch": "decision", "odluk": "decision",
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_AFTER_NOUN = frozenset({"o", "za", "u", "na", "zur", "zum", "uber", "of", "on", "for"})
"""What follows one of these words in a title does not change with the case of the title."""
_STEM, _LONG_STEM, _LONG = 5, 12, 13
"""Letters that count in a word that changes, and in a long one such as a German compound."""


def make_act_key(name: str) -> str:
    """The key of an act by its name, whatever its grammatical case; empty if it has no name.

    `Zakonu o porezu na dodanu vrijednost (»SL«, br. 88/24)` and the title of that act have the
    same key.
    """
    if numbered := _EU_ACT.match(" ".join(name.casefold().split())):
        return _make_eu_key(numbered)
    plain = _IN_BRACKETS.sub(" ", name)
    folded = unicodedata.normalize("NFKD", plain.casefold())
    letters = "".join(c for c in folded if not unicodedata.combining(c)).replace("đ", "d")
    words = _WORD.findall(letters)
    fixed = next((at for at, word in enumerate(words) if word in _AFTER_NOUN), len(words))
    return "-".join([*map(_cut_ending, words[:fixed]), *words[fixed:]])[:200]


def _make_eu_key(found: re.Match[str]) -> str:
    """`Regulation (EU) No 596/2014` and `Regulation (EU) 2014/596` are the same act."""
    number, year = found["number"] or found["second"], found["year"] or found["first"]
    full_year = year if len(year) == 4 else f"19{year}"
    return f"eu-{_EU_KINDS[found['kind']]}-{full_year}-{int(number)}"


def _cut_ending(word: str) -> str:
    if any(letter.isdecimal() for letter in word):
        return word
    return word[: _LONG_STEM if len(word) >= _LONG else _STEM]


def make_instruction_id(evidence_id: str, start: int, act_key: str) -> str:
    """The id of the question about an instruction: by its text, its place, and the act."""
    return derive_id("rq", "law_amendment", evidence_id, str(start), act_key)


def make_version_id(evidence_id: str, act_key: str) -> str:
    """The id of the question about a version of an act's page that does not say what changed it."""
    return derive_id("rq", "law_version", evidence_id, act_key)


def find_amended_name(title: str) -> str:
    """The act that an amending act names in its title; empty if it amends none, or does not say."""
    plain = cut_publisher(" ".join(title.split()))
    found = _AMENDING.match(plain)
    return plain[found.end() :] if found else ""


def cut_publisher(title: str) -> str:
    """A title without the publisher's name that pages add to it."""
    return _PUBLISHER.split(title, maxsplit=1)[0].strip()


def is_amending_title(title: str) -> bool:
    """Whether a title is that of an act which only amends others."""
    return _AMENDING.match(" ".join(title.split())) is not None
