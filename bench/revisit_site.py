"""`python -m bench.revisit_site`: a site of many pages that never change, over real HTTP.

It prints its address, serves until its input ends, and answers `/_served` with what it served.
"""

import argparse
import hashlib
import os
import sys
import threading
from collections import Counter

from aiohttp import web
from tests.gazette.world import World

_PER_CHILD = 1000


class Site:
    """Pages of the demo's gazette, behind a sitemap index, with or without validators."""

    def __init__(self, documents: int, *, validators: bool) -> None:
        pages = World(documents=documents).build_pages()
        texts = {path: page.body for path, page in pages.items() if path.endswith(".html")}
        self._pages = dict(sorted(texts.items())[:documents])
        self._tags = {
            path: f'"{hashlib.sha256(body).hexdigest()[:16]}"' for path, body in self._pages.items()
        }
        self._validators = validators
        self._served: Counter[str] = Counter()

    async def answer(self, request: web.Request) -> web.Response:
        path = request.path
        if path == "/_served":
            return web.json_response({"pages": len(self._pages), **self._served})
        if path == "/robots.txt":
            return web.Response(status=404)
        if path == "/sitemap.xml":
            return self._xml("sitemapindex", "sitemap", self._children(), request)
        if path.startswith("/child/"):
            start = int(path.removeprefix("/child/")) * _PER_CHILD
            return self._xml(
                "urlset", "url", list(self._pages)[start : start + _PER_CHILD], request
            )
        return self._page(path, request)

    def _page(self, path: str, request: web.Request) -> web.Response:
        if path not in self._pages:
            return web.Response(status=404)
        headers = {"ETag": self._tags[path]} if self._validators else {}
        if self._validators and request.headers.get("If-None-Match") == self._tags[path]:
            self._served["unchanged"] += 1
            return web.Response(status=304, headers=headers)
        self._served["whole"] += 1
        return web.Response(
            body=self._pages[path], content_type="text/html", charset="utf-8", headers=headers
        )

    def _children(self) -> list[str]:
        return [f"/child/{n}" for n in range(-(-len(self._pages) // _PER_CHILD))]

    def _xml(self, root: str, entry: str, paths: list[str], request: web.Request) -> web.Response:
        base = f"http://{request.headers['Host']}"
        entries = "".join(f"<{entry}><loc>{base}{path}</loc></{entry}>" for path in paths)
        return web.Response(text=f"<{root}>{entries}</{root}>", content_type="application/xml")


def main() -> None:
    """Serve until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, required=True)
    parser.add_argument("--validators", action="store_true")
    given = parser.parse_args()
    site = Site(given.documents, validators=given.validators)
    application = web.Application()
    application.router.add_get("/{tail:.*}", site.answer)

    async def tell(_application: web.Application) -> None:
        threading.Thread(target=_end_with_input, daemon=True).start()

    application.on_startup.append(tell)
    web.run_app(
        application, host="127.0.0.1", port=0, access_log=None,
        print=lambda told: print(str(told).split()[3], flush=True),
    )  # fmt: skip


def _end_with_input() -> None:
    sys.stdin.read()
    # Nothing is to be saved, and a clean end would wait for open connections.
    os._exit(0)


if __name__ == "__main__":
    main()
