"""What a batch reserves in the ledger before any of it is sent."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.clock import Clock
from assay.errors import InvalidInput
from assay.llm.batches.provider import BatchProvider
from assay.llm.batches.records import STRAY_PREFIX, ItemRow, add_batch
from assay.llm.calls import Estimator
from assay.llm.ledger import Ledger
from assay.llm.ledger_sql import Transaction
from assay.llm.limits import UNLIMITED
from assay.llm.messages import Lane, ModelRequest
from assay.llm.scope import CallRequest, CallScope, Permit, SourceStanding

Scopes = CallScope | Mapping[str, CallScope]
"""What the questions are charged to: all of them together, or each by its key."""

_BATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,47}")


class BatchReservation:
    """Sets aside the tokens of every question and stores the batch with it, or does neither."""

    def __init__(
        self,
        ledger: Ledger,
        estimator: Estimator,
        standing: Callable[[str], SourceStanding] | None,
        clock: Clock,
    ) -> None:
        self._ledger = ledger
        self._estimator = estimator
        self._standing = standing
        self._clock = clock
        self.stored = False
        """Whether the batch is in the store, even if the caller was not informed."""

    def make(
        self,
        provider: BatchProvider,
        batch_id: str,
        requests: Mapping[str, ModelRequest],
        scopes: Scopes,
        check: str | None,
    ) -> None:
        """Reserve and store the batch in one transaction; after a denial or a crash, nothing is."""
        asks = dict(self._build_requests(provider, batch_id, requests, scopes))

        def store(tx: Transaction, permits: Sequence[Permit]) -> None:
            items = [
                ItemRow(item_key=key, call_id=permit.call_id, request=requests[key], check=check)
                for key, permit in zip(asks, permits, strict=True)
            ]
            now_ms = self._clock.now_ms()
            add_batch(tx, batch_id, provider.name, provider.model, items, now_ms)

        self._ledger.reserve_batch(asks.values(), store)
        self.stored = True

    def _build_requests(
        self,
        provider: BatchProvider,
        batch_id: str,
        requests: Mapping[str, ModelRequest],
        scopes: Scopes,
    ) -> Iterator[tuple[str, CallRequest]]:
        standings: dict[str | None, SourceStanding] = {None: SourceStanding()}
        for key, request in sorted(requests.items()):
            scope = scopes if isinstance(scopes, CallScope) else scopes[key]
            if scope.source not in standings:
                standings[scope.source] = self._standing_of(scope.source)
            raw = self._estimator.raw_prompt(request)
            ask = CallRequest(
                provider=provider.name,
                model=provider.model,
                lane=Lane.BATCH,
                limits=UNLIMITED,
                prompt_tokens=self._estimator.reserve_for(provider.name, provider.model, raw),
                raw_prompt=raw,
                output_tokens=request.max_tokens,
                scope=replace(scope, request_id=scope.request_id or batch_id),
                standing=standings[scope.source],
            )
            yield key, ask

    def _standing_of(self, source: str | None) -> SourceStanding:
        if self._standing is None or source is None:
            return SourceStanding()
        return self._standing(source)


def require_sound_batch(
    batch_id: str, requests: Mapping[str, ModelRequest], scopes: Scopes
) -> None:
    """Refuse a batch that could not be stored, or whose answers could not be told apart."""
    if not _BATCH_ID.fullmatch(batch_id):
        raise InvalidInput(
            f"{batch_id[:60]!r} is not a valid batch id.",
            advice="Use at most 47 letters, digits, hyphens and underscores.",
        )
    if not requests:
        raise InvalidInput("The batch has no questions.")
    for key in requests:
        if not key or key.startswith(STRAY_PREFIX) or not key.isprintable():
            raise InvalidInput(f"{key[:60]!r} is not a valid key for a question.")
    if not isinstance(scopes, CallScope) and scopes.keys() < requests.keys():
        raise InvalidInput("Some questions of the batch have no scope.")
