"""Lists of references of every kind: bytes in, references with their places out.

Every function here is pure: the same bytes give the same references, and nothing is looked up.
"""

import re

from assay.packs.literature.listed import ListKind
from assay.packs.literature.lists.bibliography import parse_bibliography
from assay.packs.literature.lists.bibtex import parse_bibtex
from assay.packs.literature.lists.databases import parse_json_list, parse_yaml_list
from assay.packs.literature.lists.detection import detect_kind
from assay.packs.literature.lists.exports import parse_csv, parse_ris
from assay.packs.literature.lists.feeds import parse_arxiv_feed
from assay.packs.literature.lists.markdown import parse_markdown
from assay.packs.literature.lists.visionbib import parse_visionbib
from assay.packs.literature.parsed import ListNote, ParsedList, decode_list

__all__ = ["ListNote", "ParsedList", "decode_list", "detect_kind", "parse_list"]

MOST_REFERENCES = 200_000
_YAML_FIELD = re.compile(
    r"^\s{0,20}(?:- )?[\"']?(?:title|paper_title|doi|arxiv(?:_?id)?)[\"']?:\s", re.I | re.M
)
_YAML_LINE = re.compile(r"---|\s{0,20}(?:- )?[\"']?\w[\w ./-]{0,60}[\"']?:(?:\s|$)|-\s*$")
_MARKDOWN_LINE = re.compile(r"^(?:#{2,6} |\s{0,3}[-*+] (?:\[|\*\*)|\|)", re.MULTILINE)


def parse_list(data: bytes, kind: ListKind, *, most: int = MOST_REFERENCES) -> ParsedList:
    """The references of a list in their order; those beyond `most` are counted, not kept."""
    text = decode_list(data)
    match kind:
        case ListKind.AWESOME:
            return _parse_awesome(text, most)
        case ListKind.VISIONBIB:
            return parse_visionbib(text, most)
        case ListKind.BIBTEX:
            return parse_bibtex(text, most)
        case ListKind.RIS:
            return parse_ris(text, most)
        case ListKind.CSL:
            return parse_json_list(text, most, is_csl=True)
        case ListKind.CSV:
            return parse_csv(text, most)
        case ListKind.ARXIV:
            return parse_arxiv_feed(text, most)
        case ListKind.BIBLIOGRAPHY:
            return parse_bibliography(text, most)


def _parse_awesome(text: str, most: int) -> ParsedList:
    """A list in Markdown, or the database behind one in JSON or YAML."""
    start = text.lstrip()[:200]
    if start.startswith(("{", "[{", "[ {", "[\n", "[\r\n")) and '"' in start:
        return parse_json_list(text, most, is_csl=False)
    if _is_yaml(text):
        return parse_yaml_list(text, most)
    return parse_markdown(text, most)


def _is_yaml(text: str) -> bool:
    """Whether a text is YAML with titles or ids, and not Markdown that looks like it."""
    head = text[:20_000]
    if head.startswith("---") and re.search(r"^---\s*$", head[3:], re.MULTILINE):
        # Front matter of a Markdown file ends with a second line of dashes.
        return False
    lines = (line for line in head.splitlines() if line.strip() and line.lstrip()[0] != "#")
    if not _YAML_LINE.match(next(lines, "")):
        return False
    return bool(_YAML_FIELD.search(head)) and not _MARKDOWN_LINE.search(head)
