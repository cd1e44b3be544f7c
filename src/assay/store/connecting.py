"""Connections to Postgres that wait for a lost server, and give up on one that hangs."""

from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg.abc import PQGen
from sqlalchemy import event

from assay.errors import AssayError, DatabaseFailed, DatabaseUnreachable
from assay.store.outages import outages_of

_INTERVAL_S = 0.1


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that counts as lost if the server does not respond in time.

    A server or a network that hangs sends no error, and the driver by itself would wait forever.
    """

    limit_s: float | None = None

    def wait(
        self, gen: PQGen[Any], interval: float = _INTERVAL_S, timeout: float | None = None
    ) -> Any:
        if timeout is not None or self.limit_s is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.limit_s)
        except psycopg.errors._WaitTimeout as late:
            self.pgconn.finish()
            raise psycopg.OperationalError(
                f"the server did not respond within {self.limit_s:g} s"
            ) from late


def connect_patiently(engine: sa.Engine, limit_s: float | None) -> None:
    """Let every new connection of an engine wait while the server is away, if its outages are
    waited for, and end when the server hangs."""
    outages = outages_of(engine)

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: Any, _record: Any, given: list[Any], named: dict[str, Any]) -> Any:
        def open_connection() -> LimitedConnection:
            opened = LimitedConnection.connect(*given, **named)
            opened.limit_s = limit_s
            return opened

        try:
            return outages.outlast(open_connection, _explain_refusal)
        except DatabaseFailed as fault:
            assert fault.__cause__ is not None
            raise fault.__cause__ from None


def _explain_refusal(error: Exception) -> AssayError:
    if not isinstance(error, psycopg.Error):
        raise error
    text = str(error).strip()
    fault = DatabaseUnreachable(
        f"The database does not respond ({text.splitlines()[0] if text else error!r})."
    )
    fault.__cause__ = error
    return fault
