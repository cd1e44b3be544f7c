"""Rules from gazettes and tax sites, in Croatian, English and German."""

from pathlib import Path

from assay.packs.regulatory.extractor import extract_facts
from assay.packs.regulatory.scouting import SCOUTING
from assay.sdk.demo import Demo
from assay.sdk.facts import load_facts
from assay.sdk.pack import Evaluation, Pack

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus"
"""Documents whose facts are known, for measuring extractors."""
LAW = CORPUS / "law"
"""Annotations of real law, whose texts are read from public repositories."""


def pack() -> Pack:
    """Build the pack: its facts and their extractor, what it looks for, its sources and corpus."""
    facts = load_facts(FOLDER, extract_facts)
    return Pack(
        name=facts.name,
        version=facts.version,
        title=facts.title,
        scouting=SCOUTING,
        facts=facts,
        sources=FOLDER / "sources",
        demo=load_demo,
        evaluation=Evaluation(corpus=CORPUS, demo=load_demo, excerpts=LAW),
    )


def load_demo() -> Demo:
    """The invented country that publishes the corpus."""
    # Only the demo and evaluations need it; other commands should not wait for it.
    from assay.packs.regulatory.demo import build_country_demo

    return build_country_demo()
