"""trafilatura without its fallbacks, which is faster."""

from pathlib import Path

import trafilatura

from bench.reading_peers.turns import take_turns


def text_of(data: bytes) -> str:
    return trafilatura.extract(data, fast=True, include_comments=False, include_tables=True) or ""


def main(folder: Path) -> None:
    take_turns(folder, {"reading": text_of}, text_of)
