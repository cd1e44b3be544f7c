"""Documents of which not even one section fits into the cap on one document: a person decides."""

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from assay.errors import InvalidInput
from assay.llm.scope import Denial
from assay.model.ids import derive_id
from assay.model.records import ReviewRequest
from assay.store import tables as t
from assay.store.bulk import CHUNK
from assay.store.database import explain_errors

REASON = Denial.EVIDENCE_TOO_LARGE.value
ANSWERED = "ANSWERED"
_DEADLINE_MS = 72 * 3_600_000
_WORDS = {"yes": True, "no": False}


def make_request_id(evidence_id: str) -> str:
    """The id of the question about this document."""
    return derive_id("rq", REASON, evidence_id)


def build_request(evidence_id: str, source: str, denial: str, now_ms: int) -> ReviewRequest:
    """The question whether a model shall read a document beyond the cap on one document."""
    return ReviewRequest(
        request_id=make_request_id(evidence_id),
        reason=REASON,
        subject_kind="evidence",
        subject=evidence_id,
        source_slug=source,
        question=(
            f"Shall a model read it too, beyond evidence_tokens? {denial} The extractor of its "
            "pack has read it. Answer yes or no."
        ),
        created_ms=now_ms,
        deadline_ms=now_ms + _DEADLINE_MS,
    )


def is_yes(answer: str) -> bool:
    """Whether an answer, such as "yes, read it anyway", is a yes; anything unclear is refused."""
    said = _read_answer(answer)
    if said is None:
        raise InvalidInput(
            f"{answer!r} is neither yes nor no.",
            advice="Answer 'yes' to let a model read the document, or 'no'.",
        )
    return said


def was_declined(request: ReviewRequest | None) -> bool:
    """Whether a person answered that no model shall read the document."""
    if request is None or request.state != ANSWERED:
        return False
    return _read_answer(request.answer) is False


def read_answers(connection: sa.Connection, evidence_ids: Collection[str]) -> dict[str, bool]:
    """What people answered about these documents; those without an answer are left out."""
    asked = {make_request_id(evidence_id): evidence_id for evidence_id in evidence_ids}
    return {
        asked[request_id]: said
        for some in _split_chunks(asked)
        for request_id, answer in connection.execute(
            sa.select(t.review_request.c.request_id, t.review_request.c.answer).where(
                t.review_request.c.request_id.in_(some), t.review_request.c.state == ANSWERED
            )
        )
        if (said := _read_answer(answer)) is not None
    }


def is_read_anyway(engine: sa.Engine, evidence_id: str) -> bool:
    """Whether a person allows this document more than the cap on one document."""
    with explain_errors(), engine.connect() as connection:
        return read_answers(connection, [evidence_id]).get(evidence_id, False)


def _read_answer(answer: str | None) -> bool | None:
    """None: neither yes nor no, as in answers from before they had an effect."""
    words = (answer or "").replace(",", " ").replace(".", " ").split()
    return _WORDS.get(words[0].casefold()) if words else None


def _split_chunks(values: Mapping[str, str]) -> Sequence[list[str]]:
    ordered = sorted(values)
    return [ordered[start : start + CHUNK] for start in range(0, len(ordered), CHUNK)]
