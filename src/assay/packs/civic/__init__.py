"""Council meetings: what will be decided, what was decided, and who said so."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.sdk.pack import Pack


def pack() -> "Pack":
    """Build the pack."""
    # Processes that run one task of the pack should not wait for all of it.
    from assay.packs.civic.declaration import build_civic_pack

    return build_civic_pack()
