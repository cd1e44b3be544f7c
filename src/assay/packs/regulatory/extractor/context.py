"""What a quote depends on and does not contain: its headings, its list's lead-ins, what it goes on
with, the provisions that it names, and the rest of its article."""

import re
from collections.abc import Iterator, Sequence

from assay.packs.regulatory.extractor.clauses import Clause

_WORDS = 40
"""The most words of a lead-in or a sentence."""
_HEADING_WORDS = 14
_REFERRED = 3_000
"""The most characters of a provision that a sentence names."""
_ALL_REFERRED = 6_000
_NUMBER_ONLY = re.compile(r"\W*(?:[^\W\d_]{2,9}\.?\s)?\d{1,4}[a-zA-Z]{0,2}\W*")
"""`Članak 22`: a heading that says nothing."""
_NOISE = re.compile(r"\\(?=[^\w\s])|\*{1,3}|(?<!\w)F\d{1,4}\[|(?<=\w)\](?!\()|^#+\s")
_MARKER = re.compile(
    r"^[\s\\(]{0,3}(?:\d{1,4}[A-Z]?[.—–]{1,3})?\s?(?:\(?\w{1,4}[\\.)]{1,3}\s{1,3}){1,3}"
)
_CONTENT = re.compile(r"[^\W\d_]{3,}")
_EDGES = " ,;:.–—-/\n\t"


def find_context(
    clause: Clause,
    heading: str,
    leads: Sequence[str],
    last: str,
    referred: Sequence[str],
    beside: Sequence[str],
) -> tuple[str, ...]:
    """The headings of a clause, the words that introduce its lists, the sentence before, what it
    refers to, and the other paragraphs of its article.

    `last` is that sentence, if the clause refers back to it.
    """
    found = [
        _clean(one)
        for one in dict.fromkeys((clause.chapter, heading))
        if one != clause.title and not _NUMBER_ONLY.fullmatch(one)
        if one.count(" ") < _HEADING_WORDS
    ]
    # The end of a lead-in is what its list goes on with; of a sentence the beginning says most.
    found += [_cut(_clean(lead), last=True) for lead in leads]
    found += [_cut(_clean(last), last=False)]
    room = _ALL_REFERRED
    for one in referred:
        words = " ".join(_NOISE.sub(" ", one).split())[: min(room, _REFERRED)]
        found.append(
            f"{words.rpartition(' ')[0]} …" if len(words) >= min(room, _REFERRED) else words
        )
        room = max(0, room - len(words))
    found += (" ".join(_NOISE.sub(" ", one).split()) for one in beside)
    return tuple(_drop_repeats(found, " ".join(clause.text.split())))


def _clean(words: str) -> str:
    return _MARKER.sub("", " ".join(_NOISE.sub(" ", words).split())).strip(_EDGES)


def _cut(phrase: str, *, last: bool) -> str:
    words = phrase.split()
    if len(words) <= _WORDS:
        return phrase
    return "… " + " ".join(words[-_WORDS:]) if last else " ".join(words[:_WORDS]) + " …"


def _drop_repeats(found: Sequence[str], own: str) -> Iterator[str]:
    seen = [own.casefold()]
    for phrase in found:
        if _CONTENT.search(phrase) and not any(phrase.casefold() in one for one in seen):
            seen.append(phrase.casefold())
            yield phrase
