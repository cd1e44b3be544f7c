"""Whose request it is, as the server says, what is refused, and who signs decisions."""

from collections.abc import Callable
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import Depends, Request
from starlette.responses import Response

from assay.app.principals import (
    ADDRESS_HEADER,
    ANONYMOUS,
    LOGIN_HEADER,
    ROLE_HEADER,
    USER_HEADER,
    LoginKind,
    Principal,
    Role,
)
from assay.errors import InvalidInput, LoginNeeded, RoleMissing
from assay.ruling.review.service import Reviewer

NAME_COOKIE = "assay_name"
"""The name that somebody stated where nobody logs in."""
_MOST_NAME = 80
_YEAR_S = 365 * 86_400


def read_principal(request: Request) -> Principal:
    """Whose request this is; nobody's, if the server did not say."""
    headers = request.headers
    if ROLE_HEADER not in headers:
        return ANONYMOUS
    login = LoginKind(headers.get(LOGIN_HEADER, LoginKind.NONE))
    return Principal(headers[USER_HEADER], Role(headers[ROLE_HEADER]), login)


def require(role: Role) -> Callable[[Request], Principal]:
    """A dependency that refuses everybody without this role."""

    def check(request: Request) -> Principal:
        principal = read_principal(request)
        if principal.role is None:
            raise LoginNeeded("This page needs to know who asks.")
        if not principal.may(role):
            raise RoleMissing(
                f"This needs the role '{role}'; {principal.name} has the role '{principal.role}'."
            )
        return principal

    return check


Reader = Annotated[Principal, Depends(require(Role.READER))]
Decider = Annotated[Principal, Depends(require(Role.REVIEWER))]
Operator = Annotated[Principal, Depends(require(Role.OPERATOR))]


def client_address(request: Request) -> str:
    """Where a request comes from, as the server says."""
    return request.headers.get(ADDRESS_HEADER, "")


def decider_name(request: Request, stated: str = "") -> str:
    """What a decision of this request is signed with: the authenticated name, or where nobody logs
    in, the one that the person stated, there or before; an error if there is none."""
    principal = read_principal(request)
    if principal.is_authenticated:
        return principal.name
    stated = check_stated_name(stated) if stated else stated_name(request)
    if not stated:
        raise InvalidInput(
            "A decision needs the name of the person who makes it.",
            advice="Say who you are at /account; the name is kept in this browser.",
        )
    return stated


def shown_name(request: Request) -> str:
    """What others see of whoever sends a request."""
    principal = read_principal(request)
    return principal.name if principal.is_authenticated else stated_name(request) or principal.name


def make_reviewer(request: Request, note: str = "", *, stated: str = "") -> Reviewer:
    """Who decides with this request; the audit log says whether they logged in."""
    principal = read_principal(request)
    return Reviewer(
        person=decider_name(request, stated),
        note=note.strip(),
        authenticated=principal.is_authenticated,
        is_person=principal.login is LoginKind.SESSION,
    )


def stated_name(request: Request) -> str:
    """The name that somebody stated in this browser; empty if none, or if it counts for nothing."""
    try:
        return check_stated_name(unquote(request.cookies.get(NAME_COOKIE, "")))
    except InvalidInput:
        return ""


def check_stated_name(name: str) -> str:
    """A person's own name for themselves, or an error."""
    found = " ".join(name.split())
    if not 0 < len(found) <= _MOST_NAME or not found.isprintable() or ":" in found:
        raise InvalidInput(
            "This cannot be a name.",
            advice=f"Use 1 to {_MOST_NAME} letters, digits and spaces, without a colon.",
        )
    return found


def keep_name(response: Response, name: str) -> None:
    """Let the browser keep the name that somebody stated."""
    response.set_cookie(
        NAME_COOKIE, quote(name), max_age=_YEAR_S, httponly=True, samesite="strict", path="/"
    )
