"""Excerpts that a person annotated aspect by aspect, in two halves: one to tune with, one not."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import StringConstraints

from assay.errors import InvalidInput
from assay.ruling.declaration import Facts
from assay.ruling.evaluation.truth import StrictLine, read_lines

TEXTS = "texts"
TERMS = "terms.yml"
_SALT = "105"
"""Chosen before anything had read the texts, because it balances the halves in every country."""
_Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]
_IGNORED = re.compile(r"[\s*|\\_\u00ad\u200b]+")
"""What does not count when words are located: spaces, soft hyphens and the marks of Markdown."""


class Half(StrEnum):
    """The halves of a set of excerpts."""

    TUNING = "tuning"
    HELD_OUT = "held-out"


class AnnotatedFact(StrictLine):
    """A value that an excerpt states, with everything that a lawyer would ask about it."""

    at: _Words
    """Words that occur once in the excerpt and contain the value."""
    value: _Words
    unit: str = ""
    predicates: tuple[_Words, ...]
    """Any of these is right."""
    about: tuple[_Words, ...]
    """Names of the levy, duty or right, any of which is right; the act's name is right as well."""
    qualifiers: tuple[_Words, ...] = ()
    """What kind, for whom, per which unit, in the words of the excerpt."""
    condition: str = ""
    """In the words of the excerpt; empty if it always applies."""
    optional: tuple[_Words, ...] = ()
    """What a condition may repeat although dates or the excerpt's structure say it already."""
    dates: Literal["stated", "arguable"] = "stated"
    effective_from: _Day | None = None
    effective_until: _Day | None = None
    """The first day on which it no longer applies."""
    provision: tuple[_Words, ...]
    """Paths such as `art_38__para_2`; any of them is right."""


class AnnotatedTrap(StrictLine):
    """A figure that must not become a fact."""

    at: _Words
    why: _Words


class ExcerptSource(StrictLine):
    """Where an excerpt comes from."""

    repository: _Words
    commit: str
    path: _Words
    licence: _Words
    lines: tuple[tuple[int, int], ...] = ()
    elements: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    digest: str = ""


class AnnotatedDocument(StrictLine):
    """An excerpt with all its facts."""

    document: _Words
    language: _Words
    jurisdiction: _Words
    instrument: tuple[_Words, ...]
    """Names of the act."""
    source: ExcerptSource
    facts: tuple[AnnotatedFact, ...]
    not_facts: tuple[AnnotatedTrap, ...] = ()
    arguable: tuple[_Words, ...] = ()
    """Figures of which a fact is neither right nor wrong."""
    succeeds: tuple[_Words, ...] = ()
    """Documents that it really contradicts, amends or replaces."""


class AnnotatedTerms(StrictLine):
    """Names that a condition may use instead of the words of the excerpt."""

    terms: Mapping[str, Sequence[str]] = {}


def half_of(name: str) -> Half:
    """The half that a document belongs to, by a hash of its name."""
    digest = hashlib.sha256(f"{_SALT}/{name}".encode()).hexdigest()
    return Half.HELD_OUT if int(digest, 16) % 2 else Half.TUNING


def load_annotated(folder: Path, pack: Facts) -> dict[Half, tuple[AnnotatedDocument, ...]]:
    """The annotations of both halves; InvalidInput names the line that is wrong."""
    return {half: _load_half(folder, half, pack) for half in Half}


def load_terms(folder: Path) -> Mapping[str, Sequence[str]]:
    """The names that conditions may use, from the folder's `terms.yml`, if there is one."""
    path = folder / TERMS
    if not path.is_file():
        return {}
    return AnnotatedTerms.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))).terms


def _load_half(folder: Path, half: Half, pack: Facts) -> tuple[AnnotatedDocument, ...]:
    path = folder / f"{half.value}.jsonl"
    found = []
    for number, entry in read_lines(path, AnnotatedDocument):
        where = f"{path}, line {number}"
        if half_of(entry.document) is not half:
            raise InvalidInput(
                f"{where}: '{entry.document}' belongs to the half '{half_of(entry.document)}'.",
                advice="Move the line to the other file.",
            )
        unknown = {p for fact in entry.facts for p in fact.predicates} - pack.predicates.keys()
        if unknown:
            raise InvalidInput(
                f"{where}: '{min(unknown)}' is not a predicate of the pack.",
                advice=f"Use one of: {', '.join(pack.predicates)}.",
            )
        found.append(entry)
    return tuple(found)


class LocatedText:
    """A text in which words are found whatever their spacing."""

    def __init__(self, text: str) -> None:
        kept = [(at, char) for at, char in enumerate(text) if not _IGNORED.match(char)]
        self._places = [at for at, _ in kept]
        self._bare = "".join(char for _, char in kept)

    def locate(self, words: str) -> list[tuple[int, int]]:
        """Every place where the words occur: first and last character, the latter excluded."""
        wanted = _IGNORED.sub("", words)
        found = []
        at = self._bare.find(wanted) if wanted else -1
        while at >= 0:
            found.append((self._places[at], self._places[at + len(wanted) - 1] + 1))
            at = self._bare.find(wanted, at + 1)
        return found
