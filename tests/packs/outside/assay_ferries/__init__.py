"""Service notices of ferry lines: which line runs, and who says so."""

from pathlib import Path

from assay.sdk.pack import (
    Accepts,
    Check,
    Metric,
    Pack,
    PackSchedule,
    PackStage,
    Publication,
)

from .asking import NOTICE_KIND
from .commands import commands
from .pages import pages, routes
from .portal import FERRY_BOARD
from .records import FerryNotice
from .stages import (
    GRADE,
    READ,
    LineCancelled,
    count_notices,
    grade,
    has_no_backlog,
    read_notices,
    regrade,
)
from .tools import tools


def pack() -> Pack:
    """The pack, as one declaration."""
    return Pack(
        name="ferries",
        version="1",
        title="Service notices of ferry lines",
        records=(FerryNotice,),
        migrations=Path(__file__).parent / "migrations",
        stages=(PackStage(READ, read_notices), PackStage(GRADE, grade)),
        accepts=Accepts(first_stage=READ.name),
        portals=(FERRY_BOARD,),
        schedules=(PackSchedule(name="regrade", cron="0 4 * * *", start=regrade),),
        commands=commands,
        routes=routes,
        pages=pages,
        templates=Path(__file__).parent / "templates",
        tools=tools,
        review_kinds=(NOTICE_KIND,),
        publishes=(
            Publication(
                record=FerryNotice,
                fields=("notice_id", "line", "status", "quote", "evidence_id"),
                where={"state": "GRADED"},
            ),
        ),
        metrics=(
            Metric(name="ferries_notices", help="Notices that were read.", read=count_notices),
        ),
        checks=(Check(name="ferry notices", run=has_no_backlog),),
        events=(LineCancelled,),
    )
