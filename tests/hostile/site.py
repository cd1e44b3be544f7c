"""A site on loopback: a few good pages among all that is bad, and one sitemap that lists them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from tests.bad_site.behaviours import CATALOGUE, METADATA, redirect, serve_page
from tests.bad_site.site import Behaviour, Exchange
from tests.hostile.case import Case, ends
from tests.hostile.case import page as page_of

HOST: Final = "hostile.test"
_PIECE: Final = 65_536
_ROBOTS_LINE: Final = b"Disallow: /nothing/here/%08d\n"


@dataclass(frozen=True, slots=True)
class Trap:
    """Something that a server does in place of giving a document."""

    path: str
    behave: Behaviour
    ends: frozenset[str]
    told: str = ""


_FAILED = ends("fetch_failed")
_REFUSED = ends("refused")
_EXPECTED: Mapping[str, tuple[frozenset[str], str]] = {
    "/redirect/endless": (_FAILED, "redirect"),
    "/redirect/self": (_FAILED, "redirect"),
    "/redirect/there": (_FAILED, "redirect"),
    "/redirect/private": (_REFUSED, "169.254.169.254"),
    "/redirect/file": (_REFUSED, "file:"),
    "/redirect/nowhere": (_FAILED, "without saying where"),
    "/redirect/odd": (ends("fetch_failed", "address_refused", "invalid_input"), ""),
    "/cookie-wall": (_FAILED, "redirect"),
    "/slow/body": (_FAILED, ""),
    "/slow/headers": (_FAILED, "in time"),
    "/slow/stalled": (_FAILED, ""),
    "/slow/silent": (_FAILED, "in time"),
    "/large/endless": (ends("content_too_large"), "bytes"),
    "/large/announced": (ends("content_too_large"), "99999999999"),
    "/bomb/gzip": (ends("content_too_large"), "bytes"),
    "/bomb/deflate": (ends("content_too_large"), "bytes"),
    "/bomb/nested": (ends("content_too_large"), "bytes"),
    "/bomb/layers": (ends("content_hostile", "content_broken", "content_unsupported"), ""),
    "/packed/unknown": (ends("content_unsupported", "content_broken"), ""),
    "/packed/broken": (ends("content_broken", "fetch_failed"), ""),
    "/packed/cut": (ends("content_broken", "fetch_failed"), ""),
    "/cut/length": (_FAILED, "broke off"),
    "/cut/chunked": (_FAILED, "broke off"),
    "/cut/bad-chunk": (_FAILED, "chunk"),
    "/cut/reset": (_FAILED, "broke off"),
    "/cut/at-once": (_FAILED, "broke off"),
    "/headers/huge": (_FAILED, ""),
    "/headers/many": (_FAILED, ""),
    "/headers/no-length": (_FAILED, ""),
    "/headers/two-lengths": (_FAILED, ""),
    "/no-http": (_FAILED, "valid HTTP"),
    "/busy": (_FAILED, "503"),
    "/busy/for-a-day": (_FAILED, "429"),
}


def traps() -> list[Trap]:
    """What a server can do, each under a path of its own."""
    found = [Trap(path, CATALOGUE[path](), *_EXPECTED[path]) for path in _EXPECTED]
    found += [
        Trap("/closed/by-robots", serve_page(), _REFUSED, "robots.txt"),
        Trap("/status/403", serve_page(status=403), ends("content_unsupported"), "403"),
        Trap("/status/404", serve_page(status=404), ends("gone"), "404"),
        Trap("/status/200-and-nothing", serve_page(b""), ends("content_empty"), "nothing"),
        Trap("/redirect/inward", redirect("http://127.0.0.1:1/"), _REFUSED, "loop"),
        Trap("/redirect/metadata", redirect(METADATA, 308), _REFUSED, "169.254"),
    ]
    return found


def served(case: Case, file: Path, most: int) -> Trap:
    """A document of the corpus, sent piece by piece, and with no word of its size if it has too
    much of it."""
    size = file.stat().st_size

    async def behave(exchange: Exchange) -> None:
        told = {"Content-Type": case.header}
        if size <= most:
            told["Content-Length"] = str(size)
        await exchange.send_head(200, told, close=size > most)
        with file.open("rb") as source:
            while piece := source.read(_PIECE):
                await exchange.send(piece)
                await asyncio.sleep(0)

    if size > most:
        return Trap(f"/{case.name}", behave, ends("content_too_large"), "bytes")
    return Trap(f"/{case.name}", behave, case.ends, case.told)


def good_pages(count: int) -> dict[str, bytes]:
    """Laws, no two alike."""
    names = [f"good-{number}" for number in range(1, count + 1)]
    return {f"/good/{name}.html": page_of(name).encode() for name in names}


def sitemap(paths: list[str]) -> bytes:
    """A sitemap of these paths."""
    entries = "".join(f"<url><loc>http://{HOST}{escape(path)}</loc></url>" for path in paths)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    ).encode()


def endless_robots(megabytes: int = 100) -> Behaviour:
    """A robots.txt with one rule that counts and so many megabytes that do not."""

    async def behave(exchange: Exchange) -> None:
        await exchange.send_head(200, {"Content-Type": "text/plain"}, close=True)
        await exchange.send(b"User-agent: *\nDisallow: /closed/\n")
        for megabyte in range(megabytes):
            lines = (1 << 20) // len(_ROBOTS_LINE % 0)
            await exchange.send(
                b"".join(_ROBOTS_LINE % (megabyte * lines + n) for n in range(lines))
            )
            await asyncio.sleep(0)

    return behave
