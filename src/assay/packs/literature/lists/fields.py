"""What a record of a database, or an item of CSL-JSON, says about a work."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from assay.packs.literature.ids import parse_arxiv_id, parse_doi, parse_isbn, parse_pmid
from assay.packs.literature.links import is_paper_url
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.parsed import collect_ids, find_year, make_reference
from assay.packs.literature.references.names import read_names

_DEEPEST: Final = 8
_MOST_STRINGS: Final = 500

_TITLES: Final = ("title", "paper_title", "papertitle", "paper title", "paper", "name")
_AUTHORS: Final = ("authors", "author", "author_list", "creators", "authors_list")
_YEARS: Final = (
    "year",
    "pub_year",
    "publication_year",
    "date",
    "publication_date",
    "published",
    "issued",
    "pubdate",
    "published_date",
    "published-print",
    "published-online",
    "created",
)
_VENUES: Final = (
    "venue",
    "container-title",
    "journal",
    "conference",
    "booktitle",
    "source",
    "publication",
    "publisher_venue",
    "proceedings",
    "published_in",
    "event",
)
_ABSTRACTS: Final = ("abstract", "summary", "tldr")
_SECTIONS: Final = ("category", "section", "task", "topic", "field", "subject_area")
_PROSE: Final = frozenset(
    {
        *_ABSTRACTS,
        "description",
        "note_html",
        "bibtex",
        "keywords",
        "tags",
        "title",
        "reference",
        "references",
        "cited_by",
        "relation",
        "content",
    }
)
_ID_NAMES: Final = frozenset(
    {
        "doi",
        "arxiv",
        "arxiv_id",
        "arxivid",
        "eprint",
        "arxiv-id",
        "pmid",
        "isbn",
        "openalex",
        "openalex_id",
        "paper",
        "paper_url",
        "pdf",
        "pdf_url",
        "url",
        "link",
        "links",
        "urls",
        "paper_link",
        "abs_url",
        "id",
        "ids",
        "externalids",
        "external_ids",
        "identifier",
        "identifiers",
        "note",
        "number",
        "archive_location",
        "article-number",
    }
)


def make_record_reference(
    values: Mapping[str, Any], start: int, end: int, section: str
) -> ListedReference | None:
    """A reference from a record whose fields have the usual names; None if it is not of a work."""
    named = {str(key).lower(): value for key, value in values.items()}
    title = _pick_text(named, _TITLES)
    strings = list(_iter_strings({key: value for key, value in named.items() if key not in _PROSE}))
    urls = [text for _, text in strings if text.startswith(("http://", "https://"))]
    ids, version = _collect_record_ids(strings, urls)
    authors = _read_authors(_pick(named, _AUTHORS))
    has_paper = bool(ids) or any(is_paper_url(url) for url in urls)
    has_work = bool(authors) or "abstract" in named
    if not title or title.startswith("http") or not (has_paper or has_work):
        if not ids:
            return None
        title = "" if title.startswith("http") else title
    return make_reference(
        ids=ids,
        version=version,
        urls=urls,
        title=title,
        authors=authors,
        year=_read_year(named),
        venue=_pick_text(named, _VENUES),
        abstract=_pick_text(named, _ABSTRACTS),
        section=_pick_text(named, _SECTIONS) or section,
        start=start,
        end=end,
    )


def _collect_record_ids(
    strings: list[tuple[str, str]], urls: list[str]
) -> tuple[set[str], int | None]:
    papers = [text for name, text in strings if name in _ID_NAMES or is_paper_url(text)]
    ids, version = collect_ids(papers, urls)
    for name, text in strings:
        bare = text.strip()
        if "arxiv" in name and "/" not in bare.removeprefix("arXiv:")[:3]:
            made = parse_arxiv_id(bare)
            if made is not None:
                ids.add(f"arxiv:{made[0]}")
                version = version or made[1]
        elif name == "doi" and (doi := parse_doi(bare)):
            ids.add(f"doi:{doi}")
        elif name == "pmid" and (pmid := parse_pmid(bare)):
            ids.add(f"pmid:{pmid}")
        elif name == "isbn":
            ids.update(f"isbn:{isbn}" for each in bare.split() if (isbn := parse_isbn(each)))
    return _drop_others(ids, strings), version


def _drop_others(ids: set[str], strings: list[tuple[str, str]]) -> set[str]:
    """Of several arXiv ids or DOIs, the first: a record may name papers it builds on."""
    kept = set(ids)
    for scheme in ("arxiv:", "doi:"):
        of_scheme = [name for name in ids if name.startswith(scheme)]
        if len(of_scheme) > 1:
            joined = " ".join(text for _, text in strings).lower()
            first = min(
                of_scheme, key=lambda name: (joined.find(name.partition(":")[2]) % (1 << 60), name)
            )
            kept -= set(of_scheme) - {first}
    return kept


def make_csl_reference(
    values: Mapping[str, Any], start: int, end: int, section: str
) -> ListedReference | None:
    """A reference from an item of CSL-JSON, or of a response of Crossref."""
    named = {str(key).lower(): value for key, value in values.items()}
    title = _pick_text(named, ("title",))
    ids: set[str] = set()
    if doi := parse_doi(_pick_text(named, ("doi",))):
        ids.add(f"doi:{doi}")
    if pmid := parse_pmid(_pick_text(named, ("pmid",))):
        ids.add(f"pmid:{pmid}")
    for text in _texts_of(named.get("isbn")):
        ids.update(f"isbn:{isbn}" for each in text.split() if (isbn := parse_isbn(each)))
    url = _pick_text(named, ("url",))
    noted = (_pick_text(named, (name,)) for name in ("note", "number", "archive_location", "doi"))
    found, version = collect_ids([*noted, url])
    if "arxiv" in (_pick_text(named, ("archive",)) + _pick_text(named, ("publisher",))).lower():
        made = parse_arxiv_id(_pick_text(named, ("archive_location", "number")))
        found |= {f"arxiv:{made[0]}"} if made else set()
    if not title and not ids and not found:
        return None
    return make_reference(
        ids=ids | {name for name in found if not name.startswith("doi:") or not doi},
        version=version,
        urls=[url] if url else [],
        title=title,
        authors=_read_authors(named.get("author")),
        year=_read_year(named),
        venue=_pick_text(named, ("container-title", "event-title", "event")),
        abstract=_pick_text(named, ("abstract",)),
        section=section,
        start=start,
        end=end,
    )


def _pick(named: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((named[name] for name in names if named.get(name)), None)


def _pick_text(named: Mapping[str, Any], names: Iterable[str]) -> str:
    for name in names:
        for text in _texts_of(named.get(name)):
            if text.strip():
                return text
    return ""


def _texts_of(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return [str(value)] if isinstance(value, int) and not isinstance(value, bool) else []


def _iter_strings(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """The strings of a record with the name of the field each is in."""
    if isinstance(value, str):
        yield name, value[:5000]
    elif isinstance(value, int | float) and not isinstance(value, bool) and name in _ID_NAMES:
        yield name, str(value)
    elif isinstance(value, dict) and depth < _DEEPEST:
        for key, inner in list(value.items())[:_MOST_STRINGS]:
            yield from _iter_strings(inner, str(key).lower(), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for inner in value[:_MOST_STRINGS]:
            yield from _iter_strings(inner, name, depth + 1)


def _read_authors(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        if ";" in value or " and " in value:
            return tuple(part for part in re.split(r";|\sand\s", value) if part.strip())
        run = read_names(value)
        if run is not None and not value[run.end :].strip(" .,"):
            return run.names
        return tuple(value.split(","))
    if not isinstance(value, list):
        return ()
    return tuple(filter(None, map(_read_author, value)))


def _read_author(value: Any) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    family = str(value.get("family") or value.get("lastName") or value.get("last") or "")
    particle = str(value.get("non-dropping-particle") or "")
    given = str(value.get("given") or value.get("firstName") or value.get("first") or "")
    if family:
        full = f"{particle} {family}".strip()
        return f"{full}, {given}" if given else full
    return str(value.get("literal") or value.get("name") or "")


def _read_year(named: Mapping[str, Any]) -> int | None:
    for name in _YEARS:
        value = named.get(name)
        if isinstance(value, dict):
            parts = value.get("date-parts")
            while isinstance(parts, list) and parts:
                parts = parts[0]
            value = parts or value.get("raw") or value.get("literal")
        year = find_year(str(value)) if isinstance(value, str | int) else None
        if year is not None:
            return year
    return None
