"""BibTeX: bibtexparser splits the entries, pylatexenc decodes LaTeX; a broken one is a note."""

import logging
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library
from bibtexparser.model import Entry, ParsingFailedBlock
from pylatexenc.latex2text import LatexNodes2Text

from assay.packs.literature.ids import parse_arxiv_id, parse_doi, parse_isbn, parse_pmid
from assay.packs.literature.parsed import (
    ListWindow,
    ReferenceCollector,
    Texts,
    collect_ids,
    find_year,
    make_reference,
)

_BLOCK = re.compile(r"^[ \t]{0,40}@\w*[ \t]{0,40}(?=[{(])", re.MULTILINE)
"""Where a block begins, whatever comes before it: the library sees it in the same way."""
_STRING = re.compile(r"^[ \t]{0,40}@(string)[ \t]{0,40}[{(]", re.IGNORECASE | re.MULTILINE)
_ENTRY = re.compile(r"^[ \t]{0,40}@\w{1,60}[ \t]{0,40}[{(]([^,{}()=@]{1,300}),", re.MULTILINE)
_CROSSREF = re.compile(r"\bcrossref\s{0,10}=\s{0,10}[{\"]?\s{0,10}([^\s{},\"]{1,300})", re.I)
_INHERITED: Final = frozenset({"booktitle", "title", "year", "date"})
_JOINED_PART = re.compile(r"\w[\w:-]{0,60}|\"[^\"]{0,2000}\"|\{[^{}]{0,2000}\}")
_JOINED = re.compile(rf"(?:{_JOINED_PART.pattern})(?:\s*#\s*(?:{_JOINED_PART.pattern})){{1,20}}")
_LONGEST_VALUE: Final = 20_000
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s{}<>\"]{3,1000}")
_BROKEN_TITLE = re.compile(r"\btitle\s{0,10}=\s{0,10}[{\"]{1,3}([^\n{}\"]{3,500})", re.IGNORECASE)
_BROKEN_YEAR = re.compile(r"\byear\s{0,10}=\s{0,10}[{\"]?\s{0,3}(\d{4})", re.IGNORECASE)


def survey_bibtex(texts: Texts) -> dict[str, str]:
    """What entries anywhere in a file refer to: its strings, and the entries that others name.

    Each field of such an entry has a name of its own: the entry's, a line break, the field's.
    """
    blocks = _cut_out(_STRING, {"string"}, texts)
    strings = {
        each.key.lower(): _resolve(str(each.value), {}) for each in _split_blocks(blocks).strings
    }
    named = {
        found[1].lower()
        for text in texts()
        if "crossref" in text.lower()
        for found in _CROSSREF.finditer(text)
    }
    if named:
        parents = _cut_out(_ENTRY, named, texts)
        for entry in _split_blocks(parents).entries:
            fields = _read_fields(entry, strings)
            for name in _INHERITED & fields.keys():
                strings[f"{entry.key.lower()}\n{name}"] = fields[name]
    return strings


def _cut_out(head: re.Pattern[str], names: set[str], texts: Texts) -> list[str]:
    """The blocks whose first line has one of these names."""
    found = []
    for text in texts():
        for begin in head.finditer(text):
            if begin[1].strip().lower() in names:
                end = _BLOCK.search(text, begin.end())
                found.append(text[begin.start() : end.start() if end else len(text)])
    return found


def read_bibtex(
    window: ListWindow, collector: ReferenceCollector, shared: dict[str, str], _before: Any
) -> tuple[int, Any]:
    """Read a piece of a BibTeX or BibLaTeX file; of a broken entry, the ids, title and year."""
    text = window.text
    if not window.is_last:
        starts = [found.start() for found in _BLOCK.finditer(text) if found.start()]
        last = starts[-1] if starts else window.find_last_line()
        text = text[: next((start for start in starts if window.ends_at(start)), last)]
    place = 0
    for block in _split_blocks([text]).blocks:
        inner = getattr(block, "ignore_error_block", None) or block
        raw = (inner.raw or block.raw or "").strip()
        found = text.find(raw, place) if raw else -1
        start = found if found >= 0 else place
        end = start + len(raw) if found >= 0 else place
        place = max(place, end)
        if isinstance(inner, Entry):
            _add_entry(inner, _read_fields(inner, shared), shared, start, end, collector)
            if inner is not block:
                collector.note(start, f"The entry '{inner.key[:60]}' has a key or field twice.")
        elif isinstance(block, ParsingFailedBlock):
            _add_broken(raw, start, end, collector)
    return len(text), {}


def _split_blocks(texts: Sequence[str]) -> Library:
    # A broken entry becomes a note of the list; the library would also log a warning for each.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    return parse_string("\n".join(texts), parse_stack=[])


def _read_fields(entry: Entry, strings: Mapping[str, str]) -> dict[str, str]:
    return {
        field.key.lower(): _resolve(str(field.value)[:_LONGEST_VALUE], strings)
        for field in entry.fields
    }


def _resolve(value: str, strings: Mapping[str, str]) -> str:
    """A value without what encloses it; names of strings are replaced, also in `a # " 2021"`."""
    value = value.strip()
    if "#" in value and _JOINED.fullmatch(value):
        return "".join(_resolve(each[0], strings) for each in _JOINED_PART.finditer(value))
    if value[:1] + value[-1:] in ("{}", '""'):
        return value[1:-1]
    return strings.get(value.lower(), value)


def _add_entry(
    entry: Entry,
    own: Mapping[str, str],
    shared: Mapping[str, str],
    start: int,
    end: int,
    collector: ReferenceCollector,
) -> None:
    parent = {
        name: shared.get(f"{own['crossref'].lower()}\n{name}", "")
        for name in _INHERITED
        if own.get("crossref")
    }
    title = decode_latex(own.get("title", ""))
    if own.get("subtitle"):
        title = f"{title}: {decode_latex(own['subtitle'])}"
    ids, version = _find_entry_ids(own)
    if not title and not ids:
        collector.note(start, f"The entry '{entry.key[:60]}' has no title and no id.")
        return
    urls = [
        url
        for name in ("url", "pdf", "ee", "link", "html", "howpublished", "note")
        for url in _URL.findall(own.get(name, "").replace("\\", ""))
    ]
    venue = next(
        (
            own[name]
            for name in ("journal", "journaltitle", "booktitle", "eventtitle")
            if own.get(name)
        ),
        "",
    )
    venue = venue or parent.get("booktitle") or parent.get("title", "")
    date = own.get("year") or own.get("date") or parent.get("year") or parent.get("date", "")
    authors = own.get("author") or own.get("editor", "")
    collector.add(
        make_reference(
            ids=ids,
            version=version,
            urls=urls,
            title=title,
            authors=[_read_name(name) for name in _AND.split(authors) if name.strip()],
            year=find_year(date),
            venue=decode_latex(venue),
            abstract=decode_latex(own.get("abstract", "")),
            start=start,
            end=end,
        )
    )


def _find_entry_ids(own: Mapping[str, str]) -> tuple[set[str], int | None]:
    named = (
        "url",
        "ee",
        "pdf",
        "link",
        "journal",
        "note",
        "howpublished",
        "volume",
        "number",
        "eprint",
        "archiveprefix",
        "arxiv",
        "biburl",
        "booktitle",
        "arxivid",
        "eid",
    )
    ids, version = collect_ids(own.get(name, "") for name in named)
    doi = parse_doi(own.get("doi", ""))
    if doi:
        ids = {name for name in ids if not name.startswith("doi:")} | {f"doi:{doi}"}
    for name in ("eprint", "arxivid", "arxiv", "doi"):
        kind = (own.get("archiveprefix", "") + own.get("eprinttype", "") or "arxiv").lower()
        value = own.get(name, "")
        if name != "doi" and "arxiv" in kind and (made := parse_arxiv_id(value)):
            ids.add(f"arxiv:{made[0]}")
            version = version or made[1]
        elif name == "doi" and "48550" in value:
            ids.update(each for each in collect_ids([value])[0] if each.startswith("arxiv:"))
    pmid = parse_pmid(own.get("pmid", ""))
    if pmid is None and own.get("eprinttype", "").lower() == "pubmed":
        pmid = parse_pmid(own.get("eprint", ""))
    ids |= {f"pmid:{pmid}"} if pmid else set()
    for each in re.split(r"[,;\s]+", own.get("isbn", "")):
        isbn = parse_isbn(each)
        ids |= {f"isbn:{isbn}"} if isbn else set()
    return ids, version


def _add_broken(raw: str, start: int, end: int, collector: ReferenceCollector) -> None:
    """An entry that is not BibTeX: what is certain in it is kept, and the note says what to do."""
    title = _BROKEN_TITLE.search(raw[:20_000])
    year = _BROKEN_YEAR.search(raw[:20_000])
    ids, version = collect_ids([raw[:20_000]])
    head = " ".join(raw[:60].split())
    collector.note(start, f"The entry '{head}' is broken: check its braces, quotes and commas.")
    if title or ids:
        collector.add(
            make_reference(
                ids=ids,
                version=version,
                title=decode_latex(title[1]) if title else "",
                year=int(year[1]) if year else None,
                start=start,
                end=end,
            )
        )


def _read_name(name: str) -> str:
    return decode_latex(name.strip())


def decode_latex(text: str) -> str:
    """Text without LaTeX: `M{\\"u}ller` is Müller; formulas stay as they are written."""
    if "\\" not in text and "{" not in text and "~" not in text:
        return text
    if "\\" not in text:
        return text.replace("{", "").replace("}", "").replace("~", " ")
    if text.count("{") > 500 or len(text) > _LONGEST_VALUE:
        return text.replace("{", "").replace("}", "")
    return _decode_cached(text)


@lru_cache(maxsize=10_000)
def _decode_cached(text: str) -> str:
    try:
        return str(_CONVERTER.latex_to_text(text))
    except Exception:  # the library raises errors of its own on LaTeX it does not know
        return text.replace("{", "").replace("}", "")


_CONVERTER: Final = LatexNodes2Text(
    math_mode="verbatim", keep_comments=True, strict_latex_spaces=False
)
