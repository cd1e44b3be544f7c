"""The ledger's SQL, named; the same text for SQLite and Postgres except for the placeholders.

A call costs two transactions of these, and they run thousands of times, so the driver gets them
as they are, without a query compiler in between.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from assay.store.database import explain_database_error, is_sqlite

ADD_STATE = """
INSERT INTO llm_state (name, value, updated_ms) VALUES (%s, %s, 0) ON CONFLICT DO NOTHING
"""
READ_STATE = "SELECT name, value FROM llm_state WHERE name IN (%s, %s) ORDER BY name"
KEEP_STATE = "UPDATE llm_state SET value = %s, updated_ms = %s WHERE name = %s"
ALL_STATES = "SELECT name, value, updated_ms FROM llm_state ORDER BY name"

OPEN_CALLS = """
SELECT call_id, provider, lane, probe, expires_ms FROM llm_calls WHERE state = 'open'
"""
ADD_CALL = """
INSERT INTO llm_calls (
  call_id, request_id, stage, source_slug, evidence_id, run_id, job_id, provider, model, lane,
  day, worker, state, reserved_prompt, reserved_output, prompt_tokens, completion_tokens,
  charged_tokens, charged_micros, basis, probe, slot, expires_ms, reserved_ms)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 0, 0, %s, %s, 'reserved',
  %s, %s, %s, %s)
"""
READ_CALL = """
SELECT provider, model, lane, source_slug, day, state, charged_tokens, charged_micros, probe, slot,
  reserved_prompt, reserved_output
FROM llm_calls WHERE call_id = %s
"""
SETTLE_CALL = """
UPDATE llm_calls SET state = %s, basis = %s, prompt_tokens = %s, completion_tokens = %s,
  charged_tokens = %s, charged_micros = %s, error_code = %s, sent_ms = %s, settled_ms = %s
WHERE call_id = %s
"""
LOSE_CALLS = """
UPDATE llm_calls SET state = 'lost', settled_ms = %s WHERE state = 'open' AND expires_ms <= %s
"""
RENEW_CALL = "UPDATE llm_calls SET expires_ms = %s WHERE call_id = %s AND state = 'open'"
MOVE_CALL = "UPDATE llm_calls SET slot = %s WHERE call_id = %s AND state = 'open'"

READ_METERS = "SELECT meter, tokens, micros FROM llm_meters WHERE day = %s AND meter IN (%s, %s)"
ADD_TO_METER = """
INSERT INTO llm_meters (day, meter, calls, tokens, micros) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (day, meter) DO UPDATE SET calls = llm_meters.calls + excluded.calls,
  tokens = llm_meters.tokens + excluded.tokens, micros = llm_meters.micros + excluded.micros
"""
EVIDENCE_TOKENS = """
SELECT COALESCE(SUM(charged_tokens), 0) FROM llm_calls WHERE evidence_id = %s AND day = %s
"""
REQUEST_TOKENS = """
SELECT stage, SUM(charged_tokens) FROM llm_calls WHERE request_id = %s GROUP BY stage
"""

READ_TICKETS = """
SELECT ticket_id, lane, stage, priority, tokens, since_ms, due_ms FROM llm_tickets
WHERE provider = %s
"""
KEEP_TICKET = """
INSERT INTO llm_tickets (ticket_id, provider, lane, stage, priority, tokens, since_ms, due_ms)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (ticket_id) DO UPDATE SET due_ms = excluded.due_ms
"""
DROP_TICKET = "DELETE FROM llm_tickets WHERE ticket_id = %s"
DROP_STALE_TICKETS = "DELETE FROM llm_tickets WHERE provider = %s AND due_ms < %s"

READ_COOLDOWN = "SELECT empties, until_ms FROM llm_cooldowns WHERE source_slug = %s"
KEEP_COOLDOWN = """
INSERT INTO llm_cooldowns (source_slug, empties, until_ms) VALUES (%s, %s, %s)
ON CONFLICT (source_slug) DO UPDATE SET empties = excluded.empties, until_ms = excluded.until_ms
"""

_NOW = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"


class Transaction:
    """One write transaction on the driver's own connection."""

    def __init__(self, connection: Any, *, lite: bool) -> None:
        self._connection = connection
        self._lite = lite

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        self._connection.execute(self._adapt_placeholders(sql), values)

    def read_rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        found: list[Any] = self._connection.execute(
            self._adapt_placeholders(sql), values
        ).fetchall()
        return found

    def count_changed(self, sql: str, values: Sequence[Any] = ()) -> int:
        count: int = self._connection.execute(self._adapt_placeholders(sql), values).rowcount
        return count

    def read_locked_rows(self, sql: str, values: Sequence[Any]) -> list[Any]:
        """Rows that nobody else can change until the end; SQLite has already locked everything."""
        return self.read_rows(sql if self._lite else f"{sql} FOR UPDATE", values)

    def now_ms(self) -> int | None:
        """The server's time, because workers' clocks may differ; None to use this machine's."""
        return None if self._lite else int(self.read_rows(_NOW)[0][0])

    def _adapt_placeholders(self, sql: str) -> str:
        return sql.replace("%s", "?") if self._lite else sql


@contextmanager
def open_transaction(engine: sa.Engine) -> Iterator[Transaction]:
    """An isolated transaction: all of it happens, or nothing."""
    lite = is_sqlite(engine)
    driver_error = engine.dialect.loaded_dbapi.Error
    try:
        with _borrow_connection(engine, driver_error) as connection:
            if lite:
                connection.execute("BEGIN IMMEDIATE")
            yield Transaction(connection, lite=lite)
    except driver_error as error:
        wrapped = DBAPIError.instance(None, None, error, driver_error)
        raise explain_database_error(wrapped) from error  # type: ignore[arg-type]


@contextmanager
def _borrow_connection(engine: sa.Engine, driver_error: type[Exception]) -> Iterator[Any]:
    """The driver's own connection; what was done on it is committed at the end, or rolled back."""
    pooled = engine.raw_connection()
    try:
        yield pooled.driver_connection
        pooled.commit()
    except BaseException:
        try:
            pooled.rollback()
        except driver_error:
            # The connection is gone, and with it the transaction.
            pooled.invalidate()
        raise
    finally:
        pooled.close()
