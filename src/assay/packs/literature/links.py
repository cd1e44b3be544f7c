"""Links in Markdown and HTML, with their places, found in one pass.

A Markdown library gives no places for what is inside a line, and a reference must have one.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from assay.packs.literature.ids import id_of_url, is_code_or_media
from assay.packs.literature.parsed import clean_text

_BRACKETS = re.compile(r"\\.|[\[\]]", re.DOTALL)
_DESTINATION_END = re.compile(r"[\s()<\[]")
_BARE = re.compile(r"https?://[^\s<>\"`|\])}]{3,1000}", re.IGNORECASE)
_ANCHOR = re.compile(
    r"<a\b[^<>]{0,500}?\bhref\s{0,3}=\s{0,3}(?:\"([^\"<>]{0,2000})\"|'([^'<>]{0,2000})'|"
    r"([^\s\"'<>]{1,2000}))[^<>]{0,500}>",
    re.IGNORECASE,
)
_ANCHOR_END = re.compile(r"</a\s{0,3}>", re.IGNORECASE)
_DEFINITION = re.compile(
    r"^ {0,3}\[([^\[\]\n]{1,200})\]:[ \t]{0,10}<?(\S{1,2000}?)>?(?:[ \t].{0,300})?$", re.MULTILINE
)
_IMAGE_TAG = re.compile(r"<img\b[^<>]{0,2000}>", re.IGNORECASE)
_SIGN = re.compile(r"[*_`~\\]")
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`|~~")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~$&-])")
_LONGEST_TEXT: Final = 1500

_PAPER_HOSTS = re.compile(
    r"^https?://(?:[\w-]{1,60}\.){0,4}(?:openreview\.net/(?:forum|pdf|attachment|references)|"
    r"openaccess\.thecvf\.com/content|cv-foundation\.org/openaccess/content|ecva\.net/papers|"
    r"proceedings\.mlr\.press/v|papers\.nips\.cc/|(?:proceedings|papers)\.neurips\.cc/|"
    r"nips\.cc/paper|jmlr\.org/(?:papers|proceedings)|jmlr\.csail\.mit\.edu/|"
    r"aclanthology\.|aclweb\.org/|ieeexplore\.ieee\.org/|computer\.org/csdl|"
    r"sciencedirect\.com/|dl\.acm\.org/|portal\.acm\.org/|link\.springer\.com/(?:article|chapter|"
    r"content|book)|springerlink\.|nature\.com/(?:articles|nature)|science\.org/doi|"
    r"sciencemag\.org/content|pnas\.org/|cell\.com/|ojs\.aaai\.org/|aaai\.org/(?:ocs|ojs|papers|"
    r"Papers)|ijcai\.org/(?:proceedings|Proceedings|papers)|isca-speech\.org/|isca-archive\.org/|"
    r"bmvc\d{0,4}\.|bmva\.org/bmvc|usenix\.org/(?:conference|system)|vldb\.org/pvldb|"
    r"semanticscholar\.org/paper|biorxiv\.org/content|medrxiv\.org/content|techrxiv\.org/|"
    r"hal\.(?:science|archives-ouvertes\.fr|inria\.fr)/|ssrn\.com/|researchgate\.net/publication|"
    r"citeseerx?\.ist\.psu\.edu/|roboticsproceedings\.org/|onlinelibrary\.wiley\.com/|"
    r"mdpi\.com/\d|frontiersin\.org/articles|tandfonline\.com/doi|academic\.oup\.com/|"
    r"iopscience\.iop\.org/|journals\.|direct\.mit\.edu/|mitpressjournals\.org/|opus\.|eprints?\.|"
    r"epubs\.siam\.org/|diglib\.eg\.org/|dspace\.|arxiv\.org/|eprint\.iacr\.org/\d|"
    r"paperswithcode\.com/paper|ncbi\.nlm\.nih\.gov/(?:pmc|pubmed)|pmc\.ncbi|europepmc\.org/|"
    r"books\.google\.|worldcat\.org/|gutenberg\.org/|ndss-symposium\.org/|osapublishing\.org/|"
    r"spiedigitallibrary\.org/|worldscientific\.com/doi|emerald\.com/insight|"
    r"journals\.plos\.org/|elifesciences\.org/articles|distill\.pub/\d|projecteuclid\.org/)",
    re.IGNORECASE,
)
_PDF = re.compile(r"\.pdf(?:$|[?#])", re.IGNORECASE)
_PAPER_LABEL = re.compile(
    r"\W{0,4}(?:(?:full|official|conference|journal|original|main|preprint|arxiv|pdf|link to|see|"
    r"read|the|our) ){0,2}(?:paper|papers?|pdf|arxiv|arxiv version|preprint|doi|openreview|"
    r"publication|article|abs|abstract|manuscript|thesis|open access|openaccess|cvf|acm|ieee|"
    r"springer|elsevier|paper link|paper pdf|pdf link|论文|ppr)\W{0,4}(?:\d{0,2})\W{0,4}",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\W{0,4}(?:(?:official|project|our|the|video|unofficial|code|github|demo|paper|"
    r"hf|hugging ?face|"
    r"pytorch|tensorflow|tf|keras|jax|caffe|caffe2|torch|matlab|chainer|mxnet|theano|c\+\+|python|"
    r"live|online|colab|model|dataset|data|web|supp|interactive|download|author'?s?|full|blog|home|"
    r"talk|oral|short|long|extended|local|third[ -]party|arxiv|conference|camera[ -]ready) ?){0,3}"
    r"(?:code|codes|github|gitlab|git|repo|repository|project|projects?|page|pages|homepage|website|"
    r"web|site|demo|demos|video|videos|youtube|talk|slides?|presentation|poster|blog|post|blogpost|"
    r"blog post|dataset|datasets|data|model|models|weights|checkpoints?|colab|notebook|notebooks|"
    r"supp|supplement|supplementary|supplementary material|supplemental|appendix|bib|bibtex|"
    r"cite|citation|poster|review|reviews|tweet|twitter|reddit|implementation|link|links?|url|"
    r"here|more|unofficial|official|tf|pytorch|tensorflow|torch|keras|jax|caffe|matlab|chainer|"
    r"mxnet|theano|python|c\+\+|julia|lua|hf|hugging ?face|space|spaces|gradio|replicate|"
    r"star|stars|"
    r"media|news|podcast|lecture|tutorial|tutorials|summary|notes?|explanation|readme|docs?|"
    r"documentation|benchmark|leaderboard|api|app|results?|software|toolbox|tool|package|library|"
    r"pypi|papers? with code|pwc|scholar|semantic scholar|google scholar|version|v\d|part ?\d|"
    r"zhihu|知乎|中文|解读|代码|主页|项目|视频|bilibili|csdn|src|html|web ?page|home ?page|"
    r"project ?page|source|source code|online|extended|journal|workshop|top|back to top|toc|-)"
    r"\W{0,4}(?:\d{0,2})\W{0,4}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ListLink:
    """A link in a text: its place, its visible text and its address."""

    start: int
    end: int
    text: str
    url: str
    is_image: bool = False

    @property
    def is_paper(self) -> bool:
        """Whether the address, or the name of the link, says that it leads to a paper."""
        if self.is_image:
            return False
        return is_paper_url(self.url) or (
            bool(_PAPER_LABEL.fullmatch(self.text[:80])) and not is_code_or_media(self.url)
        )


def is_paper_url(url: str) -> bool:
    """Whether an address leads to a paper: a publisher's page, a PDF, or one that has an id."""
    if id_of_url(url) is not None:
        return True
    if is_code_or_media(url):
        return False
    return bool(_PAPER_HOSTS.match(url[:300]) or _PDF.search(url[:2000]))


def is_label(text: str) -> bool:
    """Whether the text of a link only names what it leads to, such as `Paper` or `Code`."""
    text = text.strip()[:80]
    if not any(letter.isalnum() for letter in text):
        return True
    return bool(_PAPER_LABEL.fullmatch(text) or _LABEL.fullmatch(text)) or "://" in text


def find_definitions(text: str) -> dict[str, str]:
    """The addresses of links that are defined apart from their use: `[1]: https://…`."""
    if "]:" not in text:
        return {}
    return {found[1].lower(): found[2] for found in _DEFINITION.finditer(text)}


def hide_definitions(text: str) -> str:
    """The text with blanks where links are defined, so that places stay the same."""
    return _DEFINITION.sub(lambda found: " " * len(found[0]), text) if "]:" in text else text


def find_links(text: str, definitions: dict[str, str] | None = None) -> list[ListLink]:
    """The links and images of a text in order; one inside another comes after it."""
    links = [*_find_bracketed(text, definitions or {}), *_find_anchors(text)]
    taken = sorted((link.start, link.end) for link in links)
    links.extend(_find_bare(text, taken))
    return sorted(links, key=lambda link: (link.start, -link.end))


def _find_bracketed(text: str, definitions: dict[str, str]) -> Iterator[ListLink]:
    opened: list[int] = []
    place = 0
    while found := _BRACKETS.search(text, place):
        place = found.end()
        if found[0] == "[":
            opened.append(found.start())
            continue
        if found[0] != "]" or not opened:
            continue
        start = opened.pop()
        if text.startswith("(", place):
            end, url = _read_destination(text, place)
            place = max(place, end)
        else:
            end, url = _look_up(text, start, place, definitions)
        if not url:
            continue
        is_image = start > 0 and text[start - 1] == "!"
        yield ListLink(
            start - is_image,
            end,
            _read_link_text(text[start + 1 : found.start()][:_LONGEST_TEXT]),
            url,
            is_image,
        )


def _look_up(text: str, start: int, place: int, definitions: dict[str, str]) -> tuple[int, str]:
    """The address of `[text][name]` or of `[name]`."""
    if not definitions:
        return place, ""
    name = text[start + 1 : place - 1]
    if text.startswith("[", place):
        end = text.find("]", place, place + 200)
        if end > 0:
            return end + 1, definitions.get((text[place + 1 : end] or name).lower(), "")
    if text.startswith(":", place) or len(name) > 200:
        return place, ""
    return place, definitions.get(name.lower(), "")


def _read_destination(text: str, place: int) -> tuple[int, str]:
    """Where `(address "title")` ends, and the address; its own parentheses are balanced."""
    depth = 0
    at = place + 1
    while text.startswith(" ", at) and at < place + 10:
        at += 1
    if text.startswith("<", at):
        end = text.find(">", at, at + 2000)
        close = text.find(")", end, end + 300) if end > 0 else -1
        return (close + 1, text[at + 1 : end]) if close > 0 else (place, "")
    begin = at
    while found := _DESTINATION_END.search(text, at):
        at = found.end()
        if found[0] == "(":
            depth += 1
        elif found[0] == ")" and depth:
            depth -= 1
        elif found[0] == ")":
            return at, text[begin : found.start()]
        else:
            url = text[begin : found.start()]
            close = text.find(")", at, at + 300)
            if found[0].isspace() and url and close > 0:
                return close + 1, url
            return (found.start(), url) if _BARE.match(url) else (found.start(), "")
    return len(text), ""


def _find_anchors(text: str) -> Iterator[ListLink]:
    if "href" not in text and "HREF" not in text:
        return
    for found in _ANCHOR.finditer(text):
        url = html.unescape(found[1] or found[2] or found[3] or "")
        close = _ANCHOR_END.search(text, found.end(), found.end() + _LONGEST_TEXT)
        end = close.end() if close else found.end()
        shown = text[found.end() : close.start()] if close else ""
        yield ListLink(found.start(), end, _read_link_text(shown), url)


def _find_bare(text: str, taken: list[tuple[int, int]]) -> Iterator[ListLink]:
    """Addresses written out, except those inside a link that was found already."""
    index = 0
    furthest = -1
    for found in _BARE.finditer(text):
        while index < len(taken) and taken[index][0] <= found.start():
            furthest = max(furthest, taken[index][1])
            index += 1
        if found.start() < furthest:
            continue
        url = found[0].rstrip(".,;:!?'*_~\\")
        url = url[: url.find("](")] if "](" in url else url
        if url.count("(") > url.count(")"):
            url += ")" if text.startswith(")", found.start() + len(url)) else ""
        yield ListLink(found.start(), found.start() + len(url), "", url)


def _read_link_text(text: str) -> str:
    """The visible words of a link: without images, emphasis and tags."""
    if "<" in text:
        text = _IMAGE_TAG.sub(" ", text)
    if "](" in text:
        text = re.sub(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,1500}\)", " ", text)
        text = re.sub(r"\[([^\[\]]{0,300})\]\([^()\s]{0,1500}\)", r"\1", text)
    return strip_emphasis(clean_text(text, _LONGEST_TEXT))


def strip_emphasis(text: str) -> str:
    """Words without the signs of emphasis around them, and without backslashes before signs."""
    if _SIGN.search(text):
        text = _ESCAPED.sub(r"\1", _EMPHASIS.sub("", text))
    return text.strip()
