"""One kind, fuzzed by Hypothesis: the same seeds, mutators and oracles, but not led by coverage."""

import time
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.findings import Findings
from tests.fuzz.kinds import Kind
from tests.fuzz.mutation import mutate_bytes
from tests.fuzz.oracles import run_bounded

_AT_ONCE = 200


def fuzz_unguided(kind: Kind, folder: Path, seconds: float, samples: Path | None) -> int:
    """Try mutated seeds until the time is up; returns how many were tried."""
    findings = Findings(folder / "found" / kind.name)
    inputs = kind.list_seeds(samples)
    until = time.monotonic() + seconds
    tried = 0

    @settings(
        max_examples=_AT_ONCE,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(inputs), st.integers(0, 2**32), st.integers(1, 8))
    def try_one(data: bytes, seed: int, changes: int) -> None:
        nonlocal tried
        if time.monotonic() > until:
            return
        chance = Random(seed)
        for _ in range(changes):
            data = kind.mutate(data, kind.max_size, chance, lambda d, n: mutate_bytes(d, n, chance))
        tried += 1
        try:
            run_bounded(kind.check, data, kind.bounds)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            findings.add(data, error)

    while time.monotonic() < until:
        try_one()
    return tried
