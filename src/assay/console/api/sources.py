"""The watched sources, and pausing them."""

from typing import Annotated, Any

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field

from assay.app.keyset import KeysetPage
from assay.app.sources import describe_source, list_sources, pause_source, unpause_source
from assay.console.access import Operator, Reader
from assay.console.api.idempotency import RequestKey, answer_once
from assay.console.api.paging import WantedPage
from assay.console.api.routing import PlainText, build_router
from assay.console.layout import OwnApp

router = build_router("sources")


class SourceBrief(BaseModel):
    """A source and its health."""

    model_config = ConfigDict(extra="allow")

    source_slug: str
    name: str
    base_url: str
    packs: list[str]
    hierarchy: int
    active: bool
    found_at: str | None
    created_ms: int
    health_score: float
    level: str
    is_paused: bool
    pause_reason: str | None
    pause_expires_ms: int | None


class SourceShown(SourceBrief):
    """A source with its endpoints, and counts of its documents."""

    endpoints: list[dict[str, Any]]
    candidates: dict[str, int]
    routing: dict[str, int]


class SourceList(BaseModel):
    """Sources by their slug."""

    sources: list[SourceBrief]
    next: str | None = None


class PauseGiven(BaseModel):
    """Why a source is paused, and for how long."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[PlainText, Field(min_length=1, max_length=500)]
    hours: Annotated[float, Field(gt=0, le=87_600)] | None = None
    """None: until somebody resumes it."""


@router.get("/api/sources")
def show_sources(app: OwnApp, _principal: Reader, page: WantedPage) -> SourceList:
    """The sources with their health."""
    after = str(page.after[0]) if page.after else ""
    found = [source for source in list_sources(app) if source["source_slug"] > after]
    shown = found[: page.limit]
    last = (shown[-1]["source_slug"],) if len(found) > len(shown) else None
    next_ = page.link_next(KeysetPage(shown, last))
    return SourceList.model_validate({"sources": shown, "next": next_})


@router.get("/api/sources/{slug}")
def show_source(app: OwnApp, _principal: Reader, slug: str) -> SourceShown:
    """One source with its endpoints."""
    return SourceShown.model_validate(describe_source(app, slug))


@router.post("/api/sources/{slug}/pause", response_model=SourceShown)
def pause(
    request: Request,
    app: OwnApp,
    principal: Operator,
    slug: str,
    given: PauseGiven,
    key: RequestKey = None,
) -> Response:
    """Stop a source from spending."""

    def work() -> SourceShown:
        pause_source(app, slug, given.reason, given.hours)
        return SourceShown.model_validate(describe_source(app, slug))

    return answer_once(request, app, principal, key, given, work)


@router.post("/api/sources/{slug}/resume", response_model=SourceShown)
def resume(
    request: Request, app: OwnApp, principal: Operator, slug: str, key: RequestKey = None
) -> Response:
    """Let a paused source go on."""

    def work() -> SourceShown:
        unpause_source(app, slug)
        return SourceShown.model_validate(describe_source(app, slug))

    return answer_once(request, app, principal, key, None, work)
