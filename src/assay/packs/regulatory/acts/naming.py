"""The name under which an act and the acts that amend it find each other."""

import re
import unicodedata

from assay.sdk.records import derive_id

_IN_BRACKETS = re.compile(r"\([^()]*\)|[»„“\"‚‘'][^«”“\"’']*[«”“\"’']")
_AMENDING = re.compile(
    r"^(?:zakon|uredb|odluk|pravilnik|propis)\w*\s+o\s+(?:izmjen|dopun|izmjen\w+\s+i\s+dopun)\w*\s+"
    r"(?:i\s+dopun\w*\s+)?"
    r"|^[\w\s(),/.]{0,160}?\bof\s+\d{1,2}\s+[a-z]+\s+\d{4}\s+amending\s+"
    r"|^(?:\w+\s+)?(?:gesetz|verordnung|satzung)\s+zur\s+(?:\w+\s+)?änderung\s+(?:der|des|von)\s+",
    re.IGNORECASE,
)
_UNION = re.compile(
    r"(?:(?:the|commission|council|delegated|implementing)\s+)*(?P<kind>regulation|directive|decision)"
    r"\s+(?:\((?:EU|EC|EEC|Euratom)(?:,\s*\w+)?\)\s*)?(?:No\s+)?(?P<number>\d+/\d+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_AFTER_NOUN = frozenset({"o", "za", "u", "na", "zur", "zum", "uber", "of", "on", "for"})
"""What follows one of these words in a title does not change with the case of the title."""
_STEM, _LONG_STEM, _LONG = 5, 12, 13
"""Letters that count in a word that changes, and in a long one such as a German compound."""


def make_act_key(name: str) -> str:
    """The key of an act by its name, whatever its grammatical case; empty if it has no name.

    `Zakonu o porezu na dodanu vrijednost (»SL«, br. 88/24)` and the title of that act have the
    same key. An act of the Union is cited by its number, whatever follows it in its title.
    """
    if union := _UNION.match(" ".join(name.split())):
        return f"eu-{union['kind']}-{union['number']}".lower().replace("/", "-")
    plain = _IN_BRACKETS.sub(" ", name)
    folded = unicodedata.normalize("NFKD", plain.casefold())
    letters = "".join(c for c in folded if not unicodedata.combining(c)).replace("đ", "d")
    words = _WORD.findall(letters)
    fixed = next((at for at, word in enumerate(words) if word in _AFTER_NOUN), len(words))
    return "-".join([*map(_cut_ending, words[:fixed]), *words[fixed:]])[:200]


def _cut_ending(word: str) -> str:
    return word[: _LONG_STEM if len(word) >= _LONG else _STEM]


def make_instruction_id(evidence_id: str, start: int, act_key: str) -> str:
    """The id of the question about an instruction: by its text, its place, and the act."""
    return derive_id("rq", "law_amendment", evidence_id, str(start), act_key)


def make_version_id(evidence_id: str, act_key: str) -> str:
    """The id of the question about a version of an act's page that does not say what changed it."""
    return derive_id("rq", "law_version", evidence_id, act_key)


def find_amended_name(title: str) -> str:
    """The act that an amending act names in its title; empty if it amends none, or does not say."""
    plain = " ".join(title.split())
    found = _AMENDING.match(plain)
    return plain[found.end() :] if found else ""


def is_amending_title(title: str) -> bool:
    """Whether a title is that of an act which only amends others."""
    return _AMENDING.match(" ".join(title.split())) is not None
