"""The stages of the spine with their functions."""

from assay.app.tools import Tools
from assay.engine.contract import BoundStage, Pipeline
from assay.engine.retries import handled_classes
from assay.errors import StartupRefused
from assay.model.records import Endpoint, Source, SourceHealth
from assay.stages.fetch import FETCH, fetch
from assay.stages.listing import LISTING, listing
from assay.stages.ocr import OCR, ocr
from assay.stages.router import ROUTER, PurseOf, no_purse, router
from assay.stages.scout import SCOUT, scout
from assay.stages.sentinel import SENTINEL, sentinel

GIVEN = (Source, Endpoint, SourceHealth)
"""What no stage writes: an operator does, or the engine with the progress of every stage."""


def build_pipeline(tools: Tools, purse: PurseOf = no_purse) -> Pipeline:
    """The pipeline that `assay run` runs."""
    bound = [
        BoundStage(SENTINEL, sentinel(tools.looker)),
        BoundStage(LISTING, listing(tools.looker)),
        BoundStage(FETCH, fetch(tools.fetcher)),
        BoundStage(SCOUT, scout(tools.workshop, tools.scout)),
        BoundStage(ROUTER, router(purse)),
        BoundStage(OCR, ocr(tools.scanner, tools.ocr_available, tools.scout.limits)),
    ]
    for entry in bound:
        missing = handled_classes(entry.stage.name) - set(entry.stage.on_error)
        if missing:
            raise StartupRefused(
                f"Stage {entry.stage.name} must say what it makes of {', '.join(sorted(missing))}."
            )
    return Pipeline(bound, given=GIVEN)
