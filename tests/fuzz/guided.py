"""One kind, fuzzed by atheris in this process: `python -m tests.fuzz.guided KIND FOLDER SECONDS`.

What breaks a rule is written into the folder, and fuzzing goes on. Only what ends the process (a
crash of native code, a standstill, too much memory) ends it; `tests.fuzz` then starts another.
"""

import sys
from pathlib import Path
from random import Random

import atheris

# Everything that parses in Python is traced; native parsers are judged by the oracles alone.
with atheris.instrument_imports(
    include=["assay", "protego", "olefile", "zipfile", "html", "json", "urllib"],
    enable_loader_override=False,
):
    from tests.fuzz.kinds import KINDS, Kind

from tests.fuzz.findings import Findings
from tests.fuzz.oracles import run_bounded

MEMORY_MB = 2048
TIMEOUT_S = 60
_SLOWER = 4
"""How much slower traced code may be; what seems slow is measured again without tracing."""


def fuzz(kind: Kind, folder: Path, options: list[str]) -> None:
    """Fuzz until the time is up."""
    findings = Findings(folder / "found" / kind.name)
    bounds = kind.bounds.relax(_SLOWER)

    def run_one(data: bytes) -> None:
        try:
            run_bounded(kind.check, data, bounds)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Not only Exception: panics of Rust are not.
            findings.add(data, error)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        return kind.mutate(data, most, Random(seed), atheris.Mutate)[:most]

    atheris.Setup([sys.argv[0], *options], run_one, custom_mutator=mutate)
    atheris.Fuzz()


def main() -> None:
    name, folder, seconds = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    kind = KINDS[name]
    artifacts = folder / "artifacts" / name
    artifacts.mkdir(parents=True, exist_ok=True)
    fuzz(
        kind,
        folder,
        [
            f"-max_total_time={seconds}",
            f"-max_len={kind.max_size}",
            f"-rss_limit_mb={MEMORY_MB}",
            f"-timeout={TIMEOUT_S}",
            f"-artifact_prefix={artifacts}/",
            "-print_final_stats=1",
            *sys.argv[4:],
            str(folder / "corpus" / name),
        ],
    )


if __name__ == "__main__":
    main()
