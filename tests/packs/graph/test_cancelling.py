"""Stopping an extraction in every mode, over real HTTP: what it keeps and what is cleaned up."""

import asyncio
from pathlib import Path

import pytest

from assay.packs.graph.extraction import ExtractionStop
from assay.packs.graph.results import GraphResult
from assay.packs.graph.steps import GraphCompleteness
from assay.sdk.models import CancellationMode, CancellationSignal, ProgressKind, RequestProgress
from tests.llm.virtual import virtually
from tests.packs.graph.provider import ENTITIES, TEXT, Reading, Script, reading, write_answer
from tests.packs.graph.test_decision_tree import count_pieces
from tests.providers.behaviour import Behaviour

C, M = GraphCompleteness, CancellationMode
TOLD = write_answer("entities", ENTITIES)


async def stop_request(
    r: Reading, mode: CancellationMode, *, after: int = 2, step: str | None = None
) -> GraphResult:
    """The result of a request that is stopped once so many entities have arrived."""
    arrived = asyncio.Event()

    def see(progress: RequestProgress) -> None:
        if progress.what is ProgressKind.ITEMS and progress.items >= after:
            arrived.set()

    running = asyncio.create_task(r.read(request_id="mine", on_progress=see))
    await arrived.wait()
    signal = CancellationSignal(request_id="mine", mode=mode, reason="user_request")
    assert r.supervisor.cancel(signal, step=step)
    return await running


@pytest.mark.parametrize("mode", [M.IMMEDIATE, M.GRACEFUL, M.DRAIN, M.ABORT])
@virtually
async def test_every_mode_leaves_nothing_behind(tmp_path: Path, mode: CancellationMode) -> None:
    slow = Behaviour(text=TOLD, piece_chars=20, delay_ms=500)
    async with reading(tmp_path, Script(entityExtraction=[slow])) as r:
        result = await stop_request(r, mode)
        assert await r.all_is_back()
        assert r.script.asked == {"entityExtraction": 1}
    assert any(f"cancelled ({mode.value})" in warning for warning in result.warnings)
    assert result.relations == ()
    found = {
        # At once, with what there was; the others read the answer in hand to its end.
        M.IMMEDIATE: 2,
        M.GRACEFUL: len(ENTITIES),
        M.DRAIN: len(ENTITIES),
        M.ABORT: 0,
    }
    assert len(result.entities) == found[mode]
    assert result.completeness is (C.EMPTY if mode is M.ABORT else C.PARTIAL_ENTITY_ONLY)
    assert result.rdf == {}


@virtually
async def test_a_stage_that_is_stopped_takes_with_it_what_hangs_on_it(tmp_path: Path) -> None:
    hanging = Behaviour(text=TOLD, piece_chars=20, hang_after=count_pieces(TOLD, '"England"'))
    async with reading(tmp_path, Script(entityExtraction=[hanging])) as r:
        result = await stop_request(r, M.IMMEDIATE, step="entityExtraction")
        assert await r.all_is_back()
    assert result.completeness is C.PARTIAL_ENTITY_ONLY
    assert {entity.name for entity in result.entities} == {"Ada Lovelace", "London"}
    assert {"propertyScoping", "relationExtraction", "grounding"} <= set(result.skipped_stages)


@virtually
async def test_parts_that_have_not_begun_never_do(tmp_path: Path) -> None:
    text = "\n\n".join(TEXT.replace("London", f"London{n:02d}") * 12 for n in range(20))
    stop = ExtractionStop()

    def see(progress: RequestProgress) -> None:
        if progress.what is ProgressKind.ENDED and progress.step == "entityExtraction":
            stop.signal = CancellationSignal(
                request_id="mine", mode=M.GRACEFUL, reason="user_request"
            )

    async with reading(tmp_path) as r:
        result = await r.read(text, request_id="mine", on_progress=see, stop=stop)
        assert await r.all_is_back()
        assert r.script.asked["entityExtraction"] <= 5
    assert any("It was not begun" in warning for warning in result.warnings)
    assert result.completeness is not C.COMPLETE


@virtually
async def test_whoever_goes_away_is_not_worked_for_any_longer(tmp_path: Path) -> None:
    async with reading(tmp_path, Script(entityExtraction=[Behaviour(hang_after=-1)])) as r:
        running = asyncio.create_task(r.read())
        await r.server.until(lambda books: books.under_way == 1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await r.all_is_back()
