"""Logins: who gets in, how long it lasts, and how often somebody may try."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

import sqlalchemy as sa

from assay.app.access import check_user_name, hash_password, hash_token, insert_user, is_password
from assay.app.composition import App
from assay.app.principals import LoginKind, Principal, Role
from assay.errors import InvalidInput, LoginRefused, TooManyAttempts
from assay.logs import Log
from assay.model.access import LoginAttempts, LoginSession, User
from assay.model.audit import AuditNote
from assay.model.hashes import content_hash
from assay.store import audit
from assay.store import tables as t
from assay.store.bulk import build_insert, insert_rows
from assay.store.database import begin_writing, explain_errors

LONGEST_MS = 14 * 86_400_000
"""After this, everybody has to log in again."""
_HOUR_MS = 3_600_000
_TOUCH_MS = 60_000
"""How exactly it is known when a login or a token was last used."""
_MOST_CLIENT = 200
_FORGET_MS = _HOUR_MS
"""After so long without a failure, earlier ones no longer count."""
_MOST_LISTED = 50
# The first that matches: most of them also claim to be the later ones.
_BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)  # fmt: skip
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("Mac OS", "macOS"), ("Linux", "Linux"),
)  # fmt: skip
_REFUSED = "The name or the password is wrong."
log = Log("assay.app")


@dataclass(frozen=True)
class AttemptLimit:
    """How many logins may fail, and how the wait grows after that."""

    free: int
    longest_s: int

    def wait_after(self, failures: int) -> int:
        """Seconds to wait before the next attempt."""
        return (
            0 if failures < self.free else min(self.longest_s, 1 << min(failures - self.free, 20))
        )


# Whoever knows a name can make its owner wait, which is why that wait is short.
PER_NAME = AttemptLimit(free=5, longest_s=60)
PER_ADDRESS = AttemptLimit(free=20, longest_s=900)


def log_in(app: App, name: str, password: str, *, address: str, client: str = "") -> str:
    """The token of a new login, or an error; both take the same steps for any name."""
    user = confirm_password(app, name, password, address=address)
    return open_session(app, user.name, client)


def confirm_password(app: App, name: str, password: str, *, address: str) -> User:
    """The user with that name and password, or an error, which is the same for any name."""
    of_address, of_name = _subject_of_address(address), _subject_of_name(name)
    _count_attempt(app, {of_address: PER_ADDRESS, of_name: PER_NAME})
    rows = app.fetch_rows(sa.select(t.user).where(t.user.c.name == _clean_name(name)))
    user = User.from_row(rows[0]) if rows else None
    hashed = user.password_hash if user is not None else None
    is_right = is_password(password, hashed or _unknown_hash())
    if user is None or hashed is None or user.disabled or not is_right:
        # Without the name: people type passwords into the wrong field.
        log.warning("login_refused", "A login with a password was refused.", address=address)
        raise LoginRefused(_REFUSED)
    _forget_attempt(app, of_address, of_name)
    log.info("login_accepted", f"{user.name} showed their password.", address=address)
    return user


@contextmanager
def counting_attempt(app: App, address: str) -> Iterator[None]:
    """Refuse an address that failed too often; what ends in an error counts as a failure."""
    subject = _subject_of_address(address)
    _count_attempt(app, {subject: PER_ADDRESS})
    yield
    _forget_attempt(app, subject)


def log_in_identity(app: App, identity: str, name: str, role: Role, *, client: str = "") -> str:
    """The token of a new login of somebody whom an OpenID provider vouches for.

    The identity is what the person is known by; the name only counts at their first login.
    """
    now_ms = app.clock.now_ms()
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        found = connection.execute(sa.select(t.user).where(t.user.c.identity == identity)).first()
        if found is None:
            user = User(
                name=name, role=role, identity=identity, created_ms=now_ms, changed_ms=now_ms
            )
            insert_user(connection, user, now_ms, actor=identity)
        else:
            user = User.from_row(found._asdict())
            if user.disabled:
                raise LoginRefused(
                    f"{user.name} may no longer log in.", advice="Ask an operator of this server."
                )
            _follow_role(connection, user, role, now_ms)
        return _insert_session(connection, app, user.name, client)


def open_session(app: App, user_name: str, client: str = "") -> str:
    """The token of a new login of a user."""
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        return _insert_session(connection, app, user_name, client)


def find_session(app: App, token: str) -> Principal | None:
    """Whose login this is; None if it ended. Using it keeps it from expiring."""
    session, now_ms, hashed = t.login_session, app.clock.now_ms(), hash_token(token)
    query = (
        sa.select(session, t.user.c.role)
        .join_from(session, t.user, t.user.c.name == session.c.user_name)
        .where(session.c.token_hash == hashed, session.c.expires_ms > now_ms)
        .where(t.user.c.disabled.is_(False))
    )
    rows = app.fetch_rows(query)
    if not rows:
        return None
    (row,) = rows
    if row["used_ms"] < now_ms - _TOUCH_MS:
        expires_ms = _expiry_of(app, row["created_ms"], now_ms)
        _touch(app, session, session.c.token_hash == hashed, used_ms=now_ms, expires_ms=expires_ms)
    return Principal(row["user_name"], Role(row["role"]), LoginKind.SESSION)


def find_token(app: App, token: str) -> Principal | None:
    """Which program has this token; None if it is not valid."""
    table, now_ms = t.api_token, app.clock.now_ms()
    rows = app.fetch_rows(
        sa.select(table).where(
            table.c.token_hash == hash_token(token),
            table.c.revoked_ms.is_(None),
            sa.or_(table.c.expires_ms.is_(None), table.c.expires_ms > now_ms),
        )
    )
    if not rows:
        return None
    (row,) = rows
    if (row["used_ms"] or 0) < now_ms - _TOUCH_MS:
        _touch(app, table, table.c.name == row["name"], used_ms=now_ms)
    # No user has such a name.
    return Principal(f"token:{row['name']}", Role(row["role"]), LoginKind.TOKEN)


def close_session(app: App, token: str) -> None:
    """End a login."""
    _delete_sessions(app, t.login_session.c.token_hash == hash_token(token))


def close_session_of(app: App, user_name: str, session_hash: str) -> None:
    """End one of a user's logins, known by its hash."""
    table = t.login_session
    _delete_sessions(
        app, sa.and_(table.c.token_hash == session_hash, table.c.user_name == user_name)
    )


def list_sessions(app: App, user_name: str) -> list[dict[str, Any]]:
    """The logins of a user that have not expired, the newest first."""
    table = t.login_session
    valid = sa.and_(table.c.user_name == user_name, table.c.expires_ms > app.clock.now_ms())
    query = sa.select(table).where(valid).order_by(table.c.used_ms.desc()).limit(_MOST_LISTED)
    return [{**row, "browser": describe_browser(row["client"])} for row in app.fetch_rows(query)]


def describe_browser(client: str) -> str:
    """What a person calls their browser, from what it calls itself."""
    browser = next((name for mark, name in _BROWSERS if mark in client), "")
    system = next((name for mark, name in _SYSTEMS if mark in client), "")
    return " on ".join(part for part in (browser, system) if part) or client[:40] or "unknown"


def _follow_role(connection: sa.Connection, user: User, role: Role, now_ms: int) -> None:
    """What the provider says now replaces what it said before."""
    if user.role == role.value:
        return
    changed = {"role": role.value, "changed_ms": now_ms}
    connection.execute(sa.update(t.user).where(t.user.c.name == user.name).values(changed))
    note = AuditNote(
        action="user_role_changed", subject_kind="user", subject=user.name,
        actor=user.identity or "", body={"role": role.value}, once=False,
    )  # fmt: skip
    audit.append_notes(connection, [note], now_ms)


def _insert_session(connection: sa.Connection, app: App, user_name: str, client: str) -> str:
    token, now_ms = secrets.token_urlsafe(32), app.clock.now_ms()
    made = LoginSession(
        token_hash=hash_token(token),
        user_name=user_name,
        client=client[:_MOST_CLIENT],
        created_ms=now_ms,
        used_ms=now_ms,
        expires_ms=_expiry_of(app, now_ms, now_ms),
    )
    connection.execute(sa.delete(t.login_session).where(t.login_session.c.expires_ms <= now_ms))
    insert_rows(connection, t.login_session, [made.row()])
    return token


def _expiry_of(app: App, created_ms: int, now_ms: int) -> int:
    return min(created_ms + LONGEST_MS, now_ms + app.settings.serve_session_hours * _HOUR_MS)


def _touch(app: App, table: sa.Table, which: sa.ColumnElement[bool], **values: int) -> None:
    with explain_errors(), app.engine.begin() as connection:
        connection.execute(sa.update(table).where(which).values(values))


def _delete_sessions(app: App, which: sa.ColumnElement[bool]) -> None:
    with explain_errors(), app.engine.begin() as connection:
        connection.execute(sa.delete(t.login_session).where(which))


def _count_attempt(app: App, subjects: Mapping[str, AttemptLimit]) -> None:
    """Count an attempt as failed before it is made, so that many at once do not slip through."""
    now_ms, table = app.clock.now_ms(), t.login_attempts
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        connection.execute(sa.delete(table).where(table.c.last_ms < now_ms - _FORGET_MS))
        # In a fixed order, which prevents deadlocks.
        counts = {
            subject: _lock_attempts(connection, subject, now_ms) for subject in sorted(subjects)
        }
        for subject, known in counts.items():
            wait_ms = known.last_ms + 1000 * subjects[subject].wait_after(known.count) - now_ms
            if wait_ms > 0:
                raise TooManyAttempts("Too many logins failed.", wait_s=max(1, -(-wait_ms // 1000)))
        for subject, known in counts.items():
            counted = {"count": known.count + 1, "last_ms": now_ms}
            connection.execute(sa.update(table).where(table.c.subject == subject).values(counted))


def _lock_attempts(connection: sa.Connection, subject: str, now_ms: int) -> LoginAttempts:
    """What is known of a subject, locked until this transaction ends."""
    table = t.login_attempts
    first = build_insert(connection.dialect.name, table).values(
        subject=subject, count=0, last_ms=now_ms
    )
    connection.execute(first.on_conflict_do_nothing(index_elements=["subject"]))
    row = connection.execute(sa.select(table).where(table.c.subject == subject).with_for_update())
    return LoginAttempts.from_row(row.one()._asdict())


def _forget_attempt(app: App, address: str, name: str | None = None) -> None:
    """A login that succeeded is not a failure. Somebody who knows one password must not try others
    without end, so the failures of an address stay."""
    table = t.login_attempts
    with explain_errors(), app.engine.begin() as connection:
        begin_writing(connection)
        one_less = sa.update(table).where(table.c.subject == address, table.c.count > 0)
        connection.execute(one_less.values(count=table.c.count - 1))
        if name is not None:
            connection.execute(sa.delete(table).where(table.c.subject == name))


def _clean_name(name: str) -> str:
    """The name as it would be stored; empty, which nobody is called, for what cannot be a name."""
    try:
        return check_user_name(name)
    except InvalidInput:
        return ""


def _subject_of_name(name: str) -> str:
    lowered = name.strip().lower()
    return f"name:{content_hash(lowered.encode('utf-8', 'replace'))[:32]}"


def _subject_of_address(address: str) -> str:
    """One subscriber has a whole network of IPv6 addresses."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "address:unknown"
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return f"address:{parsed.ipv4_mapped}"
        return f"address:{ip_network((parsed, 64), strict=False)}"
    return f"address:{parsed}"


@cache
def _unknown_hash() -> str:
    """The hash that a password is compared with where nobody has the name."""
    return hash_password(secrets.token_urlsafe(24))
