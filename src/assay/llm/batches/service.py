"""Where batches are handed in and fetched. Everything is stored before it is done, so that a
process may die at any moment: nothing is sent twice, lost, or charged twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from assay.clock import Clock, SystemClock
from assay.errors import AssayError, InvalidInput, ProviderUnknown
from assay.llm.batches.closer import BatchCloser
from assay.llm.batches.matching import AnswerCheck, ItemState, MatchedResults, match_results
from assay.llm.batches.provider import BatchProvider
from assay.llm.batches.records import (
    BatchRecords,
    BatchRow,
    BatchState,
    ItemRow,
    has_same_questions,
)
from assay.llm.batches.reservation import UNSENT, BatchReservation, Scopes, require_sound_batch
from assay.llm.batches.sender import BatchSender
from assay.llm.batches.settlement import build_answer
from assay.llm.batches.threads import run_in_thread
from assay.llm.calls import Estimator
from assay.llm.ledger import Ledger
from assay.llm.limits import UNLIMITED
from assay.llm.messages import ModelAnswer, ModelRequest
from assay.llm.scope import CallScope, SourceStanding
from assay.logs import Log

ORPHAN_MS = 3_600_000
"""How long it can take at most to reserve and store a batch."""
DEFAULT_SCOPE = CallScope()
_LESSONS = 100
"""Most answers of a batch from which estimates learn; more teach nothing new."""
log = Log("assay.llm")


@dataclass(frozen=True, kw_only=True)
class BatchStatus:
    """How a batch stands."""

    batch_id: str
    provider: str
    model: str
    state: BatchState
    handle: str | None
    """What the provider calls it."""
    items: Mapping[ItemState, int]
    """How many questions are in which state, stray answers included."""
    what: str = ""
    """What a person should know of it."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in (BatchState.ENDED, BatchState.UNSENT)


class BatchService:
    """Hands batches to providers and fetches their answers, for any number of processes."""

    def __init__(
        self,
        ledger: Ledger,
        estimator: Estimator,
        *,
        providers: Sequence[BatchProvider] = (),
        checks: Mapping[str, AnswerCheck] | None = None,
        standing: Callable[[str], SourceStanding] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`checks` are known by name, so that a batch finds its own again after a restart; they
        run in a thread."""
        self._ledger = ledger
        self._estimator = estimator
        self._providers = {(each.name, each.model): each for each in providers}
        self._checks = dict(checks or {})
        self._standing = standing
        self._clock: Clock = clock or SystemClock()
        self._records = BatchRecords(ledger.engine)
        self._closing = BatchCloser(ledger, self._records, self._clock)
        self._sending = BatchSender(self._records, self._closing, self._clock)
        self._tidied_ms = 0

    async def submit(
        self,
        provider: BatchProvider,
        requests: Mapping[str, ModelRequest],
        scope: Scopes = DEFAULT_SCOPE,
        *,
        check: str | None = None,
        batch_id: str | None = None,
    ) -> str:
        """Hand the questions over, all or none; gives the id under which the batch is known.

        With a `batch_id` of one's own, handing the same in again does nothing. Where the
        provider's answer is lost, the batch stays 'prepared' until `poll` has found out.
        """
        batch_id = batch_id or uuid4().hex
        require_sound_batch(batch_id, requests, scope)
        self._get_check(check)
        self._providers[provider.name, provider.model] = provider
        known = await run_in_thread(self._records.find_batch, batch_id)
        if known is not None:
            if not has_same_questions(
                await run_in_thread(self._records.read_items, batch_id), requests, check
            ):
                raise InvalidInput(f"Batch '{batch_id}' exists, and asks something else.")
            return batch_id
        reservation = BatchReservation(
            self._ledger, self._records, self._estimator, self._standing, self._clock
        )
        try:
            await run_in_thread(reservation.make, provider, batch_id, requests, scope, check)
        except BaseException as error:
            # A cancelled caller does not want what was stored just before.
            if reservation.stored:
                await self._closing.withdraw_batch(batch_id, error)
            raise
        row = await run_in_thread(self._records.get_batch, batch_id)
        await self._sending.send(provider, row, requests)
        return batch_id

    async def poll(self, batch_id: str) -> BatchStatus:
        """Do whatever is next for the batch, and say how it stands."""
        row = await run_in_thread(self._records.get_batch, batch_id)
        if row.state in (BatchState.PREPARED, BatchState.UNCERTAIN):
            row = await self._sending.recover(self._provider_of(row), row)
        if row.state is BatchState.SUBMITTED:
            row = await self._fetch(row)
        if row.state is BatchState.COLLECTED:
            await run_in_thread(self._closing.settle_batch, batch_id)
        return await run_in_thread(self.read_status, batch_id)

    async def poll_all(self) -> dict[str, BatchStatus | AssayError]:
        """Poll every open batch; one that fails does not keep the others waiting."""
        await self._release_orphans()
        polled: dict[str, BatchStatus | AssayError] = {}
        for row in await run_in_thread(self._records.list_open):
            try:
                polled[row.batch_id] = await self.poll(row.batch_id)
            except AssayError as error:
                log.warning(
                    "batch_not_polled", f"A batch could not be polled: {error}",
                    batch_id=row.batch_id, provider=row.provider,
                )  # fmt: skip
                polled[row.batch_id] = error
        return polled

    async def cancel(self, batch_id: str) -> BatchStatus:
        """Ask the provider to stop; what it has answered by then comes with the next polls."""
        row = await run_in_thread(self._records.get_batch, batch_id)
        if row.state in (BatchState.PREPARED, BatchState.UNCERTAIN):
            sighting = await self._sending.seek(self._provider_of(row), row)
            row = await run_in_thread(self._records.get_batch, batch_id)
            if sighting.handle is None:
                await self._sending.cancel_unsent(row, sighting)
        if row.state is BatchState.SUBMITTED:
            assert row.handle is not None
            await self._provider_of(row).cancel(row.handle)
        return await run_in_thread(self.read_status, batch_id)

    async def adopt(self, batch_id: str, handle: str) -> BatchStatus:
        """A person found an uncertain batch at its provider, under this handle."""
        if not await run_in_thread(self._records.mark_submitted, batch_id, handle):
            row = await run_in_thread(self._records.get_batch, batch_id)
            raise InvalidInput(f"Batch '{batch_id}' is {row.state.value}; it needs no handle.")
        return await self.poll(batch_id)

    async def give_up(self, batch_id: str, *, was_sent: bool) -> BatchStatus:
        """A person says that no answer will come; what was sent is charged as set aside."""
        state = ItemState.LOST if was_sent else ItemState.UNSENT
        await self._closing.end_without(
            batch_id, state, "batch_given_up", "A person gave the batch up."
        )
        return await run_in_thread(self.read_status, batch_id)

    def read_status(self, batch_id: str) -> BatchStatus:
        """How the batch stood when it was last polled."""
        return self._build_status(self._records.get_batch(batch_id))

    def list_open(self) -> list[BatchStatus]:
        """Every batch of which something is still to come, the oldest first."""
        return [self._build_status(row) for row in self._records.list_open()]

    def read_results(self, batch_id: str) -> dict[str, ModelAnswer | AssayError]:
        """The answer to each question, or why there is none; open ones are left out."""
        row = self._records.get_batch(batch_id)
        told = {
            item.item_key: build_answer(row, item)
            for item in self._records.read_items(batch_id)
            if item.request is not None
        }
        return {key: answer for key, answer in told.items() if answer is not None}

    def read_strays(self, batch_id: str) -> list[ItemRow]:
        """Answers that were kept aside because they belong to no question for sure."""
        return [item for item in self._records.read_items(batch_id) if item.request is None]

    async def _fetch(self, row: BatchRow) -> BatchRow:
        """Store the results of a batch that has ended."""
        assert row.handle is not None
        provider = self._provider_of(row)
        progress = await provider.poll(row.handle)
        if progress.ending is None:
            return row
        items = await run_in_thread(self._records.read_items, row.batch_id)
        questions = {item.item_key: item.request for item in items if item.request is not None}
        check = self._get_check(items[0].check)
        results = await provider.results(row.handle)
        found = await run_in_thread(
            match_results, row.batch_id, questions, results, progress.ending, check
        )
        said = [progress.what] if progress.what else []
        code = None
        if found.remarks:
            code = "batch_mismatched"
            for remark in found.remarks:
                log.error(code, remark, batch_id=row.batch_id, provider=row.provider)
        elif said:
            code = f"batch_{progress.ending.value}"
        what = " ".join([*said, *found.remarks]) or None
        now_ms = self._clock.now_ms()
        if await run_in_thread(
            self._records.collect, row.batch_id, found, now_ms, code=code, what=what
        ):
            await run_in_thread(self._learn, row, questions, found)
        return await run_in_thread(self._records.get_batch, row.batch_id)

    def _learn(
        self, row: BatchRow, asked: Mapping[str, ModelRequest], found: MatchedResults
    ) -> None:
        answered = [
            (key, outcome.result.usage)
            for key, outcome in found.outcomes.items()
            if outcome.state is ItemState.ANSWERED and outcome.result is not None
        ]
        for key, usage in answered[:_LESSONS]:
            if usage is not None:
                raw = self._estimator.raw_prompt(asked[key])
                self._estimator.learn(row.provider, row.model, raw, usage.prompt_tokens)

    async def _release_orphans(self) -> None:
        """Give back what a process reserved that died before it stored its batch."""
        now_ms = self._clock.now_ms()
        if now_ms - self._tidied_ms < ORPHAN_MS:
            return
        for call_id in await run_in_thread(self._records.find_orphans, now_ms - ORPHAN_MS):
            await run_in_thread(self._ledger.settle, call_id, UNLIMITED, UNSENT)
        self._tidied_ms = now_ms

    def _provider_of(self, row: BatchRow) -> BatchProvider:
        provider = self._providers.get((row.provider, row.model))
        if provider is None:
            raise ProviderUnknown(
                f"The desk knows no provider '{row.provider}' with model '{row.model}'."
            )
        return provider

    def _get_check(self, name: str | None) -> AnswerCheck | None:
        if name is not None and name not in self._checks:
            raise InvalidInput(f"The desk knows no check '{name}'.")
        return None if name is None else self._checks[name]

    def _build_status(self, row: BatchRow) -> BatchStatus:
        return BatchStatus(
            batch_id=row.batch_id,
            provider=row.provider,
            model=row.model,
            state=row.state,
            handle=row.handle,
            items=self._records.count_items(row.batch_id),
            what=row.error_message or "",
        )
