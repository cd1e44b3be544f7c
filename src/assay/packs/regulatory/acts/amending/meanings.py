"""What a clause of an amending act means, and which act it concerns."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.packs.regulatory.acts.amending.clauses import AmendingClause
from assay.packs.regulatory.acts.amending.paths import Step
from assay.packs.regulatory.acts.shapes import OperationKind

Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a clause says about one or more provisions. Numbers of quotations count from zero."""

    kind: OperationKind
    targets: Sequence[Path]
    old: int | None = None
    until: int | None = None
    new: int | None = None
    after: Path = ()
    renumbered: Sequence[Path] = ()
    before: bool = False
    everywhere: bool = False
    heading_only: bool = False
    opening_only: bool = False
    to_end: bool = False
    through: Path = ()
    """The last of several subparagraphs that are replaced together."""
    lead: str = ""
    """Punctuation that the instruction adds in words ("ein Komma und")."""
    is_new_numbered: bool = True
    """Whether the target's number is known; otherwise the new text tells it."""
    has_several: bool = False
    """Whether the new text has several provisions, if their numbers are not known."""


@dataclass(frozen=True, slots=True)
class ClauseMeaning:
    """A clause as understood: statements, or a place for the clauses below it, or a problem."""

    statements: Sequence[Statement] = ()
    context: Path | None = None
    instrument: str = ""
    cites_act: bool = False
    """Whether the act may not be the one to change, but one that the clause cites."""
    problem: str = ""
    target: Path = ()
    """What the clause surely concerns, if there is a problem."""
    referred: Sequence[Path] = ()
    """What an annex of the amending act changes, as the clause only says; then it is a problem
    unless instructions about all of it are found there."""


NOTHING = ClauseMeaning()


class NamedActs:
    """The acts that clauses name. What is below a clause that names one concerns that act, unless
    it says otherwise itself; another act that it cites says nothing about its neighbours."""

    def __init__(self) -> None:
        self._by_depth: dict[int, str] = {}

    def begin_article(self, *, keep: bool) -> None:
        last = next(reversed(self._by_depth.values()), "") if keep else ""
        self._by_depth = {0: last} if last else {}

    def choose(self, clause: AmendingClause, meaning: ClauseMeaning) -> str:
        """The act that a clause concerns."""
        around = {d: act for d, act in self._by_depth.items() if d < clause.depth}
        inherited = around[max(around)] if around else self._by_depth.get(clause.depth, "")
        if not meaning.instrument or (meaning.cites_act and inherited):
            if around and clause.is_numbered:
                self._by_depth = around
            return inherited
        if clause.is_numbered:
            self._by_depth = around | {clause.depth: meaning.instrument}
        elif _instructs(meaning) or not self._by_depth:
            self._by_depth = {0: meaning.instrument}
        return meaning.instrument


def _instructs(meaning: ClauseMeaning) -> bool:
    return bool(meaning.statements or meaning.problem or meaning.context is not None)
