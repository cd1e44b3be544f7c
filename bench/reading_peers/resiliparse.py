"""resiliparse: its main content, without comments and the bullets it adds."""

from pathlib import Path

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

from bench.reading_peers.turns import take_turns


def text_of(data: bytes) -> str:
    page = bytes_to_str(data, detect_encoding(data, from_html_meta=True))
    return str(
        extract_plain_text(
            page, main_content=True, comments=False, list_bullets=False, alt_texts=False
        )
    )


def main(folder: Path) -> None:
    take_turns(folder, {"reading": text_of}, text_of)
