"""How Assay behaves towards the sites it fetches from, as one frozen value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import unquote

from pydantic import SecretStr

from assay.errors import InvalidSetting

PRODUCT = "Assay"
"""Assay's name in a robots.txt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """What a fetcher may do, and its limits on time and size."""

    contact: str = ""
    """Contact address for site owners, sent in the user agent."""
    timeout_s: float = 30.0
    """Longest time of one request, from its start to the last byte of the response."""
    connect_timeout_s: float = 10.0
    """Longest time to establish a connection, including name lookup and handshake."""
    max_bytes: int = 20_000_000
    """Largest body, before and after unpacking."""
    stream_timeout_s: float = 3600.0
    """Longest time spent waiting for a streamed body; its reader's own time does not count."""
    stream_max_bytes: int = 200_000_000
    """Largest streamed body, before and after unpacking."""
    progress_window_s: float = 10.0
    """A body must deliver `progress_bytes` in each such span of waiting."""
    progress_bytes: int = 1_000
    """What counts as progress; a request to a slower server is abandoned."""
    host_gap_s: float = 1.0
    """Shortest time between two starts at one host. Hosts mapped in `hosts` have no gap: they are
    the user's own."""
    max_crawl_delay_s: float = 30.0
    """A robots.txt may ask for a longer gap, up to this."""
    host_concurrency: int = 2
    """Requests to one host at a time."""
    concurrency: int = 16
    """Requests to all hosts at a time."""
    respect_robots: bool = True
    """Whether robots.txt is fetched and obeyed."""
    robots_keep_s: float = 86_400.0
    """How long a robots.txt is trusted."""
    robots_max_bytes: int = 524_288
    """How much of a robots.txt is read; the rest is ignored."""
    allow_private: bool | tuple[str, ...] = False
    """Hosts (`intranet.example`, `*.corp.example`) and networks (`10.0.0.0/8`) that may be
    contacted although they are private; `True` allows every address."""
    blocked_hosts: tuple[str, ...] = ()
    """Hosts that are never contacted: `example.com` alone, `*.example.com` for all below it."""
    hosts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Host names that are reached at another address, which gives test sites on loopback lasting
    names. They may be private, have no gap, and their errors are not retried here."""
    site_keys: Mapping[str, SecretStr] = field(default_factory=lambda: MappingProxyType({}))
    """Beginnings of addresses, and the `parameter=key` that is added to them when they are sent."""
    max_redirects: int = 5
    """Most redirects that are followed."""
    retries: int = 2
    """How often a request is retried after a temporary error."""
    retry_delays_s: tuple[float, ...] = (5.0, 20.0)
    """Waits before the retries, each plus or minus a fifth; the last one repeats."""
    max_retry_after_s: float = 120.0
    """Longest wait a site may ask for within a request; if it asks for more, the request fails
    and the site is not contacted until then."""

    def __post_init__(self) -> None:
        if not (self.contact.isascii() and (self.contact + " ").isprintable()):
            raise InvalidSetting(
                f"Contact {self.contact!r} cannot be used in a user agent.",
                advice="Use an address of plain ASCII letters.",
            )

    def user_agent(self, version: str) -> str:
        """Who sends the request, and how to reach its owner."""
        return f"{PRODUCT}/{version}" + (f" (+{self.contact})" if self.contact else "")


def add_key(keys: Mapping[str, SecretStr], url: str) -> str:
    """The address to request, with its key if there is one.

    The key is added when a request is sent, and nowhere else: jobs, listings, logs and errors have
    the address without it.
    """
    for prefix, pair in keys.items():
        if url.startswith(prefix):
            return f"{url}{'&' if '?' in url else '?'}{pair.get_secret_value()}"
    return url


def remove_keys(keys: Mapping[str, SecretStr], location: str) -> str:
    """The address that a site redirects to, without a key that it repeats."""
    for pair in keys.values():
        plain = pair.get_secret_value()
        forms = f"{re.escape(plain)}|{re.escape(unquote(plain))}"
        location = re.sub(rf"([?&])(?:{forms})&", r"\1", location)
        location = re.sub(rf"[?&](?:{forms})(?=#|$)", "", location)
    return location
