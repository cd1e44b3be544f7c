"""Rules from gazettes and tax sites, in Croatian, English and German."""

from pathlib import Path

from assay.packs.regulatory.extractor import extracted
from assay.packs.regulatory.scouting import SCOUTING
from assay.sdk.facts import load_facts
from assay.sdk.pack import Evaluation, Pack

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus"
"""Documents whose facts are known, to measure extractors with."""


def pack() -> Pack:
    """The pack: its facts and their extractor, what it looks for, its sources and its corpus."""
    facts = load_facts(FOLDER, extracted)
    return Pack(
        name=facts.name,
        version=facts.version,
        title=facts.title,
        scouting=SCOUTING,
        facts=facts,
        sources=FOLDER / "sources",
        evaluation=Evaluation(corpus=CORPUS),
    )
