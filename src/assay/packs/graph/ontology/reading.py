"""Reads ontologies from bytes, within limits and without fetching anything."""

from collections.abc import Mapping
from types import MappingProxyType

from assay.packs.graph.ontology.formats import OntologySource, read_source
from assay.packs.graph.ontology.model import Ontology, OntologyLimits, excess_error
from assay.packs.graph.ontology.properties import Properties, list_restrictions
from assay.packs.graph.ontology.statements import BASE, OntologyStatements, is_iri
from assay.packs.graph.ontology.terms import OntologyTerms, name_some
from assay.packs.graph.ontology.vocabulary import (
    COMMENTS,
    IMPORTS,
    ONTOLOGY_TYPE,
    TITLES,
    VERSIONS,
    LabelWords,
    choose_usual_name,
)
from assay.sdk.errors import InvalidInput
from assay.sdk.records import canonical_json, content_hash

_DEFAULT = OntologyLimits()


def hash_ontology(data: bytes, imports: Mapping[str, bytes] | None = None) -> str:
    """Hash an ontology and everything that it may import: equal keys are equal ontologies."""
    supplied = sorted((iri, content_hash(further)) for iri, further in (imports or {}).items())
    return content_hash(canonical_json(["ontology/1", content_hash(data), supplied]))


def read_ontology(
    data: bytes,
    *,
    name: str = "",
    format: str | None = None,
    imports: Mapping[str, bytes] | None = None,
    limits: OntologyLimits = _DEFAULT,
) -> Ontology:
    """Read the ontology in these bytes: Turtle, RDF/XML, JSON-LD or N-Triples.

    `imports` contains what it may import, by address; a missing address is never fetched, but
    listed in the result. Broken, empty or too large ontologies are refused with InvalidInput.
    """
    supplied = imports or {}
    statements, main = _read_main(data, name, format, limits)
    iri = _find_own_iri(statements)
    title, version = _find_title(statements, iri)
    missing = _import_all(statements, supplied, iri, len(data))
    terms = OntologyTerms(statements)
    properties = Properties(terms)
    found = properties.build_all()
    if not terms.classes and not found:
        raise InvalidInput(
            f"{main.title} declares no classes and no properties.",
            advice="Use an ontology in RDFS or OWL; plain data cannot guide an extraction.",
        )
    if len(terms.classes) + len(found) > limits.terms:
        raise excess_error(main.title, "classes and properties", limits.terms, "terms")
    return Ontology(
        key=hash_ontology(data, supplied),
        iri=iri,
        title=title,
        version=version,
        classes=MappingProxyType(terms.classes),
        properties=MappingProxyType(found),
        restrictions=list_restrictions(terms, terms.classes, found),
        prefixes=MappingProxyType(statements.prefixes),
        imports=missing,
        warnings=_collect_warnings(main, statements, terms, properties, missing),
    )


def _read_main(
    data: bytes, name: str, format: str | None, limits: OntologyLimits
) -> tuple[OntologyStatements, OntologySource]:
    if len(data) > limits.bytes:
        title = f"The ontology '{name}'" if name else "The ontology"
        raise excess_error(title, "bytes", limits.bytes, "bytes")
    source = read_source(data, name, format)
    statements = OntologyStatements(limits)
    statements.add_source(source)
    return statements, source


def _find_own_iri(statements: OntologyStatements) -> str:
    """Find the IRI of the ontology itself; others that it mentions have no title here."""
    found = sorted(iri for iri in statements.find_typed({ONTOLOGY_TYPE}) if is_iri(iri))
    described = [iri for iri in found if statements.list_words(iri, *TITLES, *VERSIONS, *COMMENTS)]
    return next(iter(described or found), "")


def _find_title(statements: OntologyStatements, iri: str) -> tuple[str, str]:
    """Find the title of the ontology and its version."""
    labels = [(0, words) for _, words in statements.list_words(iri, *TITLES)]
    versions: list[LabelWords] = [words for _, words in statements.list_words(iri, *VERSIONS)]
    version = (
        versions[0].text if versions else next(iter(statements.list_objects(iri, *VERSIONS)), "")
    )
    return (choose_usual_name(labels, iri)[0] if labels else ""), version


def _import_all(
    statements: OntologyStatements, supplied: Mapping[str, bytes], own: str, size: int
) -> tuple[str, ...]:
    """Read the supplied imports, each once; return the missing ones."""
    limits = statements.limits
    by_address = {_strip_ending(iri): iri for iri in sorted(supplied)}
    done = {_strip_ending(own)}
    missing: set[str] = set()
    while todo := {_strip_ending(iri): iri for _, iri in sorted(statements.list_pairs(IMPORTS))}:
        new = {address: iri for address, iri in todo.items() if address not in done}
        if not new:
            break
        for address, iri in sorted(new.items()):
            done.add(address)
            if len(done) > limits.imports + 1:
                raise excess_error("The ontology", "imports", limits.imports, "imports")
            if address not in by_address:
                missing.add(iri)
                continue
            given = by_address[address]
            size += len(supplied[given])
            if size > limits.bytes:
                title = f"The ontology with its import '{iri}'"
                raise excess_error(title, "bytes", limits.bytes, "bytes")
            statements.add_source(read_source(supplied[given], given, None))
    return tuple(sorted(missing))


def _strip_ending(iri: str) -> str:
    """Remove the sign that ends a namespace: an import may be written with or without it."""
    return iri.rstrip("#/")


def _collect_warnings(
    main: OntologySource,
    statements: OntologyStatements,
    terms: OntologyTerms,
    properties: Properties,
    missing: tuple[str, ...],
) -> tuple[str, ...]:
    found = [*statements.warnings, *terms.warnings, *properties.warnings]
    if missing:
        found.append(
            f"Imports that were not read, as nothing is fetched: {', '.join(missing)[:300]}."
            " Supply their files, if their classes are needed."
        )
    relative = [iri for iri in terms.classes if iri.startswith(BASE)]
    if relative:
        found.append(
            f"{main.title} has addresses that are relative to nothing: {name_some(relative)}."
            " Give it a base."
        )
    return tuple(found)
