"""Ids of works: one spelling for each, wherever it is found and however it is written.

Every pattern here has bounded repetitions, so the work on a hostile text grows with its length.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from assay.sdk.errors import InvalidInput
from assay.sdk.records import content_hash, doc_id_of_url

_ARCHIVES: Final = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|"
    "cond-mat|cs|dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|nlin|"
    "nucl-ex|nucl-th|patt-sol|physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
_NEW: Final = r"(?P<new>\d{4}\.\d{4,5})"
_OLD: Final = (
    rf"(?P<archive>{_ARCHIVES})(?:\.[A-Za-z]{{2}}(?:-[A-Za-z]{{2,4}})?)?/(?P<number>\d{{7}})"
)
_VERSION: Final = r"(?:v(?P<version>\d{1,3})(?![a-z\d]))?"
_ARXIV_ID = re.compile(rf"(?:{_NEW}|{_OLD}){_VERSION}(?!\d)", re.IGNORECASE)
_ARXIV_NAMED = re.compile(
    # What may come between the name and the id: "arXiv preprint arXiv:", "arxiv.org/abs//", …
    r"(?:ar[x5]iv|alphaxiv|\bcorr|huggingface\.co/papers|xxx\.lanl\.gov|emergentmind\.com/papers)"
    r"(?:[^\w\n]{0,6}(?:preprint|e-?prints?|abs|pdf|html|format|ps|src|list|arxiv|org|com|net|labs|"
    r"vanity|papers?|overview|identifier|id|no|number|full|html_feature|v\d|[a-z]{2}\.[a-z]{2})"
    rf"(?![a-z])){{0,6}}[^\w]{{0,8}}{_ARXIV_ID.pattern}",
    re.IGNORECASE,
)
_ARXIV_WORDS = re.compile(r"ar[x5]iv|alphaxiv|corr|huggingface\.co/papers|lanl|emergentm")
_OTHER_WORDS = re.compile(
    r"p(?:mid|ubmed)|isbn|amazon\.|openalex|nature\.com|aclanthology|aclweb|zenodo"
)
_OLD_NUMBER = re.compile(r"/\d{7}")
_ARXIV_OLD_BARE = re.compile(rf"(?<![\w/.-]){_OLD}{_VERSION}(?!\d)")

_DOI_START = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,3}/(?=[^\s/])")
_DOI_STOPS = frozenset(' \t\r\n\v\f"`|^\\<>\u201c\u201d\u00a0\u200b\u2028\u3002\uff0c\uff1b')
_DOI_LONGEST: Final = 300
_DOI_TRIMMED: Final = ".,;:'\"!?*_~-\u2013\u2014\u2019\u2026/"
_CLOSERS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_ESCAPED_IN_LATEX = re.compile(r"\{?\\([_&%#$~])\}?")
_AFTER_DOI = re.compile(
    # What publishers append to the DOI in the address of a page.
    r"(?:/(?:full|pdf|epdf|abstract|abs|meta|html|xml|references|summary|download|fulltext|tables|"
    r"figures|supplementary|suppl|suppl_file|viewer|citation|cite|export|ris|bibtex)(?:\.(?:html?|pdf|xml))?(?![\w.-]).{0,200}|"
    r"/\d{7,9}/[\w.-]{1,60}|v\d{1,2}(?:\.(?:full|abstract|article-info))?(?:\.pdf|-text)?|"
    r"\.(?:pdf|html?|xml|full|abstract|svg|epub|full\.pdf)){1,3}$",
    re.IGNORECASE,
)
_PREPRINT_VERSION = re.compile(r"(10\.1101/\d{4}\.\d\d\.\d\d\.\d{6,8})v\d{1,2}.{0,40}$")
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.{1,40})", re.IGNORECASE)

_ENCODED_URL = re.compile(r"https?://[^\s<>\"()\[\]%]{1,300}%(?:2[Ff]|3[Aa])[^\s<>\"()\[\]]{1,300}")
_PMID = re.compile(
    r"\bpmid\b\W{0,5}(\d{1,8})(?!\d)|"
    r"\bpubmed(?:\.gov)?(?:/|:|\s{1,3}id\W{0,3})(\d{1,8})(?!\d)",
    re.IGNORECASE,
)
_PMID_URL = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed)/(\d{1,8})(?!\d)",
    re.IGNORECASE,
)
_ISBN = re.compile(
    r"\be?isbn(?:[-\u2010 ]?1[03](?=\s?:))?[^\w\n]{0,4}"
    r"((?:97[89][-\u2010-\u2015 ]?)?\d(?:[-\u2010-\u2015 ]?\d){8}[-\u2010-\u2015 ]?[\dX])(?!\d)",
    re.IGNORECASE,
)
_ISBN_URL = re.compile(
    r"amazon\.[a-z.]{2,6}/(?:[^\s/]{1,200}/)?(?:dp|gp/product|exec/obidos/ASIN)/"
    r"(\d{9}[\dX])(?!\w)|(?:openlibrary\.org|isbnsearch\.org)/isbn/([\dX-]{10,17})",
    re.IGNORECASE,
)
_ISBN_NAME = re.compile(r"^\s*(?:e?isbn)?(?:[- ]?1[03](?=\s*:))?", re.IGNORECASE)
_NOT_ISBN = re.compile(r"[^\dXx]")
_OPENALEX = re.compile(r"openalex(?:\.org/(?:works/)?|:\s?)(W\d{4,12})(?!\w)", re.IGNORECASE)

_SPLIT_URL = re.compile(
    r"^\s*(?:https?:)?//(?:[^/@\s]{1,100}@)?([^/?#:\s]{1,253})(?::\d{1,5})?"
    r"([^?#]*)(\?[^#]*)?",
    re.IGNORECASE,
)
_NATURE = re.compile(
    r"/(?:articles|nature/journal/v\d+/n\d+/(?:full|abs|pdf))/(s4\d{4}-\d{3}-\d{4,5}-[\dxwyz]|"
    r"d41586-\d{3}-\d{5}-[\dxwyz]|(?:nature|ncomms|srep|nmeth|nphys|nbt|nn|ng|nphoton|nmat|nchem|ncb|"
    r"ni|sdata)[.\d]{2,14}\d)(?:\.html|\.pdf)?/?$"
)
_ANTHOLOGY = re.compile(
    # Only the venues whose papers all have a DOI made of their id.
    r"/(?:anthology/)?(?:papers/[A-Z]/[A-Z]\d\d/)?((?:P1[6-9]|D1[6-9]|N1[689])-\d{4}|"
    r"20\d\d\.(?:(?:acl|emnlp|naacl|eacl)-(?:main|long|short|demos?|srw|industry)|"
    r"findings-(?:acl|emnlp|naacl|eacl))\.\d{1,4})(?:v\d)?(?:\.pdf|/)?$"
)
_PUBLISHER_URL = re.compile(
    r"\b(nature\.com|aclanthology\.org|aclweb\.org|aclanthology\.info|zenodo\.org)"
    r"(/[^\s<>\"()\[\]?#|]{1,200})",
    re.IGNORECASE,
)
_ZENODO = re.compile(r"/records?/(\d{3,9})(?:/|$)")
_CODE_OR_MEDIA = re.compile(
    r"//(?:[^/\s]{1,100}\.)?(?:github\.com|gitlab\.com|bitbucket\.org|huggingface\.co|youtube\.com|"
    r"youtu\.be|vimeo\.com|bilibili\.com|twitter\.com|x\.com|colab\.research\.google\.com|"
    r"kaggle\.com|shields\.io|githubusercontent\.com|drive\.google\.com|pypi\.org|reddit\.com|"
    r"linkedin\.com|medium\.com|slideshare\.net|slideslive\.com|replicate\.com)(?:[/:?#]|$)",
    re.IGNORECASE,
)


def parse_arxiv_id(text: str) -> tuple[str, int | None] | None:
    """The id without version, and the version, of `arXiv:2312.07559v2` or an address of it."""
    text = text.strip()
    found = _ARXIV_ID.match(text)
    if found is not None and len(text) == found.end():
        return _make_arxiv(found)
    found = _ARXIV_NAMED.search(text[:500]) or _ARXIV_OLD_BARE.search(text[:500])
    return _make_arxiv(found) if found else None


def _make_arxiv(found: re.Match[str]) -> tuple[str, int | None] | None:
    version = found["version"]
    number = found.groupdict().get("new")
    if number is None:
        number = found["number"]
        month, name = int(number[2:4]), f"{found['archive'].lower()}/{number}"
    else:
        month, name = int(number[2:4]), number
        # Ids have had five digits since January 2015; the scheme began in April 2007.
        if not number[:4] >= "0704" or (len(number) == 10) != (number[:4] >= "1501"):
            return None
    if not 1 <= month <= 12:
        return None
    return name, int(version) if version else None


def parse_doi(text: str) -> str | None:
    """A DOI, case-folded: of `doi:10.1145/X.`, an address or the bare name; None if it is none.

    A DOI of arXiv is not one of these: the paper's name is its arXiv id.
    """
    text = html.unescape(text.strip())[:2000]
    if "%2" in text or "%3" in text or "%5" in text:
        text = unquote(text)
    found = _DOI_START.search(text)
    if found is None:
        return None
    doi = _cut_doi(text, found.start())
    if doi is None or _ARXIV_DOI.match(doi):
        return None
    return _strip_page(doi) if _is_in_url(text, found.start()) else doi


def _cut_doi(text: str, start: int) -> str | None:
    """The DOI that begins at a place: up to a space, a quote, or a bracket it did not open."""
    end = _find_doi_end(text, start)
    doi = _ESCAPED_IN_LATEX.sub(r"\1", text[start:end]).rstrip(_DOI_TRIMMED)
    while doi and doi[-1] in _CLOSERS and doi.count(doi[-1]) > doi.count(_CLOSERS[doi[-1]]):
        doi = doi[:-1].rstrip(_DOI_TRIMMED)
    if doi.lower().startswith("10.1101/"):
        doi = _PREPRINT_VERSION.sub(r"\1", doi)
    doi = doi.lower()
    return doi if _DOI_START.match(doi) else None


def _find_doi_end(text: str, start: int) -> int:
    opened: list[str] = []
    limit = min(len(text), start + _DOI_LONGEST)
    for place in range(start, limit):
        letter = text[place]
        if letter in "<>" and "(sici)" in text[start:place].lower():
            continue
        if letter == "\\" and text[place + 1 : place + 2] in tuple("_&%#$~"):
            continue
        if letter in _DOI_STOPS or ord(letter) < 32 or (letter in "?#&" and _is_query(text, place)):
            return place
        if letter in "([{":
            opened.append(letter)
        elif letter in ")]}":
            if not opened or opened[-1] != _CLOSERS[letter]:
                return place
            opened.pop()
    return limit


def _is_query(text: str, place: int) -> bool:
    """Whether `?` or `#` begins a query or fragment; `&` an entity or the next field."""
    return text[place] != "&" or bool(re.match(r"&(?:\w{1,12}[=;]|#\d{1,6};)", text[place:][:16]))


def parse_pmid(text: str) -> str | None:
    """The number of `PMID: 123`, of an address in PubMed, or the bare number."""
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= 8:
        return str(int(text)) if int(text) else None
    found = _PMID_URL.search(text[:500]) or _PMID.search(text[:500])
    return str(int(next(filter(None, found.groups())))) if found else None


def parse_isbn(text: str) -> str | None:
    """The 13 digits of an ISBN whose check digit is right."""
    digits = _NOT_ISBN.sub("", _ISBN_NAME.sub("", text[:60])).upper()
    if len(digits) == 10 and "X" not in digits[:-1]:
        weighed = sum((10 - i) * (10 if d == "X" else int(d)) for i, d in enumerate(digits))
        if weighed % 11:
            return None
        digits = "978" + digits[:9]
        return digits + str(-_weigh_isbn(digits) % 10)
    if len(digits) == 13 and digits.isdigit() and digits[:3] in ("978", "979"):
        return digits if _weigh_isbn(digits) % 10 == 0 else None
    return None


def _weigh_isbn(digits: str) -> int:
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))


def find_ids(text: str) -> list[str]:
    """The ids in a text with LaTeX, Markdown or addresses: in order, each only once.

    A number such as 2312.07559 is an arXiv id only next to a name of arXiv.
    """
    return list(dict.fromkeys(name for _, name, _ in locate_ids(text)))


def locate_ids(text: str) -> list[tuple[int, str, int | None]]:
    """Each id with the place where it is written, and the version of an arXiv paper."""
    lowered = text.lower()
    found: list[tuple[int, str, int | None]] = []
    # Most texts name no id of most kinds, and looking for a word is much cheaper than a pattern.
    if _ARXIV_WORDS.search(lowered):
        found.extend(_locate_arxiv(text, _ARXIV_NAMED))
    if "/" in text and _OLD_NUMBER.search(text):
        found.extend(_locate_arxiv(text, _ARXIV_OLD_BARE))
    if "10." in text:
        found.extend(_locate_dois(text))
    if _OTHER_WORDS.search(lowered):
        found.extend(_locate_others(text))
    if "%" in text:
        found.extend(_locate_encoded(text))
    return sorted(found, key=lambda each: each[0])


@lru_cache(maxsize=8192)
def locate_url_ids(url: str) -> tuple[tuple[int, str, int | None], ...]:
    """The same for an address, which comes up several times while its entry is read."""
    return tuple(locate_ids(url))


def _locate_encoded(text: str) -> Iterator[tuple[int, str, int | None]]:
    """The ids of addresses in which a slash or colon is percent-encoded."""
    for found in _ENCODED_URL.finditer(text):
        name = id_of_url(found[0])
        if name is not None:
            yield found.start(), name, None


def _locate_arxiv(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, int | None]]:
    for found in pattern.finditer(text):
        made = _make_arxiv(found)
        if made is not None:
            yield found.start(), f"arxiv:{made[0]}", made[1]


def _locate_dois(text: str) -> Iterator[tuple[int, str, int | None]]:
    place = 0
    while found := _DOI_START.search(text, place):
        start = found.start()
        place = found.end()
        if start and text[start - 1].isdigit():
            continue
        doi = _cut_doi(text, start)
        if doi is None or _ARXIV_DOI.match(doi):
            continue
        place = max(place, start + len(doi))
        if _is_in_url(text, start):
            doi = _strip_page(doi)
        yield start, f"doi:{doi}", None


def _is_in_url(text: str, start: int) -> bool:
    """Whether a DOI is part of an address of a page: there, more may follow it."""
    before = text[max(0, start - 300) : start]
    word = re.split(r"[\s<>\"()\[\]]", before)[-1].lower()
    return "//" in word and not word.endswith(("doi.org/", "doi.org//"))


def _strip_page(doi: str) -> str:
    """The DOI without what a publisher's address appends to it."""
    stripped = _AFTER_DOI.sub("", doi)
    return stripped if _DOI_START.match(stripped) else doi


def _locate_others(text: str) -> Iterator[tuple[int, str, int | None]]:
    for pattern in (_PMID_URL, _PMID):
        for found in pattern.finditer(text):
            number = int(next(filter(None, found.groups())))
            if number:
                yield found.start(), f"pmid:{number}", None
    for pattern in (_ISBN, _ISBN_URL):
        for found in pattern.finditer(text):
            isbn = parse_isbn(next(filter(None, found.groups())))
            if isbn:
                yield found.start(), f"isbn:{isbn}", None
    for found in _PUBLISHER_URL.finditer(text):
        name = _id_of_publisher(found[1].lower(), found[2].rstrip(".,;:"))
        if name is not None:
            yield found.start(), name, None
    for found in _OPENALEX.finditer(text):
        yield found.start(), f"openalex:{found[1].upper()}", None


@lru_cache(maxsize=8192)
def id_of_url(url: str) -> str | None:
    """The id that an address stands for; None where that is not certain."""
    url = html.unescape(url[:2000]).strip()
    parts = _SPLIT_URL.match(url if "//" in url[:10] else f"https://{url}")
    if parts is None or "." not in parts[1]:
        return None
    host = parts[1].lower().removeprefix("www.")
    path = unquote(parts[2])
    found = _id_of_publisher(host, path)
    if found is not None:
        return found
    if _CODE_OR_MEDIA.search(f"//{host}/") and not path.startswith("/papers/"):
        return None
    # A slash before a query keeps `?id=10.1371/…` and `arxiv.org?id=…` readable by one pattern.
    ids = locate_url_ids(f"https://{host}{path}{unquote(parts[3] or '')}")
    return ids[0][1] if ids else None


def _id_of_publisher(host: str, path: str) -> str | None:
    if host == "nature.com" and (found := _NATURE.search(path)):
        return f"doi:10.1038/{found[1].lower()}"
    if host in ("aclanthology.org", "aclweb.org", "aclanthology.info") and (
        found := _ANTHOLOGY.search(path)
    ):
        return f"doi:10.18653/v1/{found[1].lower()}"
    if host == "zenodo.org" and (found := _ZENODO.match(path)):
        return f"doi:10.5281/zenodo.{found[1]}"
    return None


def is_code_or_media(url: str) -> bool:
    """Whether an address leads to code, a film or a post: something about a work, not the work."""
    return bool(_CODE_OR_MEDIA.search(url[:500]))


def doc_id_of(
    ids: Iterable[str], urls: Iterable[str], title: str, authors: Iterable[str], year: int | None
) -> str:
    """The id of the document: of its arXiv paper, its DOI, its address, or its title.

    Code and films belong to a work without being it, so their addresses come last.
    """
    known = sorted(set(ids))
    for scheme in ("arxiv:", "doi:"):
        for name in known:
            if name.startswith(scheme):
                return name
    pages = {"pmid": "https://pubmed.ncbi.nlm.nih.gov/", "openalex": "https://openalex.org/"}
    for name in known:
        scheme, _, rest = name.partition(":")
        return doc_id_of_url(f"{pages.get(scheme, f'urn:{scheme}:')}{rest}")
    addresses = list(urls)
    for url in addresses:
        if not is_code_or_media(url):
            return doc_id_of_url(url)
    folded = fold_title(title)
    if folded:
        family = fold_title(find_family_name(next(iter(authors), "")))
        key = "\x1f".join((folded, family, str(year or "")))
        return f"title:{content_hash(key.encode())}"
    if addresses:
        return doc_id_of_url(addresses[0])
    raise InvalidInput("The reference has no id, address or title, so it cannot be kept.")


def fold_title(title: str) -> str:
    """A title for comparison: letters and digits of any script, without accents, lower case."""
    plain = unicodedata.normalize("NFKD", title[:2000])
    letters = (letter for letter in plain if not unicodedata.combining(letter))
    return " ".join("".join(a if a.isalnum() else " " for a in letters).casefold().split())


def find_family_name(author: str) -> str:
    """The family name of "Family, Given" or "Given Family"."""
    family, comma, _ = author.partition(",")
    return family.strip() if comma else (author.split() or [""])[-1]
