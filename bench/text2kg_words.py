"""Words as Text2KGBench looks for them: cut as the Penn Treebank cuts, and stemmed as Porter does.

A name counts as made up where its stems, run together, do not stand in the stems of the sentence.
The benchmark takes both from NLTK; the same rules are written out here, because the figures must
not need a download. Sentences are found by a rule of thumb where NLTK has a trained model.
"""

import re
from functools import lru_cache
from typing import Final

_VOWELS: Final = "aeiou"
_GAP: Final = re.compile(r"(_|\s+)")

# --------------------------------------------------------------------------- cutting

_SENTENCE_END: Final = re.compile(r"(\S+?)([.?!]+)([)\]\"'”’»]*)\s+(?=[\"'“‘(\[«]*[A-Z0-9À-Þ])")
_ABBREVIATIONS: Final = """
mr mrs ms dr prof st jr sr vs no vol ca c fl b d ft lt col gen capt sgt maj rev hon gov sen rep pres
inc ltd co corp bros approx e.g i.e u.s u.k a.m p.m d.c
jan feb mar apr jun jul aug sep sept oct nov dec
"""
_NO_END: Final = frozenset(_ABBREVIATIONS.split())
_OPENING: Final = (
    (re.compile(r"[«“‘„]|`+"), r" \g<0> "),
    (re.compile(r'^"'), "``"),
    (re.compile(r"``"), " `` "),
    (re.compile(r"([ (\[{<])(?:\"|'')"), r"\1 `` "),
    (re.compile(r"(?i)'(?!re|ve|ll|m|t|s|d|n)(\w)\b"), r"' \1"),
)
_POINTS: Final = (
    (re.compile(r"([^.])\.([\])}>\"'»”’ ]*)\s*$"), r"\1 . \2 "),
    (re.compile(r"([:,])(\D)"), r" \1 \2"),
    (re.compile(r"[:,]$"), r" \g<0> "),
    (re.compile(r"\.{2,}"), r" \g<0> "),
    (re.compile(r"[;@#$%&]"), r" \g<0> "),
    (re.compile(r"([^.])\.([\])}>\"']*)\s*$"), r"\1 .\2 "),
    (re.compile(r"[?!]"), r" \g<0> "),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"\*"), " * "),
    (re.compile(r"[\]\[(){}<>]"), r" \g<0> "),
    (re.compile(r"--"), " -- "),
)
_CLOSING: Final = (
    (re.compile(r"[»”’]"), r" \g<0> "),
    (re.compile(r"''"), " '' "),
    (re.compile(r'"'), " '' "),
    (re.compile(r"([^' ])('[sSmMdD]|') "), r"\1 \2 "),
    (re.compile(r"([^' ])('(?:ll|LL|re|RE|ve|VE)|n't|N'T) "), r"\1 \2 "),
)
_RUN_TOGETHER: Final = tuple(
    re.compile(rf"(?i)\b({first})({second})\b")
    for first, second in (
        ("can", "not"),
        ("d", "'ye"),
        ("gim", "me"),
        ("gon", "na"),
        ("got", "ta"),
        ("lem", "me"),
        ("more", "'n"),
        ("wan", r"na(?=\s)"),
    )
)
_IT: Final = re.compile(r"(?i) ('t)(is|was)\b")


def tokens(text: str) -> list[str]:
    """The words and marks of a text, sentence by sentence."""
    return [token for sentence in _sentences(text) for token in _cut(sentence)]


def _sentences(text: str) -> list[str]:
    found, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        word, mark = match[1].lstrip("(\"'“‘["), match[2]
        # An initial or a known abbreviation ends no sentence.
        if mark == "." and (len(word) == 1 or word.lower() in _NO_END):
            continue
        found.append(text[start : match.end(3)])
        start = match.end()
    return [*found, text[start:]]


def _cut(sentence: str) -> list[str]:
    for pattern, put in (*_OPENING, *_POINTS):
        sentence = pattern.sub(put, sentence)
    sentence = f" {sentence} "
    for pattern, put in _CLOSING:
        sentence = pattern.sub(put, sentence)
    for pattern in _RUN_TOGETHER:
        sentence = pattern.sub(r" \1 \2 ", sentence)
    return _IT.sub(r" \1 \2 ", sentence).split()


def stems(text: str) -> str:
    """A text as names are looked for in it: its stems run together, without `_`, in small letters.

    A stem keeps a `_` or a space inside a word no longer than until here.
    """
    return _GAP.sub("", "".join(map(stem, tokens(text)))).lower()


# --------------------------------------------------------------------------- stemming

_IRREGULAR: Final = {
    form: stem
    for stem, forms in {
        "sky": "sky skies",
        "die": "dying",
        "lie": "lying",
        "tie": "tying",
        "news": "news",
        "inning": "innings inning",
        "outing": "outings outing",
        "canning": "cannings canning",
        "howe": "howe",
        "proceed": "proceed",
        "exceed": "exceed",
        "succeed": "succeed",
    }.items()
    for form in forms.split()
}
_STEP_2: Final = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
)
_STEP_3: Final = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_ENDINGS: Final = """
al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize
"""
_STEP_4: Final = tuple(_ENDINGS.split())


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Porter's stem of a word, with the small departures that NLTK makes by default.

    As in NLTK 3.8, of the benchmark's time, an irregular word counts in small letters only.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = word.lower()
    if len(word) <= 2:
        return word
    for step in (_plural, _past, _y, _long_ending, _ending, _last_ending, _final_e, _double_l):
        word = step(word)
    return word


def _consonants(word: str) -> str:
    """Each letter as `c` or `v`; a `y` counts as a vowel after a consonant."""
    kinds = ""
    for place, letter in enumerate(word):
        if letter == "y":
            kinds += "c" if place == 0 or kinds[-1] == "v" else "v"
        else:
            kinds += "v" if letter in _VOWELS else "c"
    return kinds


def _measure(word: str) -> int:
    """How often a consonant follows a vowel."""
    return _consonants(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _consonants(word)


def _is_double(word: str) -> bool:
    return len(word) >= 2 and word[-1] == word[-2] and _consonants(word)[-1] == "c"


def _is_short(word: str) -> bool:
    """Whether it ends as `hop` does, or is a vowel and a consonant."""
    kinds = _consonants(word)
    return (kinds.endswith("cvc") and word[-1] not in "wxy") or kinds == "vc"


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    for ending, put in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending):
            return word[: -len(ending)] + put
    return word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return _mended(rest) if _has_vowel(rest) else word
    return word


def _mended(rest: str) -> str:
    """What is left after `ed` or `ing`, made a word again."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _is_double(rest):
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _is_short(rest) else rest


def _y(word: str) -> str:
    rest = word[:-1]
    if word.endswith("y") and len(rest) > 1 and _consonants(rest)[-1] == "c":
        return rest + "i"
    return word


def _long_ending(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _long_ending(word[:-4] + "al")
    for ending, put in _STEP_2:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + put if _measure(rest) > 0 else word
    # The `l` belongs to the stem that is measured.
    return word[:-1] if word.endswith("logi") and _measure(word[:-3]) > 0 else word


def _ending(word: str) -> str:
    for ending, put in _STEP_3:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + put if _measure(rest) > 0 else word
    return word


def _last_ending(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            fits = _measure(rest) > 1 and (ending != "ion" or rest.endswith(("s", "t")))
            return rest if fits else word
    return word


def _final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    rest = word[:-1]
    measure = _measure(rest)
    return rest if measure > 1 or (measure == 1 and not _is_short(rest)) else word


def _double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
