"""Logging in with OpenID Connect: the authorization code flow with PKCE, state and nonce.

Authlib builds the requests and checks what the ID token claims; its signature is checked with the
provider's published keys, and only with signature algorithms that use a pair of keys.
"""

import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPMessage
from ipaddress import ip_address
from typing import IO, Any
from urllib.parse import urlsplit

from assay.app.access import check_user_name
from assay.app.composition import App
from assay.app.principals import Role
from assay.errors import AssayError, InvalidInput, LoginRefused, TransientError
from assay.extras import needs_extra
from assay.logs import Log
from assay.settings import Settings

_FEATURE = "Logging in with OpenID Connect"
_TIMEOUT_S = 10.0
_MOST_BYTES = 1 << 20
_LEEWAY_S = 60
"""How far the clocks of two machines may differ."""
_MOST_SUBJECT = 255
_SCOPE = "openid email profile"
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
"""Never 'none', and no shared secret: an ID token must be the provider's own."""
log = Log("assay.app")


@dataclass(frozen=True)
class OidcAttempt:
    """A login that was begun; the browser keeps it until the provider sends it back."""

    state: str
    """Shows that the answer belongs to this browser."""
    nonce: str
    """Shows that the ID token was made for this login."""
    verifier: str
    """Shows that whoever brings the code began the login (PKCE)."""


@dataclass(frozen=True)
class OidcPerson:
    """Somebody whom the provider vouches for."""

    identity: str
    name: str
    role: Role


@dataclass(frozen=True)
class _Provider:
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    is_basic: bool
    """Whether it takes the client's secret in a header, as the standard prefers."""


def begin_login(app: App, redirect_uri: str) -> tuple[str, OidcAttempt]:
    """Where a person logs in, and what their browser has to keep meanwhile."""
    with needs_extra("oidc", _FEATURE):
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
        from authlib.oauth2.rfc7636 import create_s256_code_challenge
    settings = app.settings
    provider = _discover(settings)
    attempt = OidcAttempt(*(secrets.token_urlsafe(32) for _ in range(3)))
    url = prepare_grant_uri(
        provider.authorization_endpoint,
        client_id=settings.oidc_client_id,
        response_type="code",
        redirect_uri=redirect_uri,
        scope=_SCOPE,
        state=attempt.state,
        nonce=attempt.nonce,
        code_challenge=create_s256_code_challenge(attempt.verifier),
        code_challenge_method="S256",
    )
    return str(url), attempt


def finish_login(
    app: App, attempt: OidcAttempt, answer: Mapping[str, str], redirect_uri: str
) -> OidcPerson:
    """The person who logged in, from what the provider sent back through the browser."""
    if not secrets.compare_digest(answer.get("state", "").encode(), attempt.state.encode()):
        raise _refuse("the answer belongs to another login")
    if "error" in answer:
        raise _refuse(f"the provider says '{answer['error'][:80]}'")
    if answer.get("iss", app.settings.oidc_issuer) != app.settings.oidc_issuer:
        raise _refuse("the answer comes from another provider")
    if not answer.get("code"):
        raise _refuse("the answer has no code")
    provider = _discover(app.settings)
    tokens = _fetch_tokens(app.settings, provider, attempt, answer["code"], redirect_uri)
    claims = _check_id_token(app, provider, attempt, tokens)
    return _describe_person(app.settings, claims)


def _discover(settings: Settings) -> _Provider:
    """What the provider publishes about itself."""
    issuer = settings.oidc_issuer
    if not issuer or not settings.oidc_client_id:
        raise InvalidInput(
            "This server has no OpenID Connect provider.",
            advice="Set oidc_issuer and oidc_client_id.",
        )
    _require_safe(issuer)
    found = _request_json(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if found.get("issuer") != issuer:
        # Another provider's keys could sign for this one.
        raise _fail(f"the provider calls itself {str(found.get('issuer'))[:200]!r}")
    places = [
        str(found.get(name) or "")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")
    ]
    for place in places:
        _require_safe(place)
    methods = found.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    return _Provider(issuer, places[0], places[1], places[2], "client_secret_basic" in methods)


def _fetch_tokens(
    settings: Settings, provider: _Provider, attempt: OidcAttempt, code: str, redirect_uri: str
) -> Mapping[str, Any]:
    """Exchange the code for tokens, directly with the provider."""
    with needs_extra("oidc", _FEATURE):
        from authlib.oauth2.auth import ClientAuth
        from authlib.oauth2.rfc6749.parameters import prepare_token_request

    body = prepare_token_request(
        "authorization_code", code=code, redirect_uri=redirect_uri, code_verifier=attempt.verifier
    )
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    secret = settings.oidc_client_secret
    if secret is None:
        # A public client is only known by its name; PKCE protects the code.
        method, secret_text = "none", ""
    else:
        method = "client_secret_basic" if provider.is_basic else "client_secret_post"
        secret_text = secret.get_secret_value()
    client = ClientAuth(settings.oidc_client_id, secret_text, method)
    url, headers, body = client.prepare("POST", provider.token_endpoint, headers, body)
    return _request_json(str(url), data=body.encode(), headers=headers)


def _check_id_token(
    app: App, provider: _Provider, attempt: OidcAttempt, tokens: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The claims of an ID token that the provider made, just now, for this server and login."""
    with needs_extra("oidc", _FEATURE):
        from authlib.oidc.core import CodeIDToken
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

    token = tokens.get("id_token")
    if not isinstance(token, str):
        raise _refuse("the provider sent no ID token")
    keys: Any = _request_json(provider.jwks_uri)
    try:
        decoded = jwt.decode(token, KeySet.import_key_set(keys), algorithms=_ALGORITHMS)
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            {
                "iss": {"essential": True, "value": provider.issuer},
                "aud": {"essential": True, "value": app.settings.oidc_client_id},
            },
            {
                "nonce": attempt.nonce,
                "client_id": app.settings.oidc_client_id,
                "access_token": tokens.get("access_token"),
            },
        )
        claims.validate(now=app.clock.now_ms() // 1000, leeway=_LEEWAY_S)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise _refuse(f"its ID token is not valid ({error})") from error
    return dict(claims)


def _describe_person(settings: Settings, claims: Mapping[str, Any]) -> OidcPerson:
    subject, name = claims.get("sub"), claims.get(settings.oidc_name_claim)
    if not isinstance(subject, str) or not subject.isprintable() or len(subject) > _MOST_SUBJECT:
        raise _refuse("its ID token does not say who it is about")
    if not isinstance(name, str) or claims.get("email_verified") is False:
        raise _refuse(f"it does not vouch for a name ({settings.oidc_name_claim})")
    given = claims.get(settings.oidc_role_claim)
    values = given if isinstance(given, list) else [given]
    known = settings.oidc_roles
    roles = {known[each] for each in values if isinstance(each, str) and each in known}
    role = next((role for role in reversed(Role) if role.value in roles), None)
    if role is None:
        raise LoginRefused(
            "You have no role on this server.", advice="Ask an operator of this server for one."
        )
    return OidcPerson(f"{settings.oidc_issuer} {subject}", check_user_name(name), role)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str,
        headers: HTTPMessage, newurl: str,
    ) -> None:  # fmt: skip
        """The provider says where everything is; a redirect would lead a secret elsewhere."""
        return


def _request_json(
    url: str, *, data: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Mapping[str, Any]:
    """What the provider answers; the settings name it, so it may be in a private network."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects())
    request = urllib.request.Request(url, data=data, headers=dict(headers or {}))
    try:
        with opener.open(request, timeout=_TIMEOUT_S) as answer:
            found = json.loads(answer.read(_MOST_BYTES))
    except urllib.error.HTTPError as error:
        error.close()
        if data is not None and error.code in (400, 401):
            raise _refuse("the provider does not accept the code") from error
        raise _fail(f"the provider answers {error.code}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise _fail(f"the provider does not answer ({type(error).__name__})") from error
    if not isinstance(found, dict):
        raise _fail("the provider does not answer with a JSON object")
    return found


def _require_safe(url: str) -> None:
    """Refuse addresses at which others could read or change what is said."""
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    try:
        is_own = parts.scheme == "http" and ip_address(parts.hostname or "").is_loopback
    except ValueError:
        is_own = parts.hostname == "localhost" and parts.scheme == "http"
    if not is_own:
        raise _fail("an address of the provider does not begin with https://")


def _refuse(why: str) -> AssayError:
    log.warning("login_refused", f"A login with OpenID Connect is refused: {why}.")
    return LoginRefused(
        "The login with OpenID Connect did not succeed.",
        advice="Try again; if this repeats, an operator finds the reason in the log.",
    )


def _fail(why: str) -> AssayError:
    log.error("login_failed", f"Nobody can log in with OpenID Connect: {why}.")
    return TransientError(
        "The OpenID Connect provider cannot be used now.",
        advice="Try again later; an operator finds the reason in the log.",
    )
