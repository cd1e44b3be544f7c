"""Sources as folders: a description in YAML, an adapter where YAML does not do, and examples.

Nothing here is fetched and nothing is stored.
"""

from assay.sources.folders.adapters import described_by, described_file_by, listed_by
from assay.sources.folders.definition import ADAPTER, SourceFolder, load_folder, slug_of
from assay.sources.folders.descriptions import (
    Change,
    ChangeKind,
    DocumentDescription,
    description_of,
)
from assay.sources.folders.examples import failures_of

__all__ = [
    "ADAPTER",
    "Change",
    "ChangeKind",
    "DocumentDescription",
    "SourceFolder",
    "described_by",
    "described_file_by",
    "description_of",
    "failures_of",
    "listed_by",
    "load_folder",
    "slug_of",
]
