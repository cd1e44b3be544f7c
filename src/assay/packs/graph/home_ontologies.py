"""The ontologies that lie in a home: each becomes a pack of its own."""

import re
from pathlib import Path

from assay.packs.graph.ontology_pack import build_graph_pack
from assay.sdk.errors import InvalidInput
from assay.sdk.pack import Pack

FOLDER = "ontologies"
"""Where the ontologies of a home lie."""
ENDINGS = frozenset({".ttl", ".rdf", ".owl", ".xml", ".jsonld", ".nt"})
_BETWEEN = re.compile(r"[^a-z0-9]+")


def find_ontologies(home: Path) -> dict[str, Path]:
    """The ontologies that lie in a home, each under the name of its pack."""
    found: dict[str, Path] = {}
    folder = home / FOLDER
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.suffix.lower() in ENDINGS and file.is_file():
            name = name_pack(file)
            # Two files with one name, such as x.ttl and x.owl: the second has its ending as well.
            ending = file.suffix[1:].lower()
            found.setdefault(f"{name}_{ending}" if name in found else name, file)
    return found


def name_pack(file: Path) -> str:
    """The name of the pack that an ontology in that file becomes."""
    plain = _BETWEEN.sub("_", file.stem.casefold()).strip("_")[:70]
    return plain if plain[:1].isalpha() else f"ontology_{plain}".rstrip("_")


def read_pack(name: str, file: Path) -> Pack:
    """The pack of an ontology in a file; the error names the file."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{file.name} cannot be read: {error.strerror}.", advice="Check its owner."
        ) from error
    try:
        return build_graph_pack(name, data, file=file.name)
    except InvalidInput as error:
        raise InvalidInput(f"{file.name}: {error.what}", advice=error.advice) from error
