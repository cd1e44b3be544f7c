"""Looks that a person asks for: planned here, done by a worker; and endpoints that are reopened."""

from dataclasses import dataclass

import sqlalchemy as sa

from assay.app.composition import App
from assay.app.runs import plan_looks, start_run
from assay.app.source_reports import is_look_queued
from assay.app.status import load_workers
from assay.errors import NotFound
from assay.model.records import MAX_CONSECUTIVE_ERRORS
from assay.store import tables as t
from assay.store.database import explain_errors


@dataclass(frozen=True)
class RequestedLook:
    """A look that is planned, or was planned already."""

    run_id: str | None
    """None if one waited already."""
    workers: tuple[str, ...]
    """Who does it; empty: nobody, until a worker is started."""

    def describe(self) -> str:
        """What happens next."""
        planned = "The look is queued" if self.run_id else "A look already waits"
        if self.workers:
            return f"{planned}; {self.workers[0]} does it."
        return (
            f"{planned}, but no worker is running. Start one with 'assay daemon', "
            "or do what waits with 'assay run'."
        )


def request_look(app: App, slug: str, by: str) -> RequestedLook:
    """Queue a look at every endpoint of a source, due or not, unless one waits already."""
    first = plan_looks(app, [slug])
    workers = tuple(w["worker_id"] for w in app.read(load_workers) if w["state"] == "alive")
    if is_look_queued(app, slug):
        return RequestedLook(None, workers)
    params = {"sources": [slug], "asked_by": by}
    return RequestedLook(start_run(app, label="look", params=params, first=first), workers)


def reopen_endpoint(app: App, endpoint_id: str) -> bool:
    """Let an endpoint be looked at again that failed too often; False if it was not closed."""
    endpoint = t.endpoint
    if not app.fetch_rows(
        sa.select(endpoint.c.endpoint_id).where(endpoint.c.endpoint_id == endpoint_id)
    ):
        raise NotFound(
            f"There is no endpoint '{endpoint_id}'.", advice="'assay sources show' lists them."
        )
    with explain_errors(), app.engine.begin() as connection:
        changed = connection.execute(
            sa.update(endpoint)
            .where(
                endpoint.c.endpoint_id == endpoint_id,
                endpoint.c.consecutive_errors >= MAX_CONSECUTIVE_ERRORS,
            )
            .values(consecutive_errors=0, last_error=None)
        )
        return bool(changed.rowcount)
