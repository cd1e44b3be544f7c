"""What an extractor finds in a document, before it is checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.model.concepts import ConceptName, make_concept
from assay.reading.result import Reading

ALWAYS: Mapping[str, Any] = {"op": "true"}
"""The condition of a fact that always applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFact:
    """A claim as an extractor states it; `ruling.facts.gates` decides whether it is a fact."""

    domain: str
    subject: str
    """What it is about: a subject of the pack, such as `pdv`, or a slug made from the text."""
    predicate: str
    """What it says about the subject: a predicate such as `rate` or `payment_deadline`."""
    value: str
    """In canonical form: `25`, `39816.84`, `2026-01-01`, `--03-31` (every year), or text."""
    value_type: str
    unit: str = ""
    """`%`, an ISO currency code, `days`, `months`, `years`, `hours`, `day_of_month`, or nothing."""
    quote: str
    """The words that support it, as they appear in the text."""
    start: int | None = None
    """Where the quote starts in the text; None if it is still to be located."""
    confidence: float
    effective_from: str | None = None
    """The first day on which it applies; None if the document does not say."""
    effective_until: str | None = None
    """The first day on which it no longer applies."""
    applies_when: Mapping[str, Any] = field(default_factory=lambda: ALWAYS)
    """When it applies, as an AppliesWhen condition."""
    article: str = ""
    """Where in the document: `čl. 4. st. 2.`, `Article 4(2)`, `§ 4 Abs. 2`."""
    amends: bool = False
    """Whether the document says that it changes an earlier value."""
    replaces: str | None = None
    """The old value, if the document names it."""

    jurisdiction: str = ""
    """Where it holds: `hr`, `de`, `eu`, or a part of it, `hr-split`; empty if unknown."""
    qualifiers: tuple[str, ...] = ()
    """What kind, for whom, per which unit, in the words of the sentence."""
    context: tuple[str, ...] = ()
    """Words outside the quote that a reader needs: the heading of its provision, what introduces
    its list, the sentence that it goes on with."""
    kind: str = ""
    """The qualifiers in a canonical form; facts of different kinds are about different things."""

    @property
    def concept(self) -> str:
        """The name that all facts about the same thing share."""
        return str(self.name)

    @property
    def topic(self) -> str:
        """Subject and predicate."""
        return self.name.topic

    @property
    def name(self) -> ConceptName:
        """The parts of the concept's name."""
        return make_concept(
            self.subject, self.predicate, jurisdiction=self.jurisdiction, kind=self.kind
        )


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the text, and what of it the pack wants to see covered by facts."""

    start: int
    end: int
    is_relevant: bool
    """Whether it states something that the pack considers a fact."""
    values: tuple[str, ...] = ()
    """Its values in canonical form, each with its unit: `25 %`, `30 days`, `--03-31`."""
    context: str = ""
    """What a reader needs to know who sees only this sentence: the heading of its provision, and
    the words that lead into it."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found in a document."""

    facts: tuple[ProposedFact, ...]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What an extractor receives: the reading, and what else is known about the document."""

    reading: Reading
    language: str
    """`hr`, `en`, `de`, or another language that scout identified; `und` if unknown."""
    published: str | None = None
    """The day of publication, YYYY-MM-DD, if known."""
    jurisdiction: str = ""
    """Where what the publisher says holds, `hr` or `eu`, if known."""
    markup: str = ""
    """The file itself, decoded, if it is XML: `reading.segments` link the text to it."""


class Extractor(Protocol):
    """Finds facts in a document with the pack's own rules, without a model.

    It must be a function at the top level of a module, because it runs in separate processes.
    """

    def __call__(self, passage: Passage) -> Extraction: ...
