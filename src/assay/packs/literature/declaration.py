"""The literature pack: its records, stages and schedules."""

from pathlib import Path
from typing import TYPE_CHECKING

from assay.packs.literature.corpus import plan_resolution
from assay.packs.literature.matches import MATCH_KIND
from assay.packs.literature.portal import REFERENCE_LIST
from assay.packs.literature.records import (
    FullText,
    IdentityDecision,
    IdLink,
    LiteratureWatch,
    ReferenceList,
    WatchedWork,
    WorkDetails,
    WorkId,
    WorkReference,
    WorkResolution,
)
from assay.packs.literature.stages.identity import IDENTITY, decide_identities
from assay.packs.literature.stages.index import INDEX, index_works
from assay.packs.literature.stages.list import LIST, PIECE, read_lists, read_pieces
from assay.packs.literature.stages.record import RECORD, record_references
from assay.packs.literature.stages.resolve import RESOLVE, resolve_works
from assay.packs.literature.stages.text import TEXT, take_in_texts
from assay.sdk.pack import Accepts, Evaluation, Pack, PackSchedule, PackStage, Page, RunFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import typer

    from assay.sdk.demo import Demo
    from assay.sdk.tools import AssistantTool


def build_literature_pack() -> Pack:
    """Build the pack: its records, stages and schedule."""
    return Pack(
        name="literature",
        version="1",
        title="Papers",
        records=(
            ReferenceList,
            WorkReference,
            WorkId,
            IdLink,
            IdentityDecision,
            WorkDetails,
            WorkResolution,
            FullText,
            LiteratureWatch,
            WatchedWork,
        ),
        given=(ReferenceList, LiteratureWatch),
        migrations=Path(__file__).parent / "migrations",
        portals=(REFERENCE_LIST,),
        stages=(
            PackStage(LIST, read_lists),
            PackStage(PIECE, read_pieces),
            PackStage(RECORD, record_references),
            PackStage(IDENTITY, decide_identities),
            PackStage(RESOLVE, resolve_works),
            PackStage(TEXT, take_in_texts),
            PackStage(INDEX, index_works),
        ),
        accepts=Accepts(first_stage=TEXT.name),
        schedules=(PackSchedule(name="resolve", cron="15 4 * * *", start=plan_resolution),),
        review_kinds=(MATCH_KIND,),
        run_files=(
            RunFile(record=WorkReference, name="{}_references.jsonl", by="kind"),
            RunFile(record=WorkResolution, name="{}_resolution.jsonl", by="provider"),
        ),
        commands=load_commands,
        tools=load_tools,
        pages=load_pages,
        templates=Path(__file__).parent / "templates",
        demo=load_demo,
        evaluation=Evaluation(measure=measure),
    )


def load_commands() -> "typer.Typer":
    """The commands; only they need the command-line code."""
    from assay.packs.literature.commands import commands

    return commands()


def load_tools() -> "tuple[AssistantTool, ...]":
    """The tools for assistants; only a server for them needs the search."""
    from assay.packs.literature.tools import build_tools

    return build_tools()


def load_pages() -> tuple[Page, ...]:
    """The pages of the console; only the console needs them."""
    from assay.packs.literature.pages import pages

    return pages()


def load_demo() -> "Demo":
    """The reading list of the demo; only the demo needs it."""
    from assay.packs.literature.demo import build_reading_demo

    return build_reading_demo()


def measure(folder: Path) -> "Mapping[str, Sequence[Mapping[str, Any]]]":
    """Measure the pack on data with known answers."""
    from assay.packs.literature.evaluation import measure_folder

    return measure_folder(folder)
