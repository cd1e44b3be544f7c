"""Pages as hOCR: the text, and where each of its words is on the page."""

from collections.abc import Iterable, Sequence
from html import escape

from assay.reading.ocr.engine import Box, RecognisedLine

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" \
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">
<head>
<title></title>
<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>
<meta name="ocr-system" content="tesseract"/>
<meta name="ocr-capabilities" content="ocr_page ocr_par ocr_line ocrx_word"/>
</head>
<body>
"""
_FOOT = "</body>\n</html>\n"


def build_document(pages: Iterable[str]) -> str:
    """Build an hOCR document from the parts of its pages."""
    return f"{_HEAD}{''.join(pages)}{_FOOT}"


def build_page(
    number: int, size: tuple[int, int], dpi: int, lines: Sequence[RecognisedLine]
) -> str:
    """Build a page's part of an hOCR document. Places refer to the image that was read."""
    title = f"bbox 0 0 {size[0]} {size[1]}; ppageno {number - 1}; scan_res {dpi} {dpi}"
    parts = [f'<div class="ocr_page" id="page_{number}" title="{title}">\n']
    for count, paragraph in enumerate(group_paragraphs(lines), start=1):
        parts.append(f'<p class="ocr_par" id="par_{number}_{count}">\n')
        parts += [_format_line(line) for line in paragraph]
        parts.append("</p>\n")
    parts.append("</div>\n")
    return "".join(parts)


def group_paragraphs(lines: Sequence[RecognisedLine]) -> list[list[RecognisedLine]]:
    """The lines, paragraph by paragraph."""
    found: list[list[RecognisedLine]] = []
    for line in lines:
        if line.opens or not found:
            found.append([])
        found[-1].append(line)
    return found


def _format_line(line: RecognisedLine) -> str:
    words = " ".join(
        f'<span class="ocrx_word" title="{_format_bbox(word.box)}; x_wconf '
        f'{round(word.confidence * 100)}">{escape(word.text)}</span>'
        for word in line.words
    )
    return f'<span class="ocr_line" title="{_format_bbox(line.box)}">{words}</span>\n'


def _format_bbox(box: Box) -> str:
    return f"bbox {box[0]} {box[1]} {box[2]} {box[3]}"
