"""The concepts that there are, and single rules."""

import asyncio

from aiohttp import web

from assay.app import rule_book
from assay.server.parts import APP, json_answer, limit_of, one, refuse_others


def add_routes(made: web.Application) -> None:
    made.router.add_get("/concepts", _concepts)
    made.router.add_get("/rules/{rule_id}", _rule)


async def _concepts(request: web.Request) -> web.Response:
    refuse_others(request, ("q", "limit"))
    words, limit = one(request, "q") or "", limit_of(request)
    app = request.app[APP]
    found, left_out = await asyncio.to_thread(rule_book.list_concepts, app, words, limit=limit)
    return json_answer({"concepts": found, "left_out": left_out})


async def _rule(request: web.Request) -> web.Response:
    refuse_others(request, ())
    rule_id = request.match_info["rule_id"]
    return json_answer(await asyncio.to_thread(rule_book.show_rule, request.app[APP], rule_id))
