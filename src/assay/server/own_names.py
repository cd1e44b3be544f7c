"""Which requests are meant for this server: those under its own name, and not from foreign pages.

A page can let its own name point to this machine (DNS rebinding). The browser then takes the server
for a part of that page's site, and lets the page read every answer. The `Host` header still has the
foreign name, which is why only known names are answered.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from assay.errors import ForeignRequest

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
_LOCAL_NAME = "localhost"
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True)
class OwnNames:
    """The names and addresses under which a server may be requested."""

    names: frozenset[str] = frozenset({_LOCAL_NAME})
    any_address: bool = False
    """Whether any IP address is its own; otherwise only those of the loopback interface."""

    def has(self, name: str) -> bool:
        """Whether this is one of them."""
        address = _parse_address(name)
        if address is None:
            return name.lower() in self.names
        # No page has the name of an address that does not lead to its own server.
        return self.any_address or address.is_loopback


def find_own_names(host: str, further: Iterable[str] = ()) -> OwnNames:
    """The names of a server that listens on `host`; `further` are those that others gave it."""
    address = _parse_address(host)
    names = {_LOCAL_NAME, *(name.lower() for name in further)}
    if address is None:
        names.add(host.lower())
    return OwnNames(
        frozenset(names - {""}),
        any_address=host != _LOCAL_NAME if address is None else not address.is_loopback,
    )


def refuse_foreign(hosts: Sequence[str], origins: Sequence[str], own: OwnNames) -> None:
    """Refuse a request with these `Host` and `Origin` headers unless they are the server's own."""
    parsed = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
    if parsed is None:
        raise ForeignRequest(
            "The request does not have exactly one valid Host header.",
            advice="Send the name and port of this server as Host.",
        )
    if not own.has(parsed["name"]):
        raise ForeignRequest(
            f"'{parsed['name'][:80]}' is not a name of this server.",
            advice="Use localhost or its IP address, or add the name to serve_hosts.",
        )
    for origin in origins:
        if not _is_own_origin(origin, hosts[0], own):
            raise ForeignRequest(
                "The request comes from a page of another site.",
                advice="Send it from a program, or add the site's name to serve_hosts.",
            )


def _is_own_origin(origin: str, host: str, own: OwnNames) -> bool:
    """Whether a page of this origin belongs to the server: the same host and port, or its name."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    port = _DEFAULT_PORTS.get(parts.scheme)
    if port is None or parts.path or parts.query or parts.fragment:
        return False
    site = parts.netloc.lower().removesuffix(port)
    # Behind a proxy, Host may be the address of the server and Origin its public name.
    return site == host.lower().removesuffix(port) or site in own.names - {_LOCAL_NAME}


def _parse_address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
