"""A small OpenID Connect provider on loopback, with real keys and real signatures, that can lie."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

CLIENT = "assay"
SECRET = "shared-with-assay"
Claims = dict[str, Any]


class OidcProvider:
    """Signs in whoever comes, as `claims` say; tests change what it does."""

    def __init__(self, now_s: int) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
        self.other_key = RSAKey.generate_key(2048, {"kid": "one"})
        self.now_s = now_s
        self.claims: Claims = {"sub": "42", "email": "ivo@example.org", "groups": ["staff"]}
        self.changed: Claims = {}
        """What the ID token says instead."""
        self.sign: Callable[[Claims], str] = self.sign_well
        self.metadata: Claims = {}
        """What its description says instead."""
        self.granted: dict[str, Mapping[str, str]] = {}
        """The requests that it gave codes for."""
        self.calls: list[str] = []

    @property
    def issuer(self) -> str:
        return self.url

    def sign_well(self, claims: Claims) -> str:
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)

    def sign_with_another_key(self, claims: Claims) -> str:
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.other_key)

    def sign_not_at_all(self, claims: Claims) -> str:
        return f"{_encode({'alg': 'none'})}.{_encode(claims)}."

    def sign_with_its_public_key(self, claims: Claims) -> str:
        """The classic mistake: a public key taken for a shared secret."""
        return _sign_with_secret(claims, self.key.as_pem(private=False))

    def sign_with_the_client_secret(self, claims: Claims) -> str:
        return _sign_with_secret(claims, SECRET.encode())

    def log_in(self, url: str) -> dict[str, str]:
        """What a person's browser brings back after they logged in at this address."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        code = f"code-{len(self.granted)}"
        self.granted[code] = asked
        return {"code": code, "state": asked["state"]}

    def describe(self) -> Claims:
        """What it publishes about itself."""
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            **self.metadata,
        }

    def exchange(self, form: Mapping[str, str], authorization: str) -> Claims | None:
        """Tokens for a code; None if the request is not as it must be."""
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = self.granted.pop(form.get("code", ""), None)
        if asked is None or authorization != f"Basic {basic}":
            return None
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(challenge).rstrip(b"=").decode() != asked["code_challenge"]:
            return None
        if form.get("redirect_uri") != asked["redirect_uri"]:
            return None
        claims = {
            "iss": self.url, "aud": CLIENT, "iat": self.now_s, "exp": self.now_s + 300,
            "nonce": asked["nonce"], **self.claims, **self.changed,
        }  # fmt: skip
        said = {name: value for name, value in claims.items() if value is not None}
        return {"access_token": "a", "token_type": "Bearer", "id_token": self.sign(said)}

    url: str


def _sign_with_secret(claims: Claims, secret: bytes) -> str:
    text = f"{_encode({'alg': 'HS256', 'kid': 'one'})}.{_encode(claims)}"
    signature = hmac.digest(secret, text.encode(), "sha256")
    return f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def _encode(value: Claims) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@contextmanager
def providing(now_s: int) -> Iterator[OidcProvider]:
    """A provider that answers on loopback."""
    provider = OidcProvider(now_s)

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.calls.append(self.path)
            if self.path == "/keys":
                self._answer(KeySet([provider.key]).as_dict(private=False))
            elif self.path == "/.well-known/openid-configuration":
                self._answer(provider.describe())
            else:
                self._answer(None)

        def do_POST(self) -> None:
            provider.calls.append(self.path)
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(text).items()}
            self._answer(provider.exchange(form, self.headers.get("Authorization", "")))

        def _answer(self, value: Any) -> None:
            data = json.dumps(value or {"error": "invalid_grant"}).encode()
            self.send_response(400 if value is None else 200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    provider.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
