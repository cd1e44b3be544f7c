"""`python -m bench.literature_scale`: a corpus of lists and papers, brought up to date twice.

100,000 references in 5 lists and 10,000 papers are read; papers are divided into passages, which
get vectors and are stored in an index. Then one reference and one paper in a hundred change, and
the same programs run again. The figure is the computing time of both runs; the detail has each
run's time and peak memory. CocoIndex and LlamaIndex compute the same vectors with the same code,
and store references as they are: they neither find out which of them are one work nor keep a
full-text index, as Assay does. Afterwards everyone is searched for words that only the changed
papers contain.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bench.literature_corpus import (
    CorpusSize,
    change_corpus,
    find_mark,
    list_changed_papers,
    make_work,
    name_paper,
    write_corpus,
)
from bench.peers import ROOT, Peer, PeerFailed, install
from bench.report import Report, print_report

_SHARED: Final = ("numpy==2.4.6", "xxhash==4.1.0")
COCOINDEX: Final = Peer(
    "CocoIndex", "literature_cocoindex", "sqlite", ("cocoindex==1.0.26", *_SHARED)
)
LLAMAINDEX: Final = Peer(
    "LlamaIndex", "literature_llamaindex", "sqlite", ("llama-index-core==0.14.25", *_SHARED)
)
_VECTORS: Final = ROOT / "src" / "assay" / "packs" / "literature" / "vectors.py"
_TIMEOUT_S: Final = 7200.0
_SAMPLE_S: Final = 1.0
_PROBES: Final = 20


@dataclass(frozen=True)
class RunCost:
    """What a run took, all its processes together."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0

    def __add__(self, other: "RunCost") -> "RunCost":
        return RunCost(
            self.wall_s + other.wall_s,
            self.cpu_s + other.cpu_s,
            max(self.peak_mb, other.peak_mb),
        )

    def describe(self) -> dict[str, float]:
        """For the report."""
        return {
            "wall_s": round(self.wall_s, 1),
            "cpu_s": round(self.cpu_s, 1),
            "peak_mb": round(self.peak_mb),
        }


@dataclass(frozen=True)
class Contender:
    """A program that keeps an index up to date."""

    name: str
    update: Callable[[Path, Path], tuple[RunCost, dict[str, Any]]]
    """Bring the index in the second folder up to date with the corpus in the first."""
    probe: Callable[[Path, Path, Sequence[str]], list[str]]
    """The paper that each query finds first."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.literature_scale", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--references", type=int, default=100_000)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument(
        "--cached", action="store_true", help="also LlamaIndex with its cache, which takes longer"
    )
    parser.add_argument(
        "--together",
        action="store_true",
        help="run everyone at the same time: on a busy machine, the same conditions for all",
    )
    given = parser.parse_args(arguments)
    size = CorpusSize(given.references, given.documents)
    contenders = [make_ours(), make_peer(COCOINDEX), make_peer(LLAMAINDEX)]
    if given.cached:
        cached = replace(LLAMAINDEX, name="LlamaIndex with its cache")
        contenders.append(make_peer(cached, "--cached"))
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        report = measure(contenders, size, Path(folder), together=given.together)
        print_report(report, given.json)


def measure(
    contenders: Sequence[Contender], size: CorpusSize, folder: Path, *, together: bool = False
) -> Report:
    """Everyone's first run, and the second after one in a hundred has changed."""
    corpus = folder / "corpus"
    write_corpus(corpus, size)
    costs: dict[str, list[RunCost]] = {each.name: [] for each in contenders}
    counts: dict[str, dict[str, Any]] = {}

    def update(contender: Contender) -> None:
        cost, counts[contender.name] = contender.update(corpus, folder / contender.name)
        costs[contender.name].append(cost)
        _say(f"{contender.name}: {cost.describe()} {counts[contender.name]}")

    for number in range(2):
        if number:
            change_corpus(corpus, size)
        _say(f"run {number + 1}")
        with ThreadPoolExecutor(len(contenders) if together else 1) as threads:
            list(threads.map(update, contenders))
    found = {each.name: _count_found(each, corpus, folder / each.name, size) for each in contenders}
    totals = {name: round(sum(c.cpu_s for c in runs), 2) for name, runs in costs.items()}
    ours, *peers = totals
    return Report(
        name="literature scale",
        unit="s of CPU, both runs",
        better="lower",
        ours=totals[ours],
        peers={name: totals[name] for name in peers},
        detail={
            "references": size.references,
            "documents": size.documents,
            "first run": {name: runs[0].describe() for name, runs in costs.items()},
            "second run, 1 % changed": {name: runs[1].describe() for name, runs in costs.items()},
            "stored": counts,
            "changed papers found first": found,
        },
    )


def _count_found(contender: Contender, corpus: Path, state: Path, size: CorpusSize) -> str:
    chosen = list(list_changed_papers(size))[:_PROBES]
    queries = [find_mark(number, again=True) for number in chosen]
    answers = contender.probe(corpus, state, queries)
    right = sum(
        name_paper(make_work(number)) == answer
        for number, answer in zip(chosen, answers, strict=True)
    )
    return f"{right} of {len(chosen)}"


# The peers


def make_peer(peer: Peer, *options: str) -> Contender:
    """A peer in its own environment."""
    python = str(install(replace(peer, name=peer.name.removesuffix(" with its cache"))))
    name = peer.module.removeprefix("literature_")

    def build_command(action: str, corpus: Path, state: Path) -> list[str]:
        command = [python, "-m", "bench.literature_peers", name, action, str(corpus), str(state)]
        return [*command, "--vectors", str(_VECTORS), *options]

    def update(corpus: Path, state: Path) -> tuple[RunCost, dict[str, Any]]:
        cost, output = run_measured(build_command("run", corpus, state), _make_environment())
        return cost, json.loads(output)

    def probe(corpus: Path, state: Path, queries: Sequence[str]) -> list[str]:
        command = build_command("probe", corpus, state)
        _, output = run_measured(command, _make_environment(), json.dumps(queries))
        found: list[str] = json.loads(output)
        return found

    return Contender(peer.name, update, probe)


def _make_environment(**more: str) -> dict[str, str]:
    # A bench reports to nobody.
    tracking = {"COCOINDEX_DISABLE_USAGE_TRACKING": "1", "DO_NOT_TRACK": "1"}
    return {**os.environ, **tracking, "PYTHONPATH": str(ROOT), **more}


# Assay


def make_ours() -> Contender:
    """Assay's own program, with all commands of an update in one process."""
    known = os.environ.get("PYTHONPATH", "")
    environment = _make_environment(PYTHONPATH=os.pathsep.join(filter(None, (str(ROOT), known))))

    def call(state: Path, commands: Sequence[Sequence[str]]) -> tuple[RunCost, str]:
        command = [sys.executable, "-m", "bench.literature_assay", "--home", str(state), "--json"]
        given = "".join(f"{json.dumps(words)}\n" for words in commands)
        return run_measured(command, environment, given)

    def update(corpus: Path, state: Path) -> tuple[RunCost, dict[str, Any]]:
        commands = [] if state.exists() else [["init"]]
        commands += [
            ["literature", "add", path.stem, str(path), "--kind", "csl"]
            for path in sorted((corpus / "lists").iterdir())
        ]
        commands += [["literature", "add-papers", str(corpus / "papers")], ["run"]]
        cost, _ = call(state, commands)
        _, output = call(state, [["literature", "status"]])
        return cost, json.loads(output)

    def probe(corpus: Path, state: Path, queries: Sequence[str]) -> list[str]:
        names = _name_papers(corpus)
        _, output = call(state, [["literature", "search", "--limit", "1", q] for q in queries])
        found = []
        for query, rows in zip(queries, _split_answers(output), strict=True):
            text = rows[0]["passages"][0]["text"] if rows and rows[0]["passages"] else ""
            found.append(names.get(query, "") if query in " ".join(text.split()) else "")
        return found

    return Contender("Assay", update, probe)


def _split_answers(output: str) -> Iterator[Any]:
    """The answers of several commands, one after the other."""
    output = output.strip()
    while output:
        answer, end = json.JSONDecoder().raw_decode(output)
        yield answer
        output = output[end:].lstrip()


def _name_papers(corpus: Path) -> dict[str, str]:
    """The file of each changed paper, by the words that only it contains."""
    count = len(list((corpus / "papers").iterdir()))
    changed = list_changed_papers(CorpusSize(documents=count))
    return {find_mark(n, again=True): name_paper(make_work(n)) for n in changed}


# Measuring


def run_measured(
    command: Sequence[str], environment: Mapping[str, str], given: str = ""
) -> tuple[RunCost, str]:
    """Run a program to its end: its time, the memory of all its processes, and its output."""
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as errors, tempfile.TemporaryFile("w+") as answers:
        process = subprocess.Popen(
            command, env=dict(environment), stdin=subprocess.PIPE, stdout=answers, stderr=errors,
            text=True, start_new_session=True,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        meter = MemoryMeter(process.pid)
        meter.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - began
        meter.stop()
        errors.seek(0)
        answers.seek(0)
        if process.returncode != 0:
            tail = "\n".join((errors.read() + answers.read()).splitlines()[-20:])
            raise PeerFailed(f"{' '.join(command)} ended with {process.returncode}:\n{tail}")
        cost = RunCost(wall, usage.ru_utime + usage.ru_stime, meter.peak_mb)
        return replace(cost, peak_mb=max(cost.peak_mb, usage.ru_maxrss / 1024)), answers.read()


class MemoryMeter(threading.Thread):
    """Looks at the memory of a session's processes again and again; shared pages count once."""

    def __init__(self, session: int) -> None:
        super().__init__(daemon=True)
        self._session = session
        self._ended = threading.Event()
        self.peak_mb = 0.0

    def run(self) -> None:
        while not self._ended.wait(_SAMPLE_S):
            total = sum(_read_pss_kb(pid) for pid in _list_processes(self._session))
            self.peak_mb = max(self.peak_mb, total / 1024)

    def stop(self) -> None:
        """End after the present look."""
        self._ended.set()
        self.join()


def _list_processes(session: int) -> list[int]:
    found = []
    for name in (path.name for path in Path("/proc").iterdir() if path.name.isdigit()):
        try:
            if os.getsid(int(name)) == session:
                found.append(int(name))
        except (ProcessLookupError, PermissionError):
            continue
    return found


def _read_pss_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
