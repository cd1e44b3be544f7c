"""Amending acts through all stages: facts that begin and end on a day, and open questions."""

from collections.abc import Iterator
from typing import Any

import pytest

from assay.app.review_kinds import answer_question
from assay.errors import ContentHostile
from assay.model.facts import CandidateFact, FactEnd
from assay.model.records import ReviewRequest
from assay.packs.regulatory import pack
from assay.packs.regulatory.stages.act import build_act_outcome
from assay.ruling.review.service import Reviewer
from assay.settings import Settings
from assay.spine.payloads import PackJob
from assay.store.record_tables import table_of
from tests.engine.workers import MakeApp
from tests.spine.sites import Watch, Workplace, sitemap, watching

ACT = """<html lang="hr"><title>Zakon o turističkoj pristojbi</title><body>
<h1>Zakon o turističkoj pristojbi</h1>
<p>Članak 1.</p><p>Ovim se Zakonom uređuje turistička pristojba koju plaćaju iznajmljivači.</p>
<p>Članak 2.</p>
<p>(1) Turistička pristojba plaća se po stopi od 5 % od iznosa računa za smještaj.</p>
<p>(2) Iznajmljivač čuva račune najmanje 7 godina od isteka godine na koju se odnose.</p>
<p>Članak 3.</p>
<p>Novčanom kaznom od 1.000,00 eura kaznit će se iznajmljivač koji ne plati pristojbu.</p>
<p>Članak 4.</p><p>Ovaj Zakon stupa na snagu 1. siječnja 2025.</p></body></html>"""
CHANGE = """<html lang="hr"><title>Zakon o izmjenama Zakona o turističkoj pristojbi</title><body>
<h1>Zakon o izmjenama Zakona o turističkoj pristojbi</h1>
<p>Članak 1.</p><p>U Zakonu o turističkoj pristojbi (»Službeni list«, br. 8/24) {what}</p>
<p>Članak 2.</p><p>Ovaj Zakon stupa na snagu 1. srpnja 2026.</p></body></html>"""
RATE = "u članku 2. stavku 1. riječi »5 %« zamjenjuju se riječima »6 %«."
REPEAL = "članak 3. briše se."
UNKNOWN_WORDS = "u članku 2. stavku 1. riječi »8 %« zamjenjuju se riječima »9 %«."


@pytest.fixture
def watch(make_app: MakeApp, settings: Settings, shared_workplace: Workplace) -> Iterator[Watch]:
    packs: dict[str, Any] = {"regulatory": pack()}
    with watching(make_app, settings, shared_workplace, packs=packs) as made:
        # The stages read acts with the processes that all tests share.
        made.app.tools = made.tools
        made.endpoint(hierarchy=1)
        yield made


def publish(watch: Watch, *pages: tuple[str, str]) -> None:
    watch.show("/sitemap.xml", sitemap(*(path for path, _ in pages)))
    for path, text in pages:
        watch.show(path, text.encode())
    watch.run()


def ends(watch: Watch) -> list[tuple[str, str, str, bool]]:
    facts = {row["fact_id"]: row for row in watch.rows(table_of(CandidateFact))}
    return sorted(
        (facts[row["fact_id"]]["value"], row["day"], row["doubt"], row["holds"])
        for row in watch.rows(table_of(FactEnd))
    )


def amended(watch: Watch) -> list[dict[str, Any]]:
    return [row for row in watch.rows(table_of(CandidateFact)) if row["amended"]]


def test_replaced_words_end_a_fact_and_begin_another(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT), ("/change.html", CHANGE.format(what=RATE)))
    assert ends(watch) == [("5", "2026-07-01", "", True)]
    (new,) = amended(watch)
    assert (new["value"], new["effective_from"], new["replaces"]) == ("6", "2026-07-01", "5")
    assert "»6 %«" in new["quote"]
    assert "Turistička pristojba plaća se po stopi od 5 %" in new["amended"]["quote"]
    old = [r for r in watch.rows(table_of(CandidateFact)) if r["value"] == "5"]
    assert {row["concept"] for row in old} == {new["concept"]}
    assert watch.dead() == []


@pytest.mark.parametrize("first", ["/act.html", "/change.html"])
def test_the_order_in_which_acts_arrive_does_not_matter(watch: Watch, first: str) -> None:
    pages = {"/act.html": ACT, "/change.html": CHANGE.format(what=RATE)}
    publish(watch, (first, pages[first]))
    assert ends(watch) == []
    publish(watch, *sorted(pages.items()))
    assert ends(watch) == [("5", "2026-07-01", "", True)]
    assert [row["value"] for row in amended(watch)] == ["6"]


def test_a_repealed_article_ends_its_facts(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT), ("/change.html", CHANGE.format(what=REPEAL)))
    assert ends(watch) == [("1000", "2026-07-01", "", True)]
    assert amended(watch) == []


NAMESAKE = """<p>Članak 5.</p><p>Danom stupanja na snagu ovoga Zakona prestaje važiti Zakon o
turističkoj pristojbi (»Službeni list«, br. 3/09).</p></body>"""


def test_an_act_that_repeals_its_namesake_does_not_repeal_itself(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT.replace("</body>", NAMESAKE)))
    assert ends(watch) == []
    assert watch.rows(table_of(ReviewRequest), subject_kind="law_amendment") == []
    assert watch.dead() == []


def test_words_that_are_not_there_become_a_question_and_a_doubt(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT), ("/change.html", CHANGE.format(what=UNKNOWN_WORDS)))
    (request,) = watch.rows(table_of(ReviewRequest), subject_kind="law_amendment")
    assert "»8 %«" in request["question"] and "2026-07-01" in request["question"]
    ((value, day, doubt, holds),) = ends(watch)
    assert (value, day, holds) == ("5", "2026-07-01", True)
    assert doubt
    assert amended(watch) == []


def test_a_person_s_answer_removes_the_doubt(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT), ("/change.html", CHANGE.format(what=UNKNOWN_WORDS)))
    (request,) = watch.rows(table_of(ReviewRequest), subject_kind="law_amendment")
    answer_question(watch.app, request["request_id"], "no_change", Reviewer(person="Ana"))
    watch.drain()
    assert [holds for *_, holds in ends(watch)] == [False]


def test_the_same_run_twice_changes_nothing(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT), ("/change.html", CHANGE.format(what=RATE)))
    before = ends(watch), amended(watch)
    watch.run()
    assert (ends(watch), amended(watch)) == before


def test_an_amended_act_that_is_missing_is_asked_about_until_it_arrives(watch: Watch) -> None:
    change = ("/change.html", CHANGE.format(what=RATE))
    publish(watch, change)
    (request,) = watch.rows(table_of(ReviewRequest), subject_kind="law_amendment")
    assert request["state"] == "OPEN" and "Zakonu o turističkoj pristojbi" in request["question"]
    publish(watch, change, ("/act.html", ACT))
    (request,) = watch.rows(table_of(ReviewRequest), subject_kind="law_amendment")
    assert request["state"] == "MOOT"


def test_a_text_that_cannot_be_read_as_an_act_is_still_extracted() -> None:
    job = PackJob(evidence_id="ev_1", source="gazette", pack="regulatory")
    for act in (None, ContentHostile("It took too long.")):
        (following,) = build_act_outcome(job, act, None).next
        assert (following.stage, following.payload.subject) == ("extract", job.subject)
