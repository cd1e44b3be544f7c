"""Papers: lists of references in; a deduplicated, cited, searchable corpus out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.sdk.pack import Pack


def pack() -> "Pack":
    """Build the pack."""
    # Processes that run one task of the pack should not wait for all of it.
    from assay.packs.literature.declaration import build_literature_pack

    return build_literature_pack()
