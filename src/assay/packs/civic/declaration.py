"""The civic pack: its records, stages and schedules."""

from pathlib import Path
from typing import TYPE_CHECKING

from assay.packs.civic.cities import plan_due_syncs, plan_model_work
from assay.packs.civic.portals import PORTALS
from assay.packs.civic.records import (
    AgendaItem,
    Appearance,
    City,
    CivicMotion,
    CivicQuestion,
    CivicSummary,
    CivicVote,
    CivicWatch,
    CouncilMember,
    Matter,
    Meeting,
    MeetingAccess,
    PacketPart,
    Paper,
    SyncResult,
    WatchHit,
)
from assay.packs.civic.stages.batch import BATCH, ask_batches
from assay.packs.civic.stages.document import DOCUMENT, take_in_documents
from assay.packs.civic.stages.process import PROCESS, process_jobs
from assay.packs.civic.stages.result import RESULT, note_results
from assay.packs.civic.stages.sync import SYNC, sync_entries
from assay.packs.civic.stages.texts import TEXTS, read_meeting_texts
from assay.sdk.pack import Accepts, Pack, PackSchedule, PackStage, Page

if TYPE_CHECKING:
    import typer

    from assay.sdk.demo import Demo
    from assay.sdk.tools import AssistantTool


def build_civic_pack() -> Pack:
    """Build the pack: its records, vendors and stages."""
    return Pack(
        name="civic",
        version="1",
        title="Council meetings",
        records=(
            City,
            Meeting,
            AgendaItem,
            Matter,
            Appearance,
            Paper,
            CivicVote,
            CouncilMember,
            CivicMotion,
            MeetingAccess,
            PacketPart,
            CivicSummary,
            CivicQuestion,
            SyncResult,
            CivicWatch,
            WatchHit,
        ),
        given=(City, CivicWatch, WatchHit),
        migrations=Path(__file__).parent / "migrations",
        portals=PORTALS,
        stages=(
            PackStage(SYNC, sync_entries),
            PackStage(DOCUMENT, take_in_documents),
            PackStage(TEXTS, read_meeting_texts),
            PackStage(PROCESS, process_jobs),
            PackStage(BATCH, ask_batches),
            PackStage(RESULT, note_results),
        ),
        schedules=(
            PackSchedule(name="sync", cron="*/30 * * * *", start=plan_due_syncs),
            PackSchedule(name="models", cron="*/15 * * * *", start=plan_model_work),
        ),
        commands=load_commands,
        tools=load_tools,
        pages=load_pages,
        templates=Path(__file__).parent / "templates",
        demo=load_demo,
        accepts=Accepts(first_stage=DOCUMENT.name),
    )


def load_commands() -> "typer.Typer":
    """The commands; only they need the command-line code."""
    from assay.packs.civic.commands import commands

    return commands()


def load_tools() -> "tuple[AssistantTool, ...]":
    """The tools for assistants; only a server for them needs the queries."""
    from assay.packs.civic.tools import build_tools

    return build_tools()


def load_pages() -> tuple[Page, ...]:
    """The pages of the console; only the console needs them."""
    from assay.packs.civic.pages import pages

    return pages()


def load_demo() -> "Demo":
    """The council of the demo; only the demo needs it."""
    from assay.packs.civic.demo import build_council_demo

    return build_council_demo()
