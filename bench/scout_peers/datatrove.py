"""datatrove's side of the scout bench: language, Gopher quality and Gopher repetition.

Answers each line on its input with the CPU time of one pass. A line is `early FIRST END` (as a
pipeline does it: what one filter drops, the next does not see), `every FIRST END` (all filters on
every text) or `pages FIRST END` (its Trafilatura extractor before them, dropping early).
"""

import argparse
import json
import sys
import time
from pathlib import Path

from datatrove.data import Document
from datatrove.pipeline.extractors import Trafilatura
from datatrove.pipeline.filters import (
    GopherQualityFilter,
    GopherRepetitionFilter,
    LanguageFilter,
)
from datatrove.utils import lid

# Its default stop words are English; the others are of the same kind.
STOP_WORDS = {
    "en": None,
    "hr": ["i", "je", "se", "u", "na", "za", "od", "da"],
    "de": ["der", "die", "und", "in", "den", "von", "zu", "das"],
}


class Filters:
    """The three filters, one set for each language, as its own documentation advises."""

    def __init__(self, model: str) -> None:
        # Its model is downloaded from a site that a bench cannot count on; the same model in its
        # small form, which is the faster one, is at hand.
        lid.cached_asset_path_or_download = lambda *_, **__: model
        self.language = LanguageFilter(list(STOP_WORDS), label_only=True)
        self.quality = {
            code: GopherQualityFilter(language=code, stop_words=words)
            for code, words in STOP_WORDS.items()
        }
        self.repetition = {code: GopherRepetitionFilter(language=code) for code in STOP_WORDS}

    def judge(self, text: str, *, early: bool) -> None:
        document = Document(text=text, id="")
        self.language.filter(document)
        code = document.metadata["language"]
        code = code if code in STOP_WORDS else "hr"
        kept = self.quality[code].filter(document)
        if kept is True or not early:
            self.repetition[code].filter(document)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", required=True)
    given = parser.parse_args()
    told = json.loads(given.file.read_text("utf-8"))
    texts, pages = [text for _, text in told["texts"]], told["pages"]
    filters, extractor = Filters(given.model), Trafilatura()
    for text in texts[:50]:
        filters.judge(text, early=False)
    extractor.extract(pages[0])
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        mode, first, end = line.split()
        part = slice(int(first), int(end))
        began = time.process_time()
        if mode == "pages":
            for page in pages[part]:
                filters.judge(extractor.extract(page) or "", early=True)
        else:
            for text in texts[part]:
                filters.judge(text, early=mode == "early")
        print(json.dumps({"cpu_seconds": time.process_time() - began}), flush=True)


if __name__ == "__main__":
    main()
