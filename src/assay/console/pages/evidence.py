"""Evidence: a stored version as text and as images of its pages, with its quotes in place.

What a document contains is never served as it is: its text is escaped, its pages are drawn by the
server, and its bytes can only be saved.
"""

import re
from hashlib import sha256
from typing import Annotated
from urllib.parse import quote as quote_url
from urllib.parse import unquote, urlsplit

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response

from assay.app.evidence_views import PDF_CLASSES, load_evidence, view_evidence
from assay.app.page_views import draw_page, find_page_of, view_page
from assay.app.text_parts import parse_quote
from assay.console.access import Reader
from assay.console.layout import OwnApp, OwnViewer, render_page
from assay.errors import InvalidInput

router = APIRouter()
PageNumber = Annotated[int, Path(ge=1, le=1_000_000)]
_UNSAFE_IN_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 80
_INERT = "sandbox; default-src 'none'"
"""For bytes that a stranger wrote: even a browser that opens them anyway gives them nothing."""
_KEEP = "private, no-cache"
"""A copy may be kept, and is asked for again each time: access to it may have ended."""


@router.get("/evidence/{evidence_id}")
def show_evidence(
    request: Request,
    evidence_id: str,
    app: OwnApp,
    viewer: OwnViewer,
    _principal: Reader,
    quote: str = "",
    part: int | None = None,
    reading: str = "",
) -> Response:
    """One stored version as text."""
    view = view_evidence(
        app,
        viewer,
        evidence_id,
        asked=_read_quote(quote),
        part=part,
        artifact_id=reading or None,
    )
    return render_page(
        request,
        "evidence.html",
        view=view,
        evidence=view.evidence,
        has_pages=view.evidence["content_class"] in PDF_CLASSES and not view.problem,
        is_missed=view.asked is not None and view.asked[1] > len(view.text),
    )


@router.get("/evidence/{evidence_id}/pages")
def find_evidence_page(
    evidence_id: str, app: OwnApp, _principal: Reader, quote: str = ""
) -> Response:
    """Lead to the page with a quote."""
    asked = _read_quote(quote)
    number = 1 if asked is None else find_page_of(app, evidence_id, asked[0])
    query = f"?quote={asked[0]}-{asked[1]}" if asked else ""
    return RedirectResponse(f"/evidence/{quote_url(evidence_id)}/pages/{number}{query}", 303)


@router.get("/evidence/{evidence_id}/pages/{number}.png")
def draw_evidence_page(
    request: Request,
    evidence_id: str,
    number: PageNumber,
    app: OwnApp,
    viewer: OwnViewer,
    _principal: Reader,
    quote: str = "",
) -> Response:
    """The image of a page; with a quote, that is highlighted in it."""
    asked = _read_quote(quote)
    evidence, _ = load_evidence(app, evidence_id)
    place = f"{evidence['content_hash']} {number} {asked} {evidence['primary_text_artifact_id']}"
    headers = {"ETag": f'"{sha256(place.encode()).hexdigest()[:32]}"', "Cache-Control": _KEEP}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    drawn = draw_page(app, viewer, evidence, number, asked)
    return Response(drawn, media_type="image/png", headers=headers)


@router.get("/evidence/{evidence_id}/pages/{number}")
def show_evidence_page(
    request: Request,
    evidence_id: str,
    number: PageNumber,
    app: OwnApp,
    viewer: OwnViewer,
    _principal: Reader,
    quote: str = "",
) -> Response:
    """One page as an image, with the quotes on it marked in place."""
    view = view_page(app, viewer, evidence_id, number, _read_quote(quote))
    return render_page(request, "evidence_page.html", view=view, evidence=view.evidence)


@router.get("/evidence/{evidence_id}/original")
def save_original(evidence_id: str, app: OwnApp, _principal: Reader) -> Response:
    """The bytes as they were fetched, to be saved and not shown."""
    evidence, _ = load_evidence(app, evidence_id)
    name = name_file(evidence["url"], evidence_id)
    return Response(
        app.blobs.get(evidence["content_hash"]),
        media_type="application/octet-stream",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Security-Policy": _INERT,
            "X-Content-Type-Options": "nosniff",
        },
    )


def name_file(url: str, evidence_id: str) -> str:
    """A name to save a document under: letters, digits, dots and dashes of its address."""
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:
        path = ""
    name = _UNSAFE_IN_NAME.sub("-", path.rsplit("/", 1)[-1]).strip(".-")[-_LONGEST_NAME:]
    return name.lstrip(".-") or _UNSAFE_IN_NAME.sub("-", evidence_id)


def _read_quote(given: str) -> tuple[int, int] | None:
    if not given:
        return None
    if (asked := parse_quote(given)) is None:
        raise InvalidInput(
            f"'{given[:60]}' is not a place in a text.",
            advice="A quote is given by its first character and the one after its last, such as "
            "quote=120-185.",
        )
    return asked
