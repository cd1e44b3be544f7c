"""Releases: the list, what changed, the manifest itself, and a new one."""

from typing import Annotated

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field

from assay.app.releases import (
    choose_pack_to_release,
    create_release,
    find_release,
    list_releases,
)
from assay.console.access import Operator, Reader, decider_name
from assay.console.api.idempotency import RequestKey, answer_once
from assay.console.api.routing import PlainText, build_router, tag_response
from assay.console.layout import OwnApp
from assay.model.rules import Release

MANIFEST_TYPE = "application/jsonl; charset=utf-8"
router = build_router("releases")


class ReleaseBrief(BaseModel):
    """A release without what it changed."""

    release_id: str
    pack: str
    version: str
    number: int
    previous: str | None
    state: str
    """PUBLISHED, or ROLLED_BACK."""
    manifest_hash: str
    content_hash: str
    rule_count: int
    audit_hash: str
    released_by: str
    created_ms: int


class ReleaseList(BaseModel):
    """All releases, the newest first."""

    releases: list[ReleaseBrief]


@router.get("/api/releases")
def show_releases(app: OwnApp, _principal: Reader, pack: str | None = None) -> ReleaseList:
    """Every release of all packs, or of one."""
    found = [release.model_dump(exclude={"changes"}) for release in list_releases(app, pack)]
    return ReleaseList.model_validate({"releases": found})


@router.get("/api/releases/{version}")
def show_release(app: OwnApp, _principal: Reader, version: str, pack: str | None = None) -> Release:
    """One release with everything that it added, changed and removed."""
    return find_release(app, version, pack)


@router.get(
    "/api/releases/{version}/manifest",
    response_class=Response,
    responses={200: {"content": {"application/jsonl": {"schema": {"type": "string"}}}}},
)
def show_manifest(
    request: Request, app: OwnApp, _principal: Reader, version: str, pack: str | None = None
) -> Response:
    """The released bytes; their hash is the entity tag."""
    found = find_release(app, version, pack)
    data = app.blobs.get(found.manifest_hash)
    return tag_response(
        request, Response(data, media_type=MANIFEST_TYPE), f'"{found.manifest_hash}"'
    )


class ReleaseGiven(BaseModel):
    """What to release."""

    model_config = ConfigDict(extra="forbid")

    pack: Annotated[PlainText, Field(max_length=100)] | None = None
    """None: the only pack with rules."""
    rules: Annotated[list[Annotated[PlainText, Field(max_length=100)]], Field(max_length=1000)] = []
    """Only these rules; all approved ones if there are none."""
    content_hash: Annotated[PlainText, Field(max_length=64)] = ""
    """The hash of a preview's content; anything else is refused. Without one, whatever is approved
    is released."""
    by: Annotated[PlainText, Field(max_length=80)] = ""
    """The name of whoever releases, where nobody logs in."""


class ReleaseMade(BaseModel):
    """The outcome of an attempt to release."""

    release: ReleaseBrief | None
    """None: nothing has changed since the release before."""
    run_id: str | None


@router.post("/api/releases", response_model=ReleaseMade)
def make_release(
    request: Request, app: OwnApp, principal: Operator, given: ReleaseGiven, key: RequestKey = None
) -> Response:
    """Release what is approved. If a gate fails, nothing is released, and the error names it."""

    def work() -> ReleaseMade:
        pack = choose_pack_to_release(app, given.pack)
        made = create_release(
            app,
            pack,
            by=decider_name(request, given.by),
            rule_ids=given.rules,
            content_hash=given.content_hash,
        )
        release = None if made.release is None else made.release.row()
        brief = None if release is None else ReleaseBrief.model_validate(release)
        return ReleaseMade(release=brief, run_id=made.run_id)

    return answer_once(request, app, principal, key, given, work)
