"""The first page: what is there, what waits, and why."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.app.status import collect_status
from assay.console.access import Reader
from assay.console.layout import OwnApp, render_page

router = APIRouter()


@router.get("/")
def show_overview(request: Request, app: OwnApp, _principal: Reader) -> Response:
    """The state of everything."""
    return render_page(request, "overview.html", state=collect_status(app))
