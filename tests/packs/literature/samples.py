"""The folder of real lists, where it exists next to the project."""

from pathlib import Path

import pytest


def find_samples() -> Path | None:
    """`../shared/samples/literature`, from here or from a worktree of the project."""
    for parent in Path(__file__).resolve().parents:
        found = parent.parent / "shared" / "samples" / "literature"
        if found.is_dir():
            return found
    return None


needs_samples = pytest.mark.skipif(
    find_samples() is None, reason="the folder of real lists is not on this machine"
)


def read_sample(name: str) -> bytes:
    folder = find_samples()
    assert folder is not None
    return (folder / name).read_bytes()
