"""Addresses as they are requested: one spelling each, without tricks."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote, urlsplit

from yarl import URL

from assay.errors import AddressRefused, InvalidInput

IP = IPv4Address | IPv6Address
PORTS = {"http": 80, "https": 443}
MAX_URL_LENGTH = 8_192
_MAX_DISPLAYED = 300
_PLAIN = "/%:@!$&'()*+,;=~-._"
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class WebAddress:
    """One address, parsed and reassembled."""

    url: str
    """As it is requested: ASCII, lower-case host, no default port, no fragment."""
    scheme: str
    host: str
    """In ASCII, without brackets or a dot at its end."""
    port: int
    ip: IP | None
    """The host, if it is an IP address and not a name."""
    path: str
    """Path and query."""

    @property
    def netloc(self) -> str:
        """Host and port, as a Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """What a robots.txt is valid for."""
        return f"{self.scheme}://{self.netloc}"

    def is_same_site(self, other: "WebAddress") -> bool:
        """Whether it has the origin of another address, or is its host's step up to https."""
        is_upgrade = (other.scheme, other.port, self.scheme, self.port) == (
            "http",
            80,
            "https",
            443,
        )
        return self.origin == other.origin or (is_upgrade and self.host == other.host)


def parse_address(url: str) -> WebAddress:
    """Parse an address; one that two programs could read differently is refused."""
    text = url.strip()
    if len(text) > MAX_URL_LENGTH:
        raise AddressRefused(
            f"{display_url(text)} has {len(text)} characters; at most {MAX_URL_LENGTH} are allowed."
        )
    if _CONTROL.search(text):
        raise InvalidInput(f"{display_url(text)} contains control characters.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InvalidInput(f"{display_url(text)} is not an address: {error}.") from error
    scheme = parts.scheme.lower()
    if scheme not in PORTS or not parts.hostname:
        raise InvalidInput(f"{display_url(text)!r} is not an http address.")
    if "@" in parts.netloc:
        raise AddressRefused(
            f"{display_url(text)} contains a name or a password.", advice="Remove them."
        )
    if port == 0:
        raise InvalidInput(f"{display_url(text)} has port 0, which cannot be used.")
    host, ip = _parse_host(parts.hostname, text)
    try:
        path = quote(_remove_dot_segments(parts.path) or "/", safe=_PLAIN, errors="surrogateescape")
        if parts.query:
            path += "?" + quote(parts.query, safe=_PLAIN + "?", errors="surrogateescape")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{display_url(text)} has characters that cannot be encoded.") from error
    port = PORTS[scheme] if port is None else port
    bare = WebAddress("", scheme, host, port, ip, path)
    return WebAddress(f"{bare.origin}{path}", scheme, host, port, ip, path)


def encode_host(host: str) -> str:
    """The normalized spelling of a host name, with foreign letters encoded."""
    host = host.lower().rstrip(".")
    if host.isascii():
        return host
    raw = URL.build(scheme="http", host=host).raw_host
    return (raw or "").lower().rstrip(".")


def is_host_in(host: str, patterns: frozenset[str]) -> bool:
    """Whether a host is one of these, or below one that is written `*.name`."""
    if not patterns:
        return False
    if host in patterns:
        return True
    labels = host.split(".")
    return any(f"*.{'.'.join(labels[start:])}" in patterns for start in range(1, len(labels)))


def display_url(url: str) -> str:
    """An address that can be printed: short, on one line, without a password."""
    if len(url) <= _MAX_DISPLAYED and "@" not in url and url.isprintable():
        return url
    head, at, tail = url.partition("//")
    authority = re.split(r"[/?#\\]", tail, maxsplit=1)[0]
    if at and "@" in authority:
        url = f"{head}//…@{authority.rpartition('@')[2]}{tail[len(authority) :]}"
    line = "".join(letter if letter.isprintable() else "�" for letter in url[: _MAX_DISPLAYED + 1])
    return line if len(line) <= _MAX_DISPLAYED else f"{line[:_MAX_DISPLAYED]}…"


def _parse_host(given: str, url: str) -> tuple[str, IP | None]:
    if ":" in given:
        try:
            ip = ip_address(given)
        except ValueError as error:
            raise InvalidInput(
                f"{display_url(url)} has a host that is not a valid IPv6 address."
            ) from error
        return str(ip), ip
    try:
        host = encode_host(given)
    except ValueError as error:
        raise InvalidInput(
            f"{display_url(url)} has a host that is not a valid name: {error}."
        ) from error
    if len(host) > 253 or not _HOST.fullmatch(host):
        raise InvalidInput(f"{display_url(url)} has a host that is not a valid name.")
    if not _NUMBER.fullmatch(host.rpartition(".")[2]):
        return host, None
    # To a resolver, 127.1, 0x7f000001 and 2130706433 are all 127.0.0.1. No honest link needs them.
    try:
        ip = IPv4Address(host)
    except ValueError as error:
        raise AddressRefused(
            f"{display_url(url)} writes an IP address in an unusual way.",
            advice="Write it as four decimal numbers.",
        ) from error
    return host, ip


def _remove_dot_segments(path: str) -> str:
    """The path with its `.` and `..` resolved, so no rule for a folder can be bypassed."""
    if "/." not in path:
        return path
    kept: list[str] = []
    steps = path.split("/")
    for step in steps:
        if step == "..":
            # The first entry is the empty one before the leading slash.
            del kept[max(1, len(kept) - 1) :]
        elif step != ".":
            kept.append(step)
    if steps[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept) if len(kept) > 1 else "/"
