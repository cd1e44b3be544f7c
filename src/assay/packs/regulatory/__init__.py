"""Rules from gazettes and tax sites, in Croatian, English and German."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.sdk.pack import Pack

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus"
"""Documents whose facts are known, for measuring extractors."""
LAW = CORPUS / "law"
"""Annotations of real law; its texts are cut from public repositories by `bench.law_texts`."""


def pack() -> "Pack":
    """Build the pack."""
    # Processes that run one task of the pack should not wait for all of it.
    from assay.packs.regulatory.declaration import build_regulatory_pack

    return build_regulatory_pack()
