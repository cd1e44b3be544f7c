"""Users, logins and tokens in the store, on both databases."""

from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.app import App, access, logins
from assay.app.principals import LoginKind, Principal, Role, is_login_needed
from assay.clock import TurnedClock
from assay.errors import InvalidInput, LoginRefused, NotFound, TooManyAttempts
from assay.store import audit, truth
from assay.store import tables as t
from tests.access.conftest import PASSWORD
from tests.conftest import quick_settings

BY = "shell:root"
HOME = "192.0.2.1"
HOUR_S = 3600


def turn(app: App, seconds: float) -> None:
    assert isinstance(app.clock, TurnedClock)
    app.clock.turn(seconds=seconds)


def add(app: App, name: str = "ana", role: Role = Role.REVIEWER) -> None:
    access.add_user(app, name, role, PASSWORD, actor=BY)


def log_in(app: App, name: str = "ana", password: str = PASSWORD, address: str = HOME) -> str:
    return logins.log_in(app, name, password, address=address, client="Firefox")


def notes(app: App) -> list[tuple[str, str, str]]:
    with app.engine.connect() as connection:
        entries = list(audit.read_entries(connection))
        assert audit.verify_chain(connection).ok
    return [(entry["action"], entry["subject"], entry["actor"]) for entry in entries]


def test_a_user_logs_in_is_known_by_the_token_and_logs_out(app: App) -> None:
    add(app)
    token = log_in(app, " Ana ")
    assert logins.find_session(app, token) == Principal("ana", Role.REVIEWER, LoginKind.SESSION)
    assert logins.find_session(app, token + "x") is None
    (session,) = logins.list_sessions(app, "ana")
    assert session["client"] == "Firefox"
    logins.close_session(app, token)
    assert logins.find_session(app, token) is None


def test_the_store_knows_only_hashes(app: App) -> None:
    add(app)
    secrets = [PASSWORD, log_in(app), access.create_token(app, "ci", Role.READER, actor=BY)[0]]
    with app.engine.connect() as connection:
        stored = [
            str(row)
            for table in (t.user, t.login_session, t.api_token, t.login_attempts, truth.audit_log)
            for row in connection.execute(sa.select(table))
        ]
    assert len(stored) > 4
    assert not any(secret in row for secret in secrets for row in stored)
    assert "$argon2id$" in "".join(stored)
    shown = str([access.list_users(app), access.list_tokens(app)])
    assert "argon2" not in shown and "hash" not in shown


def test_a_login_ends_if_it_is_not_used_and_after_two_weeks_anyway(app: App) -> None:
    add(app)
    token = log_in(app)
    for _ in range(14 * 24 // 11):
        turn(app, 11 * HOUR_S)
        assert logins.find_session(app, token) is not None
    turn(app, 11 * HOUR_S)
    assert logins.find_session(app, token) is None
    token = log_in(app)
    turn(app, 12 * HOUR_S)
    assert logins.find_session(app, token) is None
    log_in(app)
    assert len(logins.list_sessions(app, "ana")) == 1


def test_every_change_has_an_effect_at_once_and_is_in_the_audit_log(app: App) -> None:
    add(app)
    token = log_in(app)
    access.set_role(app, "ana", Role.READER, actor=BY)
    found = logins.find_session(app, token)
    assert found is not None and found.role is Role.READER
    access.set_password(app, "ana", PASSWORD + "!", actor="ana", keep_session=None)
    assert logins.find_session(app, token) is None
    kept, other = log_in(app, password=PASSWORD + "!"), log_in(app, password=PASSWORD + "!")
    access.set_password(app, "ana", PASSWORD, actor="ana", keep_session=access.hash_token(kept))
    assert logins.find_session(app, kept) is not None
    assert logins.find_session(app, other) is None
    access.disable_user(app, "ana", actor=BY)
    assert logins.find_session(app, kept) is None
    with pytest.raises(LoginRefused):
        log_in(app)
    access.enable_user(app, "ana", actor=BY)
    assert logins.find_session(app, log_in(app)) is not None
    assert notes(app) == [
        ("user_added", "ana", BY),
        ("user_role_changed", "ana", BY),
        ("user_password_changed", "ana", "ana"),
        ("user_password_changed", "ana", "ana"),
        ("user_disabled", "ana", BY),
        ("user_enabled", "ana", BY),
    ]


def test_a_token_is_shown_once_expires_and_can_be_revoked(app: App) -> None:
    token, made = access.create_token(app, "ci", Role.REVIEWER, actor=BY, days=2)
    assert token.startswith("assay_") and "token_hash" not in made
    assert logins.find_token(app, token) == Principal("token:ci", Role.REVIEWER, LoginKind.TOKEN)
    assert logins.find_session(app, token) is None
    assert access.list_tokens(app)[0]["used_ms"] is not None
    turn(app, 2 * 86_400)
    assert logins.find_token(app, token) is None
    assert access.list_tokens(app)[0]["state"] == "expired"
    token, _ = access.create_token(app, "laptop", Role.READER, actor=BY)
    turn(app, 4000 * 86_400)
    assert logins.find_token(app, token) is not None
    access.revoke_token(app, "laptop", actor=BY)
    assert logins.find_token(app, token) is None
    with pytest.raises(NotFound):
        access.revoke_token(app, "laptop", actor=BY)
    with pytest.raises(InvalidInput, match="There is, or was, a token"):
        access.create_token(app, "laptop", Role.READER, actor=BY)
    assert [note[0] for note in notes(app)] == ["token_created", "token_created", "token_revoked"]


def test_guessing_at_one_name_takes_longer_and_longer(app: App) -> None:
    add(app)
    for number in range(logins.PER_NAME.free):
        with pytest.raises(LoginRefused):
            log_in(app, password="wrong", address=f"198.51.100.{number}")
    waits = []
    for number in range(8):
        # The right password does not help, from wherever it comes.
        with pytest.raises(TooManyAttempts) as refused:
            log_in(app, address=f"203.0.113.{number}")
        waits.append(refused.value.wait_s)
        turn(app, refused.value.wait_s)
        with pytest.raises(LoginRefused):
            log_in(app, password="wrong", address=f"203.0.113.{number}")
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    turn(app, 60)
    log_in(app)
    with pytest.raises(LoginRefused):
        log_in(app, password="wrong")


@pytest.mark.parametrize("address", ["192.0.2.9", "2001:db8::{}", "not an address"])
def test_guessing_from_one_address_is_limited_across_names(app: App, address: str) -> None:
    add(app)
    for number in range(logins.PER_ADDRESS.free):
        with pytest.raises(LoginRefused):
            log_in(app, f"name{number}", "wrong", address.format(number))
    with pytest.raises(TooManyAttempts):
        log_in(app, "another", "wrong", address.format(77))
    log_in(app, address="192.0.2.10")
    turn(app, 3700)
    log_in(app, address=address)
    # What is old is not kept.
    assert len(app.fetch_rows(sa.select(t.login_attempts))) <= 1


def test_logging_in_does_not_reset_what_an_address_failed(app: App) -> None:
    add(app)
    for number in range(logins.PER_ADDRESS.free):
        with pytest.raises(LoginRefused):
            log_in(app, f"name{number}", "wrong")
        if number % 3 == 0 and number < logins.PER_ADDRESS.free - 1:
            log_in(app)
    with pytest.raises(TooManyAttempts):
        log_in(app)


@pytest.mark.parametrize("name", ["ana", "nobody", "gone", "elsewhere", "x" * 500, "ä\x00"])
def test_every_refused_login_takes_the_same_steps(
    app: App, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(app)
    add(app, "gone")
    access.disable_user(app, "gone", actor=BY)
    logins.log_in_identity(app, "https://id.example 1", "elsewhere", Role.READER)
    logins._unknown_hash()
    compared: list[str] = []

    def count(password: str, hashed: str) -> bool:
        compared.append(hashed)
        return access.is_password(password, hashed)

    monkeypatch.setattr(logins, "is_password", count)
    password = PASSWORD if name == "gone" else "wrong"
    with pytest.raises(LoginRefused, match=r"The name or the password is wrong\."):
        log_in(app, name, password)
    # One hash of the same cost, whoever was named.
    assert len(compared) == 1 and compared[0].startswith("$argon2id$v=19$m=8,t=1,p=1$")


def test_a_name_belongs_to_one_person(app: App) -> None:
    add(app)
    for name in ("ana", "ANA "):
        with pytest.raises(InvalidInput, match="There is already a user"):
            add(app, name)
    with pytest.raises(InvalidInput, match="There is already a user"):
        logins.log_in_identity(app, "https://id.example 7", "ana", Role.OPERATOR)
    assert access.require_user(app, "ana").role == Role.REVIEWER


def test_an_identity_keeps_its_name_and_follows_its_role(app: App) -> None:
    who = "https://id.example 1"
    token = logins.log_in_identity(app, who, "ivo", Role.READER)
    assert logins.find_session(app, token) == Principal("ivo", Role.READER, LoginKind.SESSION)
    logins.log_in_identity(app, who, "other", Role.OPERATOR)
    found = logins.find_session(app, token)
    assert found is not None and (found.name, found.role) == ("ivo", Role.OPERATOR)
    with pytest.raises(InvalidInput, match="has no password here"):
        access.set_password(app, "ivo", PASSWORD, actor=BY)
    access.disable_user(app, "ivo", actor=BY)
    with pytest.raises(LoginRefused, match="may no longer log in"):
        logins.log_in_identity(app, who, "ivo", Role.OPERATOR)
    assert [note[0] for note in notes(app)] == ["user_added", "user_role_changed", "user_disabled"]


@pytest.mark.parametrize("name", ["", "-a", "a b", "token:x", "a" * 65, "ana\n", "ä", "a/b"])
def test_a_name_that_could_be_mistaken_is_refused(app: App, name: str) -> None:
    if name == "ana\n":
        assert access.check_user_name(name) == "ana"
        return
    with pytest.raises(InvalidInput, match="cannot be a user's name"):
        add(app, name)


@pytest.mark.parametrize("password", ["short", "a" * 20, "ana-ana-ana-ana", "x" * 1001])
def test_a_weak_password_is_refused(app: App, password: str) -> None:
    with pytest.raises(InvalidInput):
        access.add_user(app, "ana-ana-ana-ana", Role.READER, password, actor=BY)


LOGIN = [
    ("127.0.0.1", {}, False),
    ("::1", {}, False),
    ("localhost", {}, False),
    ("127.0.0.1", {"serve_hosts": ["localhost", "127.0.0.1:8080"]}, False),
    ("127.0.0.1", {"serve_login": "always"}, True),
    ("127.0.0.1", {"serve_hosts": ["assay.example"]}, True),
    ("0.0.0.0", {}, True),
    ("::", {}, True),
    ("192.168.1.7", {}, True),
    ("box.lan", {}, True),
    ("localhost.example", {}, True),
]


@pytest.mark.parametrize(("host", "given", "needed"), LOGIN)
def test_a_login_is_needed_where_others_come(
    make_app: Callable[..., App], home: Path, host: str, given: dict[str, object], needed: bool
) -> None:
    settings = quick_settings(home, **given)
    assert is_login_needed(settings, host) is needed
    made = make_app(settings)
    if not needed:
        assert access.refuse_open_server(made, host) is False
        return
    with pytest.raises(InvalidInput, match="nobody can log in yet"):
        access.refuse_open_server(made, host)
    add(made)
    assert access.refuse_open_server(made, host) is True
    access.disable_user(made, "ana", actor=BY)
    with pytest.raises(InvalidInput, match="nobody can log in yet"):
        access.refuse_open_server(made, host)


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537 Edg/140", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", "Safari on iPhone"),
        ("curl/8.1", "curl/8.1"),
        ("", "unknown"),
    ],
)  # fmt: skip
def test_a_browser_is_called_what_people_call_it(client: str, name: str) -> None:
    assert logins.describe_browser(client) == name
