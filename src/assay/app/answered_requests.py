"""Requests that must not take effect twice: the first response is kept, and given again."""

import secrets
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from assay.app.composition import App
from assay.errors import RequestKeyReused, TransientError
from assay.model.bookkeeping import AnsweredRequest
from assay.store import tables as t
from assay.store.database import begin_writing, explain_errors
from assay.store.upserts import upsert_records

KEPT_MS: Final = 86_400_000
"""How long a response is kept."""
_LEASE_MS: Final = 600_000
"""After this time without an answer, the process that was answering is gone."""


@dataclass(frozen=True)
class BegunRequest:
    """A request that is being answered for the first time."""

    app: App
    request_key: str
    holder: str

    def keep(self, status: int, body: str) -> None:
        """Keep its response."""
        expires_ms = self.app.clock.now_ms() + KEPT_MS
        with explain_errors(), self.app.engine.begin() as connection:
            update = sa.update(t.answered_request).where(*self._mine())
            connection.execute(update.values(status=status, body=body, expires_ms=expires_ms))

    def forget(self) -> None:
        """Let it be sent again: it had no effect."""
        with explain_errors(), self.app.engine.begin() as connection:
            connection.execute(sa.delete(t.answered_request).where(*self._mine()))

    def _mine(self) -> tuple[sa.ColumnElement[bool], ...]:
        row = t.answered_request.c
        return row.request_key == self.request_key, row.holder == self.holder


def begin_request(app: App, request_key: str, fingerprint: str) -> BegunRequest | tuple[int, str]:
    """Begin to answer a request; or the status and body of its response, if it was answered."""
    holder, now_ms, row = secrets.token_hex(12), app.clock.now_ms(), t.answered_request
    new = AnsweredRequest(
        request_key=request_key,
        holder=holder,
        fingerprint=fingerprint,
        expires_ms=now_ms + _LEASE_MS,
    )
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        connection.execute(sa.delete(row).where(row.c.expires_ms < now_ms))
        # A row that is there stays.
        upsert_records(connection, [new])
        query = sa.select(row).where(row.c.request_key == request_key)
        found = connection.execute(query).mappings().one()
    if found["holder"] == holder:
        return BegunRequest(app, request_key, holder)
    if found["fingerprint"] != fingerprint:
        raise RequestKeyReused("This Idempotency-Key was given to another request.")
    if found["status"] is None:
        raise TransientError(
            "The first request with this Idempotency-Key is still being answered.",
            advice="Send it again in a moment.",
        )
    return found["status"], found["body"]
