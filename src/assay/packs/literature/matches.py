"""Possible matches: a person decides whether two ids are one work, and the decision stands."""

from typing import Final

from assay.packs.literature.identity import make_link_id
from assay.packs.literature.jobs import IDENTITY_STAGE, WorksJob
from assay.packs.literature.records import IdentityDecision
from assay.sdk.errors import InvalidInput
from assay.sdk.pack import ReviewKind
from assay.sdk.records import ReviewRequest, derive_id
from assay.sdk.stages import NextJob, Outcome

MATCH: Final = "literature_match"
SAME, DIFFERENT = "same", "different"
_BETWEEN: Final = " = "
_DEADLINE_MS: Final = 72 * 60 * 60 * 1000


def build_match_request(one: str, other: str, why: str, now_ms: int) -> ReviewRequest:
    """Ask whether two ids are one work. Asked again, it is the same question."""
    first, second = sorted((one, other))
    return ReviewRequest(
        request_id=derive_id("rq", MATCH, first, second),
        reason="POSSIBLE_MATCH",
        subject_kind=MATCH,
        subject=f"{first}{_BETWEEN}{second}",
        question=f"Are {first} and {second} the same work? {why[:1].upper()}{why[1:]}.",
        created_ms=now_ms,
        deadline_ms=now_ms + _DEADLINE_MS,
    )


def decide_match(request: ReviewRequest, answer: str) -> Outcome:
    """Keep what the person decided, and group the ids again."""
    first, between, second = request.subject.partition(_BETWEEN)
    if not between:
        raise InvalidInput(f"{request.subject!r} does not name two ids.")
    decision = IdentityDecision(
        link_id=make_link_id(first, second), first=first, second=second, is_same=answer == SAME
    )
    job = WorksJob(doc_ids=tuple(sorted((first, second))))
    return Outcome(records=(decision,), next=(NextJob(IDENTITY_STAGE, job),))


MATCH_KIND = ReviewKind(
    name=MATCH,
    title="Two references that may be one work",
    answers=(SAME, DIFFERENT),
    effect=decide_match,
    writes=frozenset({IdentityDecision}),
    next=frozenset({IDENTITY_STAGE}),
)
