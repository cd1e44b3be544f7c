"""An act as a tree of provisions, and the operations with which another act changes it.

All of it is plain data without a store, so that reading an act, parsing an amendment and applying
it can be tried on any text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a stored text."""

    source: str
    """Which text: the id of its evidence. Empty for a space that joins two texts."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Words:
    """Words with the places they were copied from: `text` is the spans' characters, joined.

    After an amendment, the words of a provision come from two or more texts.
    """

    text: str = ""
    spans: tuple[Span, ...] = ()

    def cut(self, start: int, end: int) -> "Words":
        """The words from one character to another, with their places."""
        kept = []
        at = 0
        for span in self.spans:
            first, last = max(start, at), min(end, at + span.end - span.start)
            if first < last:
                kept.append(Span(span.source, span.start + first - at, span.start + last - at))
            at += span.end - span.start
        return Words(self.text[start:end], tuple(kept))

    def __add__(self, other: "Words") -> "Words":
        return Words(self.text + other.text, self.spans + other.spans)


JOINING_SPACE = Words(" ", (Span("", 0, 1),))


def copy_words(source: str, text: str, start: int, end: int) -> Words:
    """Words of a text, with their place."""
    return Words(text[start:end], (Span(source, start, end),))


class ProvisionKind(StrEnum):
    """The kinds of provisions, named as in Akoma Ntoso."""

    ARTICLE = "art"
    SECTION = "sec"
    PARAGRAPH = "para"
    SUBPARAGRAPH = "subpara"
    """A paragraph without a number, which acts of the Union count ("the second subparagraph"). It
    is only named in instructions: in an act, it is a line of its provision."""
    POINT = "point"
    INDENT = "indent"
    """A point that has a dash for a number, as instructions name it; in an act, it is a point."""
    SENTENCE = "sentence"
    ANNEX = "annex"
    PREAMBLE = "preamble"


@dataclass(frozen=True, slots=True)
class Provision:
    """A provision with its own words; those of its parts are theirs."""

    path: str
    """Akoma Ntoso's eId: `art_38__para_2__point_a`, `sec_1003.2__para_g`. Chapters and parts are
    not named, because articles are numbered through. An unnumbered first paragraph is `para_1`
    where the tradition counts it (Croatian, German), otherwise it belongs to its article."""
    number: str = ""
    """As printed: `§ 12`, `(2)`, `a)`."""
    heading: Words = field(default_factory=Words)
    opening: Words = field(default_factory=Words)
    """Its words before its parts, or all of them."""
    closing: Words = field(default_factory=Words)
    """Its words after its parts."""

    @property
    def parent(self) -> str:
        """The path of the provision it is a part of; empty at the top."""
        return self.path.rpartition("__")[0]


@dataclass(frozen=True, slots=True)
class Act:
    """An instrument's provisions on some day, in the order of the text, each before its parts."""

    provisions: tuple[Provision, ...] = ()

    def by_path(self) -> Mapping[str, Provision]:
        return {each.path: each for each in self.provisions}

    def list_within(self, path: str) -> tuple[Provision, ...]:
        """A provision and all its parts, in order."""
        inside = path + "__"
        return tuple(p for p in self.provisions if p.path == path or p.path.startswith(inside))


def join_words(provisions: Iterable[Provision]) -> str:
    """What provisions say, numbers included, with single spaces; to compare two versions."""
    parts: list[str] = []
    closings: list[tuple[str, str]] = []
    for each in provisions:
        while closings and not each.path.startswith(closings[-1][0] + "__"):
            parts.append(closings.pop()[1])
        parts += (each.number, each.heading.text, each.opening.text)
        closings.append((each.path, each.closing.text))
    parts += (text for _, text in reversed(closings))
    return " ".join(" ".join(parts).split())


class OperationKind(StrEnum):
    """What an amending instruction does."""

    REPLACE_WORDS = "replace_words"
    INSERT_WORDS = "insert_words"
    DELETE_WORDS = "delete_words"
    REPLACE = "replace"
    """A provision gets a new text; `heading_only` changes its heading alone."""
    INSERT = "insert"
    DELETE = "delete"
    """Also: repealed, removed and reserved."""
    RENUMBER = "renumber"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One change to one provision, as an amending act states it."""

    kind: OperationKind
    instrument: str
    """The act that it changes, as the amending act names it."""
    target: str
    """The path of the provision; of an inserted one, the path it gets. Empty: the whole act."""
    old: str = ""
    """The words to find, for operations on words; the words after (or before) which new ones are
    inserted."""
    until: str = ""
    """The last of the words to replace or delete, if the instruction names only the first and the
    last ones ("the words from X to Y")."""
    to_end: bool = False
    """Whether all words from the old ones to the end of the provision change."""
    new: Words = field(default_factory=Words)
    """The new words, for operations on words and for sentences."""
    provisions: tuple[Provision, ...] = ()
    """The new text, for REPLACE and INSERT: the provision and its parts."""
    closing: Words = field(default_factory=Words)
    """The new words after the new points of a subparagraph."""
    after: str = ""
    """The path after which a provision is inserted, if the instruction names one."""
    renumbered: str = ""
    """The new path, for RENUMBER."""
    everywhere: bool = False
    """Whether all occurrences of the old words change (`jeweils`, "in each place")."""
    count: int = 1
    """How often the old words must occur, if not everywhere."""
    before: bool = False
    """Whether words or a provision are inserted before the place instead of after it."""
    heading_only: bool = False
    opening_only: bool = False
    """Whether only the words before the parts change ("introductory text")."""
    quote: Span
    """The instruction in the amending act."""


@dataclass(frozen=True, slots=True)
class UnclearInstruction:
    """An instruction that was recognised but not understood completely."""

    quote: Span
    instrument: str
    target: str
    """The provision it surely concerns, as precisely as it can be told; empty: the whole act."""
    reason: str


@dataclass(frozen=True, slots=True)
class Deferred:
    """Why an operation was not applied: a question about its target."""

    operation: Operation
    reason: str
