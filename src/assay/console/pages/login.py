"""Logging in and out: with a password, or with OpenID Connect."""

import json
from dataclasses import asdict
from typing import Annotated
from urllib.parse import quote, unquote, urlsplit

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from assay.app import App, logins, oidc
from assay.app.principals import SESSION_COOKIE
from assay.console.access import client_address, read_principal
from assay.console.forms import TOKEN_COOKIE, OwnForm, redirect
from assay.console.layout import OwnApp, render_page
from assay.errors import AssayError, LoginRefused, TooManyAttempts
from assay.sdk.problems import http_status_of

router = APIRouter()
CALLBACK = "/auth/callback"
_ATTEMPT_COOKIE = "assay_login"
_ATTEMPT_S = 600
Text = Annotated[str, Form()]


@router.get("/login")
def show_login(request: Request, app: OwnApp, next: str = "/") -> Response:
    """The form in which somebody logs in."""
    principal = read_principal(request)
    if principal.role is not None:
        return RedirectResponse(own_path(next) if principal.is_authenticated else "/account", 303)
    return _render_login(request, app, next)


@router.post("/login", dependencies=[OwnForm])
def log_in(
    request: Request, app: OwnApp, name: Text = "", password: Text = "", next: Text = "/"
) -> Response:
    """Log in with a password."""
    try:
        token = logins.log_in(
            app, name, password, address=client_address(request), client=_browser_of(request)
        )
    except (LoginRefused, TooManyAttempts) as error:
        return _render_login(request, app, next, name=name, error=error)
    return _let_in(request, app, token, next)


@router.post("/logout", dependencies=[OwnForm])
def log_out(request: Request, app: OwnApp) -> Response:
    """End this login."""
    if (token := request.cookies.get(SESSION_COOKIE)) is not None:
        logins.close_session(app, token)
    response = redirect("/login", "You are logged out.")
    for cookie in (SESSION_COOKIE, TOKEN_COOKIE):
        response.delete_cookie(cookie, path="/")
    return response


@router.get("/auth/start")
def begin_oidc(request: Request, app: OwnApp, next: str = "/") -> Response:
    """Lead the person to the OpenID Connect provider."""
    url, attempt = oidc.begin_login(app, _callback_url(request, app))
    response = RedirectResponse(url, 303)
    kept = json.dumps({**asdict(attempt), "next": own_path(next)})
    response.set_cookie(
        _ATTEMPT_COOKIE,
        quote(kept),
        max_age=_ATTEMPT_S,
        httponly=True,
        # It has to come along when the provider sends the browser back.
        samesite="lax",
        secure=is_https(request, app),
        path="/auth/",
    )
    return response


@router.get(CALLBACK)
def finish_oidc(request: Request, app: OwnApp) -> Response:
    """The provider sends the person back."""
    try:
        attempt, to = _read_attempt(request)
        with logins.counting_attempt(app, client_address(request)):
            person = oidc.finish_login(
                app, attempt, request.query_params, _callback_url(request, app)
            )
            token = logins.log_in_identity(
                app, person.identity, person.name, person.role, client=_browser_of(request)
            )
        response = _let_in(request, app, token, to)
    except AssayError as error:
        response = _render_login(request, app, "/", error=error)
    response.delete_cookie(_ATTEMPT_COOKIE, path="/auth/")
    return response


def own_path(to: str) -> str:
    """An address of this console; whatever leads elsewhere becomes the first page."""
    is_own = to.startswith("/") and not to.startswith(("//", "/\\", "/login", "/auth/"))
    return to if is_own and to.isprintable() and "\\" not in to and " " not in to else "/"


def is_https(request: Request, app: App) -> bool:
    """Whether the browser came by https, as far as a proxy that is believed says so."""
    told = request.headers.get("X-Forwarded-Proto", "").rpartition(",")[2]
    return app.settings.serve_proxy and told.strip().lower() == "https"


def _let_in(request: Request, app: App, token: str, to: str) -> Response:
    """Give the browser a login that nobody could have known before."""
    if (earlier := request.cookies.get(SESSION_COOKIE)) is not None:
        logins.close_session(app, earlier)
    response = RedirectResponse(own_path(to), 303)
    response.set_cookie(
        SESSION_COOKIE,
        token,
        httponly=True,
        # 'strict' would ask everybody to log in who follows a link from a message.
        samesite="lax",
        secure=is_https(request, app),
        path="/",
    )
    # Forms of before the login are worth nothing after it.
    response.delete_cookie(TOKEN_COOKIE, path="/")
    return response


def _render_login(
    request: Request, app: App, to: str, *, name: str = "", error: AssayError | None = None
) -> Response:
    response = render_page(
        request,
        "login.html",
        status=200 if error is None else http_status_of(error),
        error=error,
        name=name[:64],
        next=own_path(to),
        has_oidc=bool(app.settings.oidc_issuer),
    )
    if isinstance(error, TooManyAttempts):
        response.headers["Retry-After"] = str(error.wait_s)
    return response


def _read_attempt(request: Request) -> tuple[oidc.OidcAttempt, str]:
    try:
        kept = json.loads(unquote(request.cookies.get(_ATTEMPT_COOKIE, "")))
        texts = [str(kept[name]) for name in ("state", "nonce", "verifier", "next")]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise LoginRefused(
            "This login was not begun in this browser, or too long ago.", advice="Begin again."
        ) from None
    if not all(texts):
        raise LoginRefused("This login is incomplete.", advice="Begin again.")
    return oidc.OidcAttempt(*texts[:3]), texts[3]


def _callback_url(request: Request, app: App) -> str:
    """Where the provider sends people back; the server answers only under its own names."""
    scheme = "https" if is_https(request, app) else "http"
    return f"{scheme}://{urlsplit('//' + request.headers['Host']).netloc}{CALLBACK}"


def _browser_of(request: Request) -> str:
    return request.headers.get("User-Agent", "")
