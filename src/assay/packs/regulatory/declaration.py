"""The regulatory pack: its facts and their extractor, acts and amendments, sources and corpus."""

from typing import TYPE_CHECKING

from assay.packs.regulatory import CORPUS, FOLDER, LAW
from assay.packs.regulatory.extractor.reader import load_facts_with_extractor
from assay.packs.regulatory.questions import AMENDMENT_KIND, VERSION_KIND
from assay.packs.regulatory.records import (
    ActAmendment,
    ActState,
    ActText,
    AmendingAct,
    AmendmentAnswer,
)
from assay.packs.regulatory.scouting import SCOUTING
from assay.packs.regulatory.stages.act import ACT, read_acts
from assay.packs.regulatory.stages.statute import STATUTE, work_out_acts
from assay.sdk.demo import Demo
from assay.sdk.pack import Accepts, Evaluation, Pack, PackStage, Page

if TYPE_CHECKING:
    import typer


def build_regulatory_pack() -> Pack:
    """Build the pack."""
    facts = load_facts_with_extractor()
    return Pack(
        name=facts.name,
        version=facts.version,
        title=facts.title,
        records=(ActText, ActAmendment, AmendingAct, ActState, AmendmentAnswer),
        migrations=FOLDER / "migrations",
        stages=(PackStage(ACT, read_acts), PackStage(STATUTE, work_out_acts)),
        accepts=Accepts(first_stage=ACT.name),
        scouting=SCOUTING,
        facts=facts,
        review_kinds=(AMENDMENT_KIND, VERSION_KIND),
        sources=FOLDER / "sources",
        commands=load_commands,
        pages=load_pages,
        templates=FOLDER / "templates",
        demo=load_demo,
        evaluation=Evaluation(corpus=CORPUS, demo=load_demo, excerpts=LAW),
    )


def load_commands() -> "typer.Typer":
    """The commands; only they need the command-line code."""
    from assay.packs.regulatory.commands import commands

    return commands()


def load_pages() -> tuple[Page, ...]:
    """The pages of the console; only the console needs them."""
    from assay.packs.regulatory.pages import pages

    return pages()


def load_demo() -> Demo:
    """The invented country that publishes the corpus."""
    # Only the demo and evaluations need it; other commands should not wait for it.
    from assay.packs.regulatory.demo import build_country_demo

    return build_country_demo()
