"""Small copies of the corpus, read by one workshop; `make hostile` reads it in full."""

import asyncio
from pathlib import Path

import pytest

from assay.settings import load
from tests.hostile.case import Case
from tests.hostile.corpus import chosen, written
from tests.hostile.outcome import Ended
from tests.hostile.reading import read_together

_SCALE = 0.02
_CASES = chosen(heavy=False)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """How all of them ended, by name."""
    folder = tmp_path_factory.mktemp("corpus")
    files = {written(case, folder, _SCALE): case for case in _CASES}
    settings = load(home=folder / "home", env={}, read_timeout_s=30.0, read_memory_mb=512)
    return asyncio.run(read_together(files, settings))


@pytest.mark.parametrize("case", _CASES, ids=[case.name for case in _CASES])
def test_a_bad_document_ends_as_it_should_with_one_reason(
    case: Case, outcomes: dict[str, Ended]
) -> None:
    assert outcomes[case.name].wrong(case) is None


def test_the_corpus_is_the_same_every_time(tmp_path: Path) -> None:
    assert len({case.file_name for case in chosen()}) == len(chosen())
    for case in _CASES:
        once = written(case, tmp_path, 0.001).read_bytes()
        assert written(case, tmp_path, 0.001).read_bytes() == once
