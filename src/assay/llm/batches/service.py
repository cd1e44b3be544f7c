"""Submits and fetches batches. Everything is stored before it is done, so that a process may die at
any moment: nothing is sent twice, lost, or charged twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from assay.clock import Clock, SystemClock
from assay.errors import AssayError, InvalidInput, ProviderUnknown
from assay.llm.batches.matching import AnswerCheck, ItemState, MatchedResults, match_results
from assay.llm.batches.provider import BatchProvider
from assay.llm.batches.records import (
    BatchRecords,
    BatchRow,
    BatchState,
    ItemRow,
    has_same_questions,
    run_in_thread,
)
from assay.llm.batches.reservation import BatchReservation, Scopes, require_sound_batch
from assay.llm.batches.sender import BatchSender
from assay.llm.batches.settlement import BatchCloser, build_answer
from assay.llm.calls import Estimator
from assay.llm.ledger import Ledger
from assay.llm.messages import ModelAnswer, ModelRequest
from assay.llm.scope import CallScope, SourceStanding
from assay.logs import Log

DEFAULT_SCOPE = CallScope()
_LESSONS = 100
"""The most answers of a batch that estimates learn from; more teach nothing new."""
log = Log("assay.llm")


@dataclass(frozen=True, kw_only=True)
class BatchStatus:
    """The status of a batch."""

    batch_id: str
    provider: str
    model: str
    state: BatchState
    handle: str | None
    """The provider's name for it."""
    items: Mapping[ItemState, int]
    """The number of questions in each state, including stray answers."""
    what: str = ""
    """What a person should know about it."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state in (BatchState.ENDED, BatchState.UNSENT)


class BatchService:
    """Submits batches to providers and fetches their answers, for any number of processes."""

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
        """`checks` have names, so that a batch finds its own again after a restart; they run in a
        thread."""
        self._ledger = ledger
        self._estimator = estimator
        self._providers = {(each.name, each.model): each for each in providers}
        self._checks = dict(checks or {})
        self._standing = standing
        self._clock: Clock = clock or SystemClock()
        self._records = BatchRecords(ledger.engine)
        self._closing = BatchCloser(ledger, self._records, self._clock)
        self._sending = BatchSender(self._records, self._closing, self._clock)

    async def submit(
        self,
        provider: BatchProvider,
        requests: Mapping[str, ModelRequest],
        scope: Scopes = DEFAULT_SCOPE,
        *,
        check: str | None = None,
        batch_id: str | None = None,
    ) -> str:
        """Submit the questions, all or none; return the id of the batch.

        With your own `batch_id`, submitting the same batch again does nothing. If the provider's
        response is lost, the batch stays 'prepared' until `poll` finds out what happened.
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
                raise InvalidInput(f"Batch '{batch_id}' already exists with different questions.")
            return batch_id
        reservation = BatchReservation(self._ledger, self._estimator, self._standing, self._clock)
        try:
            await run_in_thread(reservation.make, provider, batch_id, requests, scope, check)
        except BaseException as error:
            # A cancelled caller does not want what has just been stored.
            if reservation.stored:
                await self._closing.withdraw_batch(batch_id, error)
            raise
        row = await run_in_thread(self._records.get_batch, batch_id)
        await self._sending.send(provider, row, requests)
        return batch_id

    async def poll(self, batch_id: str) -> BatchStatus:
        """Do whatever is next for the batch, and return its status."""
        row = await run_in_thread(self._records.get_batch, batch_id)
        if row.state in (BatchState.PREPARED, BatchState.UNCERTAIN):
            row = await self._sending.recover(self._provider_of(row), row)
        if row.state is BatchState.SUBMITTED:
            row = await self._fetch(row)
        if row.state is BatchState.COLLECTED:
            await run_in_thread(self._closing.settle_batch, batch_id)
        return await run_in_thread(self.read_status, batch_id)

    async def poll_all(self) -> dict[str, BatchStatus | AssayError]:
        """Poll every open batch; one that fails does not hold up the others."""
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
        """Ask the provider to stop; the answers so far arrive with the next polls."""
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
        """Set the handle of an uncertain batch that a person found at its provider."""
        if not await run_in_thread(self._records.mark_submitted, batch_id, handle):
            row = await run_in_thread(self._records.get_batch, batch_id)
            raise InvalidInput(f"Batch '{batch_id}' is {row.state.value}; it needs no handle.")
        return await self.poll(batch_id)

    async def give_up(self, batch_id: str, *, was_sent: bool) -> BatchStatus:
        """End a batch that a person gave up on; if it was sent, what was set aside is charged."""
        state = ItemState.LOST if was_sent else ItemState.UNSENT
        await self._closing.end_without(
            batch_id, state, "batch_given_up", "A person gave the batch up."
        )
        return await run_in_thread(self.read_status, batch_id)

    def read_status(self, batch_id: str) -> BatchStatus:
        """The status of the batch when it was last polled."""
        return self._build_status(self._records.get_batch(batch_id))

    def list_open(self) -> list[BatchStatus]:
        """Every batch that is not over, the oldest first."""
        return [self._build_status(row) for row in self._records.list_open()]

    def read_results(self, batch_id: str) -> dict[str, ModelAnswer | AssayError]:
        """The answer to each question, or why there is none; open ones are left out."""
        row = self._records.get_batch(batch_id)
        answers = {
            item.item_key: build_answer(row, item)
            for item in self._records.read_items(batch_id)
            if item.request is not None
        }
        return {key: answer for key, answer in answers.items() if answer is not None}

    def read_strays(self, batch_id: str) -> list[ItemRow]:
        """Answers that were set aside because they cannot be assigned to a question for certain."""
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
        messages = [progress.what] if progress.what else []
        code = None
        if found.remarks:
            code = "batch_mismatched"
            for remark in found.remarks:
                log.error(code, remark, batch_id=row.batch_id, provider=row.provider)
        elif messages:
            code = f"batch_{progress.ending.value}"
        what = " ".join([*messages, *found.remarks]) or None
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

    def _provider_of(self, row: BatchRow) -> BatchProvider:
        provider = self._providers.get((row.provider, row.model))
        if provider is None:
            raise ProviderUnknown(
                f"There is no batch provider '{row.provider}' with model '{row.model}'."
            )
        return provider

    def _get_check(self, name: str | None) -> AnswerCheck | None:
        if name is not None and name not in self._checks:
            raise InvalidInput(f"There is no answer check '{name}'.")
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
