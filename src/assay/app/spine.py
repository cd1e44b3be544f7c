"""The stages of the spine with their functions."""

from assay.engine.contract import BoundStage, Pipeline
from assay.engine.retries import handled_classes
from assay.errors import StartupRefused
from assay.model.records import Endpoint, Source
from assay.sources.fetching import Fetcher
from assay.stages.fetch import FETCH, fetch
from assay.stages.router import ROUTER, router
from assay.stages.scout import SCOUT, scout
from assay.stages.sentinel import SENTINEL, sentinel

GIVEN = (Source, Endpoint)
"""What an operator writes, not a stage."""


def build_pipeline(fetcher: Fetcher) -> Pipeline:
    """The pipeline that `assay run` runs."""
    bound = [
        BoundStage(SENTINEL, sentinel(fetcher)),
        BoundStage(FETCH, fetch(fetcher)),
        BoundStage(SCOUT, scout),
        BoundStage(ROUTER, router),
    ]
    for entry in bound:
        missing = handled_classes(entry.stage.name) - set(entry.stage.on_error)
        if missing:
            raise StartupRefused(
                f"Stage {entry.stage.name} must say what it makes of {', '.join(sorted(missing))}."
            )
    return Pipeline(bound, given=GIVEN)
