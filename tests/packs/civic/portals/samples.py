"""The real payloads, which are not part of the repository, and what a page of a portal lists."""

from pathlib import Path

import pytest

from assay.packs.civic.portals.listed import ListedAgenda, ListedMeeting
from assay.sdk.sources import PortalPage

_AROUND = [parent / "shared" / "samples" / "civic" for parent in Path(__file__).parents[5:7]]
SAMPLES = next((folder for folder in _AROUND if folder.is_dir()), _AROUND[0])
"""Beside the repository, or beside the folder of its worktrees."""
needs_samples = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="there is no ../shared/samples here"
)


def read_sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def list_meetings(page: PortalPage) -> list[ListedMeeting]:
    return [
        ListedMeeting.model_validate_json(item.content)
        for item in page.items
        if item.content is not None and "?meeting=" in item.url
    ]


def list_agendas(page: PortalPage) -> list[ListedAgenda]:
    return [
        ListedAgenda.model_validate_json(item.content)
        for item in page.items
        if item.content is not None and "?agenda=" in item.url
    ]


def show_papers(entry: ListedMeeting) -> list[tuple[str, str]]:
    return [(paper.kind.value, paper.url) for paper in entry.papers]
