"""pypdfium2: the text of every page, one after the other."""

from pathlib import Path

import pypdfium2

from bench.reading_peers.turns import take_turns


def text_of(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    try:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)
    finally:
        document.close()


def main(folder: Path) -> None:
    take_turns(folder, {"reading": text_of}, text_of)
