"""The databases behind lists, and CSL-JSON: records in JSON or YAML, each with its place."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from assay.packs.literature.ids import parse_arxiv_id, parse_doi, parse_isbn, parse_pmid
from assay.packs.literature.links import is_paper_url
from assay.packs.literature.listed import ListedReference
from assay.packs.literature.parsed import (
    ParsedList,
    ReferenceCollector,
    collect_ids,
    find_year,
    make_reference,
)
from assay.packs.literature.references.names import read_names

_DEEPEST: Final = 8
_DEEPEST_YAML: Final = 60
_MOST_STRINGS: Final = 500
_SPACE = re.compile(r"[ \t\r\n,]*")
_DECODER: Final = json.JSONDecoder(strict=False)

_TITLES: Final = ("title", "paper_title", "papertitle", "paper title", "paper", "name")
_AUTHORS: Final = ("authors", "author", "author_list", "creators", "authors_list")
_YEARS: Final = ("year", "pub_year", "publication_year", "date", "publication_date", "published", "issued", "pubdate", "published_date", "published-print", "published-online", "created")  # fmt: skip # noqa: E501
_VENUES: Final = ("venue", "container-title", "journal", "conference", "booktitle", "source", "publication", "publisher_venue", "proceedings", "published_in", "event")  # fmt: skip # noqa: E501
_ABSTRACTS: Final = ("abstract", "summary", "tldr")
_SECTIONS: Final = ("category", "section", "task", "topic", "field", "subject_area")
_PROSE: Final = frozenset({*_ABSTRACTS, "description", "note_html", "bibtex", "keywords", "tags", "title", "reference", "references", "cited_by", "relation", "content"})  # fmt: skip # noqa: E501
_ID_NAMES: Final = frozenset({"doi", "arxiv", "arxiv_id", "arxivid", "eprint", "arxiv-id", "pmid", "isbn", "openalex", "openalex_id", "paper", "paper_url", "pdf", "pdf_url", "url", "link", "links", "urls", "paper_link", "abs_url", "id", "ids", "externalids", "external_ids", "identifier", "identifiers", "note", "number", "archive_location", "article-number"})  # fmt: skip # noqa: E501


@dataclass(slots=True)
class _Node:
    """A record being read from YAML."""

    start: int
    is_mapping: bool
    values: dict[str, Any] = field(default_factory=dict)
    items: list[Any] = field(default_factory=list)
    key: str | None = None


def parse_json_list(text: str, most: int, *, is_csl: bool) -> ParsedList:
    """The references of CSL-JSON, or of a database in JSON or with one JSON object on each line."""
    collector = ReferenceCollector(most)
    place = _skip_space(text, 0)
    read = make_csl_reference if is_csl else make_record_reference
    while place < len(text):
        place, is_whole = _walk_json(text, place, collector, read, "")
        if not is_whole:
            break
        place = _skip_space(text, place)
    return collector.finish()


def _skip_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _walk_json(
    text: str, start: int, collector: ReferenceCollector, read: Any, section: str
) -> tuple[int, bool]:
    """Read the records in the value at a place; where it ends, and whether it could be read.

    A container is entered without decoding it as a whole, so a break in a long list costs the
    rest of it, not what comes before.
    """
    opened: list[tuple[str, str]] = []
    place = start
    while place < len(text):
        place = _skip_space(text, place)
        letter = text[place : place + 1]
        if letter in ("]", "}") and opened:
            opened.pop()
            place += 1
        elif letter == "[" and len(opened) < _DEEPEST:
            opened.append(("[", opened[-1][1] if opened else section))
            place += 1
        elif letter == "{" and len(opened) < _DEEPEST and not _is_record_ahead(text, place):
            opened.append(("{", opened[-1][1] if opened else section))
            place += 1
        else:
            name = ""
            if opened and opened[-1][0] == "{" and letter == '"':
                key, place = _decode_json(text, place, collector)
                colon = _skip_space(text, place)
                if key is None or text[colon : colon + 1] != ":":
                    if key is None:
                        return place, False
                    continue
                name = str(key)
                place = _skip_space(text, colon + 1)
                if text[place : place + 1] in ("[", "{") and len(opened) < _DEEPEST:
                    if text[place] == "[" or not _is_record_ahead(text, place):
                        opened.append((text[place], name))
                        place += 1
                        continue
            begin = place
            value, place = _decode_json(text, place, collector)
            if place == begin:
                return place, False
            if isinstance(value, dict):
                under = name or (opened[-1][1] if opened else section)
                _add_record(value, begin, place, collector, read, under)
        if not opened:
            return place, True
    if opened:
        collector.note(start, "The JSON ends before it is complete; what came before was read.")
    return place, not opened


def _decode_json(text: str, place: int, collector: ReferenceCollector) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, place)
    except json.JSONDecodeError as error:
        collector.note(error.pos, f"The JSON is broken here ({error.msg}); the rest was not read.")
    except (RecursionError, ValueError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)[:200]
        collector.note(place, f"A JSON value could not be read ({reason}).")
    return None, place


def _is_record_ahead(text: str, place: int) -> bool:
    """Whether the object at a place names a title before another object begins."""
    nested = text.find("{", place + 1, place + 20_000)
    ahead = text[place : nested if nested > 0 else place + 20_000]
    close = text.find("}", place, place + 20_000)
    if re.search(r'"(?:title|paper_title|DOI|doi|arxiv|arxiv_id)"\s{0,5}:', ahead, re.IGNORECASE):
        return True
    if nested < 0 or 0 < close < nested:
        return True
    # The title may come after an object inside the record, as "links" or "author" are.
    return bool(re.match(r'\{\s{0,20}"(?:id|type|links|author|authors|url|name|_id)"\s{0,5}:', text[place:][:200]))  # fmt: skip # noqa: E501


def parse_yaml_list(text: str, most: int) -> ParsedList:
    """The references of a database in YAML, read as a stream: depth and references are bounded."""
    collector = ReferenceCollector(most)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    stack: list[_Node] = []
    try:
        for event in yaml.parse(text, Loader=loader):
            if not _take_event(event, stack, collector):
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = mark.index if mark is not None else 0
        collector.note(place, f"The YAML is broken here ({error.problem}); the rest was not read.")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        message = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        collector.note(0, f"The YAML could not be read: {message}.")
    return collector.finish()


def _take_event(event: Any, stack: list[_Node], collector: ReferenceCollector) -> bool:
    if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
        if len(stack) >= _DEEPEST_YAML:
            collector.note(
                event.start_mark.index, "The YAML is nested too deep; the rest was not read."
            )
            return False
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        stack.append(_Node(event.start_mark.index, is_mapping))
    elif isinstance(event, yaml.ScalarEvent):
        _put_value(stack, event.value)
    elif isinstance(event, yaml.AliasEvent):
        # An alias repeats what is elsewhere; following them could fill the memory.
        _put_value(stack, "")
    elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent) and stack:
        node = stack.pop()
        if node.is_mapping and _has_title(node.values):
            section = next((above.key for above in reversed(stack) if above.key), "") or ""
            end = event.start_mark.index
            _add_record(node.values, node.start, end, collector, make_record_reference, section)
            _put_value(stack, None)
        else:
            _put_value(stack, node.values if node.is_mapping else node.items)
    return True


def _put_value(stack: list[_Node], value: Any) -> None:
    if not stack:
        return
    node = stack[-1]
    if not node.is_mapping:
        if len(node.items) < _MOST_STRINGS:
            node.items.append(value)
    elif node.key is None:
        node.key = value if isinstance(value, str) else ""
    else:
        if node.key and len(node.values) < _MOST_STRINGS:
            node.values[node.key] = value
        node.key = None


def _has_title(values: Mapping[str, Any]) -> bool:
    lowered = {key.lower() for key in values}
    return any(name in lowered for name in ("title", "paper_title", "doi", "arxiv", "arxiv_id"))


def _add_record(
    values: dict[str, Any],
    start: int,
    end: int,
    collector: ReferenceCollector,
    read: Any,
    section: str,
) -> None:
    reference = read(values, start, end, section)
    if reference is not None:
        collector.add(reference)


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
            first = min(of_scheme, key=lambda name: (joined.find(name.partition(":")[2]) % (1 << 60), name))  # fmt: skip # noqa: E501
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
