"""Repair a PDF whose end is lost: keep the remaining pages under a new page list."""

import re
from typing import Final

_PAGE: Final = re.compile(rb"/Type\s{0,4}/Page(?![A-Za-z])")
_OBJECT: Final = re.compile(rb"(\d{1,8})\s{1,4}(\d{1,5})\s{1,4}obj")
_WITHIN: Final = 4_000
_NEW: Final = 10_000_000
"""Object numbers that no real document reaches."""


def mend_pdf(data: bytes, most: int) -> bytes | None:
    """The document with a new end; None if no page is left, or the key to them is lost."""
    if b"/Encrypt" in data:
        return None
    pages: dict[bytes, None] = {}
    for page in _PAGE.finditer(data):
        head = data[max(0, page.start() - _WITHIN) : page.start()]
        found = list(_OBJECT.finditer(head, head.rfind(b"endobj") + 1))
        if found:
            pages[b"%s %s R" % found[-1].groups()] = None
        if len(pages) > most:
            break
    if not pages:
        return None
    kids = b" ".join(pages)
    return data + (
        b"\nendstream\nendobj\n%d 0 obj\n<</Type/Catalog/Pages %d 0 R>>\nendobj\n"
        b"%d 0 obj\n<</Type/Pages/Count %d/Kids[%s]>>\nendobj\n"
        b"trailer\n<</Root %d 0 R/Size %d>>\nstartxref\n0\n%%%%EOF\n"
        % (_NEW, _NEW + 1, _NEW + 1, len(pages), kids, _NEW, _NEW + 2)
    )
