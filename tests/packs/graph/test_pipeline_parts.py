"""A text in parts: what the parts report together, however each of them ended."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.packs.graph import extraction as extracting
from assay.packs.graph.computing import compute
from assay.packs.graph.extraction import Caller, ExtractionStop, extract
from assay.packs.graph.model import Graph, RelationVerdict
from assay.packs.graph.pipeline import WrittenGraph, join_and_write
from assay.packs.graph.steps import TIMEOUTS, GraphCompleteness
from assay.sdk.models import (
    CancellationMode,
    CancellationSignal,
    ProgressKind,
    ProgressListener,
    Request,
    RequestProgress,
    RequestResult,
    StepTimeout,
    Supervisor,
)
from tests.llm.virtual import virtually
from tests.packs.graph.provider import (
    CLAIMS,
    ENTITIES,
    ONTOLOGY,
    TEXT,
    Script,
    reading,
    stage_of,
)
from tests.packs.graph.test_extract import Kept
from tests.providers.behaviour import Behaviour
from tests.providers.dialects import Asked

C, M = GraphCompleteness, CancellationMode
FILLER = "Nothing more is said of it. " * 30


def text_of(parts: int) -> str:
    return "\n\n".join(f"{TEXT} {FILLER}" for _ in range(parts))


def signal_of(mode: CancellationMode) -> CancellationSignal:
    return CancellationSignal(request_id="mine", mode=mode, reason="user_request")


def do_both_join(supervisor: Supervisor) -> bool:
    under_way = supervisor.list_running()
    waiters = [waiter for each in under_way for waiter in each.waiters]
    return len(waiters) == 2 and {each.step for each in under_way} == {"serialization"}


class Silent(Script):
    """Never answers a stage about one of the parts."""

    def __init__(self, **silent: str) -> None:
        super().__init__()
        self.silent = silent

    def __call__(self, asked: Asked) -> Behaviour:
        told = super().__call__(asked)
        words = self.silent.get(stage_of(asked))
        silent = words is not None and words in asked.texts[-1]
        return Behaviour(hang_after=-1) if silent else told


def fail_to_write(*args: Any, **kwargs: Any) -> WrittenGraph:
    raise RuntimeError("It cannot be written.")


@virtually
async def test_a_graph_that_could_not_be_written_is_not_found_as_whole_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept()
    async with reading(tmp_path) as r:
        with monkeypatch.context() as patched:
            patched.setattr(extracting, "join_and_write", fail_to_write)
            first = await r.read(text_of(2), results=kept)
        assert first.error is not None and first.error.stage == "serialization"
        assert first.completeness is C.PARTIAL_EARLY_EXIT
        again = await r.read(text_of(2), results=kept)
    assert not again.stored
    assert again.error is None and again.completeness is C.COMPLETE
    assert again.rdf["turtle"]


@virtually
async def test_a_graph_that_cannot_be_merged_is_an_error_and_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_merge(graphs: Iterable[Graph], ontology: Any) -> Graph:
        raise RuntimeError("It cannot be merged.")

    async with reading(tmp_path) as r:
        monkeypatch.setattr("assay.packs.graph.pipeline.merge_graphs", broken_merge)
        monkeypatch.setattr(extracting, "merge_graphs", broken_merge, raising=False)
        one, two = await r.read(), await r.read(text_of(2))
    for result in (one, two):
        assert result.error is not None and result.error.stage == "serialization"
        assert {entity.name for entity in result.entities} == {e["mention"] for e in ENTITIES}
        assert len(result.relations) >= len(CLAIMS)


@virtually
async def test_who_was_stopped_does_not_share_what_he_has_with_who_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both come to join their parts at the same time, with other parts to join."""
    writing, go_on = asyncio.Event(), asyncio.Event()
    real = compute

    def parts_joined(*args: Any, **kwargs: Any) -> WrittenGraph:
        return join_and_write(*args, **kwargs)

    async def slow(function: Any, *args: Any, **kwargs: Any) -> Any:
        if function is parts_joined:
            writing.set()
            await go_on.wait()
        return await real(function, *args, **kwargs)

    stop = ExtractionStop()
    stop.signal = signal_of(M.GRACEFUL)
    kept = Kept()
    async with reading(tmp_path) as r:
        monkeypatch.setattr(extracting, "compute", slow)
        monkeypatch.setattr(extracting, "join_and_write", parts_joined)
        stopped = asyncio.create_task(r.read(text_of(2), stop=stop))
        await writing.wait()
        whole = asyncio.create_task(r.read(text_of(2), results=kept))
        while not do_both_join(r.supervisor):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        go_on.set()
        first, second = await stopped, await whole
    assert first.completeness is C.EMPTY and first.graph == Graph()
    assert second.completeness is C.COMPLETE
    assert len(second.relations) == len(CLAIMS)


@virtually
async def test_of_an_aborted_request_nothing_is_kept(tmp_path: Path) -> None:
    stop, kept = ExtractionStop(), Kept()

    def see(progress: RequestProgress) -> None:
        if progress.what is ProgressKind.ENDED and progress.step == "grounding":
            stop.signal = signal_of(M.ABORT)

    async with reading(tmp_path) as r:
        result = await r.read(text_of(8), stop=stop, on_progress=see, results=kept)
        assert await r.all_is_back()
    assert result.completeness is C.EMPTY
    assert result.entities == () and result.relations == () and result.rdf == {}
    assert result.key not in kept.rows


@virtually
async def test_relations_of_some_parts_are_not_called_entities_only(tmp_path: Path) -> None:
    text = f"First. {text_of(1)}\n\nSecond. {text_of(1)}"
    async with reading(tmp_path, Silent(relationExtraction="Second.")) as r:
        result = await r.read(text)
    assert len(result.relations) == len(CLAIMS)
    assert result.completeness is C.PARTIAL_EARLY_EXIT


@virtually
async def test_entities_of_some_parts_and_no_relation_are_entities_only(tmp_path: Path) -> None:
    text = f"First. {text_of(1)}\n\nSecond. {text_of(1)}"
    silent = Silent(entityExtraction="Second.", relationExtraction="First.")
    async with reading(tmp_path, silent) as r:
        result = await r.read(text)
    assert result.entities and not result.relations
    assert result.completeness is C.PARTIAL_ENTITY_ONLY


@virtually
async def test_parts_from_the_store_are_not_paid_for_twice(tmp_path: Path) -> None:
    kept = Kept()
    async with reading(tmp_path) as r:
        whole = await r.read(text_of(2), results=kept)
        assert whole.tokens.used > 0
        del kept.rows[whole.key]
        again = await r.read(text_of(2), results=kept)
    assert again.graph == whole.graph
    assert again.tokens.used == 0 == again.tokens.allocated


@virtually
async def test_a_warning_of_the_ontology_is_told_once(tmp_path: Path) -> None:
    """And the time is that of the clock, not the sum of what went on side by side."""
    odd = ONTOLOGY + "<http://example.org/people> owl:imports <http://example.org/other> .\n"
    slow = Behaviour(first_delay_ms=10_000)
    async with reading(tmp_path, Script(grounding=[slow])) as r:
        who = Caller(supervisor=r.supervisor, provider="openai", by="openai:m")
        result = await extract(text_of(4), odd, caller=who)
    assert result.warnings
    assert len(result.warnings) == len(set(result.warnings))
    assert not any(warning.startswith("part") for warning in result.warnings)
    assert 10_000 <= result.execution_ms < 20_000


@virtually
async def test_one_part_that_fails_for_good_ends_the_others(tmp_path: Path) -> None:
    class Broken(Kept):
        def keep(self, key: str, request_id: str, *rest: Any) -> None:
            raise ValueError(request_id)

    async with reading(tmp_path) as r:
        with pytest.raises(ValueError, match=r"mine\.\d"):
            await r.read(text_of(8), results=Broken(), request_id="mine")
        assert await r.all_is_back()


@virtually
async def test_a_stopped_waiter_leaves_the_other_his_work(tmp_path: Path) -> None:
    """Two equal texts in parts: each part is read once, and who leaves takes nothing along."""
    stop, kept = ExtractionStop(), Kept()
    slow = Behaviour(first_delay_ms=1_000)
    async with reading(tmp_path, Script(entityExtraction=[slow])) as r:
        one = asyncio.create_task(r.read(text_of(2), request_id="one", stop=stop, results=kept))
        other = asyncio.create_task(r.read(text_of(2), request_id="other", results=kept))
        await r.server.until(lambda books: books.under_way == 2)
        stop.signal = signal_of(M.IMMEDIATE)
        for part in ("one.1", "one.2"):
            left = CancellationSignal(request_id=part, mode=M.IMMEDIATE, reason="user_request")
            assert r.supervisor.cancel(left)
        gone, stayed = await one, await other
        assert await r.all_is_back()
        assert r.script.asked["entityExtraction"] == 2
    assert gone.completeness is C.EMPTY
    assert stayed.completeness is C.COMPLETE
    assert {relation.verdict for relation in stayed.relations} == {RelationVerdict.GROUNDED}
    assert kept.rows[stayed.key][0] == "other"


@pytest.mark.parametrize(("a_text", "times"), [(1_000, 1), (200, 3)])
async def test_a_long_text_has_more_time_to_be_written_down(
    monkeypatch: pytest.MonkeyPatch, a_text: int, times: int
) -> None:
    class Watched(Supervisor):
        async def run(
            self, request: Request, on_progress: ProgressListener | None = None
        ) -> RequestResult:
            if len(request.steps) == 1:
                given.append(request.steps[0].timeout)
            return await super().run(request, on_progress)

    given: list[StepTimeout | None] = []
    monkeypatch.setattr(extracting, "_A_TEXT", a_text)
    monkeypatch.setattr(extracting, "_PLAIN_PART", 200)
    await extract("It is so.\n\n" * 40, ONTOLOGY, caller=Caller(supervisor=Watched()))
    usual = TIMEOUTS["serialization"]
    assert given == [replace(usual, soft_ms=5_000 * times, hard_ms=10_000 * times)]


async def test_without_anybody_to_ask_a_supervisor_needs_no_plane(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    supervisor = Supervisor()
    monkeypatch.setattr(extracting, "_PLAIN_PART", 1_000)
    result = await extract(text_of(2), ONTOLOGY, caller=Caller(supervisor=supervisor))
    assert result.completeness is C.COMPLETE
    assert supervisor.list_running() == ()
