"""Citations of works: BibTeX, CSL-JSON, RIS, and plain text.

Titles and names come from strangers. They are escaped completely, so a title can neither end its
field nor run a command of LaTeX; formulas are therefore shown as their source.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Any, Final
from urllib.parse import quote

from assay.packs.literature.author_names import AuthorName, split_name
from assay.packs.literature.folding import squeeze_text
from assay.packs.literature.works import Work


class CitationStyle(StrEnum):
    """The forms of a citation."""

    BIBTEX = "bibtex"
    CSL = "csl"
    RIS = "ris"
    TEXT = "text"


@dataclass(frozen=True)
class EntryKind:
    """What a kind of work is called in each format, and which BibTeX field has its venue."""

    bibtex: str
    csl: str
    ris: str
    venue: str


_ARTICLE: Final = EntryKind("article", "article-journal", "JOUR", "journal")
_PAPER: Final = EntryKind("inproceedings", "paper-conference", "CPAPER", "booktitle")
_PREPRINT: Final = EntryKind("misc", "article", "UNPB", "howpublished")
_BOOK: Final = EntryKind("book", "book", "BOOK", "publisher")
_CHAPTER: Final = EntryKind("incollection", "chapter", "CHAP", "booktitle")
_ENTRY: Final = EntryKind("incollection", "entry-encyclopedia", "ENCYC", "booktitle")
_PROCEEDINGS: Final = EntryKind("proceedings", "book", "CONF", "publisher")
_THESIS: Final = EntryKind("phdthesis", "thesis", "THES", "school")
_REPORT: Final = EntryKind("techreport", "report", "RPRT", "institution")
_STANDARD: Final = EntryKind("techreport", "standard", "STAND", "institution")
_DATASET: Final = EntryKind("misc", "dataset", "DATA", "howpublished")
_SOFTWARE: Final = EntryKind("misc", "software", "COMP", "howpublished")
_OTHER: Final = EntryKind("misc", "document", "GEN", "howpublished")
_CONTAINERS: Final = frozenset({"journal", "booktitle", "howpublished"})
"""The fields whose venue contains the work; in the others it is the publisher."""

_KINDS: Final[Mapping[str, EntryKind]] = {
    **dict.fromkeys(("article", "journal-article", "review", "letter", "editorial"), _ARTICLE),
    **dict.fromkeys(("erratum", "retraction", "article-journal"), _ARTICLE),
    **dict.fromkeys(("proceedings-article", "conference-paper", "paper-conference"), _PAPER),
    **dict.fromkeys(("preprint", "posted-content"), _PREPRINT),
    **dict.fromkeys(("book", "monograph", "edited-book", "reference-book", "book-set"), _BOOK),
    **dict.fromkeys(("book-chapter", "book-section", "book-part", "book-track"), _CHAPTER),
    **dict.fromkeys(("chapter",), _CHAPTER),
    **dict.fromkeys(("reference-entry",), _ENTRY),
    **dict.fromkeys(("proceedings", "proceedings-series"), _PROCEEDINGS),
    **dict.fromkeys(("dissertation", "thesis"), _THESIS),
    **dict.fromkeys(("report", "report-component", "report-series"), _REPORT),
    **dict.fromkeys(("standard", "standard-series"), _STANDARD),
    **dict.fromkeys(("dataset", "database"), _DATASET),
    **dict.fromkeys(("software",), _SOFTWARE),
}
"""The names of types in OpenAlex, Crossref and CSL."""
_PROCEEDINGS_NAME: Final = re.compile(
    r"\b(?:proceedings|proc|conference|conf|workshops?|symposium)\b", re.IGNORECASE
)
_PREPRINT_SERVER: Final = re.compile(r"\b(?:arxiv|biorxiv|medrxiv|corr|ssrn)\b", re.IGNORECASE)


def find_entry_kind(work: Work) -> EntryKind:
    """The kind of a work's entry; catalogues call a conference paper an article, too."""
    kind = _KINDS.get(work.kind.lower())
    if kind is not None and (kind is not _ARTICLE or work.kind == "journal-article"):
        return kind
    if _PROCEEDINGS_NAME.search(work.venue):
        return _PAPER
    if work.find_id("arxiv") and (not work.venue or _PREPRINT_SERVER.search(work.venue)):
        return _PREPRINT
    if kind is None and work.find_id("isbn"):
        return _BOOK
    return kind or (_ARTICLE if work.venue and not work.kind else _OTHER)


def cite_work(work: Work, style: CitationStyle, key: str | None = None) -> str:
    """The citation of a work. `key` names the entry; `assign_keys` gives those of an export."""
    return _WRITERS[style](work, key or make_key(work))


def make_key(work: Work) -> str:
    """The key of a work among no others: family name, year and first word of the title."""
    families = (split_name(clean_text(author)).family for author in work.authors)
    family = next((folded for each in families if (folded := _fold_key(each))), "anon")
    words = (_fold_key(word) for word in re.split(r"[\s\-–—:/]+", clean_text(work.title[:500])))
    word = next((w for w in words if len(w) > 1 and w not in _ARTICLES), "untitled")
    return f"{family[:40]}{'' if work.year is None else work.year}{word[:40]}"


_ARTICLES: Final = frozenset({"an", "the", "on", "der", "die", "das", "le", "la", "les", "el"})


def assign_keys(works: Iterable[Work]) -> dict[str, str]:
    """A key for each document, each only once; a letter follows where several would be equal.

    The order of the works does not matter.
    """
    wanted = sorted((make_key(work), work.doc_id) for work in works)
    taken = {key for key, _ in wanted}
    keys: dict[str, str] = {}
    letters: dict[str, Iterable[int]] = {}
    for key, doc_id in wanted:
        if key not in letters:
            letters[key], keys[doc_id] = count(), key
            continue
        # A key with a letter may be what another work is called without one.
        named = (f"{key}{_write_letters(number)}" for number in letters[key])
        keys[doc_id] = next(each for each in named if each not in taken)
        taken.add(keys[doc_id])
    return keys


def _write_letters(number: int) -> str:
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _fold_key(text: str) -> str:
    return "".join(sign for sign in squeeze_text(text) if sign.isascii())


# Control characters, lone surrogates, and signs that only change the direction of writing.
_UNSEEN: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def clean_text(text: str) -> str:
    """One line without control characters; a break or a tab becomes a space."""
    return " ".join(_UNSEEN.sub("", " ".join(text.split())).split())


def _clean_url(url: str) -> str:
    return re.sub(r"[\s\\{}\"<>^`|]", lambda m: quote(m[0]), clean_text(url))


def _split_authors(work: Work) -> list[AuthorName]:
    named = (clean_text(author) for author in work.authors)
    return [split_name(author) for author in named if author]


def _find_url(work: Work) -> str:
    return work.url if re.match(r"https?://", work.url) else work.pdf_url


# BibTeX

_LATEX: Final = {
    "\\": r"{\textbackslash}", "{": r"{\textbraceleft}", "}": r"{\textbraceright}",
    "~": r"{\textasciitilde}", "^": r"{\textasciicircum}", "<": r"{\textless}",
    ">": r"{\textgreater}", "|": r"{\textbar}",
    **{sign: f"\\{sign}" for sign in "$&%#_"},
}  # fmt: skip
_LATEX_SIGN: Final = re.compile("[" + re.escape("".join(_LATEX)) + "]")
_KEEPS_CASE: Final = re.compile(r"[^\W_]+[A-Z][^\W_]*")
"""A word with a capital letter inside, which a bibliography style would make small."""


def escape_latex(text: str) -> str:
    """A text that LaTeX prints as it is. BibTeX counts even escaped braces, so there are none."""
    return _LATEX_SIGN.sub(lambda m: _LATEX[m[0]], clean_text(text))


def _protect_case(text: str) -> str:
    parts = re.split(r"(\s+)", clean_text(text))
    return "".join(
        f"{{{escape_latex(part)}}}" if _KEEPS_CASE.search(part) else escape_latex(part) or part
        for part in parts
    )


def _cite_bibtex(work: Work, key: str) -> str:
    kind = find_entry_kind(work)
    doi, arxiv = work.find_id("doi"), work.find_id("arxiv")
    fields = {
        "author": " and ".join(_write_bibtex_name(name) for name in _split_authors(work)),
        "title": _protect_case(work.title),
        kind.venue: escape_latex(work.venue),
        "year": "" if work.year is None else str(work.year),
        "doi": _clean_url(doi or ""),
        "eprint": _clean_url(arxiv or ""),
        "archiveprefix": "arXiv" if arxiv else "",
        "isbn": escape_latex(work.find_id("isbn") or ""),
        "pmid": escape_latex(work.find_id("pmid") or ""),
        "url": _clean_url(_find_url(work)),
        "abstract": escape_latex(work.abstract),
        "note": "Retracted" if work.is_retracted else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind.bibtex}{{{key},", *lines, "}\n"])


def _write_bibtex_name(name: AuthorName) -> str:
    parts = (name.particle, name.family, name.suffix, name.given)
    # "and" separates names and a comma their parts, and "others" stands for all that follow.
    odd = any(word.lower() in ("and", "others") for part in parts for word in part.split())
    if name.is_organisation or odd:
        return f"{{{escape_latex(name.plain)}}}"
    family = escape_latex(f"{name.particle} {name.family}".strip())
    if " " in name.family and not name.given:
        family = f"{{{family}}}"
    rest = [escape_latex(part) for part in (name.suffix, name.given) if part]
    return ", ".join([family, *rest])


# CSL-JSON


def build_csl_item(work: Work, key: str) -> dict[str, Any]:
    """A work as an item of CSL-JSON, in the words of its schema."""
    kind, arxiv = find_entry_kind(work), work.find_id("arxiv")
    item: dict[str, Any] = {
        "id": key,
        "type": kind.csl,
        "title": clean_text(work.title),
        "author": [_build_csl_name(name) for name in _split_authors(work)],
        "container-title" if kind.venue in _CONTAINERS else "publisher": clean_text(work.venue),
        "issued": {} if work.year is None else {"date-parts": [[work.year]]},
        "DOI": clean_text(work.find_id("doi") or ""),
        "archive": "arXiv" if arxiv else "",
        "archive_location": clean_text(arxiv or ""),
        "ISBN": clean_text(work.find_id("isbn") or ""),
        "PMID": clean_text(work.find_id("pmid") or ""),
        "URL": _clean_url(_find_url(work)),
        "abstract": clean_text(work.abstract),
        "genre": "Preprint" if kind is _PREPRINT else "",
        "status": "retracted" if work.is_retracted else "",
    }
    return {name: value for name, value in item.items() if value}


def _build_csl_name(name: AuthorName) -> dict[str, str]:
    if name.is_organisation:
        return {"literal": name.family}
    parts = {
        "family": name.family,
        "given": name.given,
        "non-dropping-particle": name.particle,
        "suffix": name.suffix,
    }
    return {part: value for part, value in parts.items() if value}


def _cite_csl(work: Work, key: str) -> str:
    return json.dumps([build_csl_item(work, key)], ensure_ascii=False, indent=2) + "\n"


# RIS


def _cite_ris(work: Work, key: str) -> str:
    kind, arxiv = find_entry_kind(work), work.find_id("arxiv")
    # Several addresses may share a line, a semicolon between them.
    url, pdf_url = (_clean_url(u).replace(";", "%3B") for u in (_find_url(work), work.pdf_url))
    rows = [
        ("TY", kind.ris),
        ("ID", key),
        *(("AU", _write_ris_name(name)) for name in _split_authors(work)),
        ("TI", clean_text(work.title)),
        ("T2" if kind.venue in _CONTAINERS else "PB", clean_text(work.venue).replace("*", "")),
        ("PY", "" if work.year is None else str(work.year)),
        ("DO", clean_text(work.find_id("doi") or "")),
        ("AN", f"arXiv:{clean_text(arxiv)}" if arxiv else ""),
        ("SN", clean_text(work.find_id("isbn") or "")),
        ("UR", url),
        ("L1", pdf_url if pdf_url != url else ""),
        ("AB", clean_text(work.abstract)),
        ("N1", "Retracted" if work.is_retracted else ""),
    ]
    return "\n".join([*(f"{tag}  - {value}" for tag, value in rows if value), "ER  - ", ""])


def _write_ris_name(name: AuthorName) -> str:
    # The format has no asterisks in names, and a comma always ends the family name.
    plain = name.family.replace(",", "") if name.is_organisation else name.inverted
    return plain.replace("*", "")


# Plain text

_MOST_NAMES: Final = 6


def _cite_text(work: Work, key: str) -> str:
    names = [name.plain for name in _split_authors(work)]
    if len(names) > _MOST_NAMES:
        names = [*names[:_MOST_NAMES], "et al."]
    year = "n.d." if work.year is None else str(work.year)
    parts = [
        f"{', '.join(names) or 'Anonymous'} ({year})",
        clean_text(work.title) or "Untitled",
        clean_text(work.venue),
        "Retracted" if work.is_retracted else "",
    ]
    sentences = [part if part[-1] in ".?!" else f"{part}." for part in parts if part]
    return " ".join([*sentences, _find_address(work)]).strip()


def _find_address(work: Work) -> str:
    if doi := work.find_id("doi"):
        return f"https://doi.org/{_clean_url(doi)}"
    if arxiv := work.find_id("arxiv"):
        return f"arXiv:{clean_text(arxiv)}"
    return _clean_url(_find_url(work))


_WRITERS: Final[Mapping[CitationStyle, Callable[[Work, str], str]]] = {
    CitationStyle.BIBTEX: _cite_bibtex,
    CitationStyle.CSL: _cite_csl,
    CitationStyle.RIS: _cite_ris,
    CitationStyle.TEXT: _cite_text,
}
