"""Logging in through the console: forms, cookies, limits, and the account page."""

import re
from collections.abc import Mapping

import pytest
from starlette.testclient import TestClient

from assay.app import App, access, logins
from assay.app.principals import (
    ADDRESS_HEADER,
    LOGIN_HEADER,
    ROLE_HEADER,
    SESSION_COOKIE,
    USER_HEADER,
    LoginKind,
    Role,
)
from assay.console import create_console
from assay.console.access import NAME_COOKIE, decider_name
from assay.console.forms import TOKEN_COOKIE
from assay.console.pages.login import own_path
from assay.errors import InvalidInput
from assay.store import audit
from tests.access.conftest import PASSWORD

BY = "shell:root"
_TOKEN = re.compile(r'name="token" value="([^"]+)"')


class Person:
    """Somebody with a browser, behind the server that says who they are."""

    def __init__(self, app: App, *, needs_login: bool = True, proto: str = "") -> None:
        self.app = app
        self.needs_login = needs_login
        self.headers = {"X-Forwarded-Proto": proto}
        self.client = TestClient(
            create_console(app), base_url="http://assay.example", follow_redirects=False
        )

    def told(self) -> dict[str, str]:
        """What the server would say about the cookies of this browser."""
        if not self.needs_login:
            return {USER_HEADER: "local", ROLE_HEADER: "operator", LOGIN_HEADER: "none"}
        found = logins.find_session(self.app, self.session or "")
        if found is None or found.role is None:
            return {USER_HEADER: "", LOGIN_HEADER: "none", ADDRESS_HEADER: "192.0.2.1"}
        return {
            USER_HEADER: found.name,
            ROLE_HEADER: found.role.value,
            LOGIN_HEADER: LoginKind.SESSION.value,
            ADDRESS_HEADER: "192.0.2.1",
        }

    @property
    def session(self) -> str | None:
        return self.client.cookies.get(SESSION_COOKIE)

    def get(self, path: str):  # type: ignore[no-untyped-def]
        return self.client.get(path, headers={**self.told(), **self.headers})

    def post(self, path: str, form: Mapping[str, str], *, page: str = "/login"):  # type: ignore[no-untyped-def]
        token = _TOKEN.search(self.get(page).text)
        given = {"token": "" if token is None else token[1], **form}
        return self.client.post(path, data=given, headers={**self.told(), **self.headers})

    def log_in(self, name: str = "ana", password: str = PASSWORD, to: str = "/"):  # type: ignore[no-untyped-def]
        return self.post("/login", {"name": name, "password": password, "next": to})


@pytest.fixture
def ana(lone: App) -> Person:
    access.add_user(lone, "ana", Role.READER, PASSWORD, actor=BY)
    return Person(lone)


def cookies_of(answer) -> dict[str, str]:  # type: ignore[no-untyped-def]
    """The lines that set cookies, by the cookies' names."""
    return {line.partition("=")[0]: line for line in answer.headers.get_list("set-cookie")}


def test_a_person_logs_in_sees_the_page_they_wanted_and_logs_out(ana: Person) -> None:
    assert "Overview" not in ana.get("/login?next=%2Frules").text
    answer = ana.log_in(to="/rules?limit=3")
    assert (answer.status_code, answer.headers["location"]) == (303, "/rules?limit=3")
    assert "this one" in ana.get("/account").text
    assert ana.get("/login?next=%2Frules").headers["location"] == "/rules"
    answer = ana.post("/logout", {}, page="/account")
    assert answer.headers["location"] == "/login" and not ana.session
    assert ana.get("/account").status_code == 401


def test_the_cookie_of_a_login_is_for_this_server_alone(ana: Person) -> None:
    line = cookies_of(ana.log_in())[SESSION_COOKIE]
    parts = {part.strip().lower() for part in line.split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/"} <= parts
    # Over http a browser would not send it back; without an end it ends with the browser.
    assert "secure" not in parts and "domain" not in line.lower() and "max-age" not in line.lower()


@pytest.mark.parametrize(
    ("trusts", "proto", "secure"),
    [(True, "https", True), (True, "http, https", True), (True, "https, http", False),
     (True, "", False), (False, "https", False)],
)  # fmt: skip
def test_a_cookie_is_secure_where_a_declared_proxy_says_https(
    lone: App, trusts: bool, proto: str, secure: bool
) -> None:
    access.add_user(lone, "ana", Role.READER, PASSWORD, actor=BY)
    lone.settings = lone.settings.model_copy(update={"serve_proxy": trusts})
    answer = Person(lone, proto=proto).log_in()
    assert ("secure" in cookies_of(answer)[SESSION_COOKIE].lower()) is secure


def test_a_login_never_takes_over_a_token_that_somebody_planted(ana: Person) -> None:
    planted = logins.open_session(ana.app, "ana")
    # As the server would have set it.
    ana.client.cookies.set(SESSION_COOKIE, planted + "x", domain="assay.example", path="/")
    ana.log_in()
    assert ana.session not in (planted, planted + "x", None)
    first = ana.session
    # Logging in again ends the earlier login of this browser.
    page = ana.client.get("/login", headers={USER_HEADER: "", LOGIN_HEADER: "none"})
    found = _TOKEN.search(page.text)
    assert found is not None
    form = {"token": found[1], "name": "ana", "password": PASSWORD}
    assert ana.client.post("/login", data=form).status_code == 303
    assert ana.session != first and logins.find_session(ana.app, first or "") is None


def test_forms_need_the_token_of_this_browser_and_a_new_one_after_the_login(ana: Person) -> None:
    form = {"name": "ana", "password": PASSWORD, "token": "guessed"}
    for kept in ({}, {"assay_form": "other"}):
        for name, value in kept.items():
            ana.client.cookies.set(name, value)
        answer = ana.client.post("/login", data=form, headers=ana.told())
        assert answer.status_code == 403 and SESSION_COOKIE not in cookies_of(answer)
    ana.client.cookies.clear()
    ana.get("/login")
    before = ana.client.cookies.get("assay_form")
    ana.log_in()
    ana.get("/account")
    assert ana.client.cookies.get("assay_form") not in (None, before)


@pytest.mark.parametrize("path", ["/logout", "/account/password", "/account/sessions/end"])
def test_nothing_of_an_account_is_changed_from_elsewhere(ana: Person, path: str) -> None:
    ana.log_in()
    answer = ana.client.post(path, data={"token": "x", "new": "y" * 20}, headers=ana.told())
    assert answer.status_code == 403 and logins.find_session(ana.app, ana.session or "")


def test_guessing_is_answered_with_429_and_when_to_come_back(ana: Person) -> None:
    for _ in range(logins.PER_NAME.free):
        answer = ana.log_in(password="wrong")
        assert answer.status_code == 403 and SESSION_COOKIE not in cookies_of(answer)
        assert "The name or the password is wrong." in answer.text
    for password in ("wrong", PASSWORD):
        answer = ana.log_in(password=password)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")


@pytest.mark.parametrize(
    "to",
    ["//evil.example", "/\\evil.example", "https://evil.example", "", "javascript:x", "/a\nb",
     "/login", "/auth/start", "/x\\y"],
)  # fmt: skip
def test_a_login_leads_nowhere_else(to: str) -> None:
    assert own_path(to) == "/"
    assert own_path("/rules?a=b&c=%20#x") == "/rules?a=b&c=%20#x"


def test_a_person_changes_their_password_and_ends_other_logins(ana: Person) -> None:
    other = logins.open_session(ana.app, "ana", "Elsewhere")
    ana.log_in()
    wrong = {"current": "wrong", "new": "y" * 8 + PASSWORD}
    assert ana.post("/account/password", wrong, page="/account").status_code == 303
    assert "The current password is wrong." in ana.get("/account").text
    ana.post("/account/sessions/end", {"session": access.hash_token(other)}, page="/account")
    assert logins.find_session(ana.app, other) is None
    other = logins.open_session(ana.app, "ana", "Elsewhere")
    right = {"current": PASSWORD, "new": "y" * 8 + PASSWORD}
    assert ana.post("/account/password", right, page="/account").status_code == 303
    assert logins.find_session(ana.app, other) is None
    assert logins.find_session(ana.app, ana.session or "") is not None


def test_nobody_ends_the_login_of_another(ana: Person) -> None:
    access.add_user(ana.app, "ivo", Role.READER, PASSWORD, actor=BY)
    other = logins.open_session(ana.app, "ivo")
    ana.log_in()
    ana.post("/account/sessions/end", {"session": access.hash_token(other)}, page="/account")
    assert logins.find_session(ana.app, other) is not None


PEOPLE = [
    ("/account/people/add", {"name": "ivo", "role": "operator", "password": "z1y2" * 5}),
    ("/account/people/change", {"name": "mia", "to": "operator"}),
    ("/account/tokens/create", {"name": "ci", "role": "operator", "days": "3"}),
    ("/account/tokens/revoke", {"name": "bot"}),
]


@pytest.mark.parametrize("role", list(Role))
def test_only_operators_manage_people_and_tokens(lone: App, role: Role) -> None:
    access.add_user(lone, "ana", role, PASSWORD, actor=BY)
    access.add_user(lone, "mia", Role.READER, PASSWORD, actor=BY)
    access.create_token(lone, "bot", Role.READER, actor=BY)
    ana = Person(lone)
    ana.log_in()
    may = role is Role.OPERATOR
    assert ana.get("/account/people").status_code == (200 if may else 403)
    for path, form in PEOPLE:
        done = 200 if path.endswith("create") else 303
        answer = ana.post(path, form, page="/account")
        assert answer.status_code == (done if may else 403), (path, answer.text)
    states = {user["name"]: user["role"] for user in access.list_users(lone)}
    assert states.get("ivo") == ("operator" if may else None)
    assert states["mia"] == ("operator" if may else "reader")
    tokens = {row["name"]: row["state"] for row in access.list_tokens(lone)}
    assert tokens == ({"bot": "revoked", "ci": "valid"} if may else {"bot": "valid"})
    with lone.engine.connect() as connection:
        actors = [entry["actor"] for entry in audit.read_entries(connection)]
    assert actors == [BY] * 3 + ["ana"] * (4 if may else 0)


def test_a_program_makes_no_people_and_no_programs(lone: App) -> None:
    headers = {USER_HEADER: "token:bot", ROLE_HEADER: "operator", LOGIN_HEADER: "token"}
    bot = TestClient(create_console(lone), base_url="http://localhost", headers=headers)
    bot.cookies.set(TOKEN_COOKIE, "t" * 32)
    for path, form in PEOPLE[:3]:
        assert bot.post(path, data=form | {"token": "t" * 32}).status_code == 403, path
    assert access.list_users(lone) == [] and access.list_tokens(lone) == []


def test_a_token_is_shown_once(lone: App) -> None:
    access.add_user(lone, "ana", Role.OPERATOR, PASSWORD, actor=BY)
    ana = Person(lone)
    ana.log_in()
    answer = ana.post(*PEOPLE[2], page="/account")
    found = re.search(r"assay_[\w-]{43}", answer.text)
    assert found is not None and answer.headers["cache-control"] == "no-store"
    assert logins.find_token(lone, found[0]) is not None
    assert found[0] not in ana.get("/account/people").text


def test_an_operator_cannot_lock_themselves_out(lone: App) -> None:
    access.add_user(lone, "ana", Role.OPERATOR, PASSWORD, actor=BY)
    ana = Person(lone)
    ana.log_in()
    for name, to in (("ana", "reader"), ("ana", "disabled"), (" Ana", "disabled")):
        answer = ana.post("/account/people/change", {"name": name, "to": to}, page="/account")
        assert answer.status_code == 400
    assert ana.get("/account/people").status_code == 200


def test_where_nobody_logs_in_a_decision_needs_a_stated_name(lone: App) -> None:
    person = Person(lone, needs_login=False)
    page = person.get("/account").text
    assert "Who are you?" in page and "Log out" not in page
    answer = person.post(*PEOPLE[0], page="/account")
    assert answer.status_code == 400 and "/account" in answer.text
    answer = person.post("/account/name", {"name": "  Ana   Horvat "}, page="/account")
    assert answer.status_code == 303
    assert '<a class="who" href="/account">Ana Horvat</a>' in person.get("/account").text
    assert person.post(*PEOPLE[0], page="/account").status_code == 303
    with lone.engine.connect() as connection:
        (entry,) = audit.read_entries(connection)
    assert (entry["actor"], entry["subject"]) == ("Ana Horvat", "ivo")


@pytest.mark.parametrize("name", ["", " ", "x" * 81, "token:ci", "a\x00b", "a‮b"])
def test_a_name_that_misleads_is_not_kept(lone: App, name: str) -> None:
    person = Person(lone, needs_login=False)
    answer = person.post("/account/name", {"name": name}, page="/account")
    assert answer.status_code == 400 and NAME_COOKIE not in cookies_of(answer)


def test_a_stated_name_counts_for_nothing_where_people_log_in(ana: Person) -> None:
    from starlette.requests import Request

    def request(**told: str) -> Request:
        headers = [(k.lower().encode(), v.encode()) for k, v in told.items()]
        headers.append((b"cookie", f"{NAME_COOKIE}=Root".encode()))
        return Request({"type": "http", "headers": headers})

    known = {USER_HEADER: "ana", ROLE_HEADER: "reviewer", LOGIN_HEADER: "session"}
    assert decider_name(request(**known)) == "ana"
    local = {USER_HEADER: "local", ROLE_HEADER: "operator", LOGIN_HEADER: "none"}
    assert decider_name(request(**local)) == "Root"
    with pytest.raises(InvalidInput, match="needs the name"):
        decider_name(Request({"type": "http", "headers": []}))
    ana.log_in()
    answer = ana.post("/account/name", {"name": "Root"}, page="/account")
    assert answer.status_code == 400
