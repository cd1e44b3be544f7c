"""What an extractor finds in a document, before anybody has checked it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.reading.result import Reading

ALWAYS: Mapping[str, Any] = {"op": "true"}
"""The condition of what holds for everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFact:
    """A claim as an extractor words it; `rules.gates` decides whether it is a fact."""

    domain: str
    subject: str
    """What it is about: a subject of the pack, such as `pdv`, else a slug of its own words."""
    predicate: str
    """What is said of it: a predicate of the pack, such as `rate` or `payment_deadline`."""
    value: str
    """In canonical form: `25`, `39816.84`, `2026-01-01`, `--03-31` (every year), or words."""
    value_type: str
    unit: str = ""
    """`%`, an ISO currency code, `days`, `months`, `years`, `hours`, `day_of_month`, or nothing."""
    quote: str
    """The words that it rests on, as they stand in the text."""
    start: int | None = None
    """Where the quote begins in the text; None where it has still to be found."""
    confidence: float
    effective_from: str | None = None
    """The first day on which it holds; None where the document does not say."""
    effective_until: str | None = None
    """The first day on which it no longer holds."""
    applies_when: Mapping[str, Any] = field(default_factory=lambda: ALWAYS)
    """For whom and what, as an AppliesWhen condition."""
    article: str = ""
    """Where in the document: `čl. 4. st. 2.`, `Article 4(2)`, `§ 4 Abs. 2`."""
    amends: bool = False
    """Whether it changes what held before, in the document's own words."""
    replaces: str | None = None
    """The old value, where the document names it."""

    @property
    def concept(self) -> str:
        """The name under which all facts about the same thing meet."""
        return f"{self.subject}.{self.predicate}"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the text, and whether it states something that the pack takes for a fact."""

    start: int
    end: int
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor made of a document."""

    facts: tuple[ProposedFact, ...]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What an extractor is given: the reading, and what is known of the document besides."""

    reading: Reading
    language: str
    """`hr`, `en`, `de`, or what else scout took it for; `und` where nobody knows."""
    published: str | None = None
    """The day of publication, YYYY-MM-DD, where it is known."""


class Extractor(Protocol):
    """Reads a document by rules of its own, without a model.

    A function at the top of a module: it runs in processes of its own.
    """

    def __call__(self, passage: Passage) -> Extraction: ...
