"""What a person answered about documents of which no section fits into their cap."""

import pytest
import sqlalchemy as sa

from assay.errors import InvalidInput
from assay.governor.large_documents import (
    ANSWERED,
    build_request,
    is_read_anyway,
    is_yes,
    make_request_id,
    read_answers,
    was_declined,
)
from assay.store import tables as t
from assay.store.upserts import upsert_records

ANSWERS = {
    "ev_yes": ("Yes, read it anyway.", True),
    "ev_no": ("no", False),
    "ev_odd": ("ask Ana", None),
    "ev_open": (None, None),
}


def test_an_answer_is_yes_or_no() -> None:
    assert is_yes("yes") and is_yes("YES, read it anyway") and is_yes(" Yes.")
    assert not is_yes("no") and not is_yes("No, too dear")
    for unclear in ("", "perhaps", "nope", "yesterday"):
        with pytest.raises(InvalidInput, match="neither yes nor no"):
            is_yes(unclear)


def test_only_a_clear_answer_has_an_effect(store: sa.Engine) -> None:
    with store.begin() as connection:
        connection.execute(sa.delete(t.review_request))
        for evidence_id, (answer, _) in ANSWERS.items():
            request = build_request(evidence_id, "gazette", "It is too long.", 0)
            assert request.request_id == make_request_id(evidence_id)
            assert not was_declined(request)
            if answer is not None:
                request = request.model_copy(update={"state": ANSWERED, "answer": answer})
            assert was_declined(request) == (evidence_id == "ev_no")
            upsert_records(connection, [request])
        found = read_answers(connection, [*ANSWERS, "ev_unasked"])
    assert found == {name: said for name, (_, said) in ANSWERS.items() if said is not None}
    for evidence_id, (_, said) in ANSWERS.items():
        assert is_read_anyway(store, evidence_id) == bool(said)
    assert not was_declined(None)
