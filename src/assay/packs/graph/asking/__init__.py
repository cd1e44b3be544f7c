"""What a model is asked for a graph, and what its answers are worth.

Whatever a model says is data: it is checked against the text and the ontology, repaired only
within them, and turned away with one reason otherwise. Nothing here raises for an answer.
"""

from assay.packs.graph.asking.entities import EntityTold, entity_of, entity_request, entity_told
from assay.packs.graph.asking.grounding import batches, grounding_request, judged
from assay.packs.graph.asking.items import AskedEntity, AskedRelation, AskedVerdict, not_valid
from assay.packs.graph.asking.relations import relation_of, relation_request

__all__ = [
    "AskedEntity",
    "AskedRelation",
    "AskedVerdict",
    "EntityTold",
    "batches",
    "entity_of",
    "entity_request",
    "entity_told",
    "grounding_request",
    "judged",
    "not_valid",
    "relation_of",
    "relation_request",
]
