"""Watches: what a person wants to hear about, and what was already announced."""

import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import Any, Final

from assay.packs.civic.cities import require_city
from assay.packs.civic.dossiers import (
    build_conditions,
    check_day,
    check_topic,
    find_documents,
    group_by,
    list_cited,
    split_meetings,
)
from assay.packs.civic.jobs import day_of
from assay.packs.civic.outputs.digest import cite_sentences, format_start
from assay.packs.civic.portals.listed import MeetingStatus
from assay.packs.civic.records import (
    AgendaItem,
    CivicMotion,
    CivicSummary,
    CivicWatch,
    Matter,
    Meeting,
    WatchHit,
)
from assay.sdk.errors import InvalidInput, NotFound
from assay.sdk.records import content_hash, derive_id
from assay.sdk.services import Services

_DAYS_BACK: Final = 90
"""How far back meetings are searched for words, if no day is given."""
_MOVED: Final = "moved to "
_QUOTED = re.compile(r'"([^"]*)"|([^\s"]+)')


@dataclass(frozen=True)
class _Subject:
    """An agenda item that is found by a watch; or a meeting without items."""

    meeting: Meeting
    item: AgendaItem | None
    summary: CivicSummary | None

    @property
    def subject_id(self) -> str:
        return self.meeting.meeting_id if self.item is None else self.item.item_id

    @property
    def key(self) -> str:
        """What stays the same if a new version of the agenda numbers its items anew."""
        if self.item is None:
            return self.meeting.meeting_id
        title = content_hash(self.item.title.casefold().encode())[:16]
        return f"{self.meeting.meeting_id}/{self.item.matter_id or title}"

    @property
    def is_withdrawn(self) -> bool:
        return self.item is not None and self.item.withdrawn

    @property
    def text(self) -> str:
        """All the words in which a watch looks for its own."""
        own = self.meeting if self.item is None else self.item
        sentences = [] if self.summary is None else [s["text"] for s in self.summary.sentences]
        return "\n".join([own.title, (self.item and self.item.text) or "", *sentences])

    def list_news(self, decided: bool) -> list[str]:
        """All that has happened to it so far."""
        meeting, item = self.meeting, self.item
        news = ["listed"]
        if meeting.earlier_starts:
            news.append(f"{_MOVED}{meeting.starts}")
        if meeting.status in (MeetingStatus.CANCELLED, MeetingStatus.POSTPONED):
            news.append(str(meeting.status))
        if self.is_withdrawn:
            news.append("withdrawn")
        if decided or (item is not None and (item.action or item.tally or item.passed is not None)):
            news.append("decided")
        return news


def parse_words(arguments: Iterable[str]) -> list[str]:
    """Words and phrases. An argument is one phrase, unless it contains quotation marks."""
    found = []
    for argument in arguments:
        parts = _QUOTED.findall(argument) if '"' in argument else [(argument, "")]
        found += [" ".join((phrase or word).split()) for phrase, word in parts]
    return sorted({words.casefold() for words in found if words})


def add_watch(
    services: Services,
    words: Sequence[str],
    matter: str | None,
    city: str | None,
    topic: str | None,
) -> CivicWatch:
    """Store a watch; the same one again changes nothing."""
    parsed = parse_words(words)
    if bool(parsed) == bool(matter):
        raise InvalidInput(
            "A watch needs words or a matter, and not both.",
            advice="Use 'assay civic watch add WORDS', or '--matter ID' alone.",
        )
    if matter is not None and not services.read_records(Matter, matter_id=matter):
        raise NotFound(
            f"There is no matter '{matter}'.", advice="'assay civic search' finds items by words."
        )
    if city is not None:
        require_city(services, city)
    check_topic(topic)
    watch = CivicWatch(
        watch_id=derive_id("w", *parsed, "", matter or "", city or "", topic or "")[:10],
        words=parsed,
        matter_id=matter,
        banana=city,
        topic=topic,
        added_ms=services.clock.now_ms(),
    )
    services.write_records([watch])
    return watch


def remove_watch(services: Services, watch_id: str) -> None:
    """End a watch. What it announced stays known, in case it is added again."""
    found = services.read_records(CivicWatch, watch_id=watch_id, active=True)
    if not found:
        raise NotFound(
            f"There is no watch '{watch_id}'.", advice="'assay civic watch list' lists them."
        )
    services.write_records([found[0].model_copy(update={"active": False})])


def list_watches(services: Services) -> list[CivicWatch]:
    """The watches that were not removed, in the order in which they were added."""
    found = services.read_records(CivicWatch, active=True)
    return sorted(found, key=lambda watch: (watch.added_ms, watch.watch_id))


def describe_watch(watch: CivicWatch) -> str:
    """What a watch looks for."""
    words = [f'"{words}"' if " " in words else words for words in watch.words]
    parts = [watch.matter_id or " ".join(words)]
    parts += [f"in {watch.banana}"] if watch.banana else []
    parts += [f"about {watch.topic}"] if watch.topic else []
    return " ".join(parts)


def report_news(services: Services, since: str | None) -> list[dict[str, Any]]:
    """What is new since the last report. It is recorded before it is returned.

    A crash in between thus announces nothing twice; `repeat_report` shows the report again. Of two
    reports at the same time, only one gets each piece of news.
    """
    since = None if since is None else check_day(since)
    watches = list_watches(services)
    found: dict[tuple[str, str], list[_Subject]] = {}
    for watch, subject in _find_subjects(services, watches, since):
        found.setdefault((watch.watch_id, subject.key), []).append(subject)
    decided = _find_decided(services, chain.from_iterable(found.values()))
    known = _read_known(services, watches)
    report_id, now_ms = secrets.token_hex(8), services.clock.now_ms()
    hits = {
        (watch_id, key, news): WatchHit(
            watch_id=watch_id,
            subject_key=key,
            subject_id=subject.subject_id,
            news=news,
            report_id=report_id,
            reported_ms=now_ms,
        )
        for (watch_id, key), subjects in found.items()
        # An item that was withdrawn may be on the agenda again under another number.
        for subject in [each for each in subjects if not each.is_withdrawn] or subjects
        for news in subject.list_news(subject.subject_id in decided)
        if (watch_id, key, news) not in known
    }
    services.write_records(list(hits.values()))
    return _describe_report(services, report_id) if hits else []


def repeat_report(services: Services) -> list[dict[str, Any]]:
    """The last report that had news."""
    last = services.read_last(WatchHit, "reported_ms", 1)
    return _describe_report(services, last[0].report_id) if last else []


def _read_known(services: Services, watches: Iterable[CivicWatch]) -> set[tuple[str, str, str]]:
    found = services.read_records(WatchHit, watch_id={watch.watch_id for watch in watches})
    return {(hit.watch_id, hit.subject_key, hit.news) for hit in found}


def _find_subjects(
    services: Services, watches: Iterable[CivicWatch], since: str | None
) -> Iterator[tuple[CivicWatch, _Subject]]:
    of_words = [(watch, _compile(watch.words)) for watch in watches if watch.words]
    if of_words:
        day = day_of(services.clock.now_ms()) - timedelta(days=_DAYS_BACK)
        for subject in _read_subjects(services, of_words, since or day.isoformat()):
            text = subject.text
            for watch, patterns in of_words:
                if _is_wanted(watch, subject) and all(each.search(text) for each in patterns):
                    yield watch, subject
    of_matters = group_by((w for w in watches if w.matter_id), lambda w: w.matter_id or "")
    items = services.read_records(AgendaItem, matter_id=list(of_matters))
    for subject in _load_subjects(services, {item.item_id for item in items}):
        matter_id = (subject.item and subject.item.matter_id) or ""
        for watch in of_matters[matter_id]:
            if subject.meeting.starts >= (since or "") and _is_wanted(watch, subject):
                yield watch, subject


def _read_subjects(
    services: Services, watches: Iterable[tuple[CivicWatch, object]], since: str
) -> Iterator[_Subject]:
    """The items of the meetings from a day on, and the meetings whose items are not known."""
    conditions = build_conditions(services, None, since)
    cities = {watch.banana for watch, _ in watches}
    if None not in cities:
        conditions["banana"] = cities
    meetings = services.read_records(Meeting, **conditions)
    for chunk in split_meetings([m for m in meetings if m.filter_reason is None]):
        ids = {meeting.meeting_id for meeting in chunk}
        items = group_by(
            services.read_records(AgendaItem, meeting_id=ids), lambda item: item.meeting_id
        )
        summaries = {
            summary.subject_id: summary
            for summary in services.read_records(CivicSummary, meeting_id=ids)
        }
        for meeting in chunk:
            own = items.get(meeting.meeting_id, [])
            for item in own:
                yield _Subject(meeting, item, summaries.get(item.item_id))
            if not own:
                yield _Subject(meeting, None, summaries.get(meeting.meeting_id))


def _load_subjects(services: Services, ids: Collection[str]) -> Iterator[_Subject]:
    """The items and meetings with these ids."""
    items = services.read_records(AgendaItem, item_id=ids)
    wanted = {item.meeting_id for item in items}.union(ids)
    meetings = {m.meeting_id: m for m in services.read_records(Meeting, meeting_id=wanted)}
    found = services.read_records(CivicSummary, subject_id=ids)
    summaries = {summary.subject_id: summary for summary in found}
    for item in items:
        yield _Subject(meetings[item.meeting_id], item, summaries.get(item.item_id))
    for meeting_id in sorted(meetings.keys() & set(ids)):
        yield _Subject(meetings[meeting_id], None, summaries.get(meeting_id))


def _is_wanted(watch: CivicWatch, subject: _Subject) -> bool:
    topics = [] if subject.summary is None else subject.summary.topics
    return watch.banana in (None, subject.meeting.banana) and (
        watch.topic is None or watch.topic in topics
    )


def _compile(words: Iterable[str]) -> list[re.Pattern[str]]:
    """Patterns that find whole words, whatever their case and the white space between them."""
    spaced = [r"\s+".join(re.escape(word) for word in phrase.split()) for phrase in words]
    return [re.compile(rf"(?<!\w){phrase}(?!\w)", re.IGNORECASE) for phrase in spaced]


def _find_decided(services: Services, subjects: Iterable[_Subject]) -> set[str]:
    """The items on which the minutes record a motion."""
    ids = {subject.item.item_id for subject in subjects if subject.item is not None}
    motions = services.read_records(CivicMotion, item_id=ids)
    return {motion.item_id for motion in motions if motion.item_id is not None}


def _describe_report(services: Services, report_id: str) -> list[dict[str, Any]]:
    """The news of a report, by watch, the earliest meeting first."""
    hits = services.read_records(WatchHit, report_id=report_id)
    watches = {
        watch.watch_id: watch
        for watch in services.read_records(CivicWatch, watch_id={hit.watch_id for hit in hits})
    }
    ids = {hit.subject_id for hit in hits}
    found = {subject.subject_id: subject for subject in _load_subjects(services, ids)}
    summaries = [subject.summary for subject in found.values() if subject.summary is not None]
    documents = find_documents(services, list_cited(summaries))
    grouped: dict[tuple[str, str], list[str]] = {}
    for hit in hits:
        grouped.setdefault((hit.watch_id, hit.subject_id), []).append(hit.news)
    rows = [
        _describe_hit(watches[watch_id], found[subject_id], news, documents)
        for (watch_id, subject_id), news in grouped.items()
        if subject_id in found
    ]
    return sorted(rows, key=lambda row: (row["watch"], row["starts"], row["subject_id"]))


def _describe_hit(
    watch: CivicWatch, subject: _Subject, news: Iterable[str], documents: Mapping[str, Any]
) -> dict[str, Any]:
    meeting, item = subject.meeting, subject.item
    sentences = () if subject.summary is None else cite_sentences(subject.summary, documents)
    return {
        "watch_id": watch.watch_id,
        "watch": describe_watch(watch),
        "news": sorted(_describe_news(each) for each in news),
        "subject_id": subject.subject_id,
        "city": meeting.banana,
        "meeting": meeting.title,
        "starts": meeting.starts,
        "page": meeting.page,
        "number": item.number if item else None,
        "title": item.title if item else meeting.title,
        "matter_id": item.matter_id if item else None,
        "action": item.action if item else None,
        "tally": item.tally if item else None,
        "summary": [
            {"text": each.text, "sources": [vars(source) for source in each.sources]}
            for each in sentences
        ],
    }


def _describe_news(news: str) -> str:
    if news.startswith(_MOVED):
        return f"{_MOVED}{format_start(news.removeprefix(_MOVED))}"
    return "on the agenda" if news == "listed" else news
