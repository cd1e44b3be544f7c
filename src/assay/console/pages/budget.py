"""Budget: what model calls cost by day, source, stage and model, and every single call."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from assay.app.spending_reports import browse_calls, parse_day, report_spending
from assay.console.access import Reader
from assay.console.layout import OwnApp, render_page
from assay.console.paging import OwnPlace, link_next

router = APIRouter()
_PER_PAGE = 100
Day = Annotated[str, Query(max_length=20)]


@router.get("/budget")
def show_budget(request: Request, app: OwnApp, _principal: Reader, day: Day = "") -> Response:
    """A day against its caps, and the days before it."""
    return render_page(request, "budget.html", spent=report_spending(app, parse_day(app, day)))


@router.get("/budget/ledger")
def show_ledger(
    request: Request, app: OwnApp, _principal: Reader, after: OwnPlace, day: Day = ""
) -> Response:
    """The calls of a day."""
    chosen = parse_day(app, day)
    page = browse_calls(app, chosen, after, _PER_PAGE)
    return render_page(
        request, "ledger.html", calls=page.rows, day=chosen, next_url=link_next(request, page)
    )
