"""Routes for concepts and single rules."""

import asyncio

from aiohttp import web

from assay.app import rule_queries as rule_book
from assay.sdk.web import answer_json, read_limit, read_parameter, refuse_unknown_parameters
from assay.server.app_keys import APP


def add_routes(made: web.Application) -> None:
    made.router.add_get("/concepts", _get_concepts)
    made.router.add_get("/rules/{rule_id}", _get_rule)


async def _get_concepts(request: web.Request) -> web.Response:
    refuse_unknown_parameters(request, ("q", "limit"))
    words, limit = read_parameter(request, "q") or "", read_limit(request)
    app = request.app[APP]
    found, left_out = await asyncio.to_thread(rule_book.list_concepts, app, words, limit=limit)
    return answer_json({"concepts": found, "left_out": left_out})


async def _get_rule(request: web.Request) -> web.Response:
    refuse_unknown_parameters(request)
    rule_id = request.match_info["rule_id"]
    found = await asyncio.to_thread(rule_book.describe_released_rule, request.app[APP], rule_id)
    return answer_json(found)
