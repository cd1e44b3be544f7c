"""A worker watches a site that means harm; `make hostile` lets it meet the whole corpus."""

from pathlib import Path

from tests.hostile.corpus import chosen, written
from tests.hostile.site import served, traps
from tests.hostile.spine import watch
from tests.waiting import PATIENCE_S

_WORDS = (
    "pdf/cut-at-50", "pdf/locked", "pdf/form", "docx/bomb-of", "docx/under", "docx/billion",
    "html/a-million-nested-tags", "html/filled", "xml/billion", "json/cut", "charset/mixed",
    "charset/says-idna", "text/noise", "text/empty", "text/one-byte", "kind/",
)  # fmt: skip
_QUICK = {
    # What is slow takes for ever; everything else has time enough on a busy machine.
    "fetch_timeout_s": 5.0,
    "fetch_max_bytes": 2_000_000,
    "read_memory_mb": 512,
    "read_timeout_s": PATIENCE_S,
    "retry_delays_s": [0.1],
    "polling_s": 0.05,
}


def test_bad_among_good_ends_with_one_reason_each_and_the_worker_lives(tmp_path: Path) -> None:
    cases = chosen(_WORDS, heavy=False)
    set_up = [served(case, written(case, tmp_path, 0.02), 2_000_000) for case in cases]
    set_up += traps()
    watched = watch(tmp_path / "home", set_up, 10, _QUICK, patience_s=2 * PATIENCE_S)
    assert watched.wrong(set_up) == []
    assert watched.log == []
    assert watched.worker_mb < 600
