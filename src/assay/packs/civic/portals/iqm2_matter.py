"""The page of an IQM2 matter: who brought it, its documents, and how each meeting voted."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Final

from assay.packs.civic.filters import find_fetch_filter
from assay.packs.civic.portals.iqm2_outline import MATTER_PAGE, find_passed, split_result
from assay.packs.civic.portals.listed import (
    ListedAgendaItem,
    ListedVote,
    MeetingPaper,
    PaperKind,
    VoteValue,
)
from assay.packs.civic.portals.pages import find_links, read_when
from assay.packs.civic.portals.shared import clean
from assay.sdk.sources import Node

_FILE = re.compile(r"FileOpen\.aspx\?", re.IGNORECASE)
_LABEL = re.compile(r"([A-Za-z/ ]{2,30}?)\s*:")
_VOTES: Final = (
    (re.compile(r"(ayes?|yeas?|yes|in favor|for)\Z", re.I), VoteValue.YES),
    (re.compile(r"(nays?|noes|no|against|opposed)\Z", re.I), VoteValue.NO),
    (re.compile(r"(abst\w+|recused?)\Z", re.I), VoteValue.ABSTAIN),
    (re.compile(r"(absent|away|excused|not voting)\Z", re.I), VoteValue.ABSENT),
    (re.compile(r"present\Z", re.I), VoteValue.PRESENT),
)


def is_matter_page(root: Node) -> bool:
    """Whether a page is that of a matter."""
    return root.find_first("#tblLegiFileInfo, [class*=LegiFile], [id*=LegiFile]") is not None


def drop_matter_page(item: ListedAgendaItem) -> ListedAgendaItem:
    """The item without the page of its matter, which is read instead of fetched."""
    if find_fetch_filter(item.title) is not None:
        return item
    kept = tuple(paper for paper in item.attachments if not MATTER_PAGE.search(paper.url))
    return item.model_copy(update={"attachments": kept})


def read_matter(root: Node, base: str, item: ListedAgendaItem, held: str) -> ListedAgendaItem:
    """An item with what the page of its matter says; votes are those of the day `held`."""
    facts = _read_facts(root.find_all("#tblLegiFileInfo tr"))
    papers = {paper.url: paper for paper in item.attachments}
    for link in find_links(root, base):
        if _FILE.search(link.url):
            paper = MeetingPaper(kind=PaperKind.ATTACHMENT, url=link.url, name=link.name)
            papers.setdefault(link.url, paper)
    body = root.find_first("[id*=divBody]")
    found: dict[str, Any] = {
        "attachments": tuple(papers.values()),
        "matter_type": facts.get("category") or facts.get("type"),
        "sponsors": _split_names(facts.get("sponsors") or facts.get("sponsor"), r"\s*[,;]\s*"),
        "text": item.text or (clean(body.read_text(most=None)) if body else None),
        **_read_votes(_find_history(root, held)),
    }
    return item.model_copy(
        update={key: value for key, value in found.items() if value not in (None, ())}
    )


def _read_facts(rows: Iterable[Node]) -> dict[str, str]:
    """Pairs of cells, the first of which is a label."""
    facts: dict[str, str] = {}
    for row in rows:
        cells = [clean(cell.read_text()) or "" for cell in row.find_children("th", "td")]
        for label, value in pairwise(cells):
            if (found := _LABEL.fullmatch(label)) and value:
                facts.setdefault(found[1].strip().lower(), value)
    return facts


def _find_history(root: Node, held: str) -> Mapping[str, str]:
    """What the history says about the meeting of that day."""
    day: str | None = None
    rows: list[Node] = []
    history = root.find_first("[id*=divHistory]")
    for node in history.find_all(".Date, tr") if history else []:
        if node.tag != "tr" or "Date" in (node.get("class") or ""):
            day = (read_when(node.read_text()) or day or "")[:10]
        elif day == held[:10]:
            rows.append(node)
    return _read_facts(rows)


def _read_votes(facts: Mapping[str, str]) -> dict[str, Any]:
    action, tally = split_result(facts.get("result"))
    votes = [
        ListedVote(member=member, vote=value)
        for label, names in facts.items()
        for words, value in _VOTES
        if words.match(label)
        for member in _split_names(names, r"\s*[,;]\s*|\s+and\s+")
    ]
    return {
        "action": action,
        "passed": find_passed(action),
        "tally": tally,
        "mover": facts.get("mover"),
        "seconder": facts.get("seconder"),
        "votes": tuple(votes),
    }


def _split_names(text: str | None, by: str) -> tuple[str, ...]:
    names = (clean(name) for name in re.split(by, text or ""))
    return tuple(name for name in names if name)
