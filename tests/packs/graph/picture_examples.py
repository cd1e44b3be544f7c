"""Graphs to draw: small, middling and large ones, made from a fixed seed."""

import random

from assay.packs.graph.ids import derive_entity_id, derive_relation_id
from assay.packs.graph.model import (
    DETERMINISTIC,
    Entity,
    Graph,
    Literal,
    Relation,
    RelationVerdict,
    TextSpan,
)
from assay.packs.graph.ontology.model import XSD, Ontology, OntologyClass, Property
from assay.packs.graph.results import GraphResult
from assay.packs.graph.steps import GraphCompleteness

NAMESPACE = "https://example.org/space#"
_KINDS = ("Person", "Space mission", "Agency", "Rocket", "Place", "University", "Award")
_PROPERTIES = (
    "crew member",
    "operated by",
    "launched on",
    "born in",
    "studied at",
    "located in",
    "received",
    "commanded by",
    "back-up for",
    "built by",
    "led to the foundation of",
)
_VALUES = (
    ("launch date", Literal("1969-07-16", f"{XSD}date")),
    ("mass", Literal("28801", f"{XSD}decimal", "kg")),
    ("duration", Literal("8.1", f"{XSD}decimal", "d")),
    ("motto", Literal("We came in peace for all mankind and stayed a while", f"{XSD}string")),
)
_GIVEN = ("Neil", "Edwin", "Michael", "Valentina", "Yuri", "Sally", "Mae", "Chris", "Samantha")
_FAMILY = ("Armstrong", "Collins", "Tereshkova", "Gagarin", "Ride", "Jemison", "Hadfield")
_OTHER = {
    "Space mission": ("Apollo", "Gemini", "Vostok", "Soyuz", "Shenzhou"),
    "Agency": ("National Aeronautics and Space Administration", "ESA", "Roscosmos", "JAXA"),
    "Rocket": ("Saturn V", "Titan II", "Vostok-K", "Long March"),
    "Place": ("Wapakoneta, Ohio", "Baikonur", "Cape Canaveral", "Houston", "Moscow"),
    "University": ("Purdue University", "Stanford University", "Massachusetts Institute of Tech"),
    "Award": ("Medal of Freedom", "Hero of the Soviet Union", "Order of Lenin"),
}


def iri(label: str) -> str:
    return NAMESPACE + "".join(word.capitalize() for word in label.split())


def ontology() -> Ontology:
    """A small one of space flight."""
    classes = (OntologyClass(iri=iri(name), label=name) for name in _KINDS)
    labels = (*_PROPERTIES, *(label for label, _ in _VALUES))
    properties = (Property(iri=iri(name), label=name) for name in labels)
    return Ontology(
        key="sha256:space",
        title="Space flight",
        version="1.2",
        classes={one.iri: one for one in classes},
        properties={one.iri: one for one in properties},
    )


def result(graph: Graph, **fields: object) -> GraphResult:
    """A result with a graph, complete unless told otherwise."""
    told: dict[str, object] = {
        "request_id": "rq-1",
        "key": "sha256:key",
        "by": DETERMINISTIC,
        "document": "",
        "ontology": "sha256:space",
        "completeness": GraphCompleteness.COMPLETE,
        "graph": graph,
    }
    return GraphResult(**(told | fields))  # type: ignore[arg-type]


def _names(rng: random.Random, count: int) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    while len(found) < count:
        kind = rng.choices(_KINDS, weights=(6, 4, 1, 2, 3, 1, 1))[0]
        if kind == "Person":
            name = f"{rng.choice(_GIVEN)} {rng.choice(_FAMILY)}"
        else:
            name = rng.choice(_OTHER[kind])
        if name in found:
            name = f"{name} {rng.randint(2, 99)}"
        found[name] = kind
    return list(found.items())


def space(count: int, seed: int = 7) -> tuple[GraphResult, Ontology, str]:
    """So many entities around a few hubs, and the text that speaks of them."""
    rng = random.Random(seed)
    names = _names(rng, count)
    ids = [derive_entity_id(name, (iri(kind),)) for name, kind in names]
    text = ""
    mentions: dict[int, list[TextSpan]] = {}
    relations: dict[str, Relation] = {}

    def mention(at: int) -> None:
        nonlocal text
        name = names[at][0]
        mentions.setdefault(at, []).append(TextSpan(len(text), len(text) + len(name), name))
        text += name

    def sentence(subject: int, label: str, target: int | Literal) -> None:
        nonlocal text
        start = len(text)
        mention(subject)
        text += f" {label} "
        if isinstance(target, int):
            mention(target)
        else:
            text += f"{target.value} {target.unit}".strip()
        text += "."
        quote = TextSpan(start, len(text), text[start:])
        text += "\n\n" if rng.random() < 0.2 else " "
        object_ = ids[target] if isinstance(target, int) else target
        one = Relation(
            id=derive_relation_id(ids[subject], iri(label), object_),
            subject=ids[subject],
            predicate=iri(label),
            object=object_,
            quotes=(quote,),
            verdict=RelationVerdict.UNVERIFIED if rng.random() < 0.25 else RelationVerdict.GROUNDED,
            confidence=round(rng.uniform(0.6, 1.0), 2),
            by=DETERMINISTIC,
        )
        relations[one.id] = one

    for at in range(1, count):
        # A few gather many, and one in twelve stands alone.
        if rng.random() < 1 / 12 and count > 10:
            mention(at)
            text += " was there as well. "
            continue
        other = min(rng.randrange(at), rng.randrange(at)) if rng.random() < 0.8 else at - 1
        sentence(at, rng.choice(_PROPERTIES), other)
        if rng.random() < 0.3:
            sentence(other, rng.choice(_PROPERTIES), rng.randrange(count))
        if rng.random() < 0.4:
            sentence(at, *rng.choice(_VALUES))
    if 0 not in mentions:
        mention(0)
    entities = [
        Entity(id=ids[at], name=name, types=(iri(kind),), mentions=tuple(sorted(mentions[at])))
        for at, (name, kind) in enumerate(names)
    ]
    graph = Graph(
        entities=tuple(sorted(entities, key=lambda one: one.id)),
        relations=tuple(relations[key] for key in sorted(relations)),
    )
    return result(graph), ontology(), text
