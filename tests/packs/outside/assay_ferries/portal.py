"""The vendor's board: lines first, then the notices of each line."""

from datetime import date

from assay.sdk.sources import (
    Portal,
    PortalItem,
    PortalPage,
    PortalRequest,
    TenantSettings,
    parse_json,
)


class Harbour(TenantSettings):
    """One harbour on the board."""

    base: str
    """Where its board lies."""


def start(harbour: Harbour, today: date, since: date | None) -> list[PortalRequest]:
    return [PortalRequest(url=f"{harbour.base}/lines.json", step="lines")]


def read(data: bytes, request: PortalRequest, harbour: Harbour) -> PortalPage:
    told = parse_json(data, request.url, "a board of ferry lines")
    if request.step == "lines":
        return PortalPage(
            requests=[
                PortalRequest(
                    url=f"{harbour.base}/lines/{line['id']}.json",
                    step="notices",
                    changed=line["changed"],
                    context={"line": line["id"]},
                )
                for line in told["lines"]
            ]
        )
    page = f"{harbour.base}/lines/{request.context['line']}.html"
    return PortalPage(
        items=[
            PortalItem(url=f"{harbour.base}/{name}", title=f"Notice {name}", parent=page)
            for name in told["notices"]
        ]
    )


FERRY_BOARD = Portal(name="ferry_board", settings=Harbour, start=start, read=read)
