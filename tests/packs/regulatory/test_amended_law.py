"""Amending acts through all stages: facts that begin and end on a day, and open questions."""

from collections.abc import Iterator
from typing import Any

import pytest

from assay.app.review_kinds import answer_question
from assay.engine.contract import Failed, Outcome
from assay.errors import ContentHostile, InvalidInput
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
    unread = build_act_outcome(job, None, None, {})
    refused = build_act_outcome(job, ContentHostile("It took too long."), None, {})
    assert isinstance(refused, Failed) and isinstance(unread, Outcome)
    for outcome in (unread, refused.last):
        assert outcome is not None
        (following,) = outcome.next
        assert (following.stage, following.payload.subject) == ("extract", job.subject)


def answer(watch: Watch, words: str) -> None:
    (request,) = watch.rows(table_of(ReviewRequest), subject_kind="law_amendment", state="OPEN")
    answer_question(watch.app, request["request_id"], words, Reviewer(person="Ana"))
    watch.drain()


def test_a_person_applies_an_amendment_by_hand(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT), ("/change.html", CHANGE.format(what=UNKNOWN_WORDS)))
    answer(watch, 'art_2__para_1: "5 %" -> "9 %"')
    assert ends(watch) == [("5", "2026-07-01", "", True)]
    (new,) = amended(watch)
    assert (new["value"], new["effective_from"]) == ("9", "2026-07-01")
    assert "»9 %«" in new["quote"]


def test_a_change_by_hand_that_cannot_be_applied_is_asked_about_again(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT), ("/change.html", CHANGE.format(what=UNKNOWN_WORDS)))
    answer(watch, 'art_2__para_1: "5 %" -> "11 %"')
    (request,) = watch.rows(table_of(ReviewRequest), subject_kind="law_amendment", state="OPEN")
    assert "“11 %” are not in the amending act" in request["question"]
    assert all(doubt for _, _, doubt, holds in ends(watch) if holds)
    answer(watch, "art_2__para_1: delete from 2026-08-01")
    assert [end for end in ends(watch) if end[3]] == [("5", "2026-08-01", "", True)]
    assert amended(watch) == []


def test_an_answer_that_is_no_change_is_refused(watch: Watch) -> None:
    publish(watch, ("/act.html", ACT), ("/change.html", CHANGE.format(what=UNKNOWN_WORDS)))
    with pytest.raises(InvalidInput) as refused:
        answer(watch, "replace it all")
    assert 'PATH: "old words" -> "new words"' in refused.value.advice


GERMAN = (
    """<html lang="de"><title>Biersteuergesetz (BierStG)</title><body><h1>Biersteuergesetz</h1>
<h2>§ 2 Steuertarif</h2>
<p>(1) Der Steuersatz der Biersteuer beträgt 10 Prozent der Bemessungsgrundlage.</p>
<p>(2) Brauereien müssen die Steuer monatlich anmelden.</p></body></html>""",
    """<html lang="de"><title>Gesetz zur Änderung des Biersteuergesetzes</title><body>
<h1>Gesetz zur Änderung des Biersteuergesetzes</h1><p>Artikel 1</p>
<p>Das Biersteuergesetz vom 15. Juli 2009 (BGBl. I S. 1870), das zuletzt durch Artikel 2 des
Gesetzes vom 1. März 2020 (BGBl. I S. 99) geändert worden ist, wird wie folgt geändert:</p>
<p>1. In § 2 Absatz 1 wird die Angabe „10 Prozent“ durch die Angabe „12 Prozent“ ersetzt.</p>
<p>Artikel 2</p><p>Dieses Gesetz tritt am 1. Juli 2026 in Kraft.</p></body></html>""",
)
BRITISH = (
    """<html lang="en"><title>The Quarry Tax Regulations 2019</title><body>
<h1>The Quarry Tax Regulations 2019</h1><h2>2. Rate</h2>
<p>(1) The rate of quarry tax is 10 per cent of the value of the aggregate.</p>
<p>(2) A person must keep records of quarry tax.</p></body></html>""",
    """<html lang="en"><title>The Quarry Tax (Amendment) Regulations 2026</title><body>
<h1>The Quarry Tax (Amendment) Regulations 2026</h1><h2>1. Commencement</h2>
<p>These Regulations come into force on 1 July 2026.</p><h2>2. Amendment</h2>
<p>In regulation 2(1) of the Quarry Tax Regulations 2019, for “10 per cent” substitute
“12 per cent”.</p></body></html>""",
)
# Only the markup says that these are sections: the numbers have no dots, and one is missing.
MARKED_UP = (
    """<?xml version="1.0"?>
<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><Metadata><dc:title>Quarry Tax Act 2019</dc:title>
</Metadata><Primary><Body><P1group><Title>Rate</Title><P1><Pnumber>2</Pnumber><P1para><P2>
<Pnumber>1</Pnumber><P2para><Text>The rate of quarry tax is 10 per cent of the value of the
aggregate.</Text></P2para></P2></P1para></P1></P1group><P1group><Title>Records</Title><P1>
<Pnumber>3</Pnumber><P1para><Text>A person who must pay the tax must keep records of the aggregate
that the person supplied, and must show them to an officer of Revenue and Customs on demand. The
person must pay the tax when the person files the return for the period.</Text></P1para></P1>
</P1group></Body></Primary></Legislation>""",
    """<html lang="en"><title>The Quarry Tax (Amendment) Regulations 2026</title><body>
<h1>The Quarry Tax (Amendment) Regulations 2026</h1><h2>1. Commencement</h2>
<p>These Regulations come into force on 1 July 2026.</p><h2>2. Amendment</h2>
<p>In section 2(1) of the Quarry Tax Act 2019, for “10 per cent” substitute “12 per cent”.</p>
</body></html>""",
)
EUROPEAN = (
    """<html lang="en"><title>Regulation (EU) 2021/2282 of the Council on levies</title><body>
<h1>Regulation (EU) 2021/2282 of the Council on levies</h1><h2>Article 3</h2>
<p>1. The rate of the levy on plastics is 10 % of the value.</p>
<p>2. Member States shall pay the levy.</p></body></html>""",
    """<html lang="en"><title>Commission Regulation (EU) 2026/77 amending Regulation (EU) 2021/2282
</title><body><h1>Commission Regulation (EU) 2026/77 amending Regulation (EU) 2021/2282</h1>
<p>THE EUROPEAN COMMISSION, HAS ADOPTED THIS REGULATION:</p><h2>Article 1</h2>
<p>Regulation (EU) 2021/2282 is amended as follows:</p>
<p>(1) in Article 3(1), ‘10 %’ is replaced by ‘12 %’.</p>
<h2>Article 2</h2><p>This Regulation shall apply from 1 July 2026.</p></body></html>""",
)
AMERICAN = (
    """<html lang="en"><title>Grain inspection</title><body><p>PART 803—GRAIN INSPECTION</p>
<p>§ 803.1 Fees under 7 CFR part 803.</p><p>(a) The inspection fee is $10 for each application.</p>
<p>(b) Inspectors must keep records of all fees.</p></body></html>""",
    """<html lang="en"><title>Grain inspection fees</title><body><p>7 CFR Part 803</p>
<p>AGENCY:</p><p>Agricultural Service.</p><p>ACTION:</p><p>Final rule.</p>
<p>DATES:</p><p>Effective July 1, 2026.</p><p>For the reasons given, 7 CFR part 803 is amended:</p>
<p>PART 803—GRAIN INSPECTION</p>
<p>1. In § 803.1, amend paragraph (a) by removing “$10” and adding in its place “$12”.</p>
</body></html>""",
)


@pytest.mark.parametrize(
    "pages",
    [GERMAN, BRITISH, MARKED_UP, EUROPEAN, AMERICAN],
    ids=["de", "uk", "uk-xml", "eu", "us"],
)
def test_acts_of_every_tradition_find_their_amendments(
    watch: Watch, pages: tuple[str, str]
) -> None:
    publish(watch, ("/act.html", pages[0]), ("/change.html", pages[1]))
    asked = watch.rows(table_of(ReviewRequest), subject_kind="law_amendment")
    assert [request["question"] for request in asked] == []
    assert ends(watch) == [("10", "2026-07-01", "", True)]
    (new,) = amended(watch)
    assert (new["value"], new["effective_from"]) == ("12", "2026-07-01")
    assert "10" in new["amended"]["quote"]
