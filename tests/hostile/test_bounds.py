"""What a reading process may take: memory that it fills, not addresses that it reserves."""

import mmap
import os
from pathlib import Path

import pytest

from assay.engine.process_pool import PoolLimits, ProcessPool
from assay.errors import ContentHostile, ContentTooLarge
from assay.model.hashes import content_hash
from assay.reading.limits import ReadLimits
from assay.spine.scouting.task import ScoutOptions, scout_file
from tests.waiting import PATIENCE_S

_GIGABYTE = 1 << 30


def reserve(gigabytes: int) -> int:
    """Take addresses without filling them, as allocators do."""
    with mmap.mmap(-1, gigabytes * _GIGABYTE, flags=mmap.MAP_PRIVATE, prot=0) as room:
        return len(room)


def fill(gigabytes: int) -> int:
    """Take memory."""
    return len(bytearray(gigabytes * _GIGABYTE))


def threads_wanted() -> list[str]:
    """How many threads the libraries of this process are told to use."""
    named = ("OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
    return [os.environ[name] for name in named]


async def test_addresses_are_free_and_memory_is_not() -> None:
    async with ProcessPool(1, PoolLimits(timeout_s=PATIENCE_S, memory_mb=512)) as pool:
        assert await pool.run(reserve, 4) == 4 * _GIGABYTE
        with pytest.raises(ContentHostile, match="more than 512 MB"):
            await pool.run(fill, 1)


async def test_no_library_starts_a_thread_for_each_core() -> None:
    async with ProcessPool(1, PoolLimits(timeout_s=PATIENCE_S)) as pool:
        assert await pool.run(threads_wanted) == ["1", "1", "1"]


def test_a_document_of_too_many_bytes_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "document"
    with file.open("wb") as sink:
        sink.truncate(100 * _GIGABYTE)
    options = ScoutOptions(limits=ReadLimits())
    with pytest.raises(ContentTooLarge, match="107,374,182,400 bytes"):
        scout_file(file, content_hash(b""), None, options)
