"""Releases: what each of them changed, whether it still holds, and making and undoing them."""

import asyncio
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from assay.app import App
from assay.app.release_proofs import verify_stored_release
from assay.app.releases import (
    choose_pack_to_release,
    create_release,
    find_release,
    list_releases,
    preview_release,
    roll_back_release,
)
from assay.console.access import Operator, Reader, decider_name
from assay.console.forms import OwnForm, redirect
from assay.console.layout import OwnApp, cache_of, render_page
from assay.errors import AssayError, InvalidInput, NotFound, ReleaseRefused
from assay.model.rules import Release
from assay.ruling.release.changes import compare_rules

router = APIRouter()
_MOST_ENTRIES = 200
_MOST_FAULTS = 100


@router.get("/releases")
def show_releases(request: Request, app: OwnApp, _principal: Reader) -> Response:
    """Every release, by pack, the newest first."""
    packs: dict[str, list[Release]] = {}
    for release in list_releases(app):
        packs.setdefault(release.pack, []).append(release)
    return render_page(request, "releases.html", packs=packs, count=_count_changes)


@router.get("/releases/new")
def preview(request: Request, app: OwnApp, _principal: Operator, pack: str = "") -> Response:
    """What a release would contain now, and what stands in its way."""
    plan = preview_release(app, choose_pack_to_release(app, pack or None))
    return render_page(
        request, "release_new.html", plan=plan, changes=_shorten(plan.changes), most=_MOST_FAULTS
    )


@router.post("/releases/new", dependencies=[OwnForm])
def create(
    request: Request,
    app: OwnApp,
    _principal: Operator,
    pack: Annotated[str, Form()],
    content: Annotated[str, Form()],
) -> Response:
    """Release what was shown; if something else is approved by now, it is shown again first."""
    try:
        made = create_release(app, pack, by=decider_name(request), content_hash=content)
    except ReleaseRefused as error:
        return redirect(f"/releases/new?pack={quote(pack)}", error.what, bad=True)
    if made.release is None:
        return redirect("/releases", "Nothing has changed since the last release.")
    return redirect(f"/releases/{pack}/{made.release.version}", f"Released {made.release.version}.")


@router.get("/releases/{pack}/{version}")
def show_release(
    request: Request, app: OwnApp, _principal: Reader, pack: str, version: str, against: str = ""
) -> Response:
    """One release: what it changed, compared with the one before it or with any other."""
    release = _require(app, pack, version)
    others = [each for each in list_releases(app, pack) if each.version != version]
    changes, base = release.changes, _find_version(others, release.previous)
    if against:
        other = _require(app, pack, against)
        cache = cache_of(request)
        changes = compare_rules(cache.read_lines(other), cache.read_lines(release))
        base = against
    return render_page(
        request, "release.html", release=release, others=others, base=base,
        changes=_shorten(changes), totals=_count_changes(changes),
    )  # fmt: skip


@router.get("/releases/{pack}/{version}/proof")
def show_proof(
    request: Request, app: OwnApp, _principal: Reader, pack: str, version: str
) -> Response:
    """Check the release again: its manifest, quotes, approvals, and the audit log."""
    release = _require(app, pack, version)
    proof = asyncio.run(verify_stored_release(app, release))
    return render_page(
        request, "release_proof.html", release=release, proof=proof, most=_MOST_FAULTS
    )


@router.get("/releases/{pack}/{version}/manifest.jsonl")
def download_manifest(app: OwnApp, _principal: Reader, pack: str, version: str) -> Response:
    """The stored bytes."""
    release = _require(app, pack, version)
    name = f"{release.pack}-{release.version}.jsonl"
    return Response(
        app.blobs.get(release.manifest_hash),
        media_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@router.post("/releases/{pack}/{version}/rollback", dependencies=[OwnForm])
def roll_back(
    request: Request,
    app: OwnApp,
    _principal: Operator,
    pack: str,
    version: str,
    confirm: Annotated[str, Form()] = "",
    note: Annotated[str, Form()] = "",
) -> Response:
    """Withdraw a release and all later ones, once its version was typed and a reason given."""
    release, place = _require(app, pack, version), f"/releases/{pack}/{version}"
    try:
        if confirm.strip() != release.version:
            raise InvalidInput(f"Type {release.version} to confirm the rollback.")
        if not note.strip():
            raise InvalidInput("A rollback needs a reason.")
        result = roll_back_release(
            app, version, by=decider_name(request), note=note.strip(), pack=pack
        )
    except AssayError as error:
        return redirect(place, error.what, bad=True)
    return redirect(
        place,
        f"Rolled back {', '.join(result.versions)}; "
        f"{len(result.reopened)} rules wait for a person again.",
    )


def _require(app: App, pack: str, version: str) -> Release:
    return find_release(app, version, pack)


def _find_version(others: list[Release], release_id: str | None) -> str | None:
    if release_id is None:
        return None
    found = next((each.version for each in others if each.release_id == release_id), None)
    if found is None:
        raise NotFound(f"The release before this one, {release_id}, is missing.")
    return found


def _count_changes(changes: dict[str, Any]) -> dict[str, int]:
    """How much was added, changed and removed."""
    return {kind: len(entries) for kind, entries in changes.items() if entries}


def _shorten(changes: dict[str, Any]) -> dict[str, tuple[list[dict[str, Any]], int]]:
    """The first entries of each kind, and how many more there are."""
    return {
        kind: (entries[:_MOST_ENTRIES], max(0, len(entries) - _MOST_ENTRIES))
        for kind, entries in changes.items()
        if entries
    }
