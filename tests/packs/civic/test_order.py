"""In whatever order a meeting and its documents arrive, the same is stored in the end."""

from collections.abc import Callable

import pytest

from assay.app import App, runs
from assay.packs.civic.records import AgendaItem, CivicMotion, MeetingAccess, Paper
from assay.settings import Settings
from tests.engine.hand import open_batches
from tests.packs.civic.springfield import (
    meeting,
    paper,
    show,
    show_document,
    stored,
    watching_springfield,
)
from tests.packs.civic.test_flow import ACCESS, AGENDA, MINUTES
from tests.spine.sites import Workplace


@pytest.mark.parametrize("is_late", [False, True])
def test_documents_may_be_taken_in_before_their_meeting_is_recorded(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace, is_late: bool
) -> None:
    with watching_springfield(make_app, settings, shared_workplace) as watch:
        papers = (paper(70, "Agenda"), paper(71, "Minutes"))
        show(watch, meeting(7, "City Council", "2023-12-04T19:00:00", *papers))
        show_document(watch, 70, *AGENDA, ACCESS)
        show_document(watch, 71, *MINUTES)
        runs.start_run(watch.app)
        while is_late and (ready := [e for e in open_batches(watch.app) if e[1] != "civic_sync"]):
            for batch, stage in ready:
                watch.runner.run(batch, stage)
        assert not stored(watch, Paper)
        watch.drain()
        (bridge,) = [item for item in stored(watch, AgendaItem) if "bridge" in item.title]
        (motion,) = stored(watch, CivicMotion)
        assert (motion.item_id, motion.tally) == (bridge.item_id, "3-1")
        assert len(stored(watch, MeetingAccess)) == 1
        assert not watch.dead()
