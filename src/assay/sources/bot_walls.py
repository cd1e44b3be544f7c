"""Pages that keep programs out: they arrive with a 200 instead of the document."""

from typing import Final

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
