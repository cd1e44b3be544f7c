"""What an ontology may cost: the first limit that is passed refuses it."""

from dataclasses import dataclass

from assay.sdk.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyLimits:
    """Bounds of one ontology, with all that it imports."""

    bytes: int = 32_000_000
    """Most bytes, XML entities written out."""
    triples: int = 500_000
    terms: int = 20_000
    """Most classes and properties."""
    characters: int = 200_000_000
    """Most characters in all triples, prefixes written out."""
    iri_characters: int = 2_000
    """The longest address."""
    depth: int = 128
    """How deep XML elements or JSON values may lie in each other."""
    imports: int = 100
    """Most files that are imported."""


def too_much(title: str, what: str, most: int, limit: str = "") -> InvalidInput:
    """The refusal of an ontology that passes a limit; a limit with a name can be raised."""
    raised = f", or raise the limit '{limit}'" if limit else ""
    return InvalidInput(
        f"{title} has more than {most:,} {what}.",
        advice=f"Give only the part of it that is needed{raised}.",
    )
