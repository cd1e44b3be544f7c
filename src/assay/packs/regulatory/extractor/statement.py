"""What a sentence says about a figure, in its own words and with its own verbs.

Nothing is taken out of a phrase: without its `not` or its `at most` it would say the opposite. What
the condition of the figure says already is left out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from assay.packs.regulatory.extractor.clauses import Clause
from assay.packs.regulatory.extractor.figures import Figure
from assay.packs.regulatory.extractor.qualifiers import blot_cases

_PHRASES = 3
"""So many phrases are taken on each side of the one that contains the figure."""
_WORDS = 24
_OWN_WORDS = 60
"""The most words of a phrase, and of the one that contains the figure."""
_HEADING_WORDS = 14
_LEAD_WORDS = 40
_LEADS = 2
"""So many levels of lists say what an item is about."""
_SEPARATES = re.compile(r"[;:·|]+|,(?=\s)(?!\s\d)|\s[–—-]{1,2}\s")
_NOISE = re.compile(r"\\(?=[^\w\s])|\*{1,3}|(?<!\w)F\d{1,4}\[|(?<=\w)\](?!\()")
_PUBLISHED = re.compile(
    r"\(?\s?[»„“\"]?(?:Narodne\snovine|Narodnim\snovinama|BGBl\.|OJ\sL|ABl\.)[«“”\"]?[^()]{0,80}\)"
)
"""Where an act was published says nothing about a figure."""
_MARKER = re.compile(
    r"^[\s\\(]{0,3}(?:\d{1,4}[A-Z]?[.—–]{1,3})?\s?(?:\(?\w{1,4}[\\.)]{1,3}\s{1,3}){1,3}"
)
_CONTENT = re.compile(r"[^\W\d_]{3,}")
_AMENDED = re.compile(
    r"(?<!\w)(?:amended|substitut\w{2,4}|insert\w{2,4}|geändert|ersetzt|mijenja\w{0,2})(?!\w)",
    re.IGNORECASE,
)
_EDGES = " ,;:.–—-/\n\t"


def find_statement(
    clause: Clause, figure: Figure, case: Sequence[str], leads: Sequence[str], last: str
) -> tuple[str, ...]:
    """The phrases around a figure, after those that introduce its list.

    `last` is the sentence before, if the figure's own refers back to it.
    """
    found = [_clean(clause.heading)] if clause.heading.count(" ") < _HEADING_WORDS else []
    found += [
        _cut_words(_clean(blot_cases(lead, case)), _LEAD_WORDS, last=True)
        for lead in leads[-_LEADS:]
        if not _AMENDED.search(lead)
    ]
    if last:
        found.append(_cut_words(_clean(blot_cases(last, case)), _LEAD_WORDS, last=False))
    found += _find_phrases(clause, figure, blot_cases(clause.text, case))
    return tuple(_drop_repeats(one for one in found if _CONTENT.search(one)))


def _find_phrases(clause: Clause, figure: Figure, text: str) -> Iterator[str]:
    """The phrase that begins the sentence, the figure's own, and a few on both sides of it."""
    pieces = list(_split(text, clause.begin, len(text)))
    own = next((at for at, (_, last) in enumerate(pieces) if last >= figure.end), len(pieces))
    first = max(0, own - _PHRASES)
    if first and not _has_rival(clause, figure, *pieces[0]):
        yield _cut_words(_clean(text[slice(*pieces[0])]), _WORDS, last=False)
    for at, piece in enumerate(pieces[first : own + _PHRASES + 1], first):
        if at == own or not _has_rival(clause, figure, *piece):
            most = _OWN_WORDS if at == own else _WORDS
            yield _cut_words(_clean(text[slice(*piece)]), most, last=at < own)


def _has_rival(clause: Clause, figure: Figure, start: int, end: int) -> bool:
    """Whether a phrase is about another figure of the same kind."""
    return any(
        start <= one.start < end
        for one in clause.figures
        if one.kind is figure.kind and one != figure
    )


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in _SEPARATES.finditer(text, start, end):
        if _CONTENT.search(text, at, match.start()):
            yield at, match.start()
            at = match.end()
        elif not text[at : match.start()].strip(_EDGES):
            at = match.end()
    if at < end:
        yield at, end


def _clean(words: str) -> str:
    plain = _PUBLISHED.sub(" ", _NOISE.sub(" ", words)).replace("·", " ")
    return _MARKER.sub("", " ".join(plain.split())).strip(_EDGES)


def _cut_words(phrase: str, most: int, *, last: bool) -> str:
    words = phrase.split()
    if len(words) <= most:
        return phrase
    return "… " + " ".join(words[-most:]) if last else " ".join(words[:most]) + " …"


def _drop_repeats(found: Iterable[str]) -> Iterator[str]:
    seen: list[str] = []
    for phrase in found:
        if not any(phrase.casefold() in one for one in seen):
            seen.append(phrase.casefold())
            yield phrase
