"""Sources: their health, their looks and what these yield; adding, pausing and removing them."""

import threading
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from assay.app import looks
from assay.app import sources as app_sources
from assay.app.new_source import name_after
from assay.app.source_previews import (
    STRATEGIES,
    SourceAddress,
    list_reading_packs,
    preview_source,
    watch_address,
)
from assay.app.source_reports import browse_sources, report_source
from assay.console.access import Operator, Reader, shown_name
from assay.console.forms import NO_NUL, OwnForm, redirect
from assay.console.layout import OwnApp, render_page
from assay.console.paging import OwnPlace, link_next
from assay.errors import AssayError, TransientError
from assay.governor.health import PAUSE_HOURS
from assay.sdk.screens import pluralize

router = APIRouter()
_PER_PAGE = 100
_MOST_SHOWN = 50
_one_preview = threading.Lock()
Slug = Annotated[str, Form(max_length=200, pattern=NO_NUL)]
Words = Annotated[str, Form(max_length=2_000, pattern=NO_NUL)]


@router.get("/sources")
def show_sources(
    request: Request,
    app: OwnApp,
    _principal: Reader,
    after: OwnPlace,
    show: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """The sources with their health."""
    in_trouble = show == "trouble"
    page = browse_sources(app, after, _PER_PAGE, in_trouble=in_trouble)
    return render_page(
        request,
        "sources.html",
        sources=page.rows,
        in_trouble=in_trouble,
        now_ms=app.clock.now_ms(),
        next_url=link_next(request, page),
    )


@router.get("/sources/add")
def show_form(request: Request, app: OwnApp, _principal: Operator) -> Response:
    """The form for a new source."""
    return _render_form(request, app, SourceAddress(""))


@router.post("/sources/preview", dependencies=[OwnForm])
def preview(
    request: Request,
    app: OwnApp,
    _principal: Operator,
    url: Words,
    strategy: Slug = "",
    selects: Words = "",
) -> Response:
    """What a look at an address would find. It is fetched, and nothing is stored."""
    address = _read_address(url, strategy, selects)
    with _Turn():
        try:
            tried = preview_source(app, address)
        except AssayError as error:
            return _render_form(request, app, address, error=error)
    return _render_form(
        request, app, address, tried=tried.values(), most=_MOST_SHOWN, name=name_after(tried.url)
    )


@router.post("/sources/add", dependencies=[OwnForm])
def add(
    request: Request,
    app: OwnApp,
    _principal: Operator,
    url: Words,
    name: Slug,
    pack: Slug,
    strategy: Slug = "",
    selects: Words = "",
) -> Response:
    """Watch the source at an address."""
    address = _read_address(url, strategy, selects)
    with _Turn():
        try:
            added = watch_address(app, address, name.strip(), pack)
        except AssayError as error:
            return _render_form(request, app, address, error=error, name=name)
    count = pluralize(len(added.endpoints), "endpoint")
    return redirect(
        f"/sources/{added.source}", f"Source '{added.source}' is now watched at {count}."
    )


@router.get("/sources/{slug}")
def show_source(request: Request, app: OwnApp, _principal: Reader, slug: str) -> Response:
    """One source with its endpoints, its errors, and what happened to it."""
    return render_page(
        request,
        "source.html",
        source=report_source(app, slug),
        now_ms=app.clock.now_ms(),
        pause_hours=PAUSE_HOURS,
    )


@router.post("/sources/{slug}/pause", dependencies=[OwnForm])
def pause(
    request: Request,
    app: OwnApp,
    _principal: Operator,
    slug: str,
    reason: Annotated[str, Form(min_length=1, max_length=300, pattern=NO_NUL)],
    hours: Annotated[float, Form(gt=0, le=24 * 366)] = PAUSE_HOURS,
    until_resumed: Annotated[bool, Form()] = False,
) -> Response:
    """Stop a source from spending."""
    lasts = None if until_resumed else hours
    app_sources.pause_source(app, slug, f"{reason} ({shown_name(request)})", lasts)
    return redirect(f"/sources/{slug}", f"Source '{slug}' is paused: no model is called for it.")


@router.post("/sources/{slug}/resume", dependencies=[OwnForm])
def resume(app: OwnApp, _principal: Operator, slug: str) -> Response:
    """Let a paused source go on."""
    was_paused, documents = app_sources.unpause_source(app, slug)
    waited = f" {pluralize(documents, 'document')} waited for it." if documents else ""
    told = f"Source '{slug}' goes on.{waited}" if was_paused else f"Source '{slug}' was not paused."
    return redirect(f"/sources/{slug}", told)


@router.post("/sources/{slug}/look", dependencies=[OwnForm])
def look(request: Request, app: OwnApp, _principal: Operator, slug: str) -> Response:
    """Queue a look at all endpoints of a source."""
    requested = looks.request_look(app, slug, shown_name(request))
    return redirect(f"/sources/{slug}", requested.describe())


@router.post("/sources/{slug}/reopen", dependencies=[OwnForm])
def reopen(app: OwnApp, _principal: Operator, slug: str, endpoint: Words) -> Response:
    """Let an endpoint be looked at again that failed too often."""
    opened = looks.reopen_endpoint(app, endpoint)
    told = f"{endpoint} is looked at again when it is due." if opened else f"{endpoint} is open."
    return redirect(f"/sources/{slug}", told)


@router.post("/sources/{slug}/remove", dependencies=[OwnForm])
def remove(app: OwnApp, _principal: Operator, slug: str) -> Response:
    """Stop watching a source."""
    app_sources.remove_source(app, slug)
    told = f"Source '{slug}' is no longer watched. Its evidence, facts and rules stay."
    return redirect(f"/sources/{slug}", told)


class _Turn:
    """One preview at a time: each fetches pages and starts a process that reads them."""

    def __enter__(self) -> None:
        if not _one_preview.acquire(blocking=False):
            raise TransientError(
                "Somebody else is trying an address at the moment.", advice="Try again in a minute."
            )

    def __exit__(self, *_: object) -> None:
        _one_preview.release()


def _read_address(url: str, strategy: str, selects: str) -> SourceAddress:
    chosen = tuple(line.strip() for line in selects.splitlines() if line.strip())
    return SourceAddress(url.strip(), strategy if strategy in STRATEGIES else None, chosen)


def _render_form(
    request: Request,
    app: OwnApp,
    address: SourceAddress,
    *,
    error: AssayError | None = None,
    **values: object,
) -> Response:
    return render_page(
        request,
        "source_add.html",
        status=400 if error else 200,
        **{
            "address": address,
            "strategies": STRATEGIES,
            "packs": list_reading_packs(app),
            "error": error,
            "tried": None,
            "name": "",
            **values,
        },
    )
