"""What amendments do to the facts of an act, as plain data."""

from dataclasses import dataclass, field

from assay.packs.regulatory.acts.shapes import Span
from assay.sdk.facts import AcceptedFact, StoredPassage

NO_CHANGE, ENDED = "no_change", "ended"
"""What a person may say about an instruction that could not be applied."""
NEW_LAW, CORRECTION = "new_law", "correction"
"""What a person may say about a page that changed without a note."""


@dataclass(frozen=True, slots=True)
class LawText:
    """A stored text of law."""

    evidence_id: str
    text: StoredPassage


@dataclass(frozen=True, slots=True)
class AmendedLaw:
    """An amending act that a later act amends in turn."""

    evidence_id: str
    act_key: str
    later: LawText


@dataclass(frozen=True, slots=True)
class LawVersion:
    """A version of an act's page."""

    law: LawText
    first_seen: str
    previous_seen: str = ""
    """The last day on which the page showed the version before it; empty for the first one."""


@dataclass(frozen=True, slots=True)
class HeldFact:
    """A fact, the text it is quoted from, and the words that its amendment left in place."""

    evidence_id: str
    fact: AcceptedFact
    base: Span | None = None
    base_quote: str = ""
    is_amended: bool = False
    """Whether it was read from a text that an amendment changed."""
    restated: bool = False
    """Whether it has another first day than its text alone says, because an earlier or later
    version of the text is known."""
    amended_by: str = ""
    """The evidence of the act whose amendment it was read from."""


@dataclass(frozen=True, slots=True)
class EndedFact:
    """A fact that no longer holds, or may no longer hold, from a day on."""

    held: HeldFact
    day: str
    by: Span
    """The instruction that ended it."""
    reason: str = ""
    """Empty if it is certain; otherwise why it is not."""
    since: str = ""
    """If only the day is uncertain: the first one on which it may already have ended."""


@dataclass(frozen=True, slots=True)
class OpenInstruction:
    """An instruction that could not be applied: a question about its provision."""

    question: str
    """The id of the question."""
    quote: Span
    target: str
    day: str
    """Empty if unknown."""
    reason: str
    figure: str = ""
    """If the instruction was applied: the figure of which it is unclear what became of it."""


@dataclass(frozen=True, slots=True)
class UnexplainedChange:
    """A page that changed figures without a word about an amendment: new law, or a correction."""

    evidence_id: str
    quote: Span
    last_seen: str
    first_seen: str
    figures: tuple[tuple[str, str, str], ...]
    """Provision, earlier and later figure."""


@dataclass(slots=True)
class LawChanges:
    """What follows from the amendments of an act, and from the versions of its page."""

    new: list[HeldFact] = field(default_factory=list)
    ended: list[EndedFact] = field(default_factory=list)
    withdrawn: list[EndedFact] = field(default_factory=list)
    """What the amending acts seem to say by themselves. Their instructions are read in the amended
    act, so these facts never held."""
    open: list[OpenInstruction] = field(default_factory=list)
    unexplained: list[UnexplainedChange] = field(default_factory=list)
    applied: int = 0
