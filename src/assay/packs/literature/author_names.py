"""The parts of an author's name, which every citation format wants in its own order."""

import re
from dataclasses import dataclass
from typing import Final

_SUFFIXES: Final = frozenset(("jr", "jr.", "sr", "sr.", "ii", "iii", "iv"))
_PARTICLES: Final = frozenset(
    ("af", "al", "ap", "av", "bin", "da", "das", "de", "degli", "del", "della", "den", "der", "di",
     "do", "dos", "du", "e", "el", "ibn", "la", "las", "le", "li", "lo", "los", "ten", "ter", "van",
     "vom", "von", "y", "zu", "zum", "zur")
)  # fmt: skip
_OF_ORGANISATIONS: Final = re.compile(
    r"\d|[&/@|]|\b(?:of|for|and|on|in|und|et|für|pour)\b|(?i:^the\s|\b(?:academy|administration|agency|"
    r"alliance|association|authority|bank|board|bureau|centers?|centres?|club|collaboration|"
    r"commission|committee|company|consortium|corp|corporation|council|department|federation|"
    r"foundation|gmbh|group|inc|initiative|institut\w*|laborator(?:y|ies)|labs?|ltd|llc|ministry|"
    r"nations|network|office|organi[sz]ation|partnership|program|programme|project|registry|school|"
    r"service|society|task force|team|trust|union|universit\w+|working party)\b)"
)
"""Little words count in lower case only: `In So Kweon` is a person."""


@dataclass(frozen=True)
class AuthorName:
    """The name of a person in parts, or of an organisation as a whole."""

    family: str
    """The family name, the only name that there is, or the organisation."""
    given: str = ""
    particle: str = ""
    """What stands before a family name without being sorted by it: `van der`."""
    suffix: str = ""
    is_organisation: bool = False

    @property
    def inverted(self) -> str:
        """With the family name first: `van der Berg, Jan, Jr.`."""
        whole = f"{self.particle} {self.family}".strip()
        return ", ".join(part for part in (whole, self.given, self.suffix) if part)

    @property
    def plain(self) -> str:
        """As people write it: `Jan van der Berg Jr.`."""
        parts = (self.given, self.particle, self.family, self.suffix)
        return " ".join(part for part in parts if part)


def split_name(author: str) -> AuthorName:
    """The parts of "Given Family", "Family, Given", "Family, Jr., Given" or "Family AB".

    What does not look like a person's name is kept whole: a wrong order would be worse than none.
    """
    text = " ".join(author.split())
    if text.startswith("{") and text.endswith("}"):
        return AuthorName(text[1:-1].strip() or text, is_organisation=True)
    parts = [part.strip() for part in text.split(",")]
    if _OF_ORGANISATIONS.search(parts[0]) or len(parts) > 3 or not all(parts):
        return AuthorName(text, is_organisation=True)
    if len(parts) == 1:
        return _split_natural(text.split())
    if len(parts) == 2 and parts[1].lower() in _SUFFIXES:
        return _split_natural([*parts[0].split(), parts[1]])
    if len(parts) == 2:
        return _build_name(parts[0].split(), parts[1])
    for given, suffix in ((parts[2], parts[1]), (parts[1], parts[2])):
        if suffix.lower() in _SUFFIXES:
            return _build_name(parts[0].split(), given, suffix)
    return AuthorName(text, is_organisation=True)


def _split_natural(words: list[str]) -> AuthorName:
    suffix = words.pop() if len(words) > 2 and words[-1].lower() in _SUFFIXES else ""
    if len(words) == 1:
        return AuthorName(words[0], suffix=suffix)
    if _is_initials(words[-1]) and not any(_is_initials(word) for word in words[:-1]):
        return _build_name(words[:-1], words[-1], suffix)
    start = len(words) - 1
    while start > 1 and words[start - 1] in _PARTICLES:
        start -= 1
    return _build_name(words[start:], " ".join(words[:start]), suffix)


def _build_name(family: list[str], given: str, suffix: str = "") -> AuthorName:
    count = 0
    while count < len(family) - 1 and family[count] in _PARTICLES:
        count += 1
    return AuthorName(" ".join(family[count:]), given, " ".join(family[:count]), suffix)


def _is_initials(word: str) -> bool:
    letters = word.replace(".", "").replace("-", "")
    return 0 < len(letters) <= 3 and letters.isalpha() and letters.isupper() and letters.isascii()
