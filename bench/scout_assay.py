"""Assay's side of the scout bench: answers each line on its input with the CPU time of one pass.

A line is `texts FIRST END` or `pages FIRST END`, which documents of the file to judge.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from assay.packs.regulatory.scouting import SCOUTING
from assay.reading.page_look import look_at_page
from assay.spine.scouting.assessment import assess_text

PROFILES = {"bench": SCOUTING}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    texts, pages = _loaded(given.file)
    for text in texts[:50]:
        assess_text(text, PROFILES)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        mode, first, end = line.split()
        part = slice(int(first), int(end))
        began = time.process_time()
        if mode == "pages":
            for page in pages[part]:
                seen = look_at_page(page)
                assess_text(
                    seen.text,
                    PROFILES,
                    title=seen.title,
                    boilerplate_ratio=seen.boilerplate_ratio,
                    has_structured_data=seen.has_structured_data,
                )
        else:
            for text in texts[part]:
                assess_text(text, PROFILES)
        print(json.dumps({"cpu_seconds": time.process_time() - began}), flush=True)


def _loaded(file: Path) -> tuple[list[str], list[bytes]]:
    told = json.loads(file.read_text("utf-8"))
    return [text for _, text in told["texts"]], [page.encode() for page in told["pages"]]


if __name__ == "__main__":
    main()
