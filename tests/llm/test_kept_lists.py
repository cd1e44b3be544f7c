"""A list that arrived whole is not paid for again; anything less is asked for anew."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from assay.errors import StreamCut
from assay.llm.doubles.scripted import Cut, Say, ScriptedProvider, ScriptLine
from assay.llm.doubles.words import WordEstimator
from assay.llm.plane import ControlPlane

WHOLE = '{"items": [ {"name":"Ada"}, {"name":"Zagreb"} ]}'


class Entity(BaseModel):
    name: str


def plane_in(folder: Path, *script: ScriptLine, cached: bool = True) -> ControlPlane:
    return ControlPlane.open(
        f"sqlite:///{folder / 'ledger.db'}",
        [ScriptedProvider(script=script)],
        estimator=WordEstimator(),
        cached=cached,
    )


async def names(plane: ControlPlane) -> list[str]:
    async with plane.items("name them", Entity) as found:
        return [entity.name async for entity in found]


async def test_a_whole_list_is_paid_for_once(tmp_path: Path) -> None:
    async with plane_in(tmp_path, Say(WHOLE)) as plane:
        assert await names(plane) == ["Ada", "Zagreb"]
    async with plane_in(tmp_path) as again:
        async with again.items("name them", Entity) as found:
            assert [entity.name async for entity in found] == ["Ada", "Zagreb"]
            assert found.is_complete
        assert found.live.usage is not None
        assert found.live.usage.total_tokens == 0


async def test_who_does_not_want_it_asks_again(tmp_path: Path) -> None:
    async with plane_in(tmp_path, Say(WHOLE), Say('{"items": []}'), cached=False) as plane:
        assert await names(plane) == ["Ada", "Zagreb"]
        assert await names(plane) == []


@pytest.mark.parametrize("said", ["This is no list.", '{"items": [ {"name":"Ada"'])
async def test_what_was_no_whole_list_is_asked_for_again(tmp_path: Path, said: str) -> None:
    async with plane_in(tmp_path, Say(said), Say(WHOLE)) as plane:
        await names(plane)
        assert await names(plane) == ["Ada", "Zagreb"]


async def test_a_list_that_was_cut_is_asked_for_again(tmp_path: Path) -> None:
    async with plane_in(tmp_path, Cut(after=3, text=WHOLE), Say(WHOLE)) as plane:
        with pytest.raises(StreamCut):
            await names(plane)
        assert await names(plane) == ["Ada", "Zagreb"]


async def test_whoever_leaves_early_leaves_nothing_behind(tmp_path: Path) -> None:
    async with plane_in(tmp_path, Say(WHOLE), Say('{"items": []}')) as plane:
        async with plane.items("name them", Entity) as found:
            async for entity in found:
                assert entity.name == "Ada"
                break
        assert await names(plane) == []
