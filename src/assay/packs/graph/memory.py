"""What earlier requests found, for steps that cannot find it themselves."""

from collections import OrderedDict

from assay.packs.graph.model import Relation, RelationVerdict
from assay.packs.graph.ontology.model import Property

MOST = 100
"""How many ontologies, and how many requests' worth of verdicts, are remembered."""


class Memory:
    """Properties and verdicts of earlier requests, the oldest forgotten first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._properties: OrderedDict[str, tuple[Property, ...]] = OrderedDict()
        self._verdicts: OrderedDict[str, tuple[RelationVerdict, float]] = OrderedDict()

    def keep_properties(self, ontology: str, properties: tuple[Property, ...]) -> None:
        """Remember the properties that were last relevant for an ontology."""
        self._properties[ontology] = properties
        self._properties.move_to_end(ontology)
        while len(self._properties) > self._most:
            self._properties.popitem(last=False)

    def find_properties(self, ontology: str) -> tuple[Property, ...] | None:
        return self._properties.get(ontology)

    def keep_verdict(self, relation: Relation, threshold: float) -> None:
        """Remember the verdict on a relation with exactly these quotes and this threshold."""
        self._verdicts[_make_verdict_key(relation, threshold)] = (
            relation.verdict,
            relation.confidence,
        )
        while len(self._verdicts) > 50 * self._most:
            self._verdicts.popitem(last=False)

    def find_verdict(
        self, relation: Relation, threshold: float
    ) -> tuple[RelationVerdict, float] | None:
        return self._verdicts.get(_make_verdict_key(relation, threshold))


def _make_verdict_key(relation: Relation, threshold: float) -> str:
    words = (quote.words for quote in relation.quotes)
    return "\x1f".join((relation.id, str(threshold), *words))
