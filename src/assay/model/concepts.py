"""The name of a concept: whose rules, about what, which property of it, and of which kind.

`hr:pdv.reduced_rate.javni_prijev` is the reduced rate of value added tax in Croatia for public
transport. Facts are about the same thing only if all of these agree, so only those are compared.
"""

import re
from dataclasses import dataclass

_SEPARATORS = re.compile(r"[.:\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptName:
    """The parts of a concept's name."""

    subject: str
    predicate: str
    jurisdiction: str = ""
    """Whose rules they are: `hr`, or a body of it, `hr-split`; empty if unknown."""
    kind: str = ""
    """What tells it from others of the same topic, in a canonical form that the pack chooses."""

    @property
    def topic(self) -> str:
        """What it is about, whoever made the rules and of whichever kind: `pdv.reduced_rate`."""
        return f"{self.subject}.{self.predicate}"

    def covers(self, other: "ConceptName") -> bool:
        """Whether a question about this name is one about the other: what it leaves out may be
        anything."""
        return (
            self.topic == other.topic
            and self.jurisdiction in ("", other.jurisdiction)
            and self.kind in ("", other.kind)
        )

    def may_be(self, other: "ConceptName") -> bool:
        """Whether two names may mean the same thing: one says less about the kind than the other,
        and nothing else."""
        if (self.topic, self.jurisdiction) != (other.topic, other.jurisdiction):
            return False
        mine, its = set(self.kind.split("_")) - {""}, set(other.kind.split("_")) - {""}
        return mine != its and (mine <= its or its <= mine)

    def __str__(self) -> str:
        before = f"{self.jurisdiction}:" if self.jurisdiction else ""
        after = f".{self.kind}" if self.kind else ""
        return f"{before}{self.topic}{after}"


def make_concept(
    subject: str, predicate: str, *, jurisdiction: str = "", kind: str = ""
) -> ConceptName:
    """The concept of a fact."""
    return ConceptName(
        subject=_SEPARATORS.sub("_", subject.strip()),
        predicate=predicate,
        jurisdiction=jurisdiction,
        kind=kind,
    )


def parse_concept(name: str) -> ConceptName:
    """The parts of a name."""
    jurisdiction, colon, rest = name.rpartition(":")
    subject, _, tail = rest.partition(".")
    predicate, _, kind = tail.partition(".")
    return ConceptName(
        subject=subject, predicate=predicate, jurisdiction=jurisdiction if colon else "", kind=kind
    )
