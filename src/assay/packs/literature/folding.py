"""Titles and names in a form in which different spellings of the same are equal."""

import re
import unicodedata
from functools import lru_cache
from html import unescape

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
_ACCENT = re.compile(r"\\(?:[`'^\"~=.]\s*|[uvHtcdbkr](?=[\s{])\s*)\{?\\?([A-Za-z])\}?")
_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j)(?![A-Za-z])\s?")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?\s*")
_MARKUP = frozenset((
    "text", "textit", "textbf", "textrm", "textsc", "texttt", "textsf", "textsuperscript",
    "textsubscript", "emph", "it", "bf", "rm", "sc", "em", "mathrm", "mathbf", "mathit",
    "mathcal", "mathbb", "mathsf", "mbox", "hbox", "url", "href", "left", "right", "ensuremath",
))  # fmt: skip
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η":
    "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ":
    "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ":
    "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "ς": "sigma",
}  # fmt: skip
_CYRILLIC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "e", "ж": "zh", "з": "z",
    "и": "i", "й": "i", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с":
    "s", "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch",
    "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "iu", "я": "ia", "і": "i", "ї": "i", "є": "e", "ґ":
    "g", "ђ": "d", "ј": "j", "љ": "lj", "њ": "nj", "ћ": "c", "џ": "dz", "ў": "u",
}  # fmt: skip
_LATIN = {"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th",
          "ı": "i", "ħ": "h", "ŋ": "n", "&": " and "}  # fmt: skip
_SPELLING = str.maketrans(
    {
        **{letter: f" {name} " for letter, name in _GREEK.items()},
        **_CYRILLIC,
        **_LATIN,
    }
)
_SIGNS = re.compile(r"[\W_]+")
_WHOLLY_GREEK = re.compile(r"[α-ωά-ώ]{3,}")


def strip_markup(text: str) -> str:
    """The text without tags, entities and LaTeX; letters that these stand for are kept."""
    if "&" in text:
        text = unescape(text)
    if "<" in text:
        text = _TAG.sub("", text)
    if "\\" in text:
        text = _ACCENT.sub(r"\1", text)
        text = _LETTER.sub(r"\1", text)
        text = _COMMAND.sub(lambda m: "" if m[1] in _MARKUP else f" {m[1]} ", text)
    if "{" in text or "$" in text:
        text = re.sub(r"(?<=\w)[_^](?=\w)", "", re.sub(r"[{}$]", "", text))
    return text


@lru_cache(maxsize=20_000)
def fold_text(text: str) -> str:
    """Lower-case words, one space apart: no markup, accents or punctuation; Cyrillic and Greek in
    Latin letters. Of a text in another script, that script's letters are left."""
    text = strip_markup(text)
    text = unicodedata.normalize("NFKD", text.casefold())
    if not text.isascii():
        # A hyphen at the end of a line, and accents, which NFKD has made characters of their own.
        text = "".join(sign for sign in text if not unicodedata.combining(sign) and sign != "\xad")
        if _WHOLLY_GREEK.search(text):
            text = _WHOLLY_GREEK.sub(lambda m: "".join(_GREEK[c][0] for c in m[0]), text)
        text = text.translate(_SPELLING)
    elif "&" in text:
        text = text.replace("&", " and ")
    return _SIGNS.sub(" ", text).strip()


def squeeze_text(text: str) -> str:
    """The folded text without spaces: a lost or added space changes nothing."""
    return fold_text(text).replace(" ", "")


_PARTICLES = frozenset((
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "el",
    "al", "bin", "ibn", "ter", "ten",
))  # fmt: skip
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv", "phd", "md"))


@lru_cache(maxsize=50_000)
def find_family_name(author: str) -> str:
    """The folded family name of "Given Family" or "Family, Given", without particles."""
    before, comma, after = author.partition(",")
    if comma and fold_text(after) in _SUFFIXES:
        comma = ""
    words = fold_text(before).split()
    if not comma:
        while len(words) > 1 and words[-1] in _SUFFIXES:
            words.pop()
        # "Vaswani A" and "Vaswani AN": initials at the end.
        raw = before.split()
        if len(words) > 1 and len(raw) > 1 and _is_initials(raw[-1]) and not _is_initials(raw[0]):
            words = [word for word in words[: len(raw) - 1] if len(word) > 1] or words[:1]
        return words[-1] if words else ""
    words = [word for word in words if word not in _PARTICLES] or words
    return words[-1] if words else ""


def list_name_words(author: str) -> frozenset[str]:
    """All words of a name except initials, for languages that put the family name first."""
    return frozenset(word for word in fold_text(author).split() if len(word) > 1)


def are_names_alike(first: str, second: str) -> bool:
    """Whether two folded family names are spellings of one: Müller, Mueller and Muller."""
    if first == second:
        return bool(first)
    return len(first) > 2 and len(second) > 2 and _collapse(first) == _collapse(second)


@lru_cache(maxsize=50_000)
def _collapse(name: str) -> str:
    return re.sub(r"(?<=[aou])e|(?<=[a-z])h(?=[aeiou]|$)", "", name).replace("y", "i")


def _is_initials(word: str) -> bool:
    letters = word.replace(".", "").replace("-", "")
    return 0 < len(letters) <= 3 and letters.isupper() and letters.isalpha()
