"""People and programs that may use the server: users, their logins, and tokens of programs.

Secrets are stored as hashes only: passwords as Argon2 hashes, random tokens as SHA-256.
"""

from assay.model.storage import DELETABLE, Moment, Record, fixed_except


class User(
    Record,
    table="users",
    key=("name",),
    unique=(("identity",),),
    guard=fixed_except("role", "password_hash", "disabled", "changed_ms"),
    canonical=False,
):
    """A person who may log in."""

    name: str
    """What decisions are signed with; it belongs to the person permanently."""
    role: str
    password_hash: str | None = None
    """None: the person logs in elsewhere."""
    identity: str | None = None
    """The issuer and the subject of somebody who logs in with OpenID Connect."""
    disabled: bool = False
    created_ms: Moment = 0
    changed_ms: Moment = 0


class LoginSession(
    Record,
    table="login_sessions",
    key=("token_hash",),
    indexes=(("user_name",),),
    guard=DELETABLE,
    canonical=False,
):
    """A login of a person in one browser; logging out deletes it."""

    token_hash: str
    user_name: str
    client: str = ""
    """What the browser calls itself."""
    created_ms: Moment = 0
    used_ms: Moment = 0
    expires_ms: Moment = 0


class ApiToken(
    Record,
    table="api_tokens",
    key=("name",),
    unique=(("token_hash",),),
    guard=fixed_except("used_ms", "revoked_ms"),
    canonical=False,
):
    """A program that may use the API; a name is never given to another program."""

    name: str
    token_hash: str
    role: str
    created_by: str
    created_ms: Moment = 0
    expires_ms: Moment | None = None
    used_ms: Moment | None = None
    revoked_ms: Moment | None = None


class LoginAttempts(
    Record,
    table="login_attempts",
    key=("subject",),
    indexes=(("last_ms",),),
    guard=DELETABLE,
    canonical=False,
):
    """Logins that failed lately, for one name or from one address."""

    subject: str
    """`name:` and a hash of the name, which nobody may have, or `address:` and the address."""
    count: int = 0
    last_ms: Moment = 0
