"""What the commands list: the latest first, and no more than was asked for."""

import pytest

from assay.app import App
from assay.errors import InvalidInput, NotFound
from assay.packs.civic import dossiers, queries
from tests.packs.civic.town import BRIDGE, CITY, MOVED, NEXT, PACKET, ZONING
from tests.packs.civic.town import town as town


async def test_the_latest_meetings_are_listed_first(town: App) -> None:
    found, left_out = await queries.list_meetings(town.services, CITY, None, 2)
    assert [row["meeting_id"] for row in found] == [PACKET, MOVED]
    everything, nothing = await queries.list_meetings(town.services, CITY, None, None)
    assert (len(everything), nothing) == (2 + left_out, 0)
    found, _ = await queries.list_meetings(town.services, None, "2026-04-28", 10)
    counts = {row["meeting_id"]: (row["items"], row["summaries"]) for row in found}
    assert counts[NEXT] == (2, 1) and len(counts) == 4
    with pytest.raises(NotFound):
        await queries.list_meetings(town.services, "nowhereCA", None, 1)
    with pytest.raises(InvalidInput):
        await queries.list_meetings(town.services, None, "2026-4-1", 1)


@pytest.mark.parametrize("at_once", [1, 200])
async def test_items_are_found_however_many_meetings_are_read_at_once(
    town: App, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(dossiers, "_AT_ONCE", at_once)

    async def search(
        *words: str, topic: str | None = None, limit: int | None = 9, more: int = 0
    ) -> list[str]:
        found, left_out = await queries.search_items(town.services, words, CITY, topic, None, limit)
        assert left_out == more
        return [row["item_id"] for row in found]

    assert await search("m") == [BRIDGE, ZONING]
    assert await search("m", limit=None) == [BRIDGE, ZONING]
    assert await search("m", limit=1, more=1) == [BRIDGE]
    assert await search("Mixed-Use", "MILL") == [ZONING]
    assert await search("street", topic="zoning") == []


async def test_a_matter_is_shown_with_its_way_through_the_meetings(town: App) -> None:
    found = await queries.describe_matter(town.services, f"{CITY}_26-14")
    (appearance,) = found["appearances"]
    assert (appearance["starts"], appearance["tally"]) == ("2026-04-07T16:00", "2-1")
    assert found["matter_file"] == "26-14"
