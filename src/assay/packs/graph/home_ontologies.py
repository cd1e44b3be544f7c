"""The ontologies in a home: each becomes a pack."""

import re
from pathlib import Path

from assay.packs.graph.ontology_pack import build_graph_pack
from assay.sdk.errors import InvalidInput
from assay.sdk.pack import Pack

FOLDER = "ontologies"
"""The folder of a home's ontologies."""
ENDINGS = frozenset({".ttl", ".rdf", ".owl", ".xml", ".jsonld", ".nt"})
_BETWEEN = re.compile(r"[^a-z0-9]+")


def find_ontologies(home: Path) -> dict[str, Path]:
    """Find the ontologies in a home, by the name of their pack."""
    found: dict[str, Path] = {}
    folder = home / FOLDER
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.suffix.lower() in ENDINGS and file.is_file():
            name = name_pack(file)
            # Two files with one name, such as x.ttl and x.owl: the second gets its ending added.
            ending = file.suffix[1:].lower()
            found.setdefault(f"{name}_{ending}" if name in found else name, file)
    return found


def name_pack(file: Path) -> str:
    """Name the pack for an ontology file."""
    plain = _BETWEEN.sub("_", file.stem.casefold()).strip("_")[:70]
    return plain if plain[:1].isalpha() else f"ontology_{plain}".rstrip("_")


def read_pack(name: str, file: Path) -> Pack:
    """Read the pack of an ontology file; errors name the file."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"Cannot read {file.name}: {error.strerror}.", advice="Check its permissions."
        ) from error
    try:
        return build_graph_pack(name, data, file=file.name)
    except InvalidInput as error:
        raise InvalidInput(f"{file.name}: {error.what}", advice=error.advice) from error
