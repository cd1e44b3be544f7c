"""The entries among a portal's items, and the real payloads to read them from."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from assay.packs.civic.portals.listed import ListedAgenda, ListedMeeting, PortalEntry
from assay.sdk.sources import PortalItem

_AROUND = [parent / "shared" / "samples" / "civic" for parent in Path(__file__).parents[5:7]]
SAMPLES = next((folder for folder in _AROUND if folder.is_dir()), _AROUND[0])
"""Beside the repository, or beside the folder of its worktrees."""
needs_samples = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="there is no ../shared/samples here"
)

_ENTRY: TypeAdapter[ListedMeeting | ListedAgenda] = TypeAdapter(PortalEntry)


def list_meetings(items: Iterable[PortalItem]) -> list[ListedMeeting]:
    """The meetings among the items, in order."""
    return [entry for entry in _read(items) if isinstance(entry, ListedMeeting)]


def list_agendas(items: Iterable[PortalItem]) -> list[ListedAgenda]:
    """The agendas among the items, in order."""
    return [entry for entry in _read(items) if isinstance(entry, ListedAgenda)]


def list_paper_urls(items: Iterable[PortalItem]) -> list[str]:
    """The addresses of the documents to fetch, in order."""
    return [item.url for item in items if item.content is None]


def _read(items: Iterable[PortalItem]) -> list[ListedMeeting | ListedAgenda]:
    return [_ENTRY.validate_json(item.content) for item in items if item.content is not None]
