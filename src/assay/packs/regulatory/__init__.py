"""Rules from gazettes and tax sites, in Croatian, English and German."""

from pathlib import Path

from assay.packs.regulatory.extractor import extracted
from assay.sdk import Pack, load_pack

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus"
"""Documents whose facts are known, to measure extractors with."""


def pack() -> Pack:
    """The pack as its folder declares it, with its extractor."""
    return load_pack(FOLDER, extracted)
