"""The kept corpus, and everything that fuzzing ever found, against the oracles; atheris is not
needed."""

import gc
from pathlib import Path
from random import Random

import pytest

from assay.errors import ContentUnsupported
from assay.sources.listing import read_listing
from tests.fuzz.findings import describe_place, minimise
from tests.fuzz.kinds import KINDS
from tests.fuzz.mutation import mutate_bytes
from tests.fuzz.oracles import CostBounds, Violation, measure_again
from tests.fuzz.seeds import CORPUS, FOUND

_BUSY = 10
"""A busy machine is slow; that must not fail a test."""
_MOST_BYTES = 2_000_000


def list_failures(kind: str, files: list[Path]) -> dict[str, str]:
    bounds = KINDS[kind].bounds.relax(_BUSY)
    failures = {}
    # Once, not for each input: with all tests loaded it takes longer than most inputs do.
    gc.collect()
    for file in files:
        try:
            measure_again(KINDS[kind].check, file.read_bytes(), bounds)
        except BaseException as error:
            # Not only Exception: panics of Rust are not.
            failures[file.name] = f"{describe_place(error)}: {error}"
    return failures


@pytest.mark.parametrize("kind", KINDS)
def test_kept_inputs_break_no_rule(kind: str) -> None:
    files = [file for folder in (CORPUS, FOUND) for file in sorted((folder / kind).glob("*"))]
    assert files
    assert list_failures(kind, files) == {}


@pytest.mark.parametrize("kind", KINDS)
def test_mutated_inputs_break_no_rule(kind: str, tmp_path: Path) -> None:
    chance = Random(kind)
    files = []
    for number, data in enumerate(KINDS[kind].list_seeds()[:20]):
        changed = KINDS[kind].mutate(
            data, 4096, chance, lambda data, most: mutate_bytes(data, most, chance)
        )
        files.append(tmp_path / str(number))
        files[-1].write_bytes(changed)
    assert list_failures(kind, files) == {}


def test_the_corpus_stays_small_and_every_folder_is_a_kind() -> None:
    files = [file for folder in (CORPUS, FOUND) for file in folder.rglob("*") if file.is_file()]
    assert {file.parent.name for file in files} <= set(KINDS)
    assert sum(file.stat().st_size for file in files) < _MOST_BYTES


def test_a_slow_input_and_a_large_one_break_a_rule() -> None:
    bounds = CostBounds(seconds=1.0, seconds_per_kb=1.0, megabytes=10, megabytes_per_kb=1.0)
    bounds.check(1024, 1.9, 10.9)
    with pytest.raises(Violation, match="time: 1024 bytes"):
        bounds.check(1024, 2.1, 0.0)
    with pytest.raises(Violation, match="memory: 1024 bytes"):
        bounds.check(1024, 0.0, 11.1)


def test_a_failing_input_is_made_small() -> None:
    assert minimise(b"some words <bad> and more words", lambda data: b"<b" in data) == b"<b"


@pytest.mark.parametrize("strategy", ["RSS_FEED", "SITEMAP_XML"])
@pytest.mark.parametrize("encoding", ["uft-8", "idna", "hex", "utf-7", "punycode"])
def test_a_listing_in_an_encoding_that_nobody_knows_is_refused(
    strategy: str, encoding: str
) -> None:
    root = "rss" if strategy == "RSS_FEED" else "urlset"
    body = f"<?xml version='1.0' encoding='{encoding}'?><{root}></{root}>".encode()
    with pytest.raises(ContentUnsupported, match="declares an encoding") as caught:
        read_listing(strategy, body, "https://example.org/")
    assert "UTF-8" in caught.value.advice
