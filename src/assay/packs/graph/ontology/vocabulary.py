"""The words of RDF, OWL, SKOS and schema.org that an ontology is written with."""

from assay.packs.graph.ontology.model import XSD

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
SCHEMAS = ("https://schema.org/", "http://schema.org/")
BUILT_IN = (RDF, RDFS, OWL, XSD)
"""Namespaces whose terms describe ontologies; they are no classes of things."""

TYPE = f"{RDF}type"
FIRST, REST, NIL = f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
SUBCLASS, SUBPROPERTY = f"{RDFS}subClassOf", f"{RDFS}subPropertyOf"
SAME_CLASS, SAME_PROPERTY = f"{OWL}equivalentClass", f"{OWL}equivalentProperty"
UNION, INTERSECTION = f"{OWL}unionOf", f"{OWL}intersectionOf"
INVERSE = f"{OWL}inverseOf"
IMPORTS = f"{OWL}imports"
ON_DATATYPE = f"{OWL}onDatatype"

DOMAINS = (f"{RDFS}domain", *(f"{schema}domainIncludes" for schema in SCHEMAS))
RANGES = (f"{RDFS}range", *(f"{schema}rangeIncludes" for schema in SCHEMAS))

LABELS = (f"{RDFS}label", f"{SKOS}prefLabel", f"{SKOS}altLabel")
"""The first two may be the usual name of a term, the last is one only where it stands alone."""
COMMENTS = (f"{RDFS}comment", f"{SKOS}definition", f"{DCTERMS}description")
TITLES = (f"{DCTERMS}title", f"{DC}title", f"{RDFS}label")
VERSIONS = (f"{OWL}versionInfo", f"{OWL}versionIRI")

ON_PROPERTY, ON_CLASS = f"{OWL}onProperty", f"{OWL}onClass"
ON_DATA_RANGE = f"{OWL}onDataRange"
ALL_VALUES, SOME_VALUES = f"{OWL}allValuesFrom", f"{OWL}someValuesFrom"
MOST = (f"{OWL}maxCardinality", f"{OWL}maxQualifiedCardinality")
LEAST = (f"{OWL}minCardinality", f"{OWL}minQualifiedCardinality")
EXACT = (f"{OWL}cardinality", f"{OWL}qualifiedCardinality")

CLASS_TYPES = frozenset({f"{OWL}Class", f"{RDFS}Class"})
DATATYPE_TYPES = frozenset(
    {f"{RDFS}Datatype", f"{OWL}DataRange", *(f"{schema}DataType" for schema in SCHEMAS)}
)
ONTOLOGY_TYPE = f"{OWL}Ontology"
OBJECT_PROPERTY = f"{OWL}ObjectProperty"
DATATYPE_PROPERTY = f"{OWL}DatatypeProperty"
ANNOTATION_PROPERTY = f"{OWL}AnnotationProperty"
FUNCTIONAL, SYMMETRIC = f"{OWL}FunctionalProperty", f"{OWL}SymmetricProperty"
OBJECT_TYPES = frozenset(
    {OBJECT_PROPERTY, SYMMETRIC}
    | {
        f"{OWL}{kind}Property"
        for kind in ("Asymmetric", "InverseFunctional", "Irreflexive", "Reflexive", "Transitive")
    }
)
"""Types that only a property between things can have."""
PROPERTY_TYPES = OBJECT_TYPES | {DATATYPE_PROPERTY, FUNCTIONAL, f"{RDF}Property"}

KEPT = frozenset(
    {
        TYPE,
        FIRST,
        REST,
        SUBCLASS,
        SUBPROPERTY,
        SAME_CLASS,
        SAME_PROPERTY,
        UNION,
        INTERSECTION,
        INVERSE,
        IMPORTS,
        ON_DATATYPE,
        ON_PROPERTY,
        ON_CLASS,
        ON_DATA_RANGE,
        ALL_VALUES,
        SOME_VALUES,
        *DOMAINS,
        *RANGES,
        *LABELS,
        *COMMENTS,
        *TITLES,
        *VERSIONS,
        *MOST,
        *LEAST,
        *EXACT,
    }
)
"""Whatever else a file says is passed over while it is read."""


def is_built_in(iri: str) -> bool:
    """Whether a term belongs to the language of ontologies itself."""
    return iri.startswith(BUILT_IN)
