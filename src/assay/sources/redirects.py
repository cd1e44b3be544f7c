"""The path from the requested address to the one that answered."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urljoin

from assay.errors import AddressRefused, FetchFailed, InvalidInput
from assay.sources.addresses import WebAddress, display_url, parse_address
from assay.sources.pacing import Pace

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})


class RedirectsExhausted(FetchFailed):
    """A site redirects too often, or in a circle."""


class RedirectChain:
    """One request on its way: where it is, where it has been, what it carries."""

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        validators: Mapping[str, str],
        own_headers: Mapping[str, str],
        body: bytes | None,
        body_type: str = "application/json",
        max_redirects: int,
        pace: Pace | None = None,
        is_api: bool = False,
    ) -> None:
        """`own_headers` are the caller's, and may be meant only for the first site. `validators`
        are what that site said of its own page, and mean nothing to another."""
        self.asked = url
        self.here: WebAddress = parse_address(url)
        self.body = body
        self._body_type = body_type
        self.redirects = 0
        self.retries = 0
        self.downgraded = False
        self.has_left_site = False
        """Whether a redirect led to another site, whose validators the first one did not give."""
        self._headers = headers
        self._validators = validators
        self._own_headers = own_headers
        self._max_redirects = max_redirects
        self._pace = pace
        self._api = self.here.origin if is_api else None
        self._been = {(self.method, self.here.url)}

    @property
    def method(self) -> str:
        return "GET" if self.body is None else "POST"

    @property
    def is_conditional(self) -> bool:
        """Whether the next request asks if the page has changed."""
        return bool(self._validators)

    @property
    def is_at_api(self) -> bool:
        """Whether the next request goes to the API that the caller named, and to no other site."""
        return self._api == self.here.origin

    @property
    def display_name(self) -> str:
        """The address as messages show it."""
        here = display_url(self.here.url)
        return here if not self.redirects else f"{here} (redirected from {display_url(self.asked)})"

    def choose_pace(self, gap_s: float) -> Pace:
        """Where it queues: at its host with the usual gap, or where the caller says, until it is
        redirected."""
        if self._pace is None or self.redirects:
            return Pace(self.here.host, gap_s)
        return replace(self._pace, gap_s=max(gap_s, self._pace.gap_s))

    def build_headers(self) -> dict[str, str]:
        """The headers to send from here."""
        of_body = {} if self.body is None else {"Content-Type": self._body_type}
        return {**self._headers, **self._validators, **of_body, **self._own_headers}

    def follow(self, location: str, status: int) -> None:
        """Follow a redirect; its address is checked like any other before it is requested."""
        try:
            there = parse_address(urljoin(self.here.url, location.strip()))
        except InvalidInput as error:
            raise AddressRefused(
                f"{self.display_name} redirects to an address that Assay does not fetch: {error}"
            ) from error
        except ValueError as error:
            raise FetchFailed(
                f"{self.display_name} redirects to something that is not an address: {error}."
            ) from error
        if there.origin != self.here.origin:
            # A key for one site must not be sent to the next.
            self._own_headers = {}
        if not there.is_same_site(self.here):
            self._validators = {}
            self.has_left_site = True
        if status == 303 or (status in (301, 302) and self.body is not None):
            self.body = None
        self.redirects += 1
        self._refuse_circles(there)
        self.downgraded |= self.here.scheme == "https" and there.scheme == "http"
        self.here = there

    def _refuse_circles(self, there: WebAddress) -> None:
        step = (self.method, there.url)
        if step in self._been:
            raise RedirectsExhausted(
                f"{display_url(self.asked)} redirects in a circle, back to "
                f"{display_url(there.url)}.",
                advice="It may require cookies, which Assay never keeps.",
            )
        if self.redirects > self._max_redirects:
            raise RedirectsExhausted(
                f"{display_url(self.asked)} redirects more than {self._max_redirects} times, "
                f"the last time to {display_url(there.url)}."
            )
        self._been.add(step)
