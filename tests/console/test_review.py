"""The review desk: what it shows, what an answer does, and what it refuses."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from assay.app import App
from assay.app.principals import Role
from assay.app.reviewing import build_review_service
from assay.console.forms import TOKEN_COOKIE
from assay.model.records import ReviewRequest
from assay.ruling.review.decisions import reject_rule
from assay.ruling.review.service import Reviewer
from assay.store import tables as t
from assay.store import truth
from assay.store.upserts import upsert_records
from tests.console.conftest import identify, open_console
from tests.console.desk_store import ask, make_questions, pending
from tests.ruling.release_builders import RATE, THRESHOLD

TOKEN = "a-token-of-this-browser"


def person(app: App, name: str = "ana", role: Role = Role.REVIEWER) -> TestClient:
    """Somebody's browser, with the token of its forms."""
    client = open_console(app, name, role)
    client.cookies.set(TOKEN_COOKIE, TOKEN)
    return client


def version_on(page: str) -> str:
    found = re.search(r'name="version" value="([0-9a-f]+)"', page)
    assert found is not None
    return found[1]


def decide(client: TestClient, question: str, answer: str, version: str = "", **fields: str) -> Any:
    seen = version or version_on(client.get(f"/review/{question}").text)
    data = {"token": TOKEN, "answer": answer, "version": seen, **fields}
    return client.post(f"/review/{question}", data=data)


def rule_of(app: App, question: str) -> Mapping[str, Any]:
    asked, rule = t.review_request.c, truth.rule
    subject = sa.select(asked.subject).where(asked.request_id == question).scalar_subquery()
    (row,) = app.fetch_rows(sa.select(rule).where(rule.c.rule_id == subject))
    return row


def decisions(app: App) -> list[dict[str, Any]]:
    table = truth.review_decision
    return app.fetch_rows(sa.select(table).order_by(table.c.at_ms, table.c.decision_id))


@pytest.fixture
def three(empty: App) -> list[str]:
    """Two rates and a threshold that wait."""
    return ask(empty, pending(RATE), *make_questions(1), pending(THRESHOLD))


def test_the_queue_counts_and_filters(empty: App, three: list[str]) -> None:
    client = person(empty)
    page = client.get("/review").text
    assert "<strong>3</strong> questions wait" in page
    assert "value added tax: rate: <b>25 %</b>" in page
    only = client.get("/review?tier=T1").text
    assert three[2] in only and three[0] not in only
    # The next question keeps the filter.
    following = client.get("/review/next?tier=T1").headers["Location"]
    assert following == f"/review/{three[2]}?tier=T1"
    assert "No open question matches" in client.get("/review?reason=QUALITY").text


def test_an_empty_queue_says_so(empty: App) -> None:
    assert "No question waits for a person." in person(empty).get("/review").text
    assert person(empty).get("/review/next").headers["Location"] == "/review"


def test_a_question_shows_the_proposal_next_to_the_quote_in_its_lines(
    empty: App, three: list[str]
) -> None:
    page = person(empty).get(f"/review/{three[0]}").text
    assert "<mark>The rate of value added tax is 25 %.</mark>" in page
    assert "Ovo je uvod" in page and "So says gazette." in page
    assert re.search(r'href="/evidence/ev_\w+\?quote=\d+-\d+"', page)
    assert "Rules of tier T0 are never approved without a person." in page
    for key in ("a", "e", "r", "n", "p", "s"):
        assert f'data-press="{key}"' in page


def test_an_approval_leads_to_the_next_question_with_an_undo(empty: App, three: list[str]) -> None:
    client = person(empty)
    answer = decide(client, three[0], "APPROVE", note="checked")
    assert answer.status_code == 303
    (made,) = decisions(empty)
    assert answer.headers["Location"] == f"/review/{three[1]}?undo={made['decision_id']}"
    assert (made["person"], made["note"], made["decision"]) == ("ana", "checked", "APPROVE")
    assert rule_of(empty, three[0])["approved_by"] == "ana"
    page = client.get(answer.headers["Location"]).text
    assert "Approved: pdv.rate: 25 %." in page
    assert f"/review/undo?decisions={made['decision_id']}" in page


def test_an_undo_is_shown_first_and_then_recorded(empty: App, three: list[str]) -> None:
    client = person(empty)
    decide(client, three[0], "APPROVE")
    (made,) = decisions(empty)
    shown = client.get(f"/review/undo?decisions={made['decision_id']}").text
    assert "Confirm: undo" in shown and len(decisions(empty)) == 1
    data = {"token": TOKEN, "decisions": made["decision_id"], "note": "slipped"}
    assert client.post("/review/undo", data=data).status_code == 303
    assert [row["decision"] for row in decisions(empty)] == ["APPROVE", "UNDO"]
    assert rule_of(empty, three[0])["status"] == "PENDING_REVIEW"
    again = client.get(f"/review/undo?decisions={made['decision_id']}").text
    assert "already been undone" in again and "Confirm: undo" not in again


def test_a_correction_needs_a_value_that_the_quote_contains(empty: App, three: list[str]) -> None:
    client = person(empty)
    page = client.get(f"/review/{three[0]}").text
    fields = {"value": "23", "effective_from": "2013-01-01", "effective_until": "",
              "applies_when": '{"op":"true"}', "label": ""}  # fmt: skip
    refused = decide(client, three[0], "EDIT", version_on(page), note="a typo", **fields)
    assert refused.status_code == 400
    assert "is not in any quote" in refused.text
    assert 'value="23"' in refused.text and 'value="a typo"' in refused.text, "nothing is lost"
    assert decisions(empty) == []
    fields |= {"value": "25", "effective_until": "2030-01-01"}
    assert decide(client, three[0], "EDIT", version_on(page), **fields).status_code == 303
    assert rule_of(empty, three[0])["person_version"] == {"effective_until": "2030-01-01"}


def test_a_rejection_needs_a_reason(empty: App, three: list[str]) -> None:
    client = person(empty)
    refused = decide(client, three[0], "REJECT", note="  ")
    assert refused.status_code == 400 and "needs a reason" in refused.text
    assert decide(client, three[0], "REJECT", note="repealed").status_code == 303
    assert rule_of(empty, three[0])["status"] == "REJECTED"


def test_of_two_who_answer_the_second_sees_who_was_first(empty: App, three: list[str]) -> None:
    ana, bo = person(empty), person(empty, "bo")
    seen = version_on(bo.get(f"/review/{three[0]}").text)
    decide(ana, three[0], "APPROVE", note="as the gazette says")
    late = decide(bo, three[0], "REJECT", seen, note="doubtful")
    assert late.status_code == 409
    assert "ana approved" in late.text and "as the gazette says" in late.text
    assert "Nothing was decided in your name" in late.text
    assert f"/review/{three[1]}" in late.text or f"/review/{three[2]}" in late.text
    assert [row["person"] for row in decisions(empty)] == ["ana"]
    assert rule_of(empty, three[0])["status"] == "APPROVED"


def test_an_answer_sent_twice_is_recorded_once(empty: App, three: list[str]) -> None:
    client = person(empty)
    seen = version_on(client.get(f"/review/{three[0]}").text)
    assert decide(client, three[0], "APPROVE", seen).status_code == 303
    assert decide(client, three[0], "APPROVE", seen).status_code == 409
    assert len(decisions(empty)) == 1


def test_two_reviewers_get_different_questions(empty: App, three: list[str]) -> None:
    ana = person(empty)
    bo = TestClient(
        ana.app,
        base_url="http://localhost",
        headers=identify("bo", Role.REVIEWER),
        follow_redirects=False,
    )
    first = ana.get("/review/next").headers["Location"]
    ana.get(first)
    assert bo.get("/review/next").headers["Location"] != first
    assert "ana has this open" in bo.get(first).text
    assert "ana has this open" in bo.get("/review").text
    # Somebody else's question is still offered if there is no other.
    ana.get(f"/review/{three[2]}")
    assert bo.get("/review/next?tier=T1").headers["Location"] == f"/review/{three[2]}?tier=T1"
    # Who goes back to the queue has nothing open.
    ana.get("/review")
    assert "has this open" not in bo.get(f"/review/{three[2]}").text


def test_a_skipped_question_is_not_chosen_again_soon(empty: App, three: list[str]) -> None:
    client = person(empty)
    client.get(f"/review/{three[0]}")
    skipped = client.post(f"/review/{three[0]}/skip", data={"token": TOKEN})
    assert skipped.headers["Location"] == f"/review/{three[1]}"
    assert client.get("/review/next").headers["Location"] == f"/review/{three[1]}"
    assert three[0] in client.get("/review").text
    assert decisions(empty) == []


def test_a_reader_sees_no_forms_and_decides_nothing(empty: App, three: list[str]) -> None:
    reader = person(empty, "ivo", Role.READER)
    page = reader.get(f"/review/{three[0]}").text
    assert "Only reviewers can answer" in page
    assert 'name="answer"' not in page and 'name="version"' not in page
    sent = decide(reader, three[0], "APPROVE", "0" * 16)
    assert sent.status_code == 403
    data = {"token": TOKEN, "item": f"{three[0]}:x", "answer": "APPROVE"}
    assert reader.post(f"/review/{three[0]}/similar", data=data).status_code == 403
    assert reader.post("/review/undo", data={"token": TOKEN, "decisions": "x"}).status_code == 403
    assert decisions(empty) == []


def test_a_form_of_another_page_decides_nothing(empty: App, three: list[str]) -> None:
    client = person(empty)
    seen = version_on(client.get(f"/review/{three[0]}").text)
    data = {"token": "a guess", "answer": "APPROVE", "version": seen}
    assert client.post(f"/review/{three[0]}", data=data).status_code == 403
    assert decisions(empty) == []


def test_similar_questions_are_decided_together_with_one_decision_each(empty: App) -> None:
    questions = ask(empty, *make_questions(5), pending(THRESHOLD))
    client = person(empty)
    assert "4 similar questions" in client.get(f"/review/{questions[0]}").text
    page = client.get(f"/review/{questions[0]}/similar").text
    items = re.findall(r'name="item" value="(rq_\w+:\w+)"', page)
    assert items[0].startswith(questions[0])
    assert {item.partition(":")[0] for item in items} == set(questions[:5])
    assert page.count("<mark>") == 5, "each is shown with its quote"
    data = {"token": TOKEN, "item": items[:3], "answer": "APPROVE", "note": "all alike"}
    answer = client.post(f"/review/{questions[0]}/similar", data=data)
    assert answer.status_code == 303
    assert len(decisions(empty)) == 3
    assert {row["note"] for row in decisions(empty)} == {"all alike"}
    assert "Approved: 3 questions." in client.get(answer.headers["Location"]).text


def test_together_means_all_or_none(empty: App) -> None:
    questions = ask(empty, *make_questions(4))
    client = person(empty)
    page = client.get(f"/review/{questions[0]}/similar").text
    items = re.findall(r'name="item" value="(rq_\w+:\w+)"', page)
    rule_id = rule_of(empty, questions[2])["rule_id"]
    reject_rule(build_review_service(empty), rule_id, Reviewer(person="bo", note="no"))
    data = {"token": TOKEN, "item": items, "answer": "APPROVE"}
    answer = client.post(f"/review/{questions[0]}/similar", data=data)
    assert answer.status_code == 409
    assert "none of them was decided" in answer.text
    assert [row["person"] for row in decisions(empty)] == ["bo"]


def test_nothing_ticked_decides_nothing(empty: App) -> None:
    questions = ask(empty, *make_questions(3))
    client = person(empty)
    data = {"token": TOKEN, "answer": "APPROVE"}
    answer = client.post(f"/review/{questions[0]}/similar", data=data)
    shown = client.get(answer.headers["Location"]).text
    assert "No question is selected." in shown
    assert decisions(empty) == []


def a_question(app: App, **fields: str) -> str:
    told: dict[str, Any] = {
        "request_id": "rq_1",
        "reason": "OCR_FAILED",
        "subject_kind": "evidence",
        "subject": "ev_1",
        "question": "Page 1 could not be <b>read</b>.",
    }
    with app.engine.begin() as connection:
        upsert_records(connection, [ReviewRequest(**{**told, **fields})])
    return "rq_1"


def test_an_answer_in_words_is_stored_and_can_be_undone(empty: App) -> None:
    question, client = a_question(empty), person(empty)
    page = client.get(f"/review/{question}").text
    assert "Page 1 could not be &lt;b&gt;read&lt;/b&gt;." in page
    assert decide(client, question, "say", words=" ").status_code == 400
    assert decide(client, question, "say", words="it is blank").status_code == 303
    (made,) = decisions(empty)
    assert made["version"] == {"answer": "it is blank"}
    data = {"token": TOKEN, "decisions": made["decision_id"]}
    assert client.post("/review/undo", data=data).status_code == 303
    assert "<strong>1</strong> question waits" in client.get("/review").text


def test_a_pack_s_question_has_its_answers_and_says_that_they_are_final(empty: App) -> None:
    question = a_question(
        empty, reason="MATCH", subject_kind="literature_match", subject="doi:1 | doi:2",
        question="Are these one work?",
    )  # fmt: skip
    client = person(empty)
    page = client.get(f"/review/{question}").text
    assert "Two references that may be one work" in page
    assert 'data-press="1"' in page and 'data-press="2"' in page
    assert "it cannot be undone" in page
    assert decide(client, question, "perhaps").status_code == 400


def test_a_question_about_a_conflict_is_decided_at_the_conflict(empty: App) -> None:
    question = a_question(empty, reason="CONFLICT", subject_kind="conflict", subject="cf_1")
    answer = person(empty).get(f"/review/{question}")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/conflicts/cf_1")


def test_an_unknown_question_is_not_found(empty: App) -> None:
    assert person(empty).get("/review/rq_nothing").status_code == 404
    assert person(empty).get("/review/undo?decisions=rd_nothing").status_code == 404


def test_text_of_documents_stays_text(empty: App) -> None:
    evil = pending(RATE).but(words="<script>alert(1)</script> The rate is {value} {unit}.")
    (question,) = ask(empty, evil)
    page = person(empty).get(f"/review/{question}").text
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
