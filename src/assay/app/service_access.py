"""Sends requests to outside services: paced, within their allowances, and never paid for twice."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.clock import SystemClock
from assay.errors import AssayError
from assay.llm.service_calls import ServiceAnswer, ServiceLedger, ServiceTerms
from assay.sdk.services import ServiceAccess
from assay.settings import Settings
from assay.sources.fetching import Fetcher
from assay.sources.pacing import Pace

if TYPE_CHECKING:
    from assay.app.composition import App

_STORED = frozenset({200, 400, 404, 410})


class AppService(ServiceAccess):
    """One process's access to a service."""

    def __init__(
        self,
        terms: ServiceTerms,
        settings: Settings,
        fetcher: Fetcher,
        app: "Callable[[], App]",
        attempts: int,
    ) -> None:
        self.terms = terms
        self._fetcher = fetcher
        self._app = app
        self._attempts = attempts
        self._allowance = find_allowance(terms, settings)
        self._line = asyncio.Lock()
        self._ledger: ServiceLedger | None = None

    @property
    def allowance_micros(self) -> int | None:
        return self._allowance

    def read_spent_micros(self) -> int:
        return self._open_ledger().read_spent(self.terms.name)

    async def send(self, url: str, *, key: str, micros: int = 0) -> ServiceAnswer:
        ledger = self._open_ledger()
        found = await asyncio.to_thread(ledger.find_answer, key, self.terms)
        if found is not None:
            return found
        # One request at a time: some services allow no second connection.
        async with self._line:
            return await self._ask(ledger, url, key, micros)

    async def _ask(self, ledger: ServiceLedger, url: str, key: str, micros: int) -> ServiceAnswer:
        name = self.terms.name
        operation = "priced" if micros else "free"
        call_id = None
        if micros:
            # The fetcher may repeat a request that got no answer, and each may be charged.
            call_id = await asyncio.to_thread(
                ledger.reserve, name, operation, micros * self._attempts, self._allowance
            )
        try:
            pace = Pace(f"{name} (service)", self.terms.gap_s, is_shared=True)
            response = await self._fetcher.fetch(url, pace=pace, is_api=True)
        except AssayError as error:
            if call_id is not None:
                # A refusal is not charged; without any answer, nobody knows.
                cost = 0 if getattr(error, "status", None) is not None else None
                await asyncio.to_thread(ledger.settle, call_id, micros=cost, error_code=error.code)
            raise
        answer = ServiceAnswer(
            status=response.status,
            body=response.body,
            final_url=response.final_url,
            asked_ms=self._app().clock.now_ms(),
        )
        stored = (key, answer) if answer.status in _STORED else None
        if call_id is not None:
            cost = micros * (1 + response.retries) if answer.status == 200 else 0
            await asyncio.to_thread(ledger.settle, call_id, micros=cost, stored=stored)
        elif stored is not None:
            await asyncio.to_thread(ledger.store_answer, name, operation, *stored)
        return answer

    def _open_ledger(self) -> ServiceLedger:
        if self._ledger is None:
            app = self._app()
            app.require_store()
            clock = None if isinstance(app.clock, SystemClock) else app.clock
            self._ledger = ServiceLedger(app.engine, clock=clock)
        return self._ledger


def find_allowance(terms: ServiceTerms, settings: Settings) -> int | None:
    """The day's allowance in millionths: as set, or what the service grants with or without key."""
    given = settings.service_allowances.get(terms.name)
    if given is not None:
        return round(given * 1_000_000)
    has_key = any(
        terms.base_url.startswith(prefix) or prefix.startswith(terms.base_url)
        for prefix in settings.site_keys
    )
    if has_key or terms.daily_micros_without_key is None:
        return terms.daily_micros
    return terms.daily_micros_without_key
