"""A store with scouted evidence, and a pipeline of the router with its neighbours as stubs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.app import App, runs
from assay.app.models import open_ledger
from assay.app.pipeline import GIVEN
from assay.clock import TurnedClock
from assay.engine.contract import (
    BoundStage,
    Outcome,
    Pipeline,
    QueueLimits,
    Result,
    Stage,
)
from assay.engine.jobs import NewJob
from assay.engine.reader import Reader
from assay.governor.budget import BudgetView
from assay.llm.doubles.scripted import ScriptedProvider
from assay.llm.limits import UNLIMITED
from assay.llm.messages import Lane, Usage
from assay.llm.scope import (
    CallRequest,
    CallScope,
    CallSettlement,
    CallState,
    Denial,
    Permit,
    UsageBasis,
)
from assay.model.hashes import content_hash
from assay.model.lifecycle import CandidateState, Move, RetryPolicy
from assay.model.records import (
    DiscoveredItem,
    Evidence,
    IngestCandidate,
    Record,
    ReviewRequest,
    RoutingDecision,
    ScoutResult,
    Source,
    TextBand,
    TextSignature,
)
from assay.ruling.payloads import ExtractJob
from assay.settings import Settings
from assay.spine.handoffs import Handoff
from assay.spine.payloads import FetchJob, OcrJob, RouterJob
from assay.spine.router import build_router_stage, router
from assay.store import tables as t
from assay.store.candidates import move_candidates
from assay.store.upserts import upsert_records
from tests.engine.hand import all_rows, drain

NOON = 1_700_049_600_000
"""2023-11-15 12:00:00 UTC."""
MIDNIGHT = NOON + 12 * 3_600_000
PACK = "pack"
LOCAL = ScriptedProvider(name="local", lane=Lane.LOCAL)

FETCH_STUB = Stage(
    name="fetch",
    version=1,
    payload=FetchJob,
    queue=QueueLimits(),
    writes=frozenset({Evidence, ScoutResult, IngestCandidate, ReviewRequest}),
    next=frozenset({"router"}),
    once="run",
    entry=True,
)
OCR_STUB = Stage(
    name="ocr", version=1, payload=OcrJob, queue=QueueLimits(), writes=frozenset({IngestCandidate})
)
EXTRACT_STUB = Stage(name="extract", version=1, payload=ExtractJob, queue=QueueLimits())


def call(provider: ScriptedProvider, tokens: int = 1, source: str | None = None) -> CallRequest:
    """A call of so many tokens."""
    return CallRequest(
        provider=provider.name, model=provider.model, lane=provider.lane, limits=UNLIMITED,
        prompt_tokens=tokens, output_tokens=0, scope=CallScope(source=source),
    )  # fmt: skip


@dataclass
class Office:
    """The router at work, on a store that a test fills."""

    app: App
    clock: TurnedClock
    pictures: list[OcrJob] = field(default_factory=list)
    """What was sent to OCR."""
    asked: list[str] = field(default_factory=list)
    """Items that were to be fetched."""
    handed_on: list[ExtractJob] = field(default_factory=list)
    """What a pack was given."""
    refuse_ocr: bool = False
    providers: tuple[ScriptedProvider, ...] = ()

    def take_in(
        self,
        name: str,
        score: float = 0.6,
        *,
        source: str = "gazette",
        pack: str = PACK,
        **more: Any,
    ) -> str:
        """Scouted evidence of a document that is ready for the router."""
        evidence_id = f"ev_{name}"
        records: list[Record] = [
            Source(source_slug=source, name=source, base_url="http://x.test",
                   packs=[pack] if pack else []),
            DiscoveredItem(item_id=f"it_{name}", endpoint_id="e", source_slug=source,
                           url=f"http://x.test/{name}", doc_id=name),
            Evidence(evidence_id=evidence_id, url=f"http://x.test/{name}", doc_id=name,
                     content_hash=content_hash(name.encode()), source_slug=source,
                     content_type="text/html", size=1),
            ScoutResult(**{
                "evidence_id": evidence_id, "pack": pack, "worth_it_score": score,
                "doc_type": "REGULATION",
                "content_length": 400, "language": "en", "boilerplate_ratio": 0.0,
                "estimated_tokens": 100, **more,
            }),
        ]  # fmt: skip
        self.app.blobs.put(name.encode())
        with self.app.engine.begin() as connection:
            upsert_records(connection, records)
        self.move(Move(name, CandidateState.READY, "fetched", evidence_id=evidence_id))
        return evidence_id

    def move(self, *moves: Move) -> None:
        with self.app.engine.begin() as connection:
            move_candidates(connection, moves, RetryPolicy(), self.clock.now_ms())

    def route(self, *names: str, source: str = "gazette") -> None:
        """Send documents through the router."""
        run_id = runs.start_run(self.app)
        jobs = [
            NewJob("router", RouterJob(evidence_id=f"ev_{name}", source=source), run_id)
            for name in names
        ]
        with self.app.engine.begin() as connection:
            self.app.book.schedule(connection, jobs, self.clock.now_ms())
        drain(self.app)

    def run(self) -> None:
        """A run that finds nothing new."""
        runs.start_run(self.app)
        drain(self.app)

    def deny(self, name: str, denial: Denial, until_ms: int, tokens: int = 100) -> None:
        """The pack has the document, and its model was denied: what the extract stage stores."""
        wait = {"denial": denial.value, "retry_ms": until_ms, "tokens": tokens}
        decided = RoutingDecision.from_row(self.decision(name)).model_copy(update=wait)
        with self.app.engine.begin() as connection:
            upsert_records(connection, [decided])
        self.move(
            Move(name, CandidateState.BLOCKED, "no model may be asked now", counts=False,
                 evidence_id=f"ev_{name}", next_retry_unix=-(-until_ms // 1000))
        )  # fmt: skip

    def cap(self, *providers: ScriptedProvider, **changed: Any) -> None:
        """From now on these caps and providers are in the settings."""
        self.app.settings = self.app.settings.model_copy(update=changed)
        self.providers = providers
        vars(self.app)["budget_view"] = self.find_budget()

    def find_budget(self) -> BudgetView | None:
        return BudgetView(open_ledger(self.app), self.providers) if self.providers else None

    def spend(self, tokens: int, source: str = "gazette") -> None:
        """Use up tokens of today."""
        ledger = open_ledger(self.app)
        permit = ledger.reserve(call(LOCAL, tokens, source))
        assert isinstance(permit, Permit)
        settled = CallSettlement(
            state=CallState.DONE, basis=UsageBasis.REPORTED, usage=Usage(tokens, 0)
        )
        ledger.settle(permit.call_id, UNLIMITED, settled)

    def decision(self, name: str) -> dict[str, Any]:
        (row,) = [
            row
            for row in all_rows(self.app, t.routing_decision)
            if row["evidence_id"] == f"ev_{name}"
        ]
        return row

    def candidate(self, name: str) -> dict[str, Any]:
        (row,) = [row for row in all_rows(self.app, t.candidate) if row["doc_id"] == name]
        return row

    def history(self, name: str) -> list[str]:
        rows = [row for row in all_rows(self.app, t.candidate_event) if row["doc_id"] == name]
        return [row["to_state"] for row in rows]


def opened(
    make_app: Callable[..., App],
    settings: Settings,
    *providers: ScriptedProvider,
    **changed: Any,
) -> Office:
    """An office with these providers, under these caps."""
    clock = TurnedClock(NOON)
    known: list[Office] = []

    async def fetch(jobs: Sequence[FetchJob], read: Reader) -> Sequence[Result]:
        known[0].asked.extend(job.item_id for job in jobs)
        return [Outcome(note="unchanged") for _ in jobs]

    async def ocr(jobs: Sequence[OcrJob], read: Reader) -> Sequence[Result]:
        known[0].pictures.extend(jobs)
        moves = [
            Move(job.evidence_id.removeprefix("ev_"), CandidateState.BLOCKED, "no Tesseract",
                 counts=False)
            for job in jobs
        ]  # fmt: skip
        return [
            Outcome(moves=(move,), note="blocked") if known[0].refuse_ocr else Outcome()
            for move in moves
        ]

    async def extract(jobs: Sequence[ExtractJob], read: Reader) -> Sequence[Result]:
        known[0].handed_on.extend(jobs)
        return [Outcome() for _ in jobs]

    packs = {PACK: Handoff("extract", ExtractJob)}
    pipeline = Pipeline(
        [
            BoundStage(FETCH_STUB, fetch),
            BoundStage(
                build_router_stage(packs.values()), router(lambda: known[0].find_budget(), packs)
            ),
            BoundStage(OCR_STUB, ocr),
            BoundStage(EXTRACT_STUB, extract),
        ],
        given=(*GIVEN, DiscoveredItem, TextSignature, TextBand),
    )
    app = make_app(settings.model_copy(update=changed), pipeline=pipeline, clock=clock)
    known.append(Office(app, clock))
    known[0].cap(*providers)
    return known[0]
