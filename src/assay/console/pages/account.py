"""The account: who one is, where one is logged in; for operators, people and tokens."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from assay.app import access, logins
from assay.app.principals import SESSION_COOKIE, LoginKind, Principal, Role
from assay.console.access import (
    Operator,
    Reader,
    check_stated_name,
    client_address,
    decider_name,
    keep_name,
    stated_name,
)
from assay.console.forms import OwnForm, redirect
from assay.console.layout import OwnApp, render_page
from assay.errors import InvalidInput, LoginRefused, RoleMissing

router = APIRouter()
Text = Annotated[str, Form()]


@router.get("/account")
def show_account(request: Request, app: OwnApp, principal: Reader) -> Response:
    """Who one is here, and where one is logged in."""
    is_person = principal.login is LoginKind.SESSION
    user = access.require_user(app, principal.name) if is_person else None
    return render_page(
        request,
        "account.html",
        is_person=is_person,
        stated=stated_name(request),
        sessions=logins.list_sessions(app, principal.name) if is_person else [],
        own_session=access.hash_token(request.cookies.get(SESSION_COOKIE, "")),
        has_password=user is not None and user.password_hash is not None,
        fewest_characters=access.FEWEST_CHARACTERS,
    )


@router.post("/account/name", dependencies=[OwnForm])
def state_name(request: Request, principal: Reader, name: Text = "") -> Response:
    """Keep the name of a person where nobody logs in."""
    if principal.is_authenticated:
        raise InvalidInput(f"You are logged in as {principal.name}.")
    checked = check_stated_name(name)
    response = redirect("/account", f"Decisions are signed as {checked} from now on.")
    keep_name(response, checked)
    return response


@router.post("/account/password", dependencies=[OwnForm])
def change_own_password(
    request: Request, app: OwnApp, principal: Reader, current: Text = "", new: Text = ""
) -> Response:
    """Change one's own password, and end all other logins."""
    _require_person(principal.login)
    try:
        logins.confirm_password(app, principal.name, current, address=client_address(request))
    except LoginRefused:
        return redirect("/account", "The current password is wrong.", bad=True)
    kept = access.hash_token(request.cookies.get(SESSION_COOKIE, ""))
    access.set_password(app, principal.name, new, actor=principal.name, keep_session=kept)
    return redirect("/account", "The password is changed; all other logins are ended.")


@router.post("/account/sessions/end", dependencies=[OwnForm])
def end_session(app: OwnApp, principal: Reader, session: Text = "") -> Response:
    """End one of one's own logins."""
    _require_person(principal.login)
    logins.close_session_of(app, principal.name, session)
    return redirect("/account", "The login is ended.")


@router.get("/account/people")
def show_people(request: Request, app: OwnApp, _principal: Operator) -> Response:
    """Users and tokens, for operators."""
    return _render_people(request, app)


@router.post("/account/people/add", dependencies=[OwnForm])
def add_person(
    request: Request,
    app: OwnApp,
    principal: Operator,
    role: Annotated[Role, Form()],
    name: Text = "",
    password: Text = "",
) -> Response:
    """Let somebody log in."""
    _refuse_program(principal)
    access.add_user(app, name, role, password, actor=decider_name(request))
    return redirect("/account/people", f"{name} can log in as {role}.")


@router.post("/account/people/change", dependencies=[OwnForm])
def change_person(
    request: Request,
    app: OwnApp,
    principal: Operator,
    to: Annotated[str, Form()],
    name: Text = "",
) -> Response:
    """Give somebody another role, or disable or enable them."""
    _refuse_program(principal)
    if principal.login is LoginKind.SESSION and name.strip().lower() == principal.name:
        raise InvalidInput(
            "You cannot change your own role or disable yourself.",
            advice="Another operator can; so nobody is locked out by mistake.",
        )
    actor = decider_name(request)
    if to == "disabled":
        access.disable_user(app, name, actor=actor)
    elif to == "enabled":
        access.enable_user(app, name, actor=actor)
    elif to in set(Role):
        access.set_role(app, name, Role(to), actor=actor)
    else:
        raise InvalidInput(f"There is no role '{to[:40]}'.")
    return redirect("/account/people", f"{name} is {to} now.")


@router.post("/account/tokens/create", dependencies=[OwnForm])
def create_token(
    request: Request,
    app: OwnApp,
    principal: Operator,
    role: Annotated[Role, Form()],
    days: Annotated[int, Form(ge=1, le=3650)] = 365,
    name: Text = "",
) -> Response:
    """Create a token for a program; this page is the only one that ever shows it."""
    _refuse_program(principal)
    token, made = access.create_token(app, name, role, actor=decider_name(request), days=days)
    return _render_people(request, app, token=token, token_name=made["name"])


@router.post("/account/tokens/revoke", dependencies=[OwnForm])
def revoke_token(request: Request, app: OwnApp, _principal: Operator, name: Text = "") -> Response:
    """Refuse a token from now on."""
    access.revoke_token(app, name, actor=decider_name(request))
    return redirect("/account/people", f"The token {name} is revoked.")


def _render_people(
    request: Request, app: OwnApp, token: str = "", token_name: str = ""
) -> Response:
    return render_page(
        request,
        "people.html",
        users=access.list_users(app),
        tokens=access.list_tokens(app),
        roles=list(Role),
        token=token,
        token_name=token_name,
        fewest_characters=access.FEWEST_CHARACTERS,
    )


def _require_person(login: LoginKind) -> None:
    if login is not LoginKind.SESSION:
        raise InvalidInput("Only somebody who is logged in has an account.")


def _refuse_program(principal: Principal) -> None:
    """Refuse a token: a program must not make the people who decide, nor other programs."""
    if principal.login is LoginKind.TOKEN:
        raise RoleMissing(
            "Only a person can change who may log in.", advice="Log in with a name and a password."
        )
