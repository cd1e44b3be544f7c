"""Logging in with OpenID Connect, and every lie that a provider or a browser may tell."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from assay.app import App, access, logins, oidc
from assay.app.principals import SESSION_COOKIE, LoginKind, Principal, Role
from assay.errors import AssayError, InvalidInput, LoginRefused, TransientError
from tests.access.oidc_provider import CLIENT, SECRET, OidcProvider, providing
from tests.access.test_login_pages import Person, cookies_of

BACK = "http://assay.example/auth/callback"


@pytest.fixture
def provider(lone: App) -> Iterator[OidcProvider]:
    """A provider that the store's settings name."""
    with providing(lone.clock.now_ms() // 1000) as found:
        lone.settings = lone.settings.model_copy(
            update={
                "oidc_issuer": found.issuer,
                "oidc_client_id": CLIENT,
                "oidc_client_secret": SecretStr(SECRET),
                "oidc_roles": {"staff": "reader", "deciders": "reviewer", "root": "operator"},
            }
        )
        yield found


def come_back(app: App, provider: OidcProvider, **changed: str) -> oidc.OidcPerson:
    """The whole way of one login, with changes to what the browser brings back."""
    url, attempt = oidc.begin_login(app, BACK)
    return oidc.finish_login(app, attempt, {**provider.log_in(url), **changed}, BACK)


def test_a_person_logs_in_through_the_pages(lone: App, provider: OidcProvider) -> None:
    person = Person(lone)
    assert "Log in with your organization" in person.get("/login?next=%2Frules").text
    begun = person.get("/auth/start?next=%2Frules")
    kept = cookies_of(begun)["assay_login"].lower()
    assert "httponly" in kept and "samesite=lax" in kept and "path=/auth/" in kept
    found = provider.log_in(begun.headers["location"])
    asked = provider.granted[found["code"]]
    assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"] == BACK and "openid" in asked["scope"].split()
    answer = person.get(f"/auth/callback?code={found['code']}&state={found['state']}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/rules")
    assert "httponly" in cookies_of(answer)[SESSION_COOKIE].lower()
    known = Principal("ivo@example.org", Role.READER, LoginKind.SESSION)
    assert logins.find_session(lone, person.session or "") == known
    page = person.get("/account").text
    assert "ivo@example.org" in page and "Change the password" not in page
    # The same answer is worth nothing a second time.
    answer = person.get(f"/auth/callback?code={found['code']}&state={found['state']}")
    assert answer.status_code == 403


def test_an_answer_to_another_browser_is_worth_nothing(lone: App, provider: OidcProvider) -> None:
    victim, attacker = Person(lone), Person(lone)
    found = provider.log_in(attacker.get("/auth/start").headers["location"])
    path = f"/auth/callback?code={found['code']}&state={found['state']}"
    assert victim.get(path).status_code == 403
    victim.get("/auth/start")
    assert victim.get(path).status_code == 403 and victim.session is None
    assert "/token" not in provider.calls


LIES: dict[str, tuple[dict[str, Any], str]] = {
    "wrong nonce": ({"nonce": "other"}, "sign_well"),
    "no nonce": ({"nonce": None}, "sign_well"),
    "wrong issuer": ({"iss": "https://id.example"}, "sign_well"),
    "no issuer": ({"iss": None}, "sign_well"),
    "wrong audience": ({"aud": "other"}, "sign_well"),
    "several audiences, made for another": (
        {"aud": [CLIENT, "other"], "azp": "other"},
        "sign_well",
    ),
    "no audience": ({"aud": None}, "sign_well"),
    "expired": ({"exp": 1_699_999_000, "iat": 1_699_998_000}, "sign_well"),
    "no end": ({"exp": None}, "sign_well"),
    "not valid yet": ({"nbf": 1_700_009_000}, "sign_well"),
    "made tomorrow": ({"iat": 1_700_090_000, "exp": 1_700_099_000}, "sign_well"),
    "no subject": ({"sub": None}, "sign_well"),
    "a subject that is no text": ({"sub": ["42"]}, "sign_well"),
    "algorithm none": ({}, "sign_not_at_all"),
    "another key": ({}, "sign_with_another_key"),
    "the public key as a secret": ({}, "sign_with_its_public_key"),
    "the client's secret": ({}, "sign_with_the_client_secret"),
    "no name": ({"email": None}, "sign_well"),
    "a name that is no text": ({"email": 7}, "sign_well"),
    "a name that nobody checked": ({"email_verified": False}, "sign_well"),
    "a hash of another access token": ({"at_hash": "x"}, "sign_well"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_false_id_token_lets_nobody_in(lone: App, provider: OidcProvider, lie: str) -> None:
    provider.changed, how = LIES[lie]
    provider.sign = getattr(provider, how)
    with pytest.raises(LoginRefused) as refused:
        come_back(lone, provider)
    assert "token" not in refused.value.what
    provider.changed, provider.sign = {}, provider.sign_well
    assert come_back(lone, provider).name == "ivo@example.org"


@pytest.mark.parametrize(
    "changed",
    [{"state": "x"}, {"state": ""}, {"code": ""}, {"code": "made-up"}, {"error": "access_denied"},
     {"iss": "https://id.example"}],
)  # fmt: skip
def test_a_false_answer_lets_nobody_in(
    lone: App, provider: OidcProvider, changed: dict[str, str]
) -> None:
    with pytest.raises(LoginRefused):
        come_back(lone, provider, **changed)


def test_a_stolen_code_is_worth_nothing_without_the_verifier(
    lone: App, provider: OidcProvider
) -> None:
    url, _ = oidc.begin_login(lone, BACK)
    stolen = provider.log_in(url)
    _, own = oidc.begin_login(lone, BACK)
    with pytest.raises(LoginRefused):
        oidc.finish_login(lone, own, {**stolen, "state": own.state}, BACK)


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://id.example"},
        {"token_endpoint": "http://id.example/token"},
        {"jwks_uri": "ftp://127.0.0.1/keys"},
        {"authorization_endpoint": None},
        {"jwks_uri": "http://127.0.0.1.id.example/keys"},
    ],
)
def test_a_provider_that_describes_itself_wrongly_is_not_used(
    lone: App, provider: OidcProvider, metadata: dict[str, Any]
) -> None:
    provider.metadata = metadata
    with pytest.raises(TransientError, match="cannot be used now"):
        come_back(lone, provider)


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["staff"], Role.READER),
        (["staff", "root", "deciders"], Role.OPERATOR),
        ("deciders", Role.REVIEWER),
        (["others"], None),
        ([], None),
        (None, None),
        ({"root": 1}, None),
        ([["root"]], None),
    ],
)
def test_a_role_comes_from_the_claim(
    lone: App, provider: OidcProvider, groups: Any, role: Role | None
) -> None:
    provider.claims["groups"] = groups
    if role is None:
        with pytest.raises(LoginRefused, match="You have no role"):
            come_back(lone, provider)
    else:
        assert come_back(lone, provider).role is role


def test_a_name_that_a_password_has_is_not_taken_over(lone: App, provider: OidcProvider) -> None:
    access.add_user(lone, "ivo@example.org", Role.OPERATOR, "correct horse", actor="shell:root")
    person = Person(lone)
    found = provider.log_in(person.get("/auth/start").headers["location"])
    answer = person.get(f"/auth/callback?code={found['code']}&state={found['state']}")
    assert answer.status_code == 400 and person.session is None


def test_a_provider_that_is_gone_keeps_nobody_from_using_a_password(
    lone: App, provider: OidcProvider
) -> None:
    issuer = "http://127.0.0.1:9"
    lone.settings = lone.settings.model_copy(update={"oidc_issuer": issuer})
    person = Person(lone)
    assert person.get("/auth/start").status_code == 503
    assert person.get("/login").status_code == 200


def test_without_a_provider_there_is_nothing_to_begin(lone: App) -> None:
    with pytest.raises(InvalidInput, match="no OpenID Connect provider"):
        oidc.begin_login(lone, BACK)
    assert "organization" not in Person(lone).get("/login").text


def test_trying_without_end_is_refused(lone: App, provider: OidcProvider) -> None:
    person = Person(lone)
    statuses = []
    for _ in range(logins.PER_ADDRESS.free + 1):
        person.get("/auth/start")
        statuses.append(person.get("/auth/callback?code=x&state=y").status_code)
    assert statuses == [403] * logins.PER_ADDRESS.free + [429]


def test_every_failure_is_an_error_of_assay(lone: App, provider: OidcProvider) -> None:
    provider.sign = lambda _: "not.a.token"
    with pytest.raises(AssayError):
        come_back(lone, provider)
    provider.sign = lambda _: "x"
    with pytest.raises(LoginRefused):
        come_back(lone, provider)
