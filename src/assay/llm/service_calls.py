"""Priced calls to outside services: set aside before, settled after, within a daily allowance.

A service is a provider without tokens, with a price per call and an allowance of its own. It shares
the ledger's tables: any number of processes have one allowance, and a call whose process died stays
charged. An answer is stored together with its settlement, so that no answer is paid for twice.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar
from uuid import uuid4

import sqlalchemy as sa

from assay.clock import Clock, SystemClock
from assay.errors import CallDenied, InternalError
from assay.llm import ledger_sql as sql
from assay.llm.admission import day_of, end_of_day_ms
from assay.llm.ledger_sql import Transaction, open_transaction
from assay.llm.messages import Lane
from assay.llm.scope import CallState, Denial, UsageBasis
from assay.model.hashes import canonical_json, content_hash
from assay.store.database import outlast

T = TypeVar("T")
SERVICE_METER = "service:"
"""What the names of the services' meters begin with."""
_LEASE_MS = 600_000
_UNSETTLED = (CallState.OPEN, CallState.LOST)


@dataclass(frozen=True, kw_only=True)
class ServiceTerms:
    """What a service asks of its clients."""

    name: str
    base_url: str
    """What all its addresses begin with, such as `https://api.openalex.org/`."""
    gap_s: float = 1.0
    """The least seconds between two requests of all workers together."""
    daily_micros: int | None = None
    """What it grants per UTC day, in millionths of a dollar; None: it charges nothing."""
    daily_micros_without_key: int | None = None
    """The same for requests without a key."""
    keep_days: float = 30.0
    """How long an answer is used again."""
    keep_missing_days: float = 7.0
    """How long it is believed that it does not know something."""


@dataclass(frozen=True, kw_only=True)
class ServiceAnswer:
    """What a service answered."""

    status: int
    body: bytes
    final_url: str = ""
    """Where the answer came from, after all redirects."""
    asked_ms: int = 0
    is_cached: bool = False


class ServiceLedger:
    """The books of calls to services, on either database."""

    def __init__(self, engine: sa.Engine, *, clock: Clock | None = None) -> None:
        self._engine = engine
        self._clock = clock

    def reserve(
        self, service: str, operation: str, micros: int, allowance: int | None
    ) -> str:  # fmt: skip
        """Set a call's price aside and return the call's id; CallDenied: the day's allowance does
        not suffice."""
        call_id, tries = uuid4().hex, count(1)

        def reserve(tx: Transaction) -> str:
            # If the connection was lost during the commit, the price may already be set aside.
            if next(tries) > 1 and tx.read_rows(sql.READ_CALL, (call_id,)):
                return call_id
            self._lock_service(tx, service)
            now_ms = self._read_clock(tx)
            tx.run(sql.LOSE_CALLS, (now_ms, now_ms))
            day, meter = day_of(now_ms), f"{SERVICE_METER}{service}"
            _require_allowance(tx, day, service, micros, allowance, now_ms)
            tx.run(
                sql.ADD_CALL,
                (call_id, call_id, operation, None, None, None, None, service, operation,
                 Lane.SERVICE.value, day, "", CallState.OPEN.value, 0, 0, 0, micros, 0, 0,
                 now_ms + _LEASE_MS, now_ms),
            )  # fmt: skip
            tx.run(sql.ADD_TO_METER, (day, meter, 1, 0, micros))
            return call_id

        return self._outlast(reserve)

    def settle(
        self,
        call_id: str,
        *,
        micros: int | None,
        error_code: str | None = None,
        stored: tuple[str, ServiceAnswer] | None = None,
    ) -> None:
        """Charge what a call cost, and store its answer; settling twice changes nothing.

        None: it is not known what it cost, and everything that was set aside is charged. A lost
        database is waited for: the answer is paid for and must not be thrown away.
        """

        def settle(tx: Transaction) -> None:
            rows = tx.read_rows(sql.READ_CALL, (call_id,))
            if not rows:
                raise InternalError(f"The ledger has no call {call_id}.")
            service, operation = str(rows[0][0]), str(rows[0][1])
            self._lock_service(tx, service)
            row = tx.read_rows(sql.READ_CALL, (call_id,))[0]
            now_ms = self._read_clock(tx)
            if row[5] in _UNSETTLED:
                reserved = int(row[7] or 0)
                charged = reserved if micros is None else micros
                state = CallState.FAILED if error_code else CallState.DONE
                basis = UsageBasis.RESERVED if micros is None else UsageBasis.REPORTED
                tx.run(
                    sql.SETTLE_CALL,
                    (state.value, basis.value, 0, 0, 0, charged, error_code, now_ms, now_ms,
                     call_id),
                )  # fmt: skip
                meter = f"{SERVICE_METER}{service}"
                tx.run(sql.ADD_TO_METER, (row[4], meter, 0, 0, charged - reserved))
            if stored is not None:
                _store_answer(tx, service, operation, *stored, now_ms)

        self._outlast(settle)

    def store_answer(self, service: str, operation: str, key: str, answer: ServiceAnswer) -> None:
        """Store the answer to a call that cost nothing."""

        def store(tx: Transaction) -> None:
            _store_answer(tx, service, operation, key, answer, self._read_clock(tx))

        self._outlast(store)

    def find_answer(self, key: str, terms: ServiceTerms) -> ServiceAnswer | None:
        """The stored answer, if it is not too old."""

        def find(tx: Transaction) -> tuple[list[Any], int]:
            return tx.read_rows(_FIND_ANSWER, (_hash_key(key),)), self._read_clock(tx)

        rows, now_ms = self._outlast(find)
        if not rows:
            return None
        text, asked_ms = rows[0]
        answer = _decode_answer(json.loads(text), asked_ms)
        days = terms.keep_days if answer.status == 200 else terms.keep_missing_days
        return answer if now_ms - asked_ms < days * 86_400_000 else None

    def read_spent(self, service: str) -> int:
        """What the calls of today cost, including what is set aside, in millionths."""
        with open_transaction(self._engine) as tx:
            meter = f"{SERVICE_METER}{service}"
            rows = tx.read_rows(sql.READ_METERS, (day_of(self._read_clock(tx)), meter, meter))
        return int(rows[0][2]) if rows else 0

    def _outlast(self, act: Callable[[Transaction], T]) -> T:
        """Do something in one transaction, again if the database fails."""

        def transact() -> T:
            with open_transaction(self._engine) as tx:
                return act(tx)

        return outlast(self._engine, transact)

    def _lock_service(self, tx: Transaction, service: str) -> None:
        """Let no other process reserve or settle calls to the service until the end."""
        name = f"{SERVICE_METER}{service}"
        if not tx.read_locked_rows(sql.READ_STATE, (name, name)):
            tx.run(sql.ADD_STATE, (name, "{}"))
            tx.read_locked_rows(sql.READ_STATE, (name, name))

    def _read_clock(self, tx: Transaction) -> int:
        if self._clock is not None:
            return self._clock.now_ms()
        return tx.now_ms() or SystemClock().now_ms()


def _require_allowance(
    tx: Transaction, day: str, service: str, micros: int, allowance: int | None, now_ms: int
) -> None:
    meter = f"{SERVICE_METER}{service}"
    rows = tx.read_rows(sql.READ_METERS, (day, meter, meter))
    spent = int(rows[0][2]) if rows else 0
    if allowance is not None and spent + micros > allowance:
        raise CallDenied(
            f"A call to {service} may cost {_format_dollars(micros)}; "
            f"{_format_dollars(max(0, allowance - spent))} of the day's "
            f"{_format_dollars(allowance)} are left.",
            reason=Denial.SERVICE_ALLOWANCE_EXCEEDED,
            recovers_ms=end_of_day_ms(now_ms),
            advice="It is tried again after midnight UTC; with a larger allowance, raise "
            f"'{service}' in service_allowances to continue now.",
        )


_FIND_ANSWER = "SELECT body, created_ms FROM llm_answers WHERE cache_key = %s"
_STORE_ANSWER = """
INSERT INTO llm_answers (
  cache_key, provider, model, body, finish, prompt_tokens, completion_tokens, created_ms)
VALUES (%s, %s, %s, %s, %s, 0, 0, %s)
ON CONFLICT (cache_key) DO UPDATE SET body = excluded.body, finish = excluded.finish,
  created_ms = excluded.created_ms
"""


def _store_answer(
    tx: Transaction, service: str, operation: str, key: str, answer: ServiceAnswer, now_ms: int
) -> None:
    try:
        text = answer.body.decode()
    except UnicodeDecodeError:
        return
    value = {"status": answer.status, "url": answer.final_url, "body": text}
    # JSON escapes zero bytes, which Postgres does not take.
    row = (_hash_key(key), service, operation, json.dumps(value), str(answer.status), now_ms)
    tx.run(_STORE_ANSWER, row)


def _decode_answer(value: Mapping[str, object], asked_ms: int) -> ServiceAnswer:
    return ServiceAnswer(
        status=int(str(value["status"])),
        body=str(value["body"]).encode(),
        final_url=str(value["url"]),
        asked_ms=asked_ms,
        is_cached=True,
    )


def _hash_key(key: str) -> str:
    return content_hash(canonical_json({"service_call": key}))


def _format_dollars(micros: int) -> str:
    return f"${micros / 1_000_000:.4f}"
