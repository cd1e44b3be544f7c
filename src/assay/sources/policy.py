"""How Assay behaves towards the sites that it fetches from, as one frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from assay.errors import InvalidSetting

PRODUCT = "Assay"
"""The name that a robots.txt knows Assay by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """What a fetcher may do, and how long and how much at most."""

    contact: str = ""
    """Address for site owners, told in the user agent."""
    timeout_s: float = 30.0
    """Longest time of one request, from its start to the last byte of its answer."""
    connect_timeout_s: float = 10.0
    """Longest time until a connection stands: look-up of the name and handshake included."""
    max_bytes: int = 20_000_000
    """Largest body, before and after unpacking."""
    stream_timeout_s: float = 3600.0
    """Longest time spent waiting for a streamed body; what its reader does meanwhile is free."""
    stream_max_bytes: int = 200_000_000
    """Largest streamed body, before and after unpacking."""
    progress_window_s: float = 10.0
    """A body must bring `progress_bytes` in each such span of waiting."""
    progress_bytes: int = 1_000
    """What counts as progress; a server that drips less is given up."""
    host_gap_s: float = 1.0
    """Least time between two starts at one host. Stand-ins of `hosts` have no gap: they are the
    user's own."""
    max_crawl_delay_s: float = 30.0
    """A robots.txt may ask for a longer gap, up to this."""
    host_concurrency: int = 2
    """Requests to one host at a time."""
    concurrency: int = 16
    """Requests to all hosts at a time."""
    respect_robots: bool = True
    """Whether robots.txt is asked and obeyed."""
    robots_keep_s: float = 86_400.0
    """How long a robots.txt is believed."""
    robots_max_bytes: int = 524_288
    """How much of a robots.txt is read; the rest is ignored."""
    allow_private: bool | tuple[str, ...] = False
    """Hosts (`intranet.example`, `*.corp.example`) and networks (`10.0.0.0/8`) that may be asked
    though they are private; `True` allows every address."""
    blocked_hosts: tuple[str, ...] = ()
    """Hosts that are never asked: `example.com` alone, `*.example.com` for all below it."""
    hosts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Host names that are reached at another address, so that a world on loopback can have
    lasting names. They may be private, have no gap, and their faults are not retried here."""
    max_redirects: int = 5
    """Hops that are followed from the first address to the last."""
    retries: int = 2
    """Times that a request is made again after a fault that may pass."""
    retry_delays_s: tuple[float, ...] = (5.0, 20.0)
    """Waits before the retries, each give or take a fifth; the last one repeats."""
    max_retry_after_s: float = 120.0
    """How long a site may ask to wait; who asks for longer is left alone until then."""

    def __post_init__(self) -> None:
        if not (self.contact.isascii() and (self.contact + " ").isprintable()):
            raise InvalidSetting(
                f"Contact {self.contact!r} cannot stand in a user agent.",
                advice="Use an address of plain ASCII letters.",
            )

    def user_agent(self, version: str) -> str:
        """Who asks, and where its owner is to be found."""
        return f"{PRODUCT}/{version}" + (f" (+{self.contact})" if self.contact else "")
