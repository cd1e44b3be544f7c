"""The options of a request, and their limits."""

from dataclasses import dataclass

from pyoxigraph import NamedNode

from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.steps import TOKENS
from assay.sdk.errors import InvalidInput
from assay.sdk.models import request_key

FORMATS = ("turtle", "ntriples", "jsonld")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """How a text is read."""

    formats: tuple[str, ...] = ("turtle",)
    """The formats in which the graph is written."""
    base: str = "urn:assay:"
    """The beginning of the IRIs of entities."""
    tokens: int = TOKENS
    """What each part of the text may cost."""
    chunk_chars: int = 1_000
    """Most characters that a model reads at once."""
    classes: int = 30
    """Most classes that a model is shown."""
    properties: int = 30
    """Most properties that a model is shown."""
    batch: int = 5
    """How many relations are verified at once."""
    threshold: float = 0.8
    """The minimum confidence of a verdict that counts."""
    shapes: str = ""
    """SHACL shapes in Turtle that the graph must conform to; empty: not checked."""

    @property
    def part_chars(self) -> int:
        """Most characters of one request to a model: a chunk for every 4096 tokens.

        A longer text is read in parts, each with its own budget and its own time.
        """
        return self.chunk_chars * max(1, self.tokens // TOKENS)

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in FORMATS:
                raise InvalidInput(
                    f"Graphs cannot be written as '{name}'.",
                    advice=f"Use one of {', '.join(FORMATS)}.",
                )
        try:
            NamedNode(self.base)
        except ValueError as error:
            raise InvalidInput(
                f"'{self.base}' is not a valid base IRI: {error}.",
                advice="Write it as https://example.org/graph/ or urn:example:.",
            ) from error
        bounds = {
            "tokens": (0, 1_000_000),
            "chunk_chars": (200, 20_000),
            "classes": (1, 500),
            "properties": (1, 500),
            "batch": (1, 50),
            "threshold": (0.0, 1.0),
        }
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                raise InvalidInput(f"'{name}' must be from {least} to {most}.")


def compute_request_key(text: str, ontology: Ontology, options: GraphOptions, by: str) -> str:
    """Compute the key of equal requests: the hash of everything that affects the result."""
    chosen = {name: getattr(options, name) for name in GraphOptions.__dataclass_fields__}
    return request_key("graph/1", text, ontology.key, chosen, by)
