"""The answer to a pack's question: its whole effect is stored with it, or nothing is."""

from collections.abc import Callable
from typing import Any

import pytest

from assay.app import App
from assay.app.review_kinds import answer_question
from assay.engine.contract import Change, NextJob, Outcome
from assay.errors import ContractViolation, InvalidInput
from assay.events import Event
from assay.model.records import Document, ReviewRequest
from assay.ruling.review.service import Reviewer
from assay.sdk.pack import Pack, ReviewKind
from assay.sdk.records import AuditEntry
from assay.sdk.stages import AuditNote
from assay.settings import Settings
from assay.store import audit
from assay.store import tables as t
from assay.store.upserts import upsert_records
from tests.engine import toy
from tests.engine.hand import all_rows

ANA = Reviewer(person="Ana")


class BerthFreed(Event):
    """A berth is free again."""

    tag = "berth.freed"
    berth: str


def note(action: str) -> AuditNote:
    return AuditNote(action=action, subject_kind="berth", subject="b7", actor="pack:harbour")


DOCUMENT = Document(doc_id="b7", source_slug="toy", url="http://toy.test/b7")
CHANGE = Change(
    record=Document,
    key="b7",
    when={"url": DOCUMENT.url},
    to={"url": "http://toy.test/b8"},
    audit=note("berth_moved"),
)


@pytest.fixture
def asked(settings: Settings, make_app: Callable[..., App]) -> Callable[..., App]:
    """An application with an open question, whose answer has the given effect."""

    def make(outcome: Outcome, **declared: Any) -> App:
        app = make_app(settings, pipeline=toy.toy_pipeline())
        kind = ReviewKind(
            name="berth",
            title="A berth",
            effect=lambda request, answer: outcome,
            writes=frozenset({Document, AuditEntry}),
            next=frozenset({"plant"}),
        )
        fields = {"name": "harbour", "version": "1", "title": "Harbour", "review_kinds": (kind,)}
        app.packs._installed = {"harbour": Pack(**{**fields, **declared})}
        question = ReviewRequest(
            request_id="q1",
            reason="UNCLEAR",
            subject_kind="berth",
            subject="b7",
            source_slug="toy",
            question="Is it free?",
            created_ms=1,
            deadline_ms=2,
        )
        with app.engine.begin() as connection:
            upsert_records(connection, [DOCUMENT, question])
        return app

    return make


def list_audited(app: App) -> list[str]:
    with app.engine.connect() as connection:
        assert audit.verify_chain(connection).ok
        return [entry["action"] for entry in audit.read_entries(connection, "b7")]


def test_an_answer_stores_the_events_and_notes_of_its_effect(asked: Callable[..., App]) -> None:
    outcome = Outcome(
        changes=(CHANGE,),
        events=(BerthFreed(berth="b7"),),
        audit=(note("berth_freed"),),
        note="freed",
    )
    app = asked(outcome, events=(BerthFreed,))
    answer_question(app, "q1", "yes", ANA)
    assert list_audited(app) == [
        "question_answered",
        "berth_moved",
        "berth_freed",
        "answer_applied",
    ]
    (event,) = [row for row in all_rows(app, t.event) if row["tag"] == "berth.freed"]
    assert (event["run_id"], event["source_slug"]) == (None, "toy")
    with app.engine.connect() as connection:
        (applied,) = audit.read_entries(connection, "b7", last=1)
    assert applied["body"] == {"request_id": "q1", "outcome": "freed"}


def test_its_events_belong_to_the_run_that_it_starts(asked: Callable[..., App]) -> None:
    plant = NextJob("plant", toy.Seed(count=1))
    app = asked(Outcome(next=(plant,), events=(BerthFreed(berth="b7"),)), events=(BerthFreed,))
    answer_question(app, "q1", "yes", ANA)
    (run,) = all_rows(app, t.run)
    tags = {row["tag"] for row in all_rows(app, t.event) if row["run_id"] == run["run_id"]}
    assert tags == {"run.started", "berth.freed"}


def test_an_effect_that_comes_too_late_stores_nothing(asked: Callable[..., App]) -> None:
    late = Change(record=Document, key="b7", when={"url": "other"}, to={"url": "x"})
    app = asked(Outcome(changes=(late,), events=(BerthFreed(berth="b7"),)), events=(BerthFreed,))
    with pytest.raises(InvalidInput, match="nothing was done"):
        answer_question(app, "q1", "yes", ANA)
    assert all_rows(app, t.event) == [] and list_audited(app) == []


def test_an_event_that_its_pack_does_not_declare_is_refused(asked: Callable[..., App]) -> None:
    app = asked(Outcome(events=(BerthFreed(berth="b7"),)))
    with pytest.raises(ContractViolation, match="'berth' tried to emit BerthFreed"):
        answer_question(app, "q1", "yes", ANA)
    assert list_audited(app) == []
