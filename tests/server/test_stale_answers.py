"""An answer says what has happened to its rules since the release, on both databases."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from assay.app import App
from assay.app.asking import ReleaseAnswer, ask
from assay.model.facts import CoverageReport, FactEnd
from assay.model.hashes import canonical_json
from assay.model.records import Evidence, IngestCandidate, Record, ReviewRequest
from assay.model.rules import Conflict, ConflictSide, Rule, RuleEdge, SourcePointer
from assay.ruling.staleness import Freshness, StaleReason
from assay.store import truth
from assay.store.upserts import upsert_records
from tests.console.conftest import asking
from tests.ruling.published import ALWAYS, line, manifest
from tests.server.stored import GENERAL, URL, publish

DAY = date(2026, 1, 1)
RULE = "rl_general"
NEWER = Rule(
    rule_id="rl_newer", pack="regulatory", concept="pdv.rate", domain="pdv", tier="T0", value="26",
    value_type="percentage", unit="%", effective_from="2025-07-01",
    applies_when=canonical_json(ALWAYS).decode(), status="PENDING_REVIEW",
)  # fmt: skip


def store(app: App, *records: Record) -> None:
    with app.engine.begin() as connection:
        upsert_records(connection, records)


def change(app: App, rule_id: str = RULE, **to: Any) -> None:
    with app.engine.begin() as connection:
        rule = truth.rule
        connection.execute(sa.update(rule).where(rule.c.rule_id == rule_id).values(**to))


def asked(app: App, as_of: date = DAY) -> ReleaseAnswer:
    return ask(app, "pdv.rate", {"activity": "bread"}, as_of)


def question(subject: str, kind: str = "rule", **more: Any) -> ReviewRequest:
    return ReviewRequest(
        request_id=f"rq_{subject}", reason="EVIDENCE_CHANGED", subject_kind=kind, subject=subject,
        question="Does this still hold?", created_ms=5, **more,
    )  # fmt: skip


def changed_page(*, stating: str | None = None) -> Sequence[Record]:
    """A newer version of the document that the rule cites; a rule that it states."""
    page = Evidence(
        evidence_id="ev_new", url=URL, content_hash="9" * 64, doc_id="do_1",
        source_slug="gazette", content_type="text/html", size=1, fetched_ms=7,
    )  # fmt: skip
    found: list[Record] = [page, IngestCandidate(doc_id="do_1", state="DONE", evidence_id="ev_new")]
    if stating is not None:
        found.append(
            SourcePointer(
                pointer_id=f"sp_new_{stating}", rule_id=stating, fact_id="fa_new",
                evidence_id="ev_new", artifact_id="ar_new", doc_id="do_1", source_slug="gazette",
                quote="x", start=0, end=1, confidence=0.9,
            )
        )  # fmt: skip
    return found


EXAMINED = CoverageReport(
    evidence_id="ev_new", pack="regulatory", artifact_id="ar_new", sentences=1, relevant=1,
    covered=1, facts=1, rejected=0, extractor="deterministic@1",
)  # fmt: skip


def test_an_answer_is_current_while_nothing_happens(app: App) -> None:
    publish(app, GENERAL)
    reply = asked(app)
    assert (reply.freshness, reply.stale) == (Freshness.CURRENT, {})
    assert reply.values()["answers"][0]["rules"][0]["stale"] == []


def test_a_rule_under_review_names_the_question(app: App) -> None:
    publish(app, GENERAL)
    change(app, status="PENDING_REVIEW", status_reason="the words have changed")
    store(app, question(RULE))
    reply = asked(app)
    assert (reply.freshness, reply.answer.state) == (Freshness.STALE, "ANSWERED")
    ((mark,),) = (reply.stale or {}).values()
    assert mark.reason is StaleReason.UNDER_REVIEW
    assert (mark.what, mark.request_id, mark.question) == (
        "it is under review: the words have changed", "rq_rl_general", "Does this still hold?",
    )  # fmt: skip


def test_a_question_is_enough_and_an_answered_one_is_none(app: App) -> None:
    publish(app, GENERAL)
    store(app, question(RULE))
    assert asked(app).freshness is Freshness.STALE
    store(app, question(RULE, state="ANSWERED"))
    with app.engine.begin() as connection:
        connection.execute(sa.text("UPDATE review_requests SET state = 'ANSWERED'"))
    assert asked(app).freshness is Freshness.CURRENT


@pytest.mark.parametrize(
    ("status", "reason"),
    [("REJECTED", StaleReason.WITHDRAWN), ("DEPRECATED", StaleReason.DEPRECATED)],
)
def test_a_withdrawn_rule_says_why(app: App, status: str, reason: StaleReason) -> None:
    publish(app, GENERAL)
    change(app, status=status, status_reason="the page was wrong")
    ((mark,),) = (asked(app).stale or {}).values()
    assert mark.reason is reason
    assert mark.what.endswith(": the page was wrong")


def test_an_open_conflict_names_the_other_rule_and_its_question(app: App) -> None:
    publish(app, GENERAL)
    conflict = Conflict(
        conflict_id="co_1", pack="regulatory", concept="pdv.rate", value_type="percentage",
        applies_when="{}", kind="SOURCE", sign="VALUE_MISMATCH",
    )  # fmt: skip
    sides = [
        ConflictSide(side_id=f"cs_{key}", conflict_id="co_1", rule_id=key)
        for key in (RULE, NEWER.rule_id)
    ]
    store(app, NEWER, conflict, *sides, question("co_1", "conflict"))
    ((mark,),) = (asked(app).stale or {}).values()
    assert (mark.reason, mark.conflict_id, mark.request_id) == (
        StaleReason.CONTRADICTED, "co_1", "rq_co_1",
    )  # fmt: skip
    assert [(rule.rule_id, rule.display) for rule in mark.rules] == [("rl_newer", "26 %")]
    with app.engine.begin() as connection:
        connection.execute(sa.text("UPDATE conflicts SET state = 'MOOT'"))
    assert asked(app).freshness is Freshness.CURRENT


def test_changed_evidence_names_its_id_address_and_what_it_states(app: App) -> None:
    publish(app, GENERAL)
    store(app, *changed_page())
    ((mark,),) = (asked(app).stale or {}).values()
    assert mark.reason is StaleReason.EVIDENCE_CHANGED
    assert (mark.what, mark.evidence_id, mark.url) == (
        "a newer version of its source has not been examined yet", "ev_new", URL,
    )  # fmt: skip
    store(app, EXAMINED, NEWER, *changed_page(stating="rl_newer"))
    ((mark,),) = (asked(app).stale or {}).values()
    assert mark.what == "a newer version of its source no longer supports it"
    assert [(rule.rule_id, rule.status) for rule in mark.rules] == [("rl_newer", "PENDING_REVIEW")]


def test_a_newer_version_that_says_the_same_changes_nothing(app: App) -> None:
    publish(app, GENERAL)
    store(app, EXAMINED, *changed_page(stating=RULE))
    assert asked(app).freshness is Freshness.CURRENT


def test_a_newer_version_that_ends_it_on_a_later_day_changes_nothing_before(app: App) -> None:
    publish(app, GENERAL)
    end = FactEnd(
        fact_id="fa_rl_general", by_evidence_id="ev_new", pack="regulatory", day="2026-06-01",
        quote="x", start=0, end=1,
    )  # fmt: skip
    store(app, EXAMINED, end, *changed_page())
    assert asked(app).freshness is Freshness.CURRENT
    assert asked(app, date(2026, 6, 1)).freshness is Freshness.STALE


def test_an_approved_successor_counts_from_its_first_day(app: App) -> None:
    publish(app, GENERAL)
    store(app, NEWER, RuleEdge(from_rule="rl_newer", to_rule=RULE, kind="SUPERSEDES"))
    assert asked(app).freshness is Freshness.CURRENT
    change(app, "rl_newer", status="APPROVED", approved_by="ana")
    ((mark,),) = (asked(app).stale or {}).values()
    assert (mark.reason, [rule.rule_id for rule in mark.rules]) == (
        StaleReason.REPLACED, ["rl_newer"],
    )  # fmt: skip
    assert asked(app, date(2025, 6, 30)).freshness is Freshness.CURRENT


def test_a_successor_in_the_same_release_is_no_news(app: App) -> None:
    later = line("rl_later", "26", effective_from="2026-06-01")
    publish(app, {**GENERAL, "effective_until": "2026-06-01"}, later)
    store(app, RuleEdge(from_rule="rl_later", to_rule=RULE, kind="SUPERSEDES"))
    assert asked(app).freshness is Freshness.CURRENT


def test_a_value_that_a_person_changed_is_newer(app: App) -> None:
    publish(app, GENERAL)
    change(app, person_version={"value": "24"})
    ((mark,),) = (asked(app).stale or {}).values()
    assert (mark.reason, mark.rules[0].display) == (StaleReason.REPLACED, "24 %")


async def test_http_marks_it_as_well(empty: App) -> None:
    publish(empty, GENERAL)
    change(empty, status="PENDING_REVIEW", status_reason="the words have changed")
    async with asking(empty) as api:
        told = await api.get("/api/ask", concept="pdv.rate", as_of="2026-01-01")
    assert (told["state"], told["freshness"]) == ("ANSWERED", "STALE")
    ((mark,),) = [rule["stale"] for rule in told["answers"][0]["rules"]]
    assert mark["reason"] == "UNDER_REVIEW"
    reply = ask(empty, "pdv.rate", as_of=DAY)
    assert reply.values() == told


def test_an_exported_release_cannot_know(tmp_path: Path) -> None:
    file = tmp_path / "manifest.jsonl"
    file.write_bytes(manifest(GENERAL))
    told = ask(file, "pdv.rate", as_of=DAY).values()
    assert told["freshness"] == "UNKNOWN"
    assert told["answers"][0]["rules"][0]["stale"] is None
