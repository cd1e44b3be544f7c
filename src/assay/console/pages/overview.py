"""The first page: the pipeline, what waits and why, and what is spent."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.app.overview import collect_overview, draw_own_pipeline
from assay.console.access import Reader
from assay.console.layout import OwnApp, render_page

router = APIRouter()
EVERY_S = 5


@router.get("/")
def show_overview(
    request: Request, app: OwnApp, _principal: Reader, part: str | None = None
) -> Response:
    """The state of everything; with `part`, only what is refreshed."""
    kept = request.app.state
    if not hasattr(kept, "diagram"):
        # The contracts do not change while the program runs.
        kept.diagram = draw_own_pipeline(app)
    return render_page(
        request,
        "overview_now.html" if part == "now" else "overview.html",
        state=collect_overview(app),
        diagram=kept.diagram,
        every_s=EVERY_S,
    )
