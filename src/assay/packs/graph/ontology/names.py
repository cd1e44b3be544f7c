"""Names of terms: the words in them, and which of many is the usual one."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

LONGEST_NAME = 300
"""A longer label is a text, not a name."""
LONGEST_COMMENT = 2_000
MOST_NAMES = 200
"""Of one term, in all languages."""
_OPAQUE = re.compile(r"[a-z]{0,4}[ ]?\d+", re.IGNORECASE)
"""`Q42`, `P57`, `GO 0008150`: a number, not a word."""


class Words(NamedTuple):
    """A literal: what it says, and in which language."""

    text: str
    language: str = ""


def local_name(iri: str) -> str:
    """The last part of an address."""
    bare = iri.rstrip("#/")
    return unquote(re.split(r"[#/:]", bare)[-1]) or bare


def in_words(name: str) -> str:
    """`academicStaffSize` as `academic staff size`; abbreviations stay as they are."""
    return " ".join(
        part if len(part) > 1 and part.isupper() else part.lower() for part in parts_of(name)
    )


def parts_of(name: str) -> list[str]:
    """The words of a name: cut at whatever is no letter or digit, and at humps."""
    return [part for run in re.findall(r"[^\W_]+", name) for part in _humps(run)]


def is_opaque(words: str) -> bool:
    """Whether a local name says nothing to a reader."""
    return len(words) < 2 or _OPAQUE.fullmatch(words) is not None


def usual_name(labels: Iterable[tuple[int, Words]], iri: str) -> tuple[str, tuple[str, ...]]:
    """The usual name of a term, and all its names; labels come with the rank of their kind."""
    ordered = sorted(
        labels, key=lambda one: (one[0] > 1, _language_rank(one[1].language), one[0], one[1])
    )
    from_iri = in_words(local_name(iri))
    names = [words.text for _, words in ordered[:MOST_NAMES]] or [from_iri or iri]
    further = [in_words(names[0])] if len(parts_of(names[0])) > 1 else []
    if from_iri and not is_opaque(from_iri):
        further.append(from_iri)
    folded = {name.casefold() for name in names}
    more = [name for name in further if name.casefold() not in folded]
    return names[0], tuple(dict.fromkeys((names[0], *sorted(names[1:]), *sorted(more))))


def best_comment(comments: Iterable[tuple[int, Words]]) -> str:
    """The comment that most will understand, cut where it is endless."""
    ordered = sorted(
        comments, key=lambda one: (_language_rank(one[1].language), one[0], one[1].text)
    )
    return ordered[0][1].text[:LONGEST_COMMENT] if ordered else ""


def _language_rank(language: str) -> int:
    if language == "en":
        return 0
    return 1 if not language or language.startswith("en-") else 2


def _humps(run: str) -> Iterator[str]:
    start = 0
    for place in range(1, len(run)):
        before, here = run[place - 1], run[place]
        ends_abbreviation = before.isupper() and run[place + 1 : place + 2].islower()
        if here.isupper() and (not before.isupper() or ends_abbreviation):
            yield run[start:place]
            start = place
    yield run[start:]
