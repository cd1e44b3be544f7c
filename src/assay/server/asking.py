"""`GET /ask`: which value applies to a situation on a date."""

import asyncio
from functools import lru_cache, partial

from aiohttp import web

from assay.app import App
from assay.app.asking import (
    ReleaseAnswer,
    ask,
    check_freshness,
    load_stored_rules,
    parse_day,
    today,
)
from assay.app.releases import find_release
from assay.errors import InvalidInput
from assay.ruling.rules.conditions import parse_situation
from assay.sdk.web import answer_json, read_parameter
from assay.server.app_keys import APP

_CACHE_SIZE = 8
"""How many releases are kept in memory; they never change."""
_PARAMETERS = ("concept", "as_of", "release", "pack")


class ReleaseCache:
    """Releases in memory, to read a manifest once and not for every question."""

    def __init__(self, app: App) -> None:
        self.rules = lru_cache(maxsize=_CACHE_SIZE)(partial(load_stored_rules, app))


_RELEASE_CACHE = web.AppKey("shelf", ReleaseCache)


def add_routes(made: web.Application) -> None:
    made[_RELEASE_CACHE] = ReleaseCache(made[APP])
    made.router.add_get("/ask", _ask)


async def _ask(request: web.Request) -> web.Response:
    concept = read_parameter(request, "concept")
    if not concept:
        raise InvalidInput(
            "The parameter 'concept' is missing.",
            advice="Use /ask?concept=fee.amount; /concepts lists the concepts.",
        )
    fields = [
        _format_field(name, value)
        for name, value in request.query.items()
        if name not in _PARAMETERS
    ]
    situation = parse_situation(fields)
    day = read_parameter(request, "as_of")
    app = request.app[APP]
    as_of = today(app.clock) if day is None else parse_day(day)

    def answer() -> ReleaseAnswer:
        release = find_release(
            app, read_parameter(request, "release"), read_parameter(request, "pack")
        )
        released = request.app[_RELEASE_CACHE].rules(release.manifest_hash, release.state)
        return check_freshness(app, ask(released, concept, situation, as_of))

    return answer_json((await asyncio.to_thread(answer)).values())


def _format_field(name: str, value: str) -> str:
    if "=" in name:
        raise InvalidInput(f"'{name}' is not a field name.")
    return f"{name}={value}"
