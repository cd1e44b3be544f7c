"""A site's response, in a form that can be stored."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

GONE_STATUSES = frozenset({404, 410})
_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9._:+-]{1,40})""", re.IGNORECASE)
_MOST_HEADER = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseHead:
    """A response without its body."""

    url: str
    """The address that was requested."""
    final_url: str
    """The address that answered, after all redirects."""
    status: int
    content_type: str = ""
    charset: str | None = None
    """What the header says, in lower case; it may be wrong."""
    etag: str | None = None
    """As the site wrote it, weak or strong; none from a site that was only redirected to."""
    last_modified: str | None = None
    conditional: bool = False
    """Whether the site that answered was asked if the page has changed."""
    redirects: int = 0
    retries: int = 0
    downgraded: bool = False
    """Whether a redirect led from https to http, so the response could have been altered."""

    @property
    def is_unchanged(self) -> bool:
        """Whether the page has not changed; a site that was not asked cannot say so."""
        return self.status == 304 and self.conditional

    @property
    def is_gone(self) -> bool:
        return self.status in GONE_STATUSES


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResponse(ResponseHead):
    """A response with its whole body."""

    body: bytes


def charset_of(content_type: str) -> str | None:
    """The charset that a Content-Type names."""
    match = _CHARSET.search(content_type)
    return match[1].lower() if match else None


def read_header(headers: Mapping[str, str], name: str) -> str:
    """A header's text, of limited length; bytes that are not text are shown as such."""
    value = headers.get(name, "")[:_MOST_HEADER]
    if value.isprintable():
        return value
    return "".join(sign if sign.isprintable() else "�" for sign in value)


def clean_validator(value: str | None) -> str | None:
    """An ETag or a date that can be stored and sent back unchanged; otherwise None."""
    if value is None or not 0 < len(value) <= _MOST_HEADER:
        return None
    return value if value.isascii() and value.isprintable() else None


# A document may mention robots as well; anything longer than this counts as a document.
_TITLED: Final = 40_000
_MARKED: Final = 10_000
_TITLES: Final = (
    b"just a moment", b"attention required", b"access denied", b"pardon our interruption",
    b"checking your browser", b"human verification", b"are you a robot", b"robot check",
    b"security check", b"request rejected", b"ddos-guard", b"verifying you are human",
)  # fmt: skip
# Only what the check itself contains: good pages also have the scripts that prepare for one.
_MARKS: Final = (
    b"_incapsula_resource?cwudnsai", b"cf_chl_opt", b"window.gokuprops", b"captcha-delivery.com",
    b"px-captcha", b"enable javascript and cookies to continue",
)  # fmt: skip


def is_bot_wall(body: bytes) -> bool:
    """Whether a page is a check for robots."""
    if len(body) > _TITLED or b"<" not in body[:512]:
        return False
    head = body[:_MARKED].lower()
    at = head.find(b"<title")
    title = head[head.find(b">", at) + 1 :][:200].lstrip() if at >= 0 else b""
    if title.startswith(_TITLES):
        return True
    return len(body) <= _MARKED and any(mark in head for mark in _MARKS)
