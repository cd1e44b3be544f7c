"""N-Triples: one statement a line, sorted, for machines and for comparing two files."""

from collections.abc import Iterator

from assay.packs.graph.writing.escaping import quoted
from assay.packs.graph.writing.sheet import Sheet
from assay.packs.graph.writing.terms import STRING, Inner, Iri, Term


def ntriples(sheet: Sheet) -> str:
    """A sheet as N-Triples."""
    return "".join(sorted(set(_lines(sheet))))


def _lines(sheet: Sheet) -> Iterator[str]:
    for _, subject, told in sheet.told():
        for predicate, objects in told:
            start = f"<{subject}> <{predicate}> "
            for term in objects:
                yield f"{start}{_term(term)} .\n"
                if isinstance(term, Inner):
                    for inner, value in term.said:
                        yield f"_:{term.label} <{inner}> {_term(value)} .\n"


def _term(term: Term) -> str:
    if isinstance(term, Iri):
        return f"<{term.iri}>"
    if isinstance(term, Inner):
        return f"_:{term.label}"
    if term.datatype == STRING:
        return quoted(term.text)
    return f"{quoted(term.text)}^^<{term.datatype}>"
