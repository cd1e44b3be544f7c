"""What a person is asked about a notice, and what the answer brings about."""

from assay.sdk.pack import ReviewKind
from assay.sdk.records import ReviewRequest
from assay.sdk.stages import Change, Outcome

from .records import FerryNotice


def settle_notice(request: ReviewRequest, answer: str) -> Outcome:
    """The notice says what the person says it says."""
    return Outcome(
        changes=(
            Change(
                record=FerryNotice,
                key=request.subject,
                when={"state": "ASKED"},
                to={"state": "GRADED", "status": answer},
            ),
        )
    )


NOTICE_KIND = ReviewKind(
    name="ferry_notice",
    title="A notice that can be read two ways",
    answers=("runs", "cancelled"),
    effect=settle_notice,
    writes=frozenset({FerryNotice}),
)
