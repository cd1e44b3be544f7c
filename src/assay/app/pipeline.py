"""Builds the pipeline: all stages with their functions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from assay.app.installed_packs import HomePacks, PackFacts, portals_of, publications_of
from assay.app.pack_validation import validate_stages
from assay.app.tools import Tools
from assay.engine.contract import BoundStage, Pipeline, Result
from assay.engine.reader import Reader
from assay.errors import InternalError
from assay.model.bookkeeping import SourceHealth
from assay.model.facts import FactEnd
from assay.model.records import CandidateEvent, Endpoint, Source
from assay.model.rules import ReviewDecision
from assay.notices.deliver import DELIVER, deliver
from assay.notices.notice import NOTICE, notice
from assay.ruling.arbiter.arbiter import ARBITER, arbiter
from assay.ruling.arbiter.opinions import AskArbiterModel
from assay.ruling.declaration import Facts
from assay.ruling.facts.extract import EXTRACT, ExtractionModel, extract
from assay.ruling.payloads import ExtractJob
from assay.ruling.release.embed import EMBED, embed
from assay.ruling.release.release import RELEASE, declare_release_stage, release
from assay.ruling.review.review import REVIEW, review
from assay.ruling.rules.apply import APPLY, apply
from assay.ruling.rules.compose import COMPOSE, compose
from assay.sdk.pack import Pack, PackStage
from assay.sdk.services import Services
from assay.spine.fetch import FETCH, fetch
from assay.spine.findings import allow_entries
from assay.spine.handoffs import Handoff
from assay.spine.history import HISTORY, history
from assay.spine.intake import INTAKE, intake
from assay.spine.listing import LISTING, listing
from assay.spine.ocr import OCR, ocr
from assay.spine.payloads import PackJob
from assay.spine.router import BudgetFinder, build_router_stage, find_no_budget, router
from assay.spine.scout import SCOUT, scout
from assay.spine.sentinel import SENTINEL, sentinel

GIVEN = (Source, Endpoint, SourceHealth, CandidateEvent, ReviewDecision, FactEnd)
"""Records that no stage of the core writes: a person does, the engine as every stage makes
progress, or a pack that knows what ends its facts."""


NO_PACKS: Mapping[str, Pack] = {}
ServicesOf = Callable[[], Services]


class PackHandoffs(Mapping[str, Handoff]):
    """The first stage for each pack's documents; packs that accept none are left out."""

    def __init__(self, packs: Mapping[str, Pack]) -> None:
        self._packs = packs

    def __getitem__(self, name: str) -> Handoff:
        found = _build_handoff(self._packs[name])
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name, pack in self._packs.items() if _build_handoff(pack) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def list_installed(self) -> list[Handoff]:
        """The handoffs of packs that do not depend on files in a home: their stages are known."""
        packs = select_installed(self._packs).values()
        return [handoff for pack in packs if (handoff := _build_handoff(pack)) is not None]


def select_installed(packs: Mapping[str, Pack]) -> Mapping[str, Pack]:
    """The packs that do not depend on the files in a home."""
    return packs.installed if isinstance(packs, HomePacks) else packs


def _build_handoff(pack: Pack) -> Handoff | None:
    if pack.accepts is not None:
        declared = {entry.stage.name: entry.stage for entry in pack.stages}
        stage = declared[pack.accepts.first_stage]
        assert issubclass(stage.payload, PackJob)
        return Handoff(stage.name, stage.payload, pack.scouting)
    return None if pack.facts is None else Handoff(EXTRACT.name, ExtractJob, pack.scouting)


def build_pipeline(
    tools: Tools,
    packs: Mapping[str, Pack] = NO_PACKS,
    *,
    services: ServicesOf | None = None,
    budget_view: BudgetFinder = find_no_budget,
    model: ExtractionModel | None = None,
    ask: AskArbiterModel | None = None,
) -> Pipeline:
    """The stages of the spine, those of ruling if a pack declares facts, and those of packs.

    `model` reads documents, `ask` gives opinions on conflicts, and stages of packs use `services`.
    """
    handoffs, known = PackHandoffs(packs), select_installed(packs)
    portals = portals_of(known)
    bound = [
        BoundStage(
            allow_entries(SENTINEL, portals), sentinel(tools.listing_fetcher, tools.repositories)
        ),
        BoundStage(allow_entries(LISTING, portals), listing(tools.listing_fetcher)),
        BoundStage(FETCH, fetch(tools.fetcher)),
        BoundStage(HISTORY, history(tools.repositories)),
        BoundStage(INTAKE, intake),
        BoundStage(SCOUT, scout(tools.pool, tools.scout, handoffs)),
        BoundStage(build_router_stage(handoffs.list_installed()), router(budget_view, handoffs)),
        BoundStage(OCR, ocr(tools.scanner, tools.check_ocr, tools.scout, handoffs)),
    ]
    publications = publications_of(known)
    rules = any(pack.facts is not None for pack in known.values())
    if rules:
        bound += _build_ruling_stages(tools, PackFacts(packs), model, ask)
    if rules or publications:
        bound.append(BoundStage(declare_release_stage(publications), release(publications)))
        bound.append(BoundStage(EMBED, embed))
    bound.append(BoundStage(NOTICE, notice(tools.pool, tools.scout.limits, tools.notifier.feeds)))
    bound.append(BoundStage(DELIVER, deliver(tools.notifier)))
    validate_stages(known, [entry.stage.name for entry in bound])
    for pack in known.values():
        bound += [_bind_stage(pack, entry, services) for entry in pack.stages]
    # If no pack has facts, releases look for rules and find none.
    entered = [record for pack in known.values() for record in pack.given]
    entered += [r for pack in known.values() for kind in pack.review_kinds for r in kind.writes]
    entered += [*NOTICE.reads, *(() if rules else RELEASE.reads)]
    return Pipeline(bound, given=[*GIVEN, *entered])


def _build_ruling_stages(
    tools: Tools,
    facts: Mapping[str, Facts],
    model: ExtractionModel | None,
    ask: AskArbiterModel | None,
) -> list[BoundStage]:
    return [
        BoundStage(EXTRACT, extract(tools.pool, facts, model, tools.listing_fetcher.adapter_of)),
        BoundStage(COMPOSE, compose(facts)),
        BoundStage(APPLY, apply(facts)),
        BoundStage(REVIEW, review(facts)),
        BoundStage(ARBITER, arbiter(facts, ask)),
    ]


def _bind_stage(pack: Pack, entry: PackStage, services: ServicesOf | None) -> BoundStage:
    """A pack's stage with the services it may use."""

    async def work(jobs: Sequence[Any], read: Reader) -> Sequence[Result]:
        if services is None:
            raise InternalError(f"Stage {entry.stage.name} of pack '{pack.name}' has no services.")
        return await entry.function(jobs, read, services())

    return BoundStage(entry.stage, work, events=frozenset(pack.events))
