"""Who asks over HTTP, and what they may do."""

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from assay.sdk.principals import ADDRESS_HEADER as ADDRESS_HEADER
from assay.sdk.principals import LOGIN_HEADER as LOGIN_HEADER
from assay.sdk.principals import ROLE_HEADER as ROLE_HEADER
from assay.sdk.principals import USER_HEADER as USER_HEADER
from assay.settings import Settings


class Role(StrEnum):
    """What somebody may do; each role includes those before it."""

    READER = "reader"
    REVIEWER = "reviewer"
    OPERATOR = "operator"


class LoginKind(StrEnum):
    """How it is known whose request it is."""

    NONE = "none"
    """It is not known."""
    SESSION = "session"
    """A person who logged in."""
    TOKEN = "token"
    """A program with a token."""


SESSION_COOKIE: Final = "assay_session"
"""Has the token of a person's login."""
_ORDER: Final = list(Role)
_LOCAL_NAME: Final = "localhost"


@dataclass(frozen=True)
class Principal:
    """The person or program that a request belongs to."""

    name: str
    """What decisions are signed with."""
    role: Role | None
    """None: nothing but logging in."""
    login: LoginKind = LoginKind.NONE

    def may(self, role: Role) -> bool:
        """Whether this role is included in theirs."""
        return self.role is not None and _ORDER.index(self.role) >= _ORDER.index(role)

    @property
    def is_authenticated(self) -> bool:
        """Whether somebody logged in, or a program showed its token."""
        return self.login is not LoginKind.NONE


LOCAL: Final = Principal("local", Role.OPERATOR)
"""Whoever asks a server that only this machine can reach."""
ANONYMOUS: Final = Principal("", None)
"""Whoever asks a server that needs a login, and has none."""


def is_login_needed(settings: Settings, host: str) -> bool:
    """Whether a server that listens on `host` must know who asks.

    A server on the loopback interface that has a public name is behind a proxy, so others reach it.
    """
    if settings.serve_login == "always":
        return True
    return not all(_is_of_this_machine(name) for name in (host, *settings.serve_hosts))


def _is_of_this_machine(name: str) -> bool:
    """Whether a name or an address, with or without a port, leads to the machine that uses it."""
    bare = name.strip().lower()
    with suppress(ValueError):
        return ip_address(bare).is_loopback
    try:
        host = urlsplit(f"//{bare}").hostname or ""
        return host == _LOCAL_NAME or ip_address(host).is_loopback
    except ValueError:
        return False
