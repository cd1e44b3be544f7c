"""What one entry of a Markdown list says: its titles, ids, addresses, authors, year and venue."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from assay.packs.literature.ids import id_of_url, is_code_or_media, locate_ids, locate_url_ids
from assay.packs.literature.links import (
    ListLink,
    find_links,
    is_label,
    is_paper_url,
    strip_emphasis,
)
from assay.packs.literature.parsed import clean_text, clean_title, find_year
from assay.packs.literature.references.names import read_names
from assay.packs.literature.references.strings import parse_reference_text

_MARKER = re.compile(
    r"[\s>]{0,40}(?:(?:[-*+•◦▪●]|\(?\d{1,4}[.)])(?:[ \t]{1,8}|(?=\[)))?(?:\[[ xX]\][ \t]{1,4})?"
    r"(?:<(?:li|tr|td|p|dt|dd)\b[^<>]{0,300}>\s{0,20}){0,4}",
    re.IGNORECASE,
)
_LEADING_DATE = re.compile(
    r"^\W{0,6}(?:\(?\[?(?:[A-Za-z][\w&'’/ -]{0,18}[ ,']{0,2})?(?:19|20)\d\d(?:[-./]\d\d?){0,2}"
    r"(?: ?[A-Z][\w]{0,12})?\)?\]?|\(?\d\d?[/.-]\d\d?[/.-]\d{2,4}\)?)\s{0,3}"
    r"(?:[-–—:|.,]\s|\s{2}|(?<=[\])])\s?)"
)
_LEADING_LABEL = re.compile(r"^(?:\[[^\[\]]{1,60}\]\s{0,3}){1,3}(?=\S)")
_STRESSED = re.compile(
    r"(?:\*\*\*?|__|<(?:b|strong)>)\s?(?=\S)(.{3,600}?)(?<=\S)\s?(?:\*\*\*?|__|</(?:b|strong)>)|"
    r"(?<![*\w])[*_](?![*_\s])([^*_\n]{3,400}?)(?<=\S)[*_](?![*\w])|<(?:i|em)>([^<>]{3,400})</(?:i|em)>",
    re.DOTALL | re.IGNORECASE,
)
_STRESS = re.compile(r"[*_<]")
_QUOTED = re.compile(r"[“„\"«]\s?([^“”„\"«»\n]{8,400}?)\s?[”“\"»]")
_VENUES: Final = (
    r"CVPRW?|ICCVW?|ECCVW?|WACV|BMVC|ACCV|NIPS|NeurIPS|ICML|ICLR|AAAI|IJCAI|AISTATS|UAI|COLT|ACL|"
    r"EMNLP|NAACL|EACL|AACL|COLING|TACL|CoNLL|LREC|INTERSPEECH|Interspeech|ICASSP|"
    r"SIGGRAPH(?: Asia)?|"
    r"EUROGRAPHICS|Eurographics|TOG|TPAMI|T-PAMI|PAMI|IJCV|TIP|TMM|TCSVT|TNNLS|TKDE|TVCG|TMLR|JMLR|"
    r"KDD|WWW|SIGIR|CIKM|WSDM|RecSys|ICDM|SDM|VLDB|SIGMOD|ICDE|CHI|UIST|ICRA|IROS|RSS|CoRL|RA-L|"
    r"MICCAI|IPMI|ISBI|MIDL|MedIA|TMI|ACM ?MM|ACMMM|ICIP|ICPR|ICME|3DV|GCPR|USENIX Security|CCS|"
    r"NDSS|S&P|OSDI|SOSP|MLSys|ISCA|MICRO|ASPLOS|Nature(?: [A-Z][a-z]+){0,2}|Science|PNAS|"
    r"[Aa]r[Xx]iv|CoRR|bioRxiv|medRxiv|Pattern Recognition|Neurocomputing|Arxiv|ARXIV"
)
_VENUE = re.compile(
    rf"(?<![\w/.-])({_VENUES})(?![a-z])['’]?[ -]?,?\s?((?:19|20)\d\d|['’]?\d\d(?!\d))?"
)
_VENUE_LABEL = re.compile(
    rf"\W{{0,4}}(?:(?:{_VENUES})\b.{{0,30}}|"
    r"[A-Za-z][\w&+/-]{0,14}[ ,'’-]{0,3}(?:(?:19|20)\d\d|['’]\d\d).{0,25})",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,1500}\)")
_DESTINATION = re.compile(r"\]\([^()\s]{0,1500}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?\)")
_ADDRESS = re.compile(r"https?://\S{1,2000}")
_PREPRINT = re.compile(r"\d{4}\.\d{4,5}(?:v\d)?")
_BREAK = re.compile(r"<br\s{0,2}/?>|\\\n|\n|\|")
_TEXT_END = re.compile(r"\s[-–—|:]\s|\s?\[|\s?[(](?=[^()]{0,40}(?:19|20)\d\d)|<br")
_ATTRIBUTE = re.compile(
    r"\W{0,6}(?:paper|pdf|arxiv|arxiv version|code|codes|github|project(?: page)?|"
    r"homepage|home ?page|"
    r"website|web ?page|demo|video|youtube|slides?|poster|dataset|data|intro|keywords?|key ?words|"
    r"authors?|institution|affiliations?|publisher|published|publication|venue|conference|journal|"
    r"link|links?|url|date|year|abstract|tl;?dr|tldr|summary|note|notes?|comments?|blog|"
    r"supplementary|bibtex|doi|tags?|tasks?|model|models|official code|source code|"
    r"论文|论文下载链接|代码|主页|项目|作者|解读|视频|数据集)\W{0,4}[:：]",
    re.IGNORECASE,
)
_BEFORE_NAMES = re.compile(
    # The year, or a venue in brackets, may come between a title and its authors.
    r"[\s.,;:|\]*_)\"”’'\\/–—-]{0,10}(?:[(\[][^()\[\]]{2,40}[)\]]|(?:19|20)\d\d)?"
    r"[\s.,;:|\]*_)\"”’'(\[\\/–—-]{0,10}(?:by\s)?"
)
_AFTER_NAMES = re.compile(r"\s*$|\s{0,2}[.,;:(\[|\\/*\d'’–-]|\s+[A-Z\[(\d]")
_YEAR_NEXT = re.compile(r"[ ,.(]{0,3}(?:19|20)\d\d")
_WORK_HINT = re.compile(r"\bet al\b", re.IGNORECASE)
_SHORTEST_CITATION: Final = 25
_SPLIT_SCHEMES: Final = ("arxiv:", "doi:")


@dataclass(slots=True)
class EntryPart:
    """One work in an entry, as far as it was read."""

    start: int
    end: int
    title: str = ""
    rank: int = 0
    """How certain the title is: 1 for a name, 2 for words, 3 for words marked as a title."""
    ids: set[str] = field(default_factory=set)
    version: int | None = None
    urls: list[str] = field(default_factory=list)
    has_paper: bool = False
    """Whether a link leads to a paper: by its address, or by its name."""
    has_pdf_only: bool = False
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""

    def conflicts_with(self, name: str) -> bool:
        """Whether an id belongs to another work: a work has one arXiv id and one DOI."""
        scheme = name.partition(":")[0] + ":"
        if scheme not in _SPLIT_SCHEMES or name in self.ids:
            return False
        return any(other.startswith(scheme) for other in self.ids)

    def take(self, other: "EntryPart") -> None:
        """Add what another part says about the same work."""
        self.ids |= other.ids
        self.urls.extend(other.urls)
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.version = self.version or other.version
        self.has_paper |= other.has_paper
        self.has_pdf_only |= other.has_pdf_only
        if other.rank > self.rank:
            self.title, self.rank = other.title, other.rank
        self.authors = self.authors or other.authors
        self.year = self.year or other.year
        self.venue = self.venue or other.venue


def read_entry(text: str, offset: int, definitions: dict[str, str]) -> list[EntryPart]:
    """The works that the text of an entry names; the first may have no title of its own."""
    links = _keep_outer(find_links(text, definitions))
    marker = _MARKER.match(text)
    begin = marker.end() if marker else 0
    parts = _find_titles(text, begin, links)
    _assign_ids(text, parts, links)
    for number, part in enumerate(parts):
        finish = parts[number + 1].start if number + 1 < len(parts) else len(text)
        part.end = finish
        _read_details(text, part, finish)
        part.start += offset
        part.end += offset
    return parts


def is_attribute(text: str) -> bool:
    """Whether an entry only describes the one above it, such as `Paper: https://…`."""
    return bool(_ATTRIBUTE.match(text[:100]))


def _keep_outer(links: list[ListLink]) -> list[ListLink]:
    """The links that are not inside another; a badge inside a link only shows its state."""
    kept: list[ListLink] = []
    for link in links:
        if kept and link.start < kept[-1].end and not kept[-1].is_image:
            continue
        kept.append(link)
    return kept


def rank_title(title: str, *, is_marked: bool) -> int:
    """How certain it is that words are a title."""
    words = title.split()
    is_long = len(words) > 2 or (len(words) == 2 and len(title) > 14)
    if not title:
        return 0
    return (3 if is_marked else 2) if is_long or (len(title) > 15 and ":" in title) else 1


def is_name_of_link(text: str) -> bool:
    """Whether the text of a link names a venue, an id or a kind of page instead of a title."""
    if is_label(text) or len(text) < 2:
        return True
    return len(text.split()) <= 5 and bool(_VENUE_LABEL.fullmatch(text) or locate_ids(text))


def _find_titles(text: str, begin: int, links: list[ListLink]) -> list[EntryPart]:
    titled = [
        link
        for link in links
        if not link.is_image and not is_name_of_link(link.text) and not link.url.startswith("#")
    ]
    lead = _read_lead(text, begin, links, titled)
    parts = [EntryPart(0, len(text), *lead)]
    current_id: str | None = None
    for link in titled:
        title = clean_title(link.text)
        name = id_of_url(link.url)
        if not parts[-1].title and (link.is_paper or link is titled[0]):
            parts[-1].title = title
            parts[-1].rank = rank_title(title, is_marked=link.is_paper)
        elif link.is_paper and _starts_another(parts[-1], title, name, current_id, link, lead[0]):
            parts.append(EntryPart(link.start, len(text), title, rank_title(title, is_marked=True)))
        else:
            continue
        current_id = name
    return parts


def _starts_another(
    part: EntryPart, title: str, name: str | None, current: str | None, link: ListLink, lead: str
) -> bool:
    """Whether a link with a title belongs to another work than the part before it."""
    if rank_title(title, is_marked=True) < 2 or title.casefold() in part.title.casefold():
        return False
    if part.title == lead:
        # The first titled link after the words that open the entry: a second name of the work.
        return False
    return name is None or name != current


def _read_lead(
    text: str, begin: int, links: list[ListLink], titled: list[ListLink]
) -> tuple[str, int]:
    """The title in the words before the first link, and its rank; empty if they are none."""
    first = next((link.start for link in links if not link.is_image), len(text))
    lead_end = max(begin, first)
    marked, after = _read_stressed(text, begin, lead_end, titled)
    rank = rank_title(marked, is_marked=True)
    if rank > 1:
        return marked, rank
    quoted = _QUOTED.search(text, begin, lead_end)
    if quoted is not None:
        title = clean_title(strip_emphasis(quoted[1]))
        return title, rank_title(title, is_marked=True)
    if any(
        link.is_paper and rank_title(clean_title(link.text), is_marked=True) > 1
        for link in titled[:1]
    ):
        return "", 0
    # A short name in bold, as `**[ViT]** An image is worth …`, comes before the title itself.
    title, plain_rank = _read_plain_lead(text[after:lead_end])
    if plain_rank > rank or titled:
        return title, plain_rank
    return marked, rank


def _read_stressed(text: str, begin: int, lead_end: int, titled: list[ListLink]) -> tuple[str, int]:
    """The words in bold or italics near the beginning, and where they end."""
    if not _STRESS.search(text, begin, lead_end):
        return "", begin
    stressed = _STRESSED.search(text, begin, min(len(text), lead_end + 700))
    if stressed is None or stressed.start() - begin > 60 or stressed.start() >= lead_end:
        return "", begin
    words = next(filter(None, stressed.groups()), "")
    bare = strip_emphasis(clean_text(words))
    if (
        "](" in words
        or bare.endswith(":")
        or any(stressed.start() <= link.start < stressed.end() for link in titled)
        or is_name_of_link(bare)
        or _are_only_names(bare)
    ):
        return "", begin
    title = clean_title(bare.strip("[]"))
    words_before = len(re.findall(r"\w+", _IMAGE.sub(" ", text[begin : stressed.start()])))
    is_first = not words_before
    if words_before > 3:
        return "", begin
    return title, stressed.end() if is_first else begin


def read_cell_title(cell: str) -> str:
    """The title in a cell of a table: its first words in bold, or those before a description."""
    shown = _IMAGE.sub(" ", re.sub(r"\]\([^()\s]{0,1500}\)", "]", cell))
    shown = re.sub(r"^\s*(?:<br\s?/?>\s*)*(?:\d{1,3}[.)]\s+)?", "", shown)
    stressed = _STRESSED.match(shown)
    if stressed is not None:
        shown = next(filter(None, stressed.groups()), "")
    shown = re.split(r"<br|\s{2,}|\s[-–—]\s", shown.strip(), maxsplit=1)[0]
    return clean_title(strip_emphasis(clean_text(shown)).strip("[] "))


def _are_only_names(text: str) -> bool:
    run = read_names(text)
    if run is None or text[run.end :].strip(" .,;:"):
        return False
    return len(run.names) > 1 or run.has_more


def _read_plain_lead(lead: str) -> tuple[str, int]:
    """The title in unmarked words: alone, or with names around it."""
    if not lead.strip():
        return "", 0
    words = strip_emphasis(clean_text(_BREAK.sub(" ", _IMAGE.sub(" ", lead[:3000]))))
    words = re.sub(r"^\d{1,3}\)\s+", "", _LEADING_DATE.sub("", words).strip(" (-–—|:,"))
    words = _LEADING_LABEL.sub("", words).strip(" [(-–—|:,")
    if not words or words.startswith("http"):
        return "", 0
    if len(words) > _SHORTEST_CITATION:
        parsed = parse_reference_text(words)
        if parsed.title and parsed.authors:
            return parsed.title, rank_title(parsed.title, is_marked=True)
    end = _TEXT_END.search(words)
    title = clean_title(words[: end.start()] if end and end.start() > 2 else words)
    sentence = re.search(r"(?<=\w{3})[.?!]\s+(?=[A-Z]|arXiv|in\s)", title)
    if sentence is not None and rank_title(title[: sentence.start()], is_marked=False) > 1:
        title = title[: sentence.start() + (title[sentence.start()] in "?!")]
    if _are_only_names(title) or is_attribute(words) or title.endswith(":"):
        return "", 0
    return title, rank_title(title, is_marked=False)


def _assign_ids(text: str, parts: list[EntryPart], links: list[ListLink]) -> None:
    """Give each id and address to the part in which it is written."""
    located = locate_ids(text)
    for link in links:
        if link.is_image or link.url.startswith("#"):
            continue
        name = id_of_url(link.url)
        if name is not None:
            versions = (v for _, other, v in locate_url_ids(link.url) if other == name)
            located.append((link.start, name, next(versions, None)))
    for place, name, version in sorted(located, key=lambda each: each[0]):
        part = _find_part(parts, place)
        if part.conflicts_with(name):
            part = _divide(parts, part, place, name, len(text))
        part.ids.add(name)
        part.version = version or part.version
        part.has_paper = True
    for link in links:
        if link.is_image or id_of_url(link.url) is not None:
            continue
        part = _find_part(parts, link.start)
        if link.url.startswith(("http://", "https://")):
            part.urls.append(link.url)
        if link.is_paper:
            part.has_paper = True
            part.has_pdf_only |= not _is_named_paper(link)


def _is_named_paper(link: ListLink) -> bool:
    """Whether more than the ending `.pdf` shows that a link leads to a paper."""
    return is_name_of_link(link.text) or is_paper_url(re.sub(r"\.pdf.*", "", link.url))


def _divide(parts: list[EntryPart], part: EntryPart, place: int, name: str, end: int) -> EntryPart:
    """The part of another work that is named inside this one's words."""
    for other in parts[parts.index(part) + 1 :]:
        if not other.conflicts_with(name) and not other.title:
            return other
    made = EntryPart(max(place, part.start), end)
    parts.insert(parts.index(part) + 1, made)
    return made


def _find_part(parts: list[EntryPart], place: int) -> EntryPart:
    return parts[max(0, bisect_right(parts, place, key=lambda part: part.start) - 1)]


def _read_details(text: str, part: EntryPart, finish: int) -> None:
    """The authors, the year and the venue, from the words around a title."""
    span = text[part.start : finish][:4000]
    plain = strip_emphasis(clean_text(_hide_addresses(span)))
    venue = _VENUE.search(plain.replace(part.title, " ", 1))
    if venue is not None:
        part.venue = venue[1]
        part.year = _read_year(venue[2])
    if part.year is None:
        part.year = find_year(plain.replace(part.title, " ", 1))
    part.authors = _find_authors(plain, part.title)


def _hide_addresses(text: str) -> str:
    if "![" in text:
        text = _IMAGE.sub(" ", text)
    text = _DESTINATION.sub("]", text)
    if "://" in text:
        text = _ADDRESS.sub(" ", text)
    return _PREPRINT.sub(" ", text)


def _read_year(text: str | None) -> int | None:
    if not text:
        return None
    digits = text.strip("'’")
    if len(digits) == 4:
        return int(digits)
    year = int(digits)
    return 2000 + year if year < 50 else 1900 + year


def _find_authors(plain: str, title: str) -> tuple[str, ...]:
    """The names after a title, or before it."""
    place = plain.find(title) if title else -1
    if place < 0:
        return ()
    before = read_names(plain.lstrip("-*•+ 0123456789.[]()"))
    after = _BEFORE_NAMES.sub("", plain[place + len(title) :], count=1)
    run = read_names(after)
    if run is not None and _closes_names(after, run.end) and (len(run.names) > 1 or run.has_more):
        return run.names
    if before is not None and len(before.names) > 1 and before.end <= place + 2:
        return before.names
    if run is not None and _closes_names(after, run.end) and _YEAR_NEXT.match(after, run.end):
        return run.names
    return ()


def _closes_names(text: str, place: int) -> bool:
    return bool(_AFTER_NAMES.match(text, place))


def names_a_work(part: EntryPart, text: str) -> bool:
    """Whether an entry without a paper's address is clearly about a work: by author and year."""
    if part.rank < 2 or len(part.title.split()) < 3:
        return False
    if any(is_code_or_media(url) for url in part.urls[:1]) and not part.authors:
        return False
    has_names = bool(part.authors) or bool(_WORK_HINT.search(text))
    return has_names and (part.year is not None or bool(part.venue))
