"""Routes for releases: the list, what changed, and the manifest itself."""

import asyncio

from aiohttp import web
from aiohttp.web import Request, Response

from assay.app.releases import find_release, list_releases
from assay.model.rules import Release
from assay.sdk.web import answer_json, read_parameter, refuse_unknown_parameters
from assay.server.app_keys import APP

MANIFEST_TYPE = "application/jsonl"


def add_routes(made: web.Application) -> None:
    made.router.add_get("/releases", _get_releases)
    made.router.add_get("/releases/{version}", _release)
    made.router.add_get("/releases/{version}/manifest", _get_manifest)


async def _get_releases(request: Request) -> Response:
    refuse_unknown_parameters(request, ("pack",))
    found = await asyncio.to_thread(
        list_releases, request.app[APP], read_parameter(request, "pack")
    )
    brief = [release.model_dump(mode="json", exclude={"changes"}) for release in found]
    return answer_json({"releases": brief})


async def _release(request: Request) -> Response:
    return answer_json((await _find_release(request)).model_dump(mode="json"))


async def _get_manifest(request: Request) -> Response:
    """The stored bytes; their hash is the entity tag, so no client needs to fetch them twice."""
    manifest_hash = (await _find_release(request)).manifest_hash
    known = request.if_none_match or ()
    if any(tag.value in ("*", manifest_hash) for tag in known):
        answer = Response(status=304)
    else:
        data = await asyncio.to_thread(request.app[APP].blobs.get, manifest_hash)
        answer = Response(body=data, content_type=MANIFEST_TYPE, charset="utf-8")
    answer.etag = manifest_hash
    return answer


async def _find_release(request: Request) -> Release:
    refuse_unknown_parameters(request, ("pack",))
    version = request.match_info["version"]
    return await asyncio.to_thread(
        find_release, request.app[APP], version, read_parameter(request, "pack")
    )
