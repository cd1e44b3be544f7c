"""Extract, compose and apply through the whole spine: from a page to rules with their words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from assay.app import App
from assay.app.installed_packs import load_installed_facts
from assay.model.content import ArtifactKind
from assay.ruling.payloads import ExtractJob
from assay.ruling.review.lookup import read_concept_rows, read_rule
from assay.settings import Settings
from assay.store import tables as t
from assay.store import truth
from tests.spine.sites import Watch, Workplace, sitemap, watching

ACT = """<html lang="en"><title>{title}</title><body><h1>{title}</h1>
<p>Article 1. This Act lays down the rates and the time limits for paying value added tax.</p>
<p>Article 2. The rate of value added tax shall be {rate} %.</p>
<p>Article 3. A reduced rate of 13 % shall apply to the supply of books.</p>
<p>Article 4. Invoices shall be kept for 7 years from the end of the year they relate to.</p>
<p>Article 5. This Act shall enter into force on {day}.</p>{extra}</body></html>"""


def act(title: str = "Act on Value Added Tax", *, rate: int = 25, day: str = "1 January 2026",
        extra: str = "") -> bytes:  # fmt: skip
    return ACT.format(title=title, rate=rate, day=day, extra=extra).encode()


def published(watch: Watch, hierarchy: int = 1, **pages: bytes) -> None:
    watch.endpoint(hierarchy=hierarchy)
    watch.show("/sitemap.xml", sitemap(*(f"/{name}.html" for name in pages)))
    for name, body in pages.items():
        watch.show(f"/{name}.html", body)


def facts(watch: Watch, **equal: Any) -> list[tuple[str, str]]:
    return sorted(
        (row["concept"], row["value"]) for row in watch.rows(truth.candidate_fact, **equal)
    )


def rules(watch: Watch, concept: str) -> dict[str, dict[str, Any]]:
    return {row["value"]: row for row in watch.rows(truth.rule, concept=concept)}


def test_a_page_becomes_facts_that_slice_back_to_their_quotes(regulated: Watch) -> None:
    published(regulated, a=act())
    regulated.run()
    assert facts(regulated) == [
        ("pdv.entry_into_force", "2026-01-01"),
        ("pdv.rate", "25"),
        ("pdv.reduced_rate", "13"),
        ("pdv.retention_period.invoic", "7"),
    ]
    (evidence,) = regulated.evidence("/a.html")
    (artifact,) = [
        row
        for row in regulated.rows(t.artifact, evidence_id=evidence["evidence_id"])
        if row["kind"] == ArtifactKind.HTML_CLEANED
    ]
    text = regulated.app.blobs.get(artifact["content_hash"]).decode()
    for row in regulated.rows(truth.candidate_fact):
        assert text[row["start"] : row["end"]] == row["quote"]
        assert row["artifact_id"] == artifact["artifact_id"]
        assert row["effective_from"] in ("2026-01-01", None)
    (report,) = regulated.rows(truth.coverage_report)
    assert (report["facts"], report["rejected"]) == (4, 0)
    assert 0 < report["covered"] <= report["relevant"] <= report["sentences"]
    (candidate,) = regulated.rows(t.candidate, doc_id=evidence["doc_id"])
    assert candidate["state"] == "ingested"
    assert regulated.dead() == []
    assert regulated.rows(t.agent_run) == []


def test_a_second_run_changes_nothing(regulated: Watch) -> None:
    published(regulated, a=act(), b=act("Act of 2027 on Value Added Tax", rate=27,
                                        day="1 January 2027"))  # fmt: skip
    regulated.run()
    before, audited = regulated.dump(), len(regulated.rows(truth.audit_log))
    jobs = len(regulated.rows(t.job, stage="extract"))
    regulated.run()
    assert regulated.dump() == before
    assert len(regulated.rows(truth.audit_log)) == audited
    assert len(regulated.rows(t.job, stage="extract")) == jobs == 2


def test_a_later_act_that_names_no_old_value_ends_nothing_and_a_person_is_asked(
    regulated: Watch,
) -> None:
    published(regulated, a=act(), b=act("Act of 2027 on Value Added Tax", rate=27,
                                        day="1 January 2027"))  # fmt: skip
    regulated.run()
    rates = rules(regulated, "pdv.rate")
    assert set(rates) == {"25", "27"}
    assert regulated.rows(truth.rule_edge) == []
    (conflict,) = regulated.rows(truth.conflict)
    assert conflict["recommendation"] == "in-turn"
    (request,) = regulated.rows(t.review_request, subject_kind="conflict")
    assert (request["subject"], request["state"]) == (conflict["conflict_id"], "OPEN")


def test_what_two_pages_say_of_one_day_is_a_conflict_in_either_order(
    regulated: Watch,
) -> None:
    published(regulated, a=act(), b=act("Value Added Tax Act, another print", rate=24))
    regulated.run()
    (conflict,) = regulated.rows(truth.conflict)
    assert (conflict["kind"], conflict["sign"]) == ("INTERPRETATION", "VALUE_MISMATCH")
    both = rules(regulated, "pdv.rate").values()
    sides = regulated.rows(truth.conflict_side, conflict_id=conflict["conflict_id"])
    assert {side["rule_id"] for side in sides} == {row["rule_id"] for row in both}
    assert {row["status"] for row in both} == {"PENDING_REVIEW"}
    actions = [row["action"] for row in regulated.rows(truth.audit_log)]
    assert actions.count("conflict_found") == 1
    assert actions.count("rule_created") == len(regulated.rows(truth.rule))


def test_the_same_meaning_from_another_page_adds_a_pointer_and_no_rule(regulated: Watch) -> None:
    other = act("Guidance: the Value Added Tax Act explained").replace(
        b"shall be 25 %", b"has been 25 % everywhere and shall be 25 %"
    )
    published(regulated, a=act(), b=other)
    regulated.run()
    (rate,) = rules(regulated, "pdv.rate").values()
    pointers = regulated.rows(truth.source_pointer, rule_id=rate["rule_id"])
    assert len({row["doc_id"] for row in pointers}) == 2
    assert len({row["quote"] for row in pointers}) == 2


def test_a_page_that_no_longer_says_so_takes_the_ground_from_its_rule(regulated: Watch) -> None:
    published(regulated, a=act())
    regulated.run()
    regulated.show("/a.html", act(rate=26))
    regulated.run()
    rates = rules(regulated, "pdv.rate")
    assert rates["25"]["status"] == "DEPRECATED"
    assert rates["26"]["status"] == "PENDING_REVIEW"
    assert regulated.rows(truth.conflict) == []
    regulated.show("/a.html", act())
    regulated.run()
    back = rules(regulated, "pdv.rate")
    assert back["26"]["status"] == "DEPRECATED"
    assert back["25"]["status"] == "PENDING_REVIEW"


def test_documents_wait_for_a_pack_that_is_not_installed(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> None:
    packs = {"other": replace(load_installed_facts()["regulatory"], name="other")}
    with watching(make_app, settings, shared_workplace, packs=packs) as watch:
        published(watch, a=act())
        watch.run()
        (candidate,) = watch.rows(t.candidate)
        assert candidate["state"] == "blocked"
        assert "the pack 'regulatory' is not installed" in candidate["last_error"]
        assert facts(watch) == [] and watch.dead() == []
        watch.run()
        assert facts(watch) == []
        packs |= load_installed_facts()
        watch.clock.turn(seconds=7 * 3600)
        watch.run()
        assert ("pdv.rate", "25") in facts(watch)
        (candidate,) = watch.rows(t.candidate)
        assert candidate["state"] == "ingested"


def test_a_copy_that_is_found_out_late_is_no_second_source(regulated: Watch) -> None:
    published(regulated, a=act())
    regulated.run()
    (rate,) = rules(regulated, "pdv.rate").values()
    regulated.show("/sitemap.xml", sitemap("/a.html", "/b.html"))
    regulated.show("/b.html", act())
    regulated.run()
    originals = [row for row in regulated.rows(t.scout_result) if row["duplicate_of"] is None]
    assert len(originals) == 1
    (rule,) = rules(regulated, "pdv.rate").values()
    assert (rule["rule_id"], rule["status"]) == (rate["rule_id"], "PENDING_REVIEW")
    assert rule["confidence"] == rate["confidence"]
    with regulated.app.engine.connect() as connection:
        (held,) = read_concept_rows(
            connection, read_rule(connection, rule["rule_id"]), {}
        ).current_pointers.values()
    assert {pointer.evidence_id for pointer in held} == {originals[0]["evidence_id"]}


def test_an_amendment_that_nobody_can_place_is_a_question_to_a_person(regulated: Watch) -> None:
    amending = act("Act amending the Value Added Tax Act", day="1 July 2026").replace(
        b"<p>Article 3.", b"<p>In Article 38(2), \xe2\x80\x9c12 %\xe2\x80\x9d is replaced by "
        b"\xe2\x80\x9c14 %\xe2\x80\x9d.</p><p>Article 3."
    )  # fmt: skip
    published(regulated, a=amending)
    regulated.run()
    (evidence,) = regulated.evidence("/a.html")
    asked = regulated.rows(t.review_request, subject=evidence["evidence_id"])
    assert [row["reason"] for row in asked] == ["LOW_CONFIDENCE"]
    assert "14 %" in asked[0]["question"]
    assert "14" not in rules(regulated, "pdv.rate")


def test_a_job_without_a_pack_is_refused_and_not_skipped() -> None:
    with pytest.raises(ValidationError, match="pack"):
        ExtractJob.model_validate({"evidence_id": "ev1", "source": "gazette"})
