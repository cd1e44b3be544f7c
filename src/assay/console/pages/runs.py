"""Runs: what came of each, and the files of its folder."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import FileResponse, Response

from assay.app.run_files import browse_runs, describe_run, find_run_file
from assay.console.access import Reader
from assay.console.forms import NO_NUL
from assay.console.layout import OwnApp, render_page
from assay.console.paging import OwnPlace, link_next

router = APIRouter()
_PER_PAGE = 50
RunId = Annotated[str, Path(max_length=80, pattern=NO_NUL)]


@router.get("/runs")
def show_runs(request: Request, app: OwnApp, _principal: Reader, after: OwnPlace) -> Response:
    """The runs, newest first."""
    page = browse_runs(app, after, _PER_PAGE)
    return render_page(request, "runs.html", runs=page.rows, next_url=link_next(request, page))


@router.get("/runs/{run_id}")
def show_run(
    request: Request,
    app: OwnApp,
    _principal: Reader,
    run_id: RunId,
    verify: Annotated[bool, Query()] = False,
) -> Response:
    """One run; with `verify`, its files are compared with their hashes."""
    return render_page(request, "run.html", run=describe_run(app, run_id, verify=verify))


@router.get("/runs/{run_id}/files/{name}")
def download_file(app: OwnApp, _principal: Reader, run_id: RunId, name: str) -> Response:
    """A file of the run, which no browser shows as a page."""
    path = find_run_file(app, run_id, name)
    return FileResponse(path, media_type="text/plain; charset=utf-8", filename=f"{run_id}-{name}")
