"""The process pool: a document that kills its reader is blamed, and the others go on."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assay.engine import process_pool
from assay.engine.process_pool import PoolLimits, ProcessPool
from assay.errors import AssayError, ContentBroken, ContentHostile, StageCrashed
from tests.reading.odd_work import (
    double,
    odd,
    once_in_a_process,
    process_id,
    read_cpu_limits,
    refuse,
    wait_and_double,
)
from tests.waiting import PATIENCE_S, until, until_async

PATIENT = PoolLimits(timeout_s=PATIENCE_S)
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits CPU time so")


@pytest.fixture
async def pool() -> AsyncIterator[ProcessPool]:
    async with ProcessPool(2, PoolLimits(timeout_s=PATIENCE_S, memory_mb=512)) as opened:
        yield opened


async def test_every_piece_is_done_in_its_place(pool: ProcessPool) -> None:
    numbers = list(range(200))
    done: list[int] = []
    found = await pool.run_each(
        double, [(n,) for n in numbers], on_done=lambda n, _: done.append(n)
    )
    assert found == [2 * n for n in numbers]
    assert sorted(done) == numbers


async def test_nothing_to_do_is_done_at_once(pool: ProcessPool) -> None:
    assert await pool.run_each(double, []) == []


async def test_a_refusal_comes_back_as_it_was_raised(pool: ProcessPool) -> None:
    with pytest.raises(ContentBroken) as caught:
        await pool.run(refuse, 7)
    assert str(caught.value) == "Number 7 is broken. Take another."


@pytest.mark.parametrize(
    ("what", "kind", "told"),
    [
        ("die", ContentHostile, "crashes the process"),
        ("exit", ContentHostile, "crashes the process"),
        ("fill", ContentHostile, "more than 512 MB"),
        ("deep", ContentHostile, "nested too deeply"),
        ("raise", StageCrashed, "odd raised ValueError: odd"),
    ],
)
async def test_only_the_culprit_is_blamed(
    pool: ProcessPool, what: str, kind: type[AssayError], told: str
) -> None:
    words = ["a", "b", what, "c", *"defghijklmnopqrstuvw"]
    found = await pool.run_each(odd, [(word,) for word in words])
    assert [found[n] for n in range(len(words)) if n != 2] == [
        word.upper() for word in words if word != what
    ]
    assert isinstance(found[2], kind)
    assert told in str(found[2])


async def test_what_never_ends_is_ended() -> None:
    async with ProcessPool(1, PATIENT) as pool:
        late = await pool.run_each(odd, [("hang",), ("hang",)], timeout_s=0.1)
        assert await pool.run_each(odd, [("a",), ("b",)]) == ["A", "B"]
    # The second was given back when the first was ended, and got its own time.
    assert [type(error) for error in late] == [ContentHostile] * 2
    assert all("more than 0.1 s" in str(error) for error in late)


async def test_waiting_is_not_counted_as_cpu_time() -> None:
    async with ProcessPool(1, PATIENT) as pool:
        await pool.run(double, 1)
        (found,) = await pool.run_each(wait_and_double, [(3.5, 4)], timeout_s=3.0)
    assert found == 8


async def test_a_piece_is_not_blamed_for_what_others_left_behind() -> None:
    async with ProcessPool(1, PATIENT) as pool:
        found = await pool.run_each(once_in_a_process, [(n,) for n in range(4)])
    assert found == [0, 1, 2, 3]


async def test_what_a_library_prints_is_not_taken_for_an_answer(pool: ProcessPool) -> None:
    assert await pool.run_each(odd, [("print",), ("a",)]) == ["PRINT", "A"]


async def test_processes_are_kept_and_replaced_in_time() -> None:
    async with ProcessPool(1, PoolLimits(PATIENCE_S, pieces_per_process=3, handful=1)) as pool:
        found = await pool.run_each(process_id, [(n,) for n in range(6)])
    assert len(set(found[:3])) == 1
    assert len(set(found)) == 2


@LINUX_ONLY
async def test_no_process_can_ignore_both_of_its_cpu_limits() -> None:
    """It could ignore the signal of the first; the second has no signal."""
    async with ProcessPool(1, PATIENT) as pool:
        await pool.run(process_id, 1)  # The limits may be set only after it has begun.
        first, second = await pool.run(read_cpu_limits, 2)
    assert 0 < first < second < 10 * 3600


@LINUX_ONLY
async def test_a_process_that_nears_its_last_limit_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ProcessPool(1, PATIENT) as pool:
        first = await pool.run(process_id, 1)
        monkeypatch.setattr(process_pool, "_read_cpu_s", lambda _pid: 4 * 3600.0)
        assert await pool.run(process_id, 2) == first
        monkeypatch.undo()
        assert await pool.run(process_id, 3) != first


async def test_a_cancelled_wait_kills_the_process_and_the_next_work_is_done() -> None:
    async with ProcessPool(1, PATIENT) as pool:
        waiting = asyncio.create_task(pool.run(odd, "hang"))
        # Until it is in hand.
        await until_async(lambda: bool(pool._places.locked()))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await pool.run(odd, "a") == "A"


def test_the_processes_end_with_their_parent(tmp_path: Path) -> None:
    script = """
import asyncio, os, signal, sys
from assay.engine.process_pool import ProcessPool
from tests.reading.odd_work import process_id
async def main():
    pool = ProcessPool(1)
    print(await pool.run(process_id, 1), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, timeout=PATIENCE_S
    )
    child = int(ended.stdout)
    until(lambda: _is_gone(child))
    assert _is_gone(child)


def _is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
