"""EUR-Lex and Cellar: Formex (acts and the records that lead to them) and pages made from it."""

import re
from typing import Any

from assay.sdk.errors import ContentBroken
from assay.sdk.sources import Node, XmlElement, parse_date, parse_html, parse_xml

_ACTS = frozenset({"ACT", "ANNEX", "CORR", "GENERAL", "CONS.ACT", "DECISION", "AGR", "LETTER"})
# A word, then the numbers it applies to: `Regulations (EU) 2029/15 and (EC) No 812/2003`.
_NAMED = re.compile(
    r"(?:\b(?P<how>Implementing|Delegated)\s+)?\b(?P<what>Regulation|Directive|Decision)s?\b"
    r"|\((?:EU|EC|EEC|Euratom|CFSP)(?:,\s*Euratom)?\)\s+(?:No\s+)?(?P<first>\d{1,4})/(?P<second>\d{1,4})"
    r"|\b(?P<year>\d{2,4})/(?P<number>\d{1,4})/(?:EU|EC|EEC|Euratom)\b",
    re.IGNORECASE,
)
_DOES = re.compile(r"\b(amending|repealing|correcting)\b", re.IGNORECASE)
_KINDS = {"amending": "amends", "repealing": "repeals", "correcting": "corrects"}
_SHORT = {"regulation": "reg", "directive": "dir", "decision": "dec"}
_LATER = {"implementing": "_impl", "delegated": "_del"}
_ELI = re.compile(r"https?://data\.europa\.eu/eli/[\w/.-]+")
_COM = re.compile(r"\bCOM\(\d{4}\) ?\d+(?: final)?")
_HEAD = 80
_BASE = "http://data.europa.eu/eli"


def describe_document(data: bytes, url: str) -> dict[str, Any]:
    """Describe a document of the Official Journal."""
    if b"<html" in data[:2000].lower():
        return _describe_page(parse_html(data, url, "an act"), url)
    root = parse_xml(data, url, "an act in Formex")
    if root.name in ("DOC", "PUBLICATION"):
        return _describe_index(root)
    if root.name in _ACTS:
        return _describe_act(root)
    raise ContentBroken(
        f"The XML from {url} is a <{root.name}>, which is not a known part of Formex.",
        advice="The item may be another file of the same act.",
    )


def _describe_index(root: XmlElement) -> dict[str, Any]:
    """The record of an act, or a table of contents: it leads to the text, but has none."""
    eli = next(root.find_descendants("NO.ELI"), None)
    title = next((found for ti in root.find_descendants("TI") if (found := ti.read_text())), None)
    main = next(root.find_descendants("DOC.MAIN.PUB"), None)
    language = root.find_text("PUBLICATION.REF/LG.OJ") or root.find_text("OJ/BIB.OJ/LG.OJ")
    published = root.find_first("PUBLICATION.REF/DATE") or root.find_first("OJ/BIB.OJ/DATE")
    return {
        "title": title if main is not None else None,
        "doc_id": eli.get("ID") if eli else None,
        "document_type": main.find_text("LEGAL.VALUE") if main else None,
        "language": language.lower() if language else None,
        "dated": _parse_day(main.find_first("DATE")) if main else None,
        "published": _parse_day(published),
        "changes": _find_changes(title) if main is not None else [],
        "is_text": False,
        "text_at": [
            name
            for found in (*root.find_descendants("REF.PHYS"), *root.find_descendants("ITEM.PUB"))
            if (name := found.get("FILE") or found.get("DOC.INSTANCE"))
        ],
    }


def _describe_act(root: XmlElement) -> dict[str, Any]:
    card = root.find_first("BIB.INSTANCE") or root.find_first("BIB.DATA") or root
    title_of = root.find_first("TITLE/TI")
    title = title_of.read_text(without="NOTE") if title_of else None
    if title_of is not None and title is not None:
        # In the file, paragraphs of a title follow one another without a space.
        lines = (line.read_text(without="NOTE") for line in title_of.find_children("P"))
        title = " ".join(line for line in lines if line) or title
    language = card.find_text("LG.DOC") or card.find_text("DOCUMENT.REF/LG.OJ")
    return {
        "title": title,
        "doc_id": _find_own_eli(title),
        "document_type": root.name,
        "language": language.lower() if language else None,
        "dated": _parse_day(card.find_first("DATE")),
        "changes": _find_changes(title),
    }


def _describe_page(root: Node, url: str) -> dict[str, Any]:
    lines = [line.read_text() for line in root.find_all("div.eli-main-title p, div.eli-main-title")]
    lines = lines[1:] if len(lines) > 1 else lines
    lines = lines or [
        line.read_text() for line in root.find_all("p.oj-doc-ti, p.doc-ti, p.title-doc-first")
    ]
    text = root.read_text(most=None)
    title = " ".join(line for line in lines if line) or None
    proposal = _COM.search(text[:5000])
    if title is None and proposal is None:
        raise ContentBroken(
            f"The page at {url} has neither the title of an act nor the number of a proposal.",
            advice="Open it in a browser; EUR-Lex may have sent something else.",
        )
    language = root.find_first("p.oj-hd-lg, p.hd-lg")
    date = root.find_first("p.oj-hd-date, p.hd-date")
    eli = _ELI.search(text[-500:])
    return {
        "title": title or _find_proposal_title(root),
        "doc_id": eli.group() if eli else (_find_own_eli(title) or (proposal and proposal.group())),
        "language": language.read_text().lower() if language else None,
        "published": parse_date(date.read_text(), ("%d.%m.%Y",)) if date else None,
        "document_type": "proposal" if title is None else None,
        "changes": _find_changes(title),
    }


def _find_proposal_title(root: Node) -> str | None:
    found = [root.find_first(f"p.{name}") for name in ("Typedudocument", "Titreobjet")]
    return " ".join(part.read_text() for part in found if part is not None) or None


def _parse_day(found: XmlElement | None) -> str | None:
    """`ISO="20240313"`, as Formex writes days."""
    written = (found.get("ISO") or "") if found is not None else ""
    return f"{written[:4]}-{written[4:6]}-{written[6:8]}" if len(written) == 8 else None


def _find_own_eli(title: str | None) -> str | None:
    """The ELI of the act with this title: its number follows the word for its kind."""
    named = _NAMED.finditer(title or "")
    what, number = next(named, None), next(named, None)
    if what is None or number is None or number.start() - what.end() > 1 or what.start() > _HEAD:
        return None
    return next(iter(_find_acts((title or "")[: number.end()])), None)


def _find_acts(text: str) -> list[str]:
    """The ELI of every act that a text names by its number."""
    acts: list[str] = []
    kind = ""
    for found in _NAMED.finditer(text):
        if found["what"]:
            kind = _SHORT[found["what"].lower()] + _LATER.get((found["how"] or "").lower(), "")
        elif kind:
            year, number = _parse_year_and_number(found)
            acts.append(f"{_BASE}/{kind}/{year}/{number}/oj")
    return acts


def _parse_year_and_number(found: re.Match[str]) -> tuple[int, int]:
    if found["year"]:
        year, number = int(found["year"]), int(found["number"])
        return (year + 1900 if year < 100 else year), number
    # Since 2015 the year comes first, before that it came last.
    first, second = int(found["first"]), int(found["second"])
    return (second, first) if "No " in found.group() else (first, second)


def _find_changes(title: str | None) -> list[dict[str, str]]:
    """`amending Regulations (EU) …`: what the act does to others according to its title."""
    parts = _DOES.split(title or "")
    return [
        {"kind": _KINDS[word.lower()], "act": act}
        for word, named in zip(parts[1::2], parts[2::2], strict=True)
        for act in _find_acts(named)
    ]
