"""Blocks as sentences, with exact offsets: full stops in numbers and abbreviations end nothing."""

import re
from collections.abc import Iterator

_LONGEST = 1_200
"""A longer sentence is cut at its semicolons, to keep a figure from taking a distant meaning."""
_MOST = 3_000
_STOP = re.compile(r"[.!?…][)\"”“’»'\]]{0,2}\s+|:\s+(?=[»„“\"]\(\d{1,3}[a-z]?\)\s)")
"""A sentence also ends where a new paragraph is quoted (`which reads: “(4) …”`)."""
_BRACKETED = 300
"""The most letters between brackets; a bracket not closed within them is a typo."""
_LISTED = re.compile(r"\d{1,3}[.)]\s")
_CUT = re.compile(r";\s+")
_SHORT_WORDS = """
    čl st toč t br god tj npr itd sl dr mr mrs ms prof ing tzv odn ul tel str sv hrv art arts no nos
    sec sect secs pt pts ch chap cf eg ie vs inc ltd co corp v jan feb mar apr jun jul aug sep sept
    oct nov dec abs nr nrn ziff buchst s bzw ca ggf vgl usw inkl zzgl lit para paras reg regs sch
    subs subsec oj p pp stat supp fed ref approx est dipl gem i.v.m bgbl idf cl rn ff zb
"""
_SHORT = frozenset(_SHORT_WORDS.split())
_NUMBERED = frozenset({"no", "nos", "p", "pp", "sec", "art", "arts", "ch", "pt", "br", "st"})
"""An abbreviation before a number, but elsewhere possibly a word or the end of a sentence."""
_LAW = re.compile(
    r"(?:Zakon|Pravilnik|Ustav|Uredb|Odluk|Općeg|Opće|Direktiv|Statut|Naredb|Ugovor|Poslovnik"
    r"|Prilog|Protokol|Konvencij|Kaznen|Prekršajn|Upravn|Ovršn|Naputk|Uput)"
)
_GERMAN_STARTS = """
    der die das ein eine einer eines dem den wer wird werden bei für von im in dies dieser diese
    dieses sie er es auf gegen zur zum nach ab mit als wenn soweit ist sind kann darf nicht am an
    gilt alle jede jeder hat hierbei dabei übersteigt beträgt
"""
_GERMAN_START = frozenset(_GERMAN_STARTS.split())
_WORD_BEFORE = re.compile(r"([^\W\d_]+(?:\.[^\W\d_]+)*)$")
_LETTERED = re.compile(r"(?<!\w)\d{1,4}[a-z]$")
"""`Article 6d`: the number of a provision rather than an abbreviation."""
_WORD_AFTER = re.compile(r"[^\W\d_]+")


def split_sentences(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    """The sentences of one block as stretches of the text, without surrounding space."""
    at = start
    for match in _STOP.finditer(text, start, end):
        if match.end() < end and _ends_sentence(text, at, match, language):
            yield from _cut_sentence(text, at, match.end() - _count_space(match))
            at = match.end()
    yield from _cut_sentence(text, at, end)


def _count_space(match: re.Match[str]) -> int:
    return len(match[0]) - len(match[0].rstrip())


def _cut_sentence(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if end - start > _LONGEST:
        for match in _CUT.finditer(text, start, end):
            if match.start() > start:
                yield from _cut_pieces(text, start, match.start() + 1)
                start = match.end()
    yield from _cut_pieces(text, start, end)


def _cut_pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut endless words at a space: no sentence of a law is that long."""
    while end - start > _MOST:
        space = text.rfind(" ", start + _MOST // 2, start + _MOST)
        cut = space if space > 0 else start + _MOST
        yield start, cut
        start = cut + (space > 0)
    if end > start:
        yield start, end


def _ends_sentence(text: str, start: int, match: re.Match[str], language: str) -> bool:
    """Whether a mark ends its sentence, judged by what comes before and after it."""
    after = text[match.end()]
    if text[match.start()] != ".":
        return not after.islower()
    if after.islower() or after in ",;:)%–-" or _is_in_brackets(text, start, match.start()):
        return False
    # Markdown may escape the full stop of a number, as in "8\\. Februar".
    before = text[max(start, match.start() - 24) : match.start()].rstrip("\\")
    if before[-1:].isdigit():
        return _ends_after_number(text, before, match.end(), language)
    word = _WORD_BEFORE.search(before)
    if word is None or _LETTERED.search(before):
        return True
    if after.isdigit() and not _LISTED.match(text, match.end()):
        # "GBl. 2005": a sentence hardly ever begins with a number.
        return False
    token = word[1]
    if token.lower() in _NUMBERED:
        return not (after.isdigit() or after in "(§")
    if token.lower() in _SHORT or (len(token) == 1 and not match[0].strip(". \n\t")):
        return False
    # "U.S.C. 2801", "d.o.o. Zagreb": letters with full stops between them.
    return not ("." in token and max(map(len, token.split("."))) <= 2)


def _is_in_brackets(text: str, start: int, at: int) -> bool:
    opened = text.rfind("(", max(start, at - _BRACKETED), at)
    return opened >= 0 and text.find(")", opened, at) < 0 and at - opened < _BRACKETED


def _ends_after_number(text: str, before: str, at: int, language: str) -> bool:
    following = _WORD_AFTER.match(text, at)
    if following is None:
        # "članka 4. 12" is a number in a number; "25. (2)" begins a paragraph.
        return text[at] in '(„“"»'
    digits = len(before) - len(before.rstrip("0123456789"))
    word = following[0]
    if language == "de" and digits <= 2:
        return word.lower() in _GERMAN_START
    if language in ("hr", "sh", "bs", "sr") or (language == "und" and digits <= 3):
        return _LAW.match(word) is None
    return True
