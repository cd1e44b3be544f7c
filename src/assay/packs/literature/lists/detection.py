"""Which kind of list a file is, by its name, its type and what is in it; and how it is written."""

import re
from enum import StrEnum
from typing import Final

from assay.packs.literature.listed import ListKind
from assay.packs.literature.parsed import decode_list

_SNIFFED: Final = 100_000
_ENDINGS: Final = {
    "bib": ListKind.BIBTEX,
    "bibtex": ListKind.BIBTEX,
    "biblatex": ListKind.BIBTEX,
    "ris": ListKind.RIS,
    "md": ListKind.AWESOME,
    "markdown": ListKind.AWESOME,
    "mdx": ListKind.AWESOME,
    "yml": ListKind.AWESOME,
    "yaml": ListKind.AWESOME,
}
_TYPES: Final = {
    "application/x-bibtex": ListKind.BIBTEX,
    "text/x-bibtex": ListKind.BIBTEX,
    "application/x-research-info-systems": ListKind.RIS,
    "application/vnd.citationstyles.csl+json": ListKind.CSL,
    "text/markdown": ListKind.AWESOME,
    "text/x-markdown": ListKind.AWESOME,
}
_BIBTEX = re.compile(
    r"^\s{0,20}@[a-zA-Z]{3,30}\s{0,5}[{(]\s{0,10}[^\s{}(),]{0,200}\s{0,5},", re.MULTILINE
)
_RIS = re.compile(r"^[ \ufeff]{0,4}TY {1,3}- ?\w", re.MULTILINE)
_CSL = re.compile(
    r"\"(?:container-title|issued|DOI|citation-key|title-short|citation-label)\"\s{0,5}:"
)
_FEED = re.compile(r"<(?:[\w-]{1,20}:)?(?:feed|rss|RDF)\b")
_CSV_HEAD = re.compile(
    r"\"?Key\"?[,;\t]\"?Item Type\"?|(?:^|[,;\t])\"?(?:title|article title|doi)\"?(?:[,;\t]|$)",
    re.IGNORECASE,
)
_VISIONBIB = re.compile(r"visionbib|BibRef|Keith Price", re.IGNORECASE)
_MARKDOWN = re.compile(r"\]\(https?://|^#{1,6} \S|^\s{0,3}[-*] \[", re.MULTILINE)
_YAML = re.compile(r"^\s{0,4}- \w[\w-]{0,30}:\s", re.MULTILINE)
_YAML_FIELD = re.compile(
    r"^\s{0,20}(?:- )?[\"']?(?:title|paper_title|doi|arxiv(?:_?id)?)[\"']?:\s", re.I | re.M
)
_YAML_LINE = re.compile(r"---|\s{0,20}(?:- )?[\"']?\w[\w ./-]{0,60}[\"']?:(?:\s|$)|-\s*$")
_MARKDOWN_LINE = re.compile(r"^(?:#{2,6} |\s{0,3}[-*+] (?:\[|\*\*)|\|)", re.MULTILINE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class ListForm(StrEnum):
    """How a list is written. All but the first three are the kinds that are written in one way."""

    MARKDOWN = "markdown"
    JSON = "json"
    YAML = "yaml"
    VISIONBIB = ListKind.VISIONBIB.value
    BIBTEX = ListKind.BIBTEX.value
    RIS = ListKind.RIS.value
    CSL = ListKind.CSL.value
    CSV = ListKind.CSV.value
    ARXIV = ListKind.ARXIV.value
    BIBLIOGRAPHY = ListKind.BIBLIOGRAPHY.value


def detect_kind(name: str, content_type: str, data: bytes) -> ListKind | None:
    """The kind of list; None if it is none, or not certain enough to be read as one."""
    head = data[:_SNIFFED]
    if b"\0" in head and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return None
    text = decode_list(head)
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    media = content_type.partition(";")[0].strip().lower()
    known = _ENDINGS.get(ending) or _TYPES.get(media)
    if known is not None:
        return known
    if not text.strip():
        return None
    return _detect_markup(text, ending) or _detect_text(text, ending, media)


def _detect_markup(text: str, ending: str) -> ListKind | None:
    start = text.lstrip()[:1]
    if start in ("{", "[") and (ending in ("json", "jsonl", "csl", "ndjson") or '"' in text[:200]):
        return ListKind.CSL if ending == "csl" or _CSL.search(text) else ListKind.AWESOME
    if start == "<":
        if _FEED.search(text[:5000]):
            return ListKind.ARXIV if "arxiv" in text.lower() else None
        if _VISIONBIB.search(text):
            return ListKind.VISIONBIB
    return None


def _detect_text(text: str, ending: str, media: str) -> ListKind | None:
    first = text.lstrip("\ufeff\r\n").partition("\n")[0].strip()
    if _RIS.search(text):
        return ListKind.RIS
    if _BIBTEX.search(text):
        return ListKind.BIBTEX
    if (ending in ("csv", "tsv") or media == "text/csv") and _CSV_HEAD.search(first):
        return ListKind.CSV
    if ending in ("csv", "tsv", "html", "htm", "xml", "pdf"):
        return None
    if len(_YAML.findall(text[:20_000])) > 1 and "title:" in text:
        return ListKind.AWESOME
    if text.lstrip().startswith("<"):
        return None
    if len(_MARKDOWN.findall(text)) > 2:
        return ListKind.AWESOME
    lines = [line for line in text.splitlines() if line.strip()]
    dated = sum(bool(_YEAR.search(line)) for line in lines)
    return ListKind.BIBLIOGRAPHY if lines and dated >= max(1, len(lines) / 6) else None


def detect_form(text: str, kind: ListKind) -> ListForm:
    """How a list of a kind is written; the beginning of its text is enough."""
    if kind is not ListKind.AWESOME:
        return ListForm(kind.value)
    start = text.lstrip()[:200]
    if start.startswith(("{", "[{", "[ {", "[\n", "[\r\n")) and '"' in start:
        return ListForm.JSON
    return ListForm.YAML if _is_yaml(text) else ListForm.MARKDOWN


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
