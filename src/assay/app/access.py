"""The people and programs that may use the server, as an operator manages them.

Every change is an entry of the audit log, in the same transaction.
"""

import re
import secrets
import threading
import unicodedata
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from assay.app.composition import App
from assay.app.principals import Role, is_login_needed
from assay.errors import InvalidInput, NotFound
from assay.model.access import ApiToken, User
from assay.model.audit import AuditNote
from assay.model.hashes import content_hash
from assay.store import audit
from assay.store import tables as t
from assay.store.bulk import build_insert
from assay.store.counts import count_rows
from assay.store.database import begin_writing, explain_errors

TOKEN_PREFIX = "assay_"
"""What every API token begins with, so that it is recognized where it was leaked."""
FEWEST_CHARACTERS = 12
_MOST_CHARACTERS = 1000
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
_DAY_MS = 86_400_000
_HASHER = PasswordHasher()
_HASHES_AT_ONCE = threading.BoundedSemaphore(2)
"""Each takes 64 MB: many logins at once must not take the memory of everything else."""


def hash_password(password: str) -> str:
    """The Argon2 hash of a password."""
    with _HASHES_AT_ONCE:
        return _HASHER.hash(_normalise(password))


def is_password(password: str, hashed: str) -> bool:
    """Whether the hash is of this password; it takes its time in any case."""
    try:
        with _HASHES_AT_ONCE:
            return _HASHER.verify(hashed, _normalise(password))
    except (VerificationError, InvalidHashError):
        return False


def _normalise(password: str) -> str:
    # Keyboards and systems write the same letter in different ways.
    return unicodedata.normalize("NFC", password)


def check_user_name(name: str) -> str:
    """The name of a user as it is stored, or an error."""
    lowered = name.strip().lower()
    if not _NAME.fullmatch(lowered):
        raise InvalidInput(
            f"'{name[:80]}' cannot be a user's name.",
            advice="Use letters a to z, digits, '.', '_', '-' and '@', at most 64 characters.",
        )
    return lowered


def add_user(app: App, name: str, role: Role, password: str, *, actor: str) -> None:
    """Let a person log in with a password."""
    name = check_user_name(name)
    _check_password(password, name)
    now_ms = app.clock.now_ms()
    user = User(
        name=name, role=role, password_hash=hash_password(password),
        created_ms=now_ms, changed_ms=now_ms,
    )  # fmt: skip
    with explain_errors(), app.engine.begin() as connection:
        insert_user(connection, user, now_ms, actor=actor)


def insert_user(connection: sa.Connection, user: User, now_ms: int, *, actor: str) -> None:
    """Store a new user, in this transaction."""
    begin_writing(connection)
    insert = build_insert(connection.dialect.name, t.user).values(user.row())
    made = insert.on_conflict_do_nothing().returning(t.user.c.name)
    if connection.execute(made).first() is None:
        raise InvalidInput(
            f"There is already a user '{user.name}'.",
            advice="'assay users list' lists the users; a name belongs to one person permanently.",
        )
    body = {"role": user.role, "login": "password" if user.identity is None else user.identity}
    _note(connection, now_ms, "user_added", "user", user.name, actor, body)


def set_role(app: App, name: str, role: Role, *, actor: str) -> None:
    """Give a user another role; it takes effect at once, also where they are logged in."""
    _change_user(app, name, {"role": role.value}, "user_role_changed", actor, {"role": role.value})


def set_password(
    app: App, name: str, password: str, *, actor: str, keep_session: str | None = None
) -> None:
    """Give a user another password, and end their logins, except the one with that hash."""
    _check_password(password, name)
    user = require_user(app, name)
    if user.identity is not None:
        raise InvalidInput(
            f"{user.name} logs in with OpenID Connect and has no password here.",
            advice="Change it where they log in.",
        )
    hashed = {"password_hash": hash_password(password)}
    _change_user(
        app, name, hashed, "user_password_changed", actor, {}, ends=True, keep_session=keep_session
    )


def disable_user(app: App, name: str, *, actor: str) -> None:
    """Refuse a user from now on, and end their logins."""
    _change_user(app, name, {"disabled": True}, "user_disabled", actor, {}, ends=True)


def enable_user(app: App, name: str, *, actor: str) -> None:
    """Let a disabled user log in again."""
    _change_user(app, name, {"disabled": False}, "user_enabled", actor, {})


def require_user(app: App, name: str) -> User:
    """A user by name."""
    rows = app.fetch_rows(sa.select(t.user).where(t.user.c.name == name.strip().lower()))
    if not rows:
        raise _unknown_user_error(name)
    return User.from_row(rows[0])


def list_users(app: App) -> list[dict[str, Any]]:
    """All users, with how they log in and when they last did something; without their hashes."""
    session = t.login_session
    used = (
        sa.select(sa.func.max(session.c.used_ms))
        .where(session.c.user_name == t.user.c.name)
        .correlate(t.user)
        .scalar_subquery()
    )
    columns = t.user.c
    query = sa.select(
        columns.name, columns.role, columns.disabled, columns.identity, columns.created_ms,
        used.label("used_ms"),
    ).order_by(columns.name)  # fmt: skip
    return app.fetch_rows(query)


def has_people(app: App) -> bool:
    """Whether anybody can log in: an enabled user, or everybody whom OpenID Connect lets in."""
    settings = app.settings
    if settings.oidc_issuer and settings.oidc_client_id and settings.oidc_roles:
        return True
    enabled = t.user.c.disabled.is_(False)
    return app.read(lambda connection: count_rows(connection, t.user, enabled)) > 0


def refuse_open_server(app: App, host: str) -> bool:
    """Refuse to serve where strangers may come and nobody could log in; returns whether people
    have to."""
    if not is_login_needed(app.settings, host):
        return False
    if not has_people(app):
        raise InvalidInput(
            f"Others can reach a server on {host}, but nobody can log in yet."
            if app.settings.serve_login != "always"
            else "The server requires a login, but nobody can log in yet.",
            advice="Add one with 'assay users add NAME --role operator', or leave out --host and "
            "serve_hosts, so that only this machine reaches the server.",
        )
    return True


def create_token(
    app: App, name: str, role: Role, *, actor: str, days: int | None = None
) -> tuple[str, dict[str, Any]]:
    """A new token of a program, which nobody can see again, and what is known about it."""
    name = check_user_name(name)
    token, now_ms = TOKEN_PREFIX + secrets.token_urlsafe(32), app.clock.now_ms()
    made = ApiToken(
        name=name,
        token_hash=hash_token(token),
        role=role,
        created_by=actor,
        created_ms=now_ms,
        expires_ms=None if days is None else now_ms + days * _DAY_MS,
    )
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        insert = build_insert(connection.dialect.name, t.api_token).values(made.row())
        added = insert.on_conflict_do_nothing().returning(t.api_token.c.name)
        if connection.execute(added).first() is None:
            raise InvalidInput(
                f"There is, or was, a token '{name}'.",
                advice="Choose another name: the audit log must not mean two tokens by one name.",
            )
        body = {"role": role.value, "expires_ms": made.expires_ms}
        _note(connection, now_ms, "token_created", "token", name, actor, body)
    return token, {key: value for key, value in made.row().items() if key != "token_hash"}


def revoke_token(app: App, name: str, *, actor: str) -> None:
    """Refuse a token from now on."""
    now_ms, table = app.clock.now_ms(), t.api_token
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        valid = sa.and_(table.c.name == name.strip().lower(), table.c.revoked_ms.is_(None))
        if connection.execute(sa.update(table).where(valid).values(revoked_ms=now_ms)).rowcount < 1:
            raise NotFound(
                f"No token named '{name[:80]}' is valid.",
                advice="'assay tokens list' lists the tokens.",
            )
        _note(connection, now_ms, "token_revoked", "token", name.strip().lower(), actor, {})


def list_tokens(app: App) -> list[dict[str, Any]]:
    """All tokens, without their hashes."""
    shown = [column for column in t.api_token.c if column.name != "token_hash"]
    now_ms = app.clock.now_ms()
    return [
        {**row, "state": _describe_state(row, now_ms)}
        for row in app.fetch_rows(sa.select(*shown).order_by(t.api_token.c.name))
    ]


def hash_token(token: str) -> str:
    """What is stored of a token. It is random, so no slow hash is needed."""
    return content_hash(token.encode())


def _describe_state(row: Mapping[str, Any], now_ms: int) -> str:
    if row["revoked_ms"] is not None:
        return "revoked"
    return "expired" if row["expires_ms"] is not None and row["expires_ms"] <= now_ms else "valid"


def _change_user(
    app: App,
    name: str,
    to: Mapping[str, Any],
    action: str,
    actor: str,
    body: Mapping[str, Any],
    *,
    ends: bool = False,
    keep_session: str | None = None,
) -> None:
    name, now_ms = name.strip().lower(), app.clock.now_ms()
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        change = sa.update(t.user).where(t.user.c.name == name)
        if connection.execute(change.values({**to, "changed_ms": now_ms})).rowcount != 1:
            raise _unknown_user_error(name)
        if ends:
            of_user = t.login_session.c.user_name == name
            others = t.login_session.c.token_hash != (keep_session or "")
            connection.execute(sa.delete(t.login_session).where(of_user, others))
        _note(connection, now_ms, action, "user", name, actor, body)


def _note(
    connection: sa.Connection,
    now_ms: int,
    action: str,
    kind: str,
    subject: str,
    actor: str,
    body: Mapping[str, Any],
) -> None:
    note = AuditNote(
        action=action, subject_kind=kind, subject=subject, actor=actor, body=body, once=False
    )
    audit.append_notes(connection, [note], now_ms)


def _check_password(password: str, name: str) -> None:
    if not FEWEST_CHARACTERS <= len(password) <= _MOST_CHARACTERS:
        raise InvalidInput(
            f"A password has at least {FEWEST_CHARACTERS} characters.",
            advice="A few words that do not belong together are easy to remember.",
        )
    if password.strip().lower() == name.strip().lower() or len(set(password)) < 4:
        raise InvalidInput("This password is too easy to guess.", advice="Choose another one.")


def _unknown_user_error(name: str) -> NotFound:
    return NotFound(
        f"There is no user '{name[:80]}'.", advice="'assay users list' lists the users."
    )
