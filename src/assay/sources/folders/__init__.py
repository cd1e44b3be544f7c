"""Sources as folders: a description in YAML, an adapter if YAML is not enough, and examples.

Nothing here is fetched and nothing is stored.
"""

from assay.sources.folders.adapters import (
    describe_document,
    describe_stored_document,
    read_adapter_listing,
)
from assay.sources.folders.definition import ADAPTER, SourceFolder, load_folder, slug_of
from assay.sources.folders.descriptions import (
    ActChange,
    ActChangeKind,
    DocumentDescription,
    parse_description,
)
from assay.sources.folders.examples import find_example_failures

__all__ = [
    "ADAPTER",
    "ActChange",
    "ActChangeKind",
    "DocumentDescription",
    "SourceFolder",
    "describe_document",
    "describe_stored_document",
    "find_example_failures",
    "load_folder",
    "parse_description",
    "read_adapter_listing",
    "slug_of",
]
