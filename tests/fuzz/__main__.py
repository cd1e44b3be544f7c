"""`make fuzz`: every kind of input for some minutes, and a report of what was found.

Led by coverage where atheris is installed, otherwise by Hypothesis.
"""

import argparse
import hashlib
import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.findings import Findings, describe_place, minimise
from tests.fuzz.kinds import KINDS, Kind
from tests.fuzz.oracles import measure_again
from tests.fuzz.unguided import fuzz_unguided

_STATUS = re.compile(r"^#(\d+)\s.*?cov: (\d+)", re.MULTILINE)
_GRACE_S = 120
_WITHOUT_ATHERIS = (
    "atheris is not installed, so Hypothesis mutates the seeds without coverage to lead it. It "
    "finds less; install requirements/fuzz.txt where there is a wheel.\n"
)
say = sys.stdout.write


@dataclass
class FuzzResult:
    """What one kind came to."""

    runs: int = 0
    seconds: float = 0.0
    first_coverage: int = 0
    last_coverage: int = 0
    ended: int = 0
    """How often the process ended before its time."""


def has_atheris() -> bool:
    return importlib.util.find_spec("atheris") is not None


def fuzz_guided(kind: Kind, folder: Path, seconds: float, samples: Path | None) -> FuzzResult:
    """Fuzz one kind in processes of its own, as long as there is time."""
    corpus = folder / "corpus" / kind.name
    corpus.mkdir(parents=True, exist_ok=True)
    for data in kind.list_seeds(samples):
        (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
    result = FuzzResult()
    began = time.monotonic()
    while (left := seconds - (time.monotonic() - began)) > 1:
        command = [sys.executable, "-m", "tests.fuzz.guided", kind.name, str(folder), f"{left:.0f}"]
        try:
            ended = subprocess.run(command, capture_output=True, timeout=left + _GRACE_S)
        except subprocess.TimeoutExpired as error:
            _read_status(error.stderr or b"", result)
            result.ended += 1
            break
        _read_status(ended.stderr, result)
        if ended.returncode:
            result.ended += 1
            if b"INITED" not in ended.stderr:
                raise SystemExit(ended.stderr.decode("utf-8", "replace")[-2000:])
    result.seconds = time.monotonic() - began
    return result


def _read_status(told: bytes, result: FuzzResult) -> None:
    """Take the counts from what libFuzzer says."""
    lines = [
        (int(runs), int(cov)) for runs, cov in _STATUS.findall(told.decode("utf-8", "replace"))
    ]
    if lines:
        result.runs += lines[-1][0]
        result.first_coverage = result.first_coverage or lines[0][1]
        result.last_coverage = max(result.last_coverage, lines[-1][1])


def confirm(kind: Kind, folder: Path) -> list[Path]:
    """Try what was found again, without tracing, and make it small; returns what still fails."""
    confirmed = []
    for file in Findings(folder / "found" / kind.name).list_inputs():
        place = _fails_at(kind, file.read_bytes())
        if place is None:
            file.unlink()
            continue
        if not place.startswith(("time", "memory")):
            file.write_bytes(
                minimise(file.read_bytes(), lambda data, same=place: _fails_at(kind, data) == same)  # type: ignore[misc]
            )
        confirmed.append(file)
    return confirmed


def _fails_at(kind: Kind, data: bytes) -> str | None:
    try:
        measure_again(kind.check, data, kind.bounds)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return describe_place(error)
    return None


def _fuzz(kind: Kind, folder: Path, seconds: float, samples: Path | None) -> FuzzResult:
    if has_atheris():
        return fuzz_guided(kind, folder, seconds, samples)
    return FuzzResult(fuzz_unguided(kind, folder, seconds, samples), seconds)


def run(kinds: Sequence[Kind], folder: Path, minutes: float, samples: Path | None) -> int:
    """Fuzz kind after kind, and report; returns how many findings and crashes there are."""
    wrong = 0
    for kind in kinds:
        result = _fuzz(kind, folder, minutes * 60 / len(kinds), samples)
        found = confirm(kind, folder)
        artifacts = folder / "artifacts" / kind.name
        crashes = sorted(artifacts.glob("*")) if artifacts.is_dir() else []
        wrong += len(found) + len(crashes)
        say(
            f"{kind.name:<12}{result.runs:>9,} runs {result.seconds / 60:6.1f} min  coverage "
            f"{result.first_coverage:>5} to {result.last_coverage:>5}  {len(found)} found, "
            f"{len(crashes)} ended the process\n"
        )
        say("".join(f"  {file}\n" for file in [*found, *crashes]))
        sys.stdout.flush()
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("kinds", nargs="*", help=f"only these: {', '.join(KINDS)}")
    parser.add_argument("--minutes", type=float, default=60.0, help="for all kinds together")
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"), help="corpus and findings")
    parser.add_argument("--samples", type=Path, help="a folder of real documents to start from")
    given = parser.parse_args()
    if unknown := sorted(set(given.kinds) - set(KINDS)):
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(KINDS)}")
    if not has_atheris():
        say(_WITHOUT_ATHERIS)
    kinds = [KINDS[name] for name in given.kinds or KINDS]
    wrong = run(kinds, given.folder, given.minutes, given.samples)
    say(f"{wrong} to look at. Fix each, and keep its input in tests/fuzz/found/KIND.\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
