"""How pages are made: templates, the frame around them, and what all of them show."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import jinja2
from fastapi import Depends, Request
from fastapi.templating import Jinja2Templates
from markupsafe import Markup
from starlette.responses import Response

from assay.app import App
from assay.app.document_viewer import DocumentViewer
from assay.app.principals import Role
from assay.console.access import read_principal, stated_name
from assay.console.forms import MESSAGE_COOKIE, set_token, take_message, token_of
from assay.console.release_cache import ReleaseCache
from assay.display import escape_controls
from assay.sdk.screens import pluralize

STATIC = Path(__file__).parent / "static"
_TEMPLATES = Path(__file__).parent / "templates"
_MISSING = "–"


@dataclass(frozen=True)
class NavigationEntry:
    """A page that every other page leads to."""

    title: str
    path: str
    key: str = ""
    """Pressed after `g`, it leads there."""


NAVIGATION = (
    NavigationEntry("Overview", "/", "o"),
    NavigationEntry("Review", "/review", "r"),
    NavigationEntry("Conflicts", "/conflicts", "c"),
    NavigationEntry("Ask", "/ask", "a"),
    NavigationEntry("Rules", "/rules", "u"),
    NavigationEntry("Releases", "/releases", "l"),
    NavigationEntry("Documents", "/documents", "d"),
    NavigationEntry("Sources", "/sources", "s"),
    NavigationEntry("Runs", "/runs", "n"),
    NavigationEntry("Jobs", "/jobs", "j"),
    NavigationEntry("Budget", "/budget", "b"),
)


def app_of(request: Request) -> App:
    """The application that a request is answered from."""
    app: App = request.app.state.assay
    return app


OwnApp = Annotated[App, Depends(app_of)]
"""The `App` as a parameter of a handler."""


def cache_of(request: Request) -> ReleaseCache:
    """The releases in memory."""
    cache: ReleaseCache = request.app.state.releases
    return cache


def viewer_of(request: Request) -> DocumentViewer:
    """What opens stored documents."""
    viewer: DocumentViewer = request.app.state.viewer
    return viewer


OwnViewer = Annotated[DocumentViewer, Depends(viewer_of)]


def build_templates(app: App) -> Jinja2Templates:
    """The templates of the console, and those of the packs under their names."""
    packs = {
        pack.name: jinja2.FileSystemLoader(pack.templates)
        for pack in app.packs.installed.values()
        if pack.templates is not None
    }
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.FileSystemLoader(_TEMPLATES), jinja2.PrefixLoader(packs)]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_make_safe,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "moment": format_moment,
        "plural": pluralize,
        "number": format_number,
        "money": format_money,
        "duration": format_duration,
    }
    environment.globals |= {
        "navigation": (*NAVIGATION, *_list_pack_pages(app)),
        "asset": asset_url,
        "pack_asset": partial(pack_asset_url, find_pack_files(app)),
    }
    return Jinja2Templates(env=environment)


def render_page(
    request: Request, template: str, /, *, status: int = 200, **values: Any
) -> Response:
    """A page, with everything that the frame around it shows."""
    message, is_bad = take_message(request)
    templates: Jinja2Templates = request.app.state.templates
    principal = read_principal(request)
    frame = {
        "principal": principal,
        "who": principal.name if principal.is_authenticated else stated_name(request),
        "may_review": principal.may(Role.REVIEWER),
        "may_operate": principal.may(Role.OPERATOR),
        "form_token": token_of(request),
        "message": message,
        "message_is_bad": is_bad,
        "here": request.url.path,
    }
    response = templates.TemplateResponse(request, template, frame | values, status_code=status)
    set_token(request, response)
    if message:
        response.delete_cookie(MESSAGE_COOKIE, path="/")
    return response


def format_moment(at_ms: int | None) -> Markup | str:
    """A time stamp, in UTC."""
    if at_ms is None:
        return _MISSING
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        at.isoformat(timespec="seconds"), at.strftime("%Y-%m-%d %H:%M")
    )


def format_number(number: float | None) -> str:
    """A number with separated thousands."""
    return _MISSING if number is None else f"{number:,}"


def format_duration(ms: int) -> str:
    """How long something took: '850 ms', '12 s', '4 min 10 s', '2 h 5 min'."""
    if ms < 1000:
        return f"{ms} ms"
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def format_money(micros: int | None) -> str:
    """An amount of money, from millionths."""
    return _MISSING if micros is None else f"{micros / 1_000_000:,.4f}"


def asset_url(name: str) -> str:
    """The address of a file of the console; it changes with its content."""
    return f"/static/{name}?v={_hash_file(STATIC / name)}"


def find_pack_files(app: App) -> dict[str, Path]:
    """The folders of files that packs bring for their pages, by pack."""
    folders = {
        pack.name: pack.templates.parent / "static"
        for pack in app.packs.installed.values()
        if pack.templates is not None
    }
    return {name: folder for name, folder in folders.items() if folder.is_dir()}


def pack_asset_url(folders: Mapping[str, Path], name: str) -> str:
    """The address of a file of a pack, such as `graph/explorer.js`."""
    pack, _, path = name.partition("/")
    return f"/static/packs/{name}?v={_hash_file(folders[pack] / path)}"


@cache
def _hash_file(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:12]


def _list_pack_pages(app: App) -> list[NavigationEntry]:
    return [
        NavigationEntry(page.title, f"/{pack.name}{page.path.rstrip('/')}")
        for pack in app.packs.installed.values()
        for page in (() if pack.pages is None else pack.pages())
        # A page with a variable in its address is reached from another page.
        if page.is_listed and "{" not in page.path
    ]


def _make_safe(value: Any) -> Any:
    """What a template shows of a value: nothing in a text may act on the page or hide in it."""
    if isinstance(value, Markup):
        return value
    return _MISSING if value is None else escape_controls(str(value))
