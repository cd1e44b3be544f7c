"""Lists on the web: each look stores the list as it is, and a stage reads its references."""

from collections.abc import Sequence
from datetime import date

from assay.packs.literature.jobs import LIST_STAGE
from assay.packs.literature.listed import ListKind
from assay.sdk.errors import ContentEmpty
from assay.sdk.sources import (
    Portal,
    PortalItem,
    PortalPage,
    PortalRequest,
    TenantSettings,
    make_entry_url,
)


class ListSettings(TenantSettings):
    """One list."""

    url: str
    kind: ListKind


def start_look(settings: ListSettings, today: date, since: date | None) -> Sequence[PortalRequest]:
    """Ask for the list itself."""
    return [PortalRequest(url=settings.url, step="list")]


def read_list(body: bytes, request: PortalRequest, settings: ListSettings) -> PortalPage:
    """Keep the list as it is."""
    if not body.strip():
        raise ContentEmpty(f"The list at {settings.url} is empty.", advice="Open it in a browser.")
    # The whole address: two lists of one site may differ in their queries only.
    entry = make_entry_url(settings.url, settings.url)
    return PortalPage(items=[PortalItem(url=entry, content=body, content_type="text/plain")])


REFERENCE_LIST = Portal(
    name="reference_list",
    settings=ListSettings,
    start=start_look,
    read=read_list,
    entries=LIST_STAGE,
)
