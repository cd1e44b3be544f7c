"""`assay users` and `assay tokens`: who may use the server, and as what."""

import os
import pwd
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from assay.app import access
from assay.app.principals import Role
from assay.cli.rendering import Columns, explain_empty, format_time, report_list
from assay.cli.session import AsJson, Session, open_app
from assay.errors import InvalidInput

if TYPE_CHECKING:
    from assay.app import App

users = typer.Typer(
    no_args_is_help=True, help="Show who may log in to the server; add, change and disable users."
)
tokens = typer.Typer(
    no_args_is_help=True, help="Show the API tokens of programs; create and revoke them."
)

UserName = Annotated[str, typer.Argument(help="The user.")]
GivenRole = Annotated[
    Role, typer.Option(help="What they may do; each role includes those before it.")
]
_ASK_TWICE = "Again"


@users.command("add")
def add_user(
    ctx: typer.Context,
    name: UserName,
    role: GivenRole = Role.READER,
    as_json: AsJson = False,
) -> None:
    """Add a user. The password is asked for, or is the first line of standard input."""
    with open_app(ctx, as_json, on="") as (session, app):
        checked = access.check_user_name(name)
        access.add_user(app, checked, role, _read_password(), actor=_actor())
        _report_user(session, app, checked, f"Added {checked} as {role}.")


@users.command("list")
def list_users(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the users, their roles, and when they last did something."""
    with open_app(ctx, as_json) as (session, app):
        found = access.list_users(app)
    columns: Columns = {
        "user": "name",
        "role": "role",
        "login": lambda row: "password" if row["identity"] is None else "OpenID Connect",
        "state": lambda row: "disabled" if row["disabled"] else "enabled",
        "last seen": lambda row: format_time(row["used_ms"]),
    }
    advice = "Add one with 'assay users add NAME --role operator'."
    report_list(session, found, columns, explain_empty("users", advice=advice))


@users.command("role")
def change_role(
    ctx: typer.Context,
    name: UserName,
    role: Annotated[Role, typer.Argument(help="The new role.")],
    as_json: AsJson = False,
) -> None:
    """Give a user another role; it takes effect at once."""
    with open_app(ctx, as_json) as (session, app):
        access.set_role(app, name, role, actor=_actor())
        _report_user(session, app, name, f"{name} is {role} now.")


@users.command("password")
def change_password(ctx: typer.Context, name: UserName, as_json: AsJson = False) -> None:
    """Set a new password, and end the user's logins. It is asked for, or read as by 'add'."""
    with open_app(ctx, as_json, on="") as (session, app):
        access.require_user(app, name)
        access.set_password(app, name, _read_password(), actor=_actor())
        _report_user(session, app, name, f"{name} has a new password and is logged out everywhere.")


@users.command("disable")
def disable_user(ctx: typer.Context, name: UserName, as_json: AsJson = False) -> None:
    """Refuse a user from now on, and end their logins. Their decisions keep their name."""
    with open_app(ctx, as_json) as (session, app):
        access.disable_user(app, name, actor=_actor())
        _report_user(session, app, name, f"{name} is disabled and logged out everywhere.")


@users.command("enable")
def enable_user(ctx: typer.Context, name: UserName, as_json: AsJson = False) -> None:
    """Let a disabled user log in again."""
    with open_app(ctx, as_json) as (session, app):
        access.enable_user(app, name, actor=_actor())
        _report_user(session, app, name, f"{name} can log in again.")


@tokens.command("create")
def create_token(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="What the program is called in the audit log.")],
    role: GivenRole = Role.READER,
    days: Annotated[
        int | None, typer.Option(min=1, max=3650, help="Days until it expires; by default never.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a token for a program. It is shown once, and only its hash is stored."""
    with open_app(ctx, as_json) as (session, app):
        token, made = access.create_token(app, name, role, actor=_actor(), days=days)
    session.say(token)
    session.say("Keep it now: nobody can see it again. Send it as 'Authorization: Bearer …'.")
    session.print_json({**made, "token": token})


@tokens.command("list")
def list_tokens(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the tokens, what they may do, and when they were last used."""
    with open_app(ctx, as_json) as (session, app):
        found = access.list_tokens(app)
    columns: Columns = {
        "token": "name",
        "role": "role",
        "state": "state",
        "created by": "created_by",
        "expires": lambda row: format_time(row["expires_ms"]),
        "last used": lambda row: format_time(row["used_ms"]),
    }
    advice = "Create one with 'assay tokens create NAME'."
    report_list(session, found, columns, explain_empty("tokens", advice=advice))


@tokens.command("revoke")
def revoke_token(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="The token, by its name.")],
    as_json: AsJson = False,
) -> None:
    """Refuse a token from now on."""
    with open_app(ctx, as_json) as (session, app):
        access.revoke_token(app, name, actor=_actor())
    session.say(f"Revoked {name}.")
    session.print_json({"revoked": name})


def _report_user(session: Session, app: "App", name: str, what: str) -> None:
    user = access.require_user(app, name)
    session.say(what)
    session.print_json({"name": user.name, "role": user.role, "disabled": user.disabled})


def _read_password() -> str:
    """A password from the terminal, without showing it, or from a pipe; never an argument, which
    everybody on the machine could see."""
    if sys.stdin.isatty():
        password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=_ASK_TWICE)
        return password
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise InvalidInput("There is no password.", advice="Type it, or pipe it into the command.")
    return line


def _actor() -> str:
    """Whoever can run commands at this home; the system vouches for the name."""
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        name = str(os.getuid())
    return f"shell:{name}"
