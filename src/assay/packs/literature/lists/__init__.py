"""Lists of references of every kind: bytes in, references with their places out.

Every function here is pure: the same bytes give the same references, and nothing is looked up.
"""

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
    """Whether the first lines are those of a YAML file: names with values, and no Markdown."""
    lines = [line for line in text[:5000].splitlines() if line.strip() and line.strip()[0] != "#"]
    if not lines:
        return False
    if lines[0].strip() == "---":
        # Front matter of a Markdown file ends with a second line of dashes.
        return "---" not in (line.strip() for line in lines[1:])
    first = lines[0].strip()
    head, colon, _ = first.removeprefix("- ").partition(":")
    return (
        bool(colon)
        and head.replace("_", "").replace("-", "").isalnum()
        and (first.startswith("- ") or any(line.startswith((" ", "-")) for line in lines[1:3]))
    )
