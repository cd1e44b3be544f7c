"""Small copies of the corpus, read by one pool; `make hostile` reads it in full."""

from pathlib import Path

from assay.settings import load_settings
from tests.hostile.corpus import chosen, written
from tests.hostile.reading import read_together
from tests.waiting import PATIENCE_S

_CASES = chosen(heavy=False)


async def test_every_bad_document_ends_as_it_should_with_one_reason(tmp_path: Path) -> None:
    files = {written(case, tmp_path, 0.02): case for case in _CASES}
    settings = load_settings(
        home=tmp_path / "home", env={}, read_timeout_s=PATIENCE_S, read_memory_mb=512
    )
    ended = await read_together(files, settings)
    wrong = {case.name: ended[case.name].wrong(case) for case in _CASES}
    assert {name: told for name, told in wrong.items() if told is not None} == {}


def test_the_corpus_is_the_same_every_time(tmp_path: Path) -> None:
    assert len({case.file_name for case in chosen()}) == len(chosen())
    for case in chosen(["pdf", "docx/c", "html", "charset", "kind"], heavy=False):
        once = written(case, tmp_path, 0.001).read_bytes()
        assert written(case, tmp_path, 0.001).read_bytes() == once
