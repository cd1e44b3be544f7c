"""What the texts do not say: what an amendment did, or why a page shows other figures."""

from collections.abc import Collection, Sequence
from typing import Final

from assay.packs.regulatory.acts.hand_changes import FORMS, parse_end, parse_hand_changes
from assay.packs.regulatory.acts.law_changes import (
    CORRECTION,
    ENDED,
    NEW_LAW,
    NO_CHANGE,
    OpenInstruction,
    UnexplainedChange,
)
from assay.packs.regulatory.acts.naming import (
    make_amended_law_id,
    make_instruction_id,
    make_version_id,
)
from assay.packs.regulatory.jobs import STATUTE_STAGE, StatuteJob
from assay.packs.regulatory.records import ActAmendment, AmendmentAnswer
from assay.sdk.errors import InvalidInput
from assay.sdk.pack import ReviewKind
from assay.sdk.records import ReviewRequest
from assay.sdk.stages import NextJob, Outcome, Reader

AMENDMENT: Final = "law_amendment"
VERSION: Final = "law_version"
_DEADLINE_MS: Final = 72 * 60 * 60 * 1000
_MOST_WORDS: Final = 400
_MOST_FIGURES: Final = 5
_NO_DAY: Final = " from an unknown day"
_NOT_FOLLOWED: Final = "changes of amending acts are not applied"
_APPLIED: Final = " and was applied, but one of its figures is not certain"


def build_amendment_request(
    open_: OpenInstruction, quote: str, act: StatuteJob, title: str, now_ms: int
) -> ReviewRequest:
    """Ask what an instruction did. Asked again, it is the same question."""
    since = f" from {open_.day}" if open_.day else _NO_DAY
    words = " ".join(quote.split())[:_MOST_WORDS]
    place = f" ({open_.target})" if open_.target else ""
    if open_.figure:
        return _build_request(
            open_.question,
            f"“{words}” changes “{title}”{place}{since}{_APPLIED}: {open_.reason}. Does the rule "
            f"that was there still hold as it was ({NO_CHANGE}), or did it end ({ENDED})?",
            act,
            now_ms,
        )
    return _build_request(
        open_.question,
        f"“{words}” may change “{title}”{place}{since}, but was not applied: {open_.reason}. "
        f"Did it change nothing there ({NO_CHANGE}), or end what was there ({ENDED})? Or write "
        f"the change yourself: {FORMS[0]}",
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


def build_amended_law_request(row: ActAmendment, act: StatuteJob, now_ms: int) -> ReviewRequest:
    """Ask whether a text that amends an amending act changed what that act does."""
    return _build_request(
        make_amended_law_id(row.evidence_id, act.act_key),
        f"{row.evidence_id} amends “{row.act_name}”, which is known here and itself amends other "
        f"acts; {_NOT_FOLLOWED}. Does all that it says and does stay as it is ({NO_CHANGE}), or "
        f"did it end ({ENDED} from YYYY-MM-DD)?",
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


async def read_questions(act: StatuteJob, read: Reader) -> list[ReviewRequest]:
    """All questions about an act, open or not."""
    found = await read.find_where(ReviewRequest, "subject", [act.subject])
    return [request for request in found if request.subject_kind in (AMENDMENT, VERSION)]


async def read_answers(
    asked: Sequence[ReviewRequest], read: Reader, elsewhere: Collection[str] = ()
) -> dict[str, str]:
    """What people said, by the id of the question; also of some that other acts asked."""
    ids = {request.request_id for request in asked} | set(elsewhere)
    found = await read.find_where(AmendmentAnswer, "request_id", ids)
    return {each.request_id: each.answer for each in found}


def decide_amendment(request: ReviewRequest, answer: str) -> Outcome:
    """Keep what the person said about an instruction, and work out the act again."""
    ended = parse_end(answer)
    is_closed = _APPLIED in request.question or _NOT_FOLLOWED in request.question
    if is_closed and answer != NO_CHANGE and ended is None:
        raise InvalidInput(
            f"'{answer}' is not an answer to {request.request_id}.",
            advice=f"Answer {NO_CHANGE} or {ENDED}; 'from YYYY-MM-DD' may follow.",
        )
    if answer != NO_CHANGE and ended is None and not parse_hand_changes(answer):
        raise InvalidInput(
            f"'{answer}' is not an answer to {request.request_id}.",
            advice=f"Answer {NO_CHANGE} or {ENDED}, or write the change: {' or '.join(FORMS)}; "
            "'from YYYY-MM-DD' may follow.",
        )
    if ended == "" and _NO_DAY in request.question:
        raise InvalidInput(
            "It is not known from which day the amendment counts.",
            advice=f"Answer '{ENDED} from YYYY-MM-DD'.",
        )
    return decide_version(request, answer)


def decide_version(request: ReviewRequest, answer: str) -> Outcome:
    """Keep what the person said, and work out the act again."""
    source, between, act_key = request.subject.partition("/")
    if not between:
        raise InvalidInput(f"{request.subject!r} does not name an act.")
    said = AmendmentAnswer(request_id=request.request_id, answer=answer)
    job = StatuteJob(act_key=act_key, source=source)
    return Outcome(records=(said,), next=(NextJob(STATUTE_STAGE, job),))


AMENDMENT_KIND = ReviewKind(
    name=AMENDMENT,
    title="An amendment that could not be applied",
    effect=decide_amendment,
    writes=frozenset({AmendmentAnswer}),
    next=frozenset({STATUTE_STAGE}),
)
VERSION_KIND = ReviewKind(
    name=VERSION,
    title="A page of law that changed without a note",
    answers=(NEW_LAW, CORRECTION),
    effect=decide_version,
    writes=frozenset({AmendmentAnswer}),
    next=frozenset({STATUTE_STAGE}),
)
