"""What the texts do not say: what an amendment did, or why a page shows other figures."""

from typing import Final

from assay.packs.regulatory.acts.law_changes import OpenInstruction, UnexplainedChange
from assay.packs.regulatory.acts.naming import make_instruction_id, make_version_id
from assay.packs.regulatory.jobs import STATUTE_STAGE, StatuteJob
from assay.packs.regulatory.records import ActAmendment, AmendmentAnswer
from assay.sdk.errors import InvalidInput
from assay.sdk.pack import ReviewKind
from assay.sdk.records import ReviewRequest
from assay.sdk.stages import NextJob, Outcome

AMENDMENT: Final = "law_amendment"
NO_CHANGE, ENDED = "no_change", "ended"
VERSION: Final = "law_version"
NEW_LAW, CORRECTION = "new_law", "correction"
_DEADLINE_MS: Final = 72 * 60 * 60 * 1000
_MOST_WORDS: Final = 400
_MOST_FIGURES: Final = 5


def build_amendment_request(
    open_: OpenInstruction, quote: str, act: StatuteJob, title: str, now_ms: int
) -> ReviewRequest:
    """Ask what an instruction did. Asked again, it is the same question."""
    since = f" from {open_.day}" if open_.day else ""
    words = " ".join(quote.split())[:_MOST_WORDS]
    place = f" ({open_.target})" if open_.target else ""
    return _build_request(
        make_instruction_id(open_.quote.source, open_.quote.start, act.act_key),
        f"“{words}” may change “{title}”{place}{since}, but was not applied: {open_.reason}. "
        f"Did it change nothing there ({NO_CHANGE}), or end what stood there ({ENDED})?",
        act,
        now_ms,
    )


def build_unknown_act_request(row: ActAmendment, act: StatuteJob, now_ms: int) -> ReviewRequest:
    """Tell a person that an amended act is missing, so that nothing is known about its new text."""
    return _build_request(
        make_instruction_id(row.evidence_id, -1, act.act_key),
        f"{row.evidence_id} amends “{row.act_name}”, of which no text is known here. Add that act, "
        f"or say that it does not matter ({NO_CHANGE}).",
        act,
        now_ms,
    )


def build_version_request(
    change: UnexplainedChange, act: StatuteJob, title: str, now_ms: int
) -> ReviewRequest:
    """Ask why a page shows other figures. Asked again, it is the same question."""
    shown = [f"{old} → {new} ({path})" for path, old, new in change.figures[:_MOST_FIGURES]]
    more = len(change.figures) - len(shown)
    figures = "; ".join(shown) + (f" and {more} more" if more else "")
    return _build_request(
        make_version_id(change.evidence_id, act.act_key),
        f"The page of “{title}” changed between {change.last_seen} and {change.first_seen} "
        f"without naming an amendment: {figures}. Is it new law ({NEW_LAW}), or was an error "
        f"corrected, so that the new text always applied ({CORRECTION})?",
        act,
        now_ms,
        kind=VERSION,
    )


def _build_request(
    request_id: str, question: str, act: StatuteJob, now_ms: int, *, kind: str = AMENDMENT
) -> ReviewRequest:
    return ReviewRequest(
        request_id=request_id,
        reason="UNCLEAR_AMENDMENT",
        subject_kind=kind,
        subject=act.subject,
        source_slug=act.source,
        question=question,
        created_ms=now_ms,
        deadline_ms=now_ms + _DEADLINE_MS,
    )


def decide_amendment(request: ReviewRequest, answer: str) -> Outcome:
    """Keep what the person said, and work out the act again."""
    source, between, act_key = request.subject.rpartition("/")
    if not between:
        raise InvalidInput(f"{request.subject!r} does not name an act.")
    said = AmendmentAnswer(request_id=request.request_id, answer=answer)
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
VERSION_KIND = ReviewKind(
    name=VERSION,
    title="A page of law that changed without a note",
    answers=(NEW_LAW, CORRECTION),
    effect=decide_amendment,
    writes=frozenset({AmendmentAnswer}),
    next=frozenset({STATUTE_STAGE}),
)
