"""The stages of the spine with their functions."""

from collections.abc import Mapping
from types import MappingProxyType

from assay.app.tools import Tools
from assay.engine.contract import BoundStage, Pipeline
from assay.engine.retries import handled_classes
from assay.errors import StartupRefused
from assay.model.records import Endpoint, Source, SourceHealth
from assay.model.rules import ReviewDecision
from assay.rules.pack import Pack
from assay.stages.apply import APPLY, apply
from assay.stages.arbiter import ARBITER, arbiter
from assay.stages.compose import COMPOSE, compose
from assay.stages.embed import EMBED, embed
from assay.stages.extract import EXTRACT, Model, extract
from assay.stages.fetch import FETCH, fetch
from assay.stages.intake import INTAKE, intake
from assay.stages.listing import LISTING, listing
from assay.stages.ocr import OCR, ocr
from assay.stages.opinions import Ask
from assay.stages.release import RELEASE, release
from assay.stages.review import REVIEW, review
from assay.stages.router import ROUTER, PurseOf, no_purse, router
from assay.stages.scout import SCOUT, scout
from assay.stages.sentinel import SENTINEL, sentinel

GIVEN = (Source, Endpoint, SourceHealth, ReviewDecision)
"""What no stage writes: a person does, or the engine with the progress of every stage."""


def build_pipeline(
    tools: Tools,
    packs: Mapping[str, Pack] = MappingProxyType({}),
    *,
    purse: PurseOf = no_purse,
    model: Model | None = None,
    ask: Ask | None = None,
) -> Pipeline:
    """The pipeline that `assay run` runs; `model` reads documents, `ask` is asked who is right."""
    bound = [
        BoundStage(SENTINEL, sentinel(tools.looker)),
        BoundStage(LISTING, listing(tools.looker)),
        BoundStage(FETCH, fetch(tools.fetcher)),
        BoundStage(INTAKE, intake),
        BoundStage(SCOUT, scout(tools.workshop, tools.scout)),
        BoundStage(ROUTER, router(purse, packs)),
        BoundStage(OCR, ocr(tools.scanner, tools.ocr_available, tools.scout.limits)),
        BoundStage(EXTRACT, extract(tools.workshop, packs, model, tools.looker.adapter_of)),
        BoundStage(COMPOSE, compose(packs)),
        BoundStage(APPLY, apply(packs)),
        BoundStage(REVIEW, review(packs)),
        BoundStage(ARBITER, arbiter(packs, ask)),
        BoundStage(RELEASE, release),
        BoundStage(EMBED, embed),
    ]
    for entry in bound:
        missing = handled_classes(entry.stage.name) - set(entry.stage.on_error)
        if missing:
            raise StartupRefused(
                f"Stage {entry.stage.name} must say what it makes of {', '.join(sorted(missing))}."
            )
    return Pipeline(bound, given=GIVEN)
