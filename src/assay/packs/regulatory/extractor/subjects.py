"""What a sentence, a heading or a document is about: a subject of the pack, otherwise a slug."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.sdk.facts import Facts, Subject, load_facts

# One letter for one, so offsets stay the same.
_BARE = str.maketrans("čćšžđäöüČĆŠŽĐÄÖÜ", "ccszdaouCCSZDAOU")
_ENDINGS = {
    # A Croatian noun or adjective changes its last letters, an English one takes at most an s, a
    # German one may continue as a compound.
    "hr": r"\w{0,4}",
    "en": r"(?:e?s)?",
    "de": r"\w{0,24}",
}
_FORMS = re.compile(
    r"\b(?:zakon\w{0,2}|član(?:ak|ka)|pravilnik\w{0,2}|(?<!opće\s)uredb\w{1,2}|odluk\w{1,2}|naput\w{1,3}|uput\w{1,2}"
    r"|naredb\w{1,2}|obavijest\w{0,2}|prijedlog\w{0,2}|nacrt\w{0,2}|propis\w{0,3}|pročišćen\w{1,3}"
    r"|tekst\w{0,2}|izmjen\w{1,4}|dopun\w{1,4}|javn\w{1,3}\s+rasprav\w{1,2}|rasprav\w{1,2}|česta|pitanja"
    r"|vodič\w{0,2}"
    r"|act|acts|regulations?|ordinance|rules?|order|orders|guidance|notes?|decision"
    r"|directive"
    r"|amend(?:ing|ments?|ed)|part|title|chapter|council|commission|european|parliament|laying|down"
    r"|measures|faq|public(?=\sconsultation)|consultation|implementing|delegated|proposal|draft"
    r"|gesetz\w{0,2}|verordnung\w{0,2}|richtlinie\w?|bekanntmachung|änderung\w{0,2}|merkblatt"
    r"|entwurf|satzung|fristen|hinweis\w{0,2}|tarif[aeu]?|objav[aeu]|union|january|february|march"
    r"|april|may|june|july|august|september|october|november|december|gemeinde\s\w{1,30}"
    r"|grad[au]?\s\w{1,30}|općin[aeiu]\s\w{1,30}|letak|pravila|izvadak|zakonik\w{0,2}|bill|scheme"
    r"|bulletin|leaflet|bye?-?laws?|decree|circular|consolidated|questions|informationsblatt"
    r"|rundbrief|kreisschreiben|fragen|landkreis\w{0,2}\s\w{1,30}|borough\sof\s\w{1,30}|erhebung"
    r"|visin[aeiu])\b|^\W*(?:public\s)?notice\b",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(
    r"(?<!\w)([^\W\d_]{4,}(?:og|oga|om|ome|im|ih|ni|ski))\s{1,3}$", re.IGNORECASE
)
_OWN_KINDS = re.compile(
    r"obvezn|mirovinsk|zdravstven|socijaln|osnovn|poseb|dodatn|ov|navede|propisan", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_EMPTY_WORDS = """
    the and for from with that this its which are was not any all into upon under about certain
    other such eu ec no on of to in by or an as at is provisions
    der die das des dem den und über für von zur zum mit aus bei auf eine einer eines im
    koji koje koja kao ili ili nad pod pri iz za na se su je te republike hrvatske području prema
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_TITLE_WORDS = 6
_NAME_WORDS = 16
_SMALL = frozenset(
    [
        "the",
        "and",
        "of",
        "for",
        "in",
        "to",
        "on",
        "by",
        "with",
        "from",
        "a",
        "an",
        "or",
        "as",
        "at",
        "act",
        "regulations",
        "order",
    ]
)
NAMELESS = "document"
"""The slug of a title without any distinctive word."""
_SHORT_TITLE = re.compile(r"\(((?:[A-Z][\w'-]{2,20}\s){1,4}(?:Act|Regulation|Directive))\)")


@dataclass(frozen=True, slots=True)
class SubjectMention:
    """A subject of the pack, and where a text names it."""

    subject: Subject
    start: int
    end: int


@cache
def load_declared_facts() -> Facts:
    """Load the facts of the pack that this extractor belongs to."""
    return load_facts(Path(__file__).parent.parent)


def strip_accents(text: str) -> str:
    """The same letters without their accents, each at its offset."""
    return text.translate(_BARE)


def find_mentions(text: str) -> list[SubjectMention]:
    """The subjects that a text names, in order; of two names at the same place, the longer."""
    found: list[SubjectMention] = []
    for match in _build_names_pattern().finditer(strip_accents(text)):
        name = match.lastgroup
        if name is not None and not _is_other_kind(text, match):
            subject = load_declared_facts().subjects[name.partition("__")[0]]
            found.append(SubjectMention(subject, match.start(), match.end()))
    return found


def names_other_levy(text: str) -> bool:
    """Whether a text names a levy that only sounds like a subject of the pack."""
    return any(
        _is_other_kind(text, match)
        for match in _build_names_pattern().finditer(strip_accents(text))
    )


def _is_other_kind(text: str, match: re.Match[str]) -> bool:
    """`vatrogasni doprinos` is a separate levy, not a social contribution."""
    if not match[0].lower().startswith("doprinos") or " " in match[0]:
        return False
    kind = _ADJECTIVE.search(text, max(0, match.start() - 24), match.start())
    return kind is not None and not _OWN_KINDS.match(kind[1])


@cache
def _build_names_pattern() -> re.Pattern[str]:
    """All names of all subjects in one pattern, the longest first."""
    entries: list[tuple[int, str, str]] = []
    for subject in load_declared_facts().subjects.values():
        for language, names in subject.labels.items():
            entries += [
                (len(name), subject.name, _build_name_pattern(name, language)) for name in names
            ]
    entries.sort(key=lambda entry: (-entry[0], entry[1:]))
    groups = (f"(?P<{name}__{at}>{made})" for at, (_, name, made) in enumerate(entries))
    return re.compile(r"\b(?:" + "|".join(groups) + r")\b")


def _build_name_pattern(name: str, language: str) -> str:
    words = [
        _build_word_pattern(word, language) for word in re.split(r"[\s-]+", strip_accents(name))
    ]
    return r"[\s-]{1,3}".join(words)


def _build_word_pattern(word: str, language: str) -> str:
    if word.isupper() or word == "USt":
        return word + r"(?:-\w{1,9}|G|DV)?"
    ending = _ENDINGS[language]
    stem = word
    if language == "hr" and len(word) > 3:
        stem = word.rstrip("aeiou")
        if len(stem) > 5 and stem.endswith("sk"):
            stem = stem[:-1]
    if language == "en" and word.endswith("s"):
        stem = word[:-1]
    if language == "hr" and len(word) <= 3:
        ending = ""
    return rf"(?i:{re.escape(stem)}{ending})"


def find_subject(text: str) -> Subject | None:
    """The subject that a text names most often; the first if there is a tie."""
    counted = Counter(mention.subject.name for mention in find_mentions(text))
    if not counted:
        return None
    return load_declared_facts().subjects[counted.most_common(1)[0][0]]


def make_slug(text: str) -> str:
    """A short name from a title's own words: `spomenickoj_renti`."""
    short = _SHORT_TITLE.search(text)
    if short:
        text = short[1]
    plain = _FORMS.sub(" ", re.sub(r"\([^()]{0,200}\)", " ", text))
    words = [word for word in _WORD.findall(plain.lower()) if word not in _EMPTY]
    ascii_words = [_to_ascii(word) for word in words[:_TITLE_WORDS]]
    return "_".join(word for word in ascii_words if word) or NAMELESS


def make_full_slug(text: str) -> str:
    """All words of a name but the smallest: `local_government_charges_2009`."""
    words = re.findall(r"[^\W_]+", text.lower())
    kept = [word for word in words if word not in _SMALL and (len(word) > 1 or word.isdigit())]
    return "_".join(filter(None, map(_to_ascii, kept[:_NAME_WORDS])))


def _to_ascii(word: str) -> str:
    return strip_accents(word).replace("ß", "ss").encode("ascii", "ignore").decode()
