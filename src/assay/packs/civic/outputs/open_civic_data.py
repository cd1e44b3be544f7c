"""Meetings and matters in the shapes of Open Civic Data: events and bills, as pupa imports them.

What the portal does not say is left empty. A city has no legislative sessions, so a bill's session
is the year in which it first came before a meeting.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from assay.packs.civic.dossiers import MeetingDossier, choose_meetings, iterate_dossiers
from assay.packs.civic.portals.listed import MeetingStatus, VoteValue
from assay.packs.civic.records import AgendaItem, City, Matter, Paper
from assay.sdk.records import Endpoint
from assay.sdk.services import Services

_STATES: Final = re.compile(
    "a[klrz]|c[aot]|de|fl|ga|hi|i[adln]|k[sy]|la|m[adeinost]|n[cdehjmvy]|o[hkr]|pa|ri|s[cd]|t[nx]|"
    "ut|v[at]|w[aivy]"
)
_COUNTY = re.compile(r"(?P<name>.+?) (?P<kind>county|parish|borough)", re.IGNORECASE)
_NOT_A_PLACE = re.compile(r"\b(school|district|authority|commission|isd|usd)\b", re.IGNORECASE)
_FORM = re.compile(r"^(city|town|village|township|borough) of ", re.IGNORECASE)
_STATUSES: Final = {
    MeetingStatus.CANCELLED: "cancelled",
    MeetingStatus.POSTPONED: "tentative",
    MeetingStatus.HELD: "passed",
    MeetingStatus.SCHEDULED: "confirmed",
}
_KINDS: Final = (
    "ordinance", "resolution", "proclamation", "nomination", "contract", "claim", "appointment",
    "petition", "order", "appropriation", "motion", "bill",
)  # fmt: skip
"""Kinds of bills of Open Civic Data that cities have."""
_ACTIONS: Final = (
    ("withdrawal", r"\bwithdr[ae]w"),
    ("referral-committee", r"\brefer\w*\b.*\b(committee|commission)"),
    ("referral", r"\brefer"),
    ("deferral", r"\b(tabl|defer|continu|postpon|held over)"),
    ("reading-1", r"\b(first|1st) reading"),
    ("reading-2", r"\b(second|2nd) reading"),
    ("reading-3", r"\b(third|3rd|final) reading"),
    ("introduction", r"\bintroduc"),
    ("filing", r"\b(received and filed|filed)"),
)
_ADOPTS = re.compile(r"\b(adopt|approv|pass|enact|accept|carried)", re.IGNORECASE)
_TEXT_OF_BILL = re.compile(
    r"^\W*((draft|proposed|final|signed|redlined?)\s+)*(ordinance|resolution|bill)\b", re.IGNORECASE
)
_MEDIA_TYPES: Final = {
    ".pdf": "application/pdf",
    ".doc": "application/msword",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".html": "text/html",
    ".htm": "text/html",
}


def derive_division_id(city: City) -> str | None:
    """The id of the division, as its name suggests; None where the name alone does not tell.

    Canadian divisions, for example, are numbered.
    """
    state = city.state.lower()
    if state == "dc":
        return "ocd-division/country:us/district:dc"
    if _STATES.fullmatch(state) is None or _NOT_A_PLACE.search(city.name):
        return None
    county = _COUNTY.fullmatch(city.name)
    name, kind = (
        (city.name, "place") if county is None else (county["name"], county["kind"].lower())
    )
    slug = re.sub(r"[^\w.~-]", "~", _FORM.sub("", name).lower().replace(" ", "_"))
    return f"ocd-division/country:us/state:{state}/{kind}:{slug}"


def write_open_civic_data(
    services: Services, city: str | None, since: str | None, folder: Path
) -> dict[str, int]:
    """Write `events.jsonl` and `bills.jsonl`, one object a line; returns how many of each."""
    sites = {each.source_slug: each.url for each in services.read_records(Endpoint)}
    considered: dict[str, list[_Consideration]] = {}
    matters: dict[str, Matter] = {}
    counts = {"events": 0, "bills": 0}
    with (folder / "events.jsonl").open("w", encoding="utf-8", errors="replace") as file:
        for dossier in iterate_dossiers(services, choose_meetings(services, city, since)):
            site = sites.get(dossier.city.banana, "")
            file.write(f"{json.dumps(build_event(dossier, site), ensure_ascii=False)}\n")
            counts["events"] += 1
            for item in dossier.items:
                matter = dossier.matters.get(item.matter_id or "")
                if matter is not None:
                    matters[matter.matter_id] = matter
                    own = considered.setdefault(matter.matter_id, [])
                    own.append(_Consideration(dossier, item, site))
    with (folder / "bills.jsonl").open("w", encoding="utf-8", errors="replace") as file:
        for matter_id in sorted(matters):
            bill = build_bill(matters[matter_id], considered[matter_id])
            file.write(f"{json.dumps(bill, ensure_ascii=False)}\n")
            counts["bills"] += 1
    return counts


class _Consideration:
    """A matter at one meeting: the little that its bill needs of it."""

    def __init__(self, dossier: MeetingDossier, item: AgendaItem, site: str) -> None:
        meeting = dossier.meeting
        self.city = dossier.city
        self.site = meeting.page or site
        self.starts = meeting.starts_utc or meeting.starts
        self.year = meeting.starts[:4]
        self.body = meeting.body
        self.item = item
        self.papers = list(dossier.papers.get(item.item_id, []))
        summary = dossier.summaries.get(item.item_id)
        self.sentences = [] if summary is None else [s["text"] for s in summary.sentences]
        self.topics = dossier.list_topics(item.item_id)


def build_event(dossier: MeetingDossier, site: str) -> dict[str, Any]:
    """A meeting as an event."""
    meeting = dossier.meeting
    own = meeting.meeting_id
    return {
        "_id": _identify("event", own),
        "name": meeting.title or meeting.body or "Meeting",
        "description": meeting.notes or "",
        "classification": "event",
        "start_date": meeting.starts_utc or meeting.starts[:10],
        "end_date": "",
        "all_day": False,
        "status": _STATUSES[MeetingStatus(meeting.status)],
        "location": None
        if not meeting.location
        else {"name": meeting.location, "note": "", "coordinates": None},
        "media": [] if meeting.video is None else _link_all([("Recording", meeting.video)]),
        "documents": _link_all((p.name, p.url) for p in dossier.papers.get(own, [])),
        "links": [] if meeting.page is None else [{"note": "Meeting page", "url": meeting.page}],
        "participants": _list_participants(dossier),
        "agenda": [_build_agenda_item(dossier, item) for item in dossier.items],
        "sources": [{"url": meeting.page or site, "note": ""}],
        "extras": _build_extras(dossier.city, earlier_starts=meeting.earlier_starts),
        "pupa_id": own,
    }


def build_bill(matter: Matter, considered: Sequence[_Consideration]) -> dict[str, Any]:
    """A matter as a bill; what was considered is given the earliest first."""
    first, last = considered[0], considered[-1]
    papers = {paper.url: paper for each in considered for paper in each.papers}.values()
    identifiers = {matter.matter_file, matter.vendor_matter_id} - {None, matter.matter_file}
    return {
        "_id": _identify("bill", matter.matter_id),
        "identifier": _find_identifier(matter),
        "legislative_session": first.year,
        "title": matter.title,
        "from_organization": _name_organization(first.body),
        "classification": _classify(matter.matter_type or matter.title),
        "subject": list(dict.fromkeys(topic for each in considered for topic in each.topics)),
        "abstracts": [
            {"abstract": " ".join(each.sentences), "note": "summary", "date": each.starts[:10]}
            for each in (last,)
            if each.sentences
        ],
        "other_titles": [
            {"title": title, "note": ""}
            for title in dict.fromkeys(each.item.title for each in considered)
            if title != matter.title
        ],
        "other_identifiers": [
            {"identifier": identifier, "note": "", "scheme": "vendor"}
            for identifier in sorted(filter(None, identifiers))
        ],
        "actions": list(_build_actions(considered)),
        "sponsorships": [
            _build_sponsorship(name, n == 0) for n, name in enumerate(matter.sponsors)
        ],
        "related_bills": [],
        "versions": _link_all((p.name, p.url) for p in papers if _is_text_of_bill(p)),
        "documents": _link_all((p.name, p.url) for p in papers if not _is_text_of_bill(p)),
        "sources": [
            {"url": url, "note": ""} for url in dict.fromkeys(each.site for each in considered)
        ],
        "extras": _build_extras(first.city, matter_id=matter.matter_id),
    }


def _build_agenda_item(dossier: MeetingDossier, item: AgendaItem) -> dict[str, Any]:
    matter = dossier.matters.get(item.matter_id or "")
    bills = [] if matter is None else [_refer_to_bill(matter)]
    summary = dossier.summaries.get(item.item_id)
    outcome = {"action": item.action, "passed": item.passed, "tally": item.tally}
    return {
        "description": item.title,
        "classification": ["consent"] if item.consent else [],
        "order": str(item.sequence),
        "subjects": dossier.list_topics(item.item_id),
        "media": [],
        "notes": [] if summary is None else [sentence["text"] for sentence in summary.sentences],
        "related_entities": bills,
        "extras": {"number": item.number, "section": item.section, **outcome},
    }


def _refer_to_bill(matter: Matter) -> dict[str, Any]:
    identifier = _find_identifier(matter)
    return {
        "name": identifier,
        "entity_type": "bill",
        "note": "consideration",
        "bill_id": _refer(identifier=identifier),
    }


def _list_participants(dossier: MeetingDossier) -> list[dict[str, Any]]:
    body = dossier.meeting.body
    present = sorted(
        {
            name
            for votes in dossier.votes.values()
            for name, vote in votes.items()
            if vote != VoteValue.ABSENT
        }
    )
    entities = [(body, "organization", "host")] if body else []
    entities += [(name, "person", "participant") for name in present]
    return [
        {"name": name, "entity_type": kind, f"{kind}_id": _refer(name=name), "note": note}
        for name, kind, note in entities
    ]


def _build_actions(considered: Iterable[_Consideration]) -> Iterator[dict[str, Any]]:
    for each in considered:
        item = each.item
        if item.action is None and item.passed is None:
            continue
        yield {
            "description": item.action or ("Passed" if item.passed else "Failed"),
            "date": each.starts,
            "organization_id": _name_organization(each.body),
            "classification": _classify_action(item, each.body),
            "related_entities": [],
            "extras": {"tally": item.tally, "mover": item.mover, "seconder": item.seconder},
        }


def _find_identifier(matter: Matter) -> str:
    return matter.matter_file or matter.matter_id


def _classify_action(item: AgendaItem, body: str | None) -> list[str]:
    """What an action means, if its words are clear."""
    words = item.action or ""
    kinds = [kind for kind, pattern in _ACTIONS if re.search(pattern, words, re.IGNORECASE)][:1]
    of_committee = "committee-" if "committee" in (body or "").lower() else ""
    if item.passed is False:
        return [f"{of_committee}failure"]
    if not kinds and (_ADOPTS.search(words) or (item.passed and not words)):
        return [f"{of_committee}passage"]
    return kinds


def _classify(words: str) -> list[str]:
    found = [kind for kind in _KINDS if re.search(rf"\b{kind}s?\b", words, re.IGNORECASE)]
    return found[:1]


def _is_text_of_bill(paper: Paper) -> bool:
    return _TEXT_OF_BILL.match(paper.name) is not None


def _build_sponsorship(name: str, is_primary: bool) -> dict[str, Any]:
    return {
        "name": name,
        "classification": "sponsor" if is_primary else "cosponsor",
        "entity_type": "person",
        "primary": is_primary,
        "person_id": _refer(name=name),
        "organization_id": None,
    }


def _build_extras(city: City, **more: Any) -> dict[str, Any]:
    division = derive_division_id(city)
    place = None if division is None else division.removeprefix("ocd-division/")
    return {
        "city": city.banana,
        "division_id": division,
        "jurisdiction_id": place and f"ocd-jurisdiction/{place}/government",
        **more,
    }


def _link_all(documents: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Documents or recordings as pupa lists them: those of the same name together."""
    found: dict[str, list[dict[str, str]]] = {}
    for name, url in documents:
        path = url.partition("?")[0].lower()
        media_type = next((kind for end, kind in _MEDIA_TYPES.items() if path.endswith(end)), "")
        link = {"url": url, "media_type": media_type, "text": ""}
        found.setdefault(name or "Document", []).append(link)
    return [{"note": note, "links": links, "date": ""} for note, links in found.items()]


def _name_organization(body: str | None) -> str:
    return _refer(name=body) if body else _refer(classification="legislature")


def _refer(**known: str) -> str:
    """A reference that pupa resolves when it imports the object."""
    return f"~{json.dumps(known, ensure_ascii=False, sort_keys=True)}"


def _identify(kind: str, own_id: str) -> str:
    return f"ocd-{kind}/{uuid5(NAMESPACE_URL, f'assay:civic:{kind}:{own_id}')}"
