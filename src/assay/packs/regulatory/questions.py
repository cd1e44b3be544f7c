"""Amendments that could not be applied: a person says what became of the provision."""

from typing import Final

from assay.packs.regulatory.acts.law_changes import OpenInstruction
from assay.packs.regulatory.jobs import STATUTE_STAGE, StatuteJob
from assay.packs.regulatory.records import AmendmentAnswer
from assay.sdk.errors import InvalidInput
from assay.sdk.pack import ReviewKind
from assay.sdk.records import ReviewRequest, derive_id
from assay.sdk.stages import NextJob, Outcome

AMENDMENT: Final = "law_amendment"
NO_CHANGE, ENDED = "no_change", "ended"
_DEADLINE_MS: Final = 72 * 60 * 60 * 1000
_MOST_WORDS: Final = 400


def build_amendment_request(
    open_: OpenInstruction, quote: str, act: StatuteJob, title: str, now_ms: int
) -> ReviewRequest:
    """Ask what an instruction did. Asked again, it is the same question."""
    since = f" from {open_.day}" if open_.day else ""
    words = " ".join(quote.split())[:_MOST_WORDS]
    place = f" ({open_.target})" if open_.target else ""
    return ReviewRequest(
        request_id=make_request_id(open_.quote.source, open_.quote.start, act.act_key),
        reason="UNCLEAR_AMENDMENT",
        subject_kind=AMENDMENT,
        subject=f"{open_.quote.source} {open_.quote.start} {act.source} {act.act_key}",
        source_slug=act.source,
        question=(
            f"“{words}” may change “{title}”{place}{since}, but was not applied: {open_.reason}. "
            f"Did it change nothing there ({NO_CHANGE}), or end what stood there ({ENDED})?"
        ),
        created_ms=now_ms,
        deadline_ms=now_ms + _DEADLINE_MS,
    )


def make_request_id(evidence_id: str, start: int, act_key: str) -> str:
    return derive_id("rq", AMENDMENT, evidence_id, str(start), act_key)


def decide_amendment(request: ReviewRequest, answer: str) -> Outcome:
    """Keep what the person said, and work out the act again."""
    parts = request.subject.split(" ")
    if len(parts) != 4:
        raise InvalidInput(f"{request.subject!r} does not name an amendment.")
    evidence_id, start, source, act_key = parts
    said = AmendmentAnswer(
        request_id=request.request_id, evidence_id=evidence_id, start=int(start), answer=answer
    )
    job = StatuteJob(act_key=act_key, source=source)
    return Outcome(records=(said,), next=(NextJob(STATUTE_STAGE, job),))


AMENDMENT_KIND = ReviewKind(
    name=AMENDMENT,
    title="An amendment that could not be applied",
    answers=(NO_CHANGE, ENDED),
    effect=decide_amendment,
    writes=frozenset({AmendmentAnswer}),
    next=frozenset({STATUTE_STAGE}),
)
