"""What a model is asked for a graph, and how its answers are checked.

Whatever a model says is data: it is checked against the text and the ontology, repaired only within
them, and otherwise refused with one reason. No answer makes anything here raise.
"""

from assay.packs.graph.asking.entities import (
    EntityReading,
    build_entity_request,
    read_entity,
    read_entity_parts,
)
from assay.packs.graph.asking.grounding import (
    apply_verdicts,
    batch_relations,
    build_grounding_request,
)
from assay.packs.graph.asking.items import AskedEntity, AskedRelation, AskedVerdict, refuse_invalid
from assay.packs.graph.asking.relations import build_relation_request, read_relation

__all__ = [
    "AskedEntity",
    "AskedRelation",
    "AskedVerdict",
    "EntityReading",
    "apply_verdicts",
    "batch_relations",
    "build_entity_request",
    "build_grounding_request",
    "build_relation_request",
    "read_entity",
    "read_entity_parts",
    "read_relation",
    "refuse_invalid",
]
