"""Decoding text in the encoding that a page declares."""

import re

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)


def decode_markup(data: bytes) -> str:
    """Text in the encoding that the page declares, UTF-8 by default; never raises."""
    charset = _CHARSET.search(data[:2048])
    encoding = charset.group(1).decode("ascii", errors="replace") if charset else "utf-8"
    try:
        return data.decode(encoding, errors="replace")
    except (LookupError, UnicodeError):
        return data.decode("utf-8", errors="replace")
