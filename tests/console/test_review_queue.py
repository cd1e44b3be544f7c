"""What the review desk and the conflicts read, on both databases."""

from collections.abc import Callable

import pytest

from assay.app import App
from assay.app.conflict_desk import count_conflicts, describe_conflict_page, list_conflict_page
from assay.app.review_decisions import (
    SeenQuestion,
    decide_questions,
    explain_undo,
    find_last_decision,
    undo_decisions,
)
from assay.app.review_questions import describe_question
from assay.app.review_queue import (
    QueueFilter,
    count_waiting,
    find_next,
    find_place,
    list_waiting,
)
from assay.app.similar_questions import count_similar, list_similar_questions
from assay.ruling.review.judgement import APPROVE
from assay.ruling.review.service import Reviewer
from assay.settings import Settings
from tests.console.desk_store import ask, dispute, make_questions, pending
from tests.ruling.release_builders import THRESHOLD

ANA = Reviewer(person="ana", note="read")
EVERYTHING = QueueFilter()


@pytest.fixture
def app(make_app: Callable[..., App], settings: Settings) -> App:
    return make_app(settings)


def test_the_queue_is_counted_filtered_and_walked(app: App) -> None:
    rates = ask(app, *make_questions(6))
    (threshold,) = ask(app, pending(THRESHOLD))
    conflict = dispute(app, 2)
    counts = count_waiting(app)
    assert counts.total == 8
    assert counts.by("reason") == {"TIER_T0": 6, "CONFLICT": 1, "TIER_T1": 1}
    assert counts.by("tier") == {"T0": 7, "T1": 1}
    assert counts.by("pack") == {"regulatory": 8}
    # The order is that of the deadlines: the conflict's is the first.
    rows = list_waiting(app, EVERYTHING, limit=20)
    assert rows[0]["subject"] == conflict
    assert [row["request_id"] for row in rows[1:]] == [*rates, threshold]
    place = find_place(app, rates[1])
    later = list_waiting(app, QueueFilter(tier="T0"), after=place, limit=2)
    assert [row["request_id"] for row in later] == rates[2:4]
    assert find_next(app, EVERYTHING, after=place) == rates[2]
    assert find_next(app, EVERYTHING, after=place, backwards=True) == rates[0]
    assert find_next(app, EVERYTHING, after=place, beside=rates[2:]) == threshold
    # Behind the last one comes the first, and what others have open only if nothing else is left.
    assert find_next(app, QueueFilter(tier="T1"), after=find_place(app, rates[5])) == threshold
    assert find_next(app, QueueFilter(tier="T1"), beside=[threshold]) == threshold
    assert find_next(app, QueueFilter(tier="T1"), after=find_place(app, threshold)) is None


def test_similar_questions_are_decided_and_undone(app: App) -> None:
    questions = ask(app, *make_questions(7))
    assert count_similar(app, questions[0]) == 4
    similar = list_similar_questions(app, questions[0], limit=3)
    assert (similar.total, len(similar.questions)) == (5, 3)
    seen = [SeenQuestion(q["request"]["request_id"], q["version"]) for q in similar.questions]
    made = decide_questions(app, seen, APPROVE, ANA)
    last = find_last_decision(app, seen[0].name)
    assert last is not None and last["says"] == "approved"
    assert describe_question(app, seen[0].name).answers == ()
    ids = [decision.decision_id for decision in made]
    assert explain_undo(app, ids, ANA) == ""
    assert len(undo_decisions(app, ids, ANA)) == 3
    assert "already been undone" in explain_undo(app, ids, ANA)
    assert count_waiting(app).total == 7


def test_a_large_conflict_is_shown_in_parts(app: App) -> None:
    conflict = dispute(app, 40)
    assert count_conflicts(app) == {"ESCALATED": 1}
    (row,) = list_conflict_page(app, state=None, limit=5)
    assert row["sides"] == 40
    assert list_conflict_page(app, state=None, after=(row["concept"], conflict), limit=5) == []
    first = describe_conflict_page(app, conflict)
    assert [group["count"] for group in first.groups] == [14, 13, 13]
    assert first.sides[0]["rule_id"] == first.conflict["recommendation"]
    part = describe_conflict_page(app, conflict, value="13", offset=12)
    assert (part.total, len(part.sides), part.next_offset) == (13, 1, None)
    assert part.version == first.version
