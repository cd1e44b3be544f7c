"""Builds summaries: from a model's checked answer, or from sentences of the documents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.packs.civic.records import CivicSummary
from assay.packs.civic.texts.analysis import ItemAnalysis, Question, read_analysis
from assay.packs.civic.texts.summary import SourceText, SummarySentence, summarize
from assay.packs.civic.topics import find_topics
from assay.sdk.facts import scan_dates, scan_sums
from assay.sdk.records import canonical_json, content_hash

EXTRACTIVE: Final = "extractive"
_LANGUAGE: Final = "en"


@dataclass(frozen=True)
class SummaryTask:
    """A summary to write."""

    kind: str
    """`item`, `matter` or `meeting`."""
    meeting_id: str
    banana: str
    question: Question

    @property
    def subject_id(self) -> str:
        return self.question.subject_id

    @property
    def texts(self) -> tuple[SourceText, ...]:
        return self.question.own or self.question.shared

    @property
    def input_hash(self) -> str:
        """Of what the summary is made from: the documents, whatever the title of the day."""
        names = [_name_text(text) for text in self.question.own + self.question.shared]
        return content_hash(canonical_json(sorted(names) or [self.question.title]))


def build_extractive(
    task: SummaryTask, *, wants_model: bool = False, reason: str | None = None
) -> CivicSummary | None:
    """A summary of sentences as they are; None if the documents have no usable ones."""
    found = summarize(task.texts, task.question.title, task.question.most)
    if not found:
        return None
    topics = find_topics(task.question.title, " ".join(each.text for each in found))
    said = [(each.text, (each,)) for each in found]
    return _build(task, EXTRACTIVE, said, topics).model_copy(
        update={"wants_model": wants_model, "reason": reason}
    )


def build_from_answer(task: SummaryTask, answer: ItemAnalysis, method: str) -> CivicSummary:
    """A model's summary, without what the documents do not bear out; AnswerInvalid if that is
    all of it."""
    checked = read_analysis(task.question, answer)
    return _build(task, method, checked.sentences, checked.topics)


def _build(
    task: SummaryTask,
    method: str,
    said: Sequence[tuple[str, tuple[SummarySentence, ...]]],
    topics: list[str],
) -> CivicSummary:
    places = {place: None for _, cited in said for place in cited}
    return CivicSummary(
        subject_id=task.subject_id,
        kind=task.kind,
        meeting_id=task.meeting_id,
        banana=task.banana,
        method=method,
        sentences=[
            {"text": text, "citations": [_describe_place(place) for place in cited]}
            for text, cited in said
        ],
        topics=topics,
        figures=_find_figures(places, task.question.own + task.question.shared),
        input_hash=task.input_hash,
    )


def _find_figures(
    places: Iterable[SummarySentence], texts: Iterable[SourceText]
) -> list[dict[str, Any]]:
    """The amounts and dates in the cited sentences, each with its own place."""
    sources = [(text.artifact_id, text.start, text) for text in texts]
    found = []
    for place in places:
        source = next(
            text
            for artifact_id, start, text in sources
            if artifact_id == place.artifact_id and start <= place.start < start + len(text.text)
        )
        said = source.text[place.start - source.start : place.end - source.start]
        values = [
            ("amount", f"{at.amount} {at.currency}", at.start, at.end)
            for at in scan_sums(said, _LANGUAGE)
        ] + [("date", at.iso, at.start, at.end) for at in scan_dates(said, _LANGUAGE)]
        found += [
            {
                "kind": kind,
                "value": value,
                "text": said[start:end],
                "artifact_id": place.artifact_id,
                "start": place.start + start,
                "end": place.start + end,
            }
            for kind, value, start, end in sorted(values, key=lambda each: each[2:])
        ]
    return found


def _describe_place(place: SummarySentence) -> dict[str, object]:
    return {"artifact_id": place.artifact_id, "start": place.start, "end": place.end}


def _name_text(text: SourceText) -> str:
    part = f"@{text.start}+{len(text.text)}" if text.start else ""
    return f"{text.artifact_id}{part}"
