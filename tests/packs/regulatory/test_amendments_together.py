"""Several amendments, several acts, and amending pages that change: the texts alone decide."""

from collections.abc import Iterator
from typing import Any

import pytest

from assay.app.review_kinds import answer_question
from assay.errors import InvalidInput
from assay.model.facts import CandidateFact
from assay.model.records import ReviewRequest
from assay.packs.regulatory import pack
from assay.ruling.review.service import Reviewer
from assay.settings import Settings
from assay.store.record_tables import table_of
from tests.engine.workers import MakeApp
from tests.packs.regulatory.test_amended_law import (
    ACT,
    CHANGE,
    RATE,
    UNKNOWN_WORDS,
    amended,
    ends,
    publish,
)
from tests.packs.regulatory.test_page_versions import answer_on
from tests.spine.sites import Watch, Workplace, watching

BEFORE, FEBRUARY, AUGUST = "2026-01-15", "2026-03-01", "2026-08-01"
WHOLE = (
    "u članku 2. stavak 1. mijenja se i glasi: »(1) Turistička pristojba plaća se po stopi od 6 % "
    "od iznosa računa za smještaj.«."
)
OTHER = ACT.replace("turističkoj", "boravišnoj").replace("uristička", "oravišna").replace("T", "B")


@pytest.fixture
def watch(make_app: MakeApp, settings: Settings, shared_workplace: Workplace) -> Iterator[Watch]:
    packs: dict[str, Any] = {"regulatory": pack()}
    with watching(make_app, settings, shared_workplace, packs=packs) as made:
        # The stages read acts with the processes that all tests share.
        made.app.tools = made.tools
        made.endpoint(hierarchy=1)
        yield made


def change(what: str, day: str = "1. srpnja 2026.") -> str:
    return CHANGE.format(what=what).replace("1. srpnja 2026.", day)


def swap(old: int, new: int) -> str:
    return f"u članku 2. stavku 1. riječi »{old} %« zamjenjuju se riječima »{new} %«."


def questions(watch: Watch, state: str = "OPEN") -> list[Any]:
    return watch.rows(table_of(ReviewRequest), subject_kind="law_amendment", state=state)


def law(watch: Watch) -> list[tuple[str, list[str]]]:
    return answer_on(watch, BEFORE, FEBRUARY, AUGUST)


def test_what_an_amendment_introduced_a_later_one_repeals(watch: Watch) -> None:
    publish(
        watch,
        ("/act.html", ACT),
        ("/a1.html", change(WHOLE, "1. veljače 2026.")),
        ("/a2.html", change("članak 2. briše se.")),
    )
    assert law(watch) == [("ANSWERED", ["5"]), ("ANSWERED", ["6"]), ("NONE", [])]


@pytest.mark.parametrize(
    "what",
    [
        "u članku 2. stavku 1. iza riječi »5 %« dodaju se riječi », a za luksuzni smještaj 9 %«.",
        "u članku 3. iza riječi »eura« dodaju se riječi »po gostu, a za psa 5,00 eura«.",
    ],
)
def test_the_words_of_an_instruction_are_no_rule(watch: Watch, what: str) -> None:
    publish(watch, ("/change.html", change(what)))
    rows = watch.rows(table_of(CandidateFact))
    assert [row["value"] for row in rows if row["value_type"] != "date"] == []


def test_amendments_of_an_amended_text_keep_quotes_of_stored_words(watch: Watch) -> None:
    publish(
        watch,
        ("/act.html", ACT),
        ("/a1.html", change(WHOLE, "1. veljače 2026.")),
        ("/a2.html", change(swap(6, 8))),
    )
    assert law(watch) == [("ANSWERED", ["5"]), ("ANSWERED", ["6"]), ("ANSWERED", ["8"])]
    (last,) = [row for row in amended(watch) if row["value"] == "8"]
    own = last["amended"]
    assert own["quote"].startswith("Turistička pristojba plaća se")
    assert len(own["quote"]) == own["end"] - own["start"]


@pytest.mark.parametrize("together", [True, False])
def test_the_order_of_two_amendments_does_not_matter(watch: Watch, together: bool) -> None:
    act = ("/act.html", ACT)
    early = ("/a1.html", change(swap(5, 6), "1. veljače 2026."))
    late = ("/a2.html", change(swap(5, 8)))
    if not together:
        publish(watch, act, late)
        assert law(watch)[2] == ("ANSWERED", ["8"])
    publish(watch, act, early, late)
    assert law(watch) == [("ANSWERED", ["5"]), ("ANSWERED", ["6"]), ("UNCERTAIN", ["6"])]
    assert len(questions(watch)) == 1


def test_a_value_that_cannot_be_quoted_is_uncertain_until_a_person_answers(watch: Watch) -> None:
    what = "u članku 2. stavku 1. riječ »5« zamjenjuje se riječju »6«."
    publish(watch, ("/act.html", ACT), ("/change.html", change(what)))
    assert law(watch) == [("ANSWERED", ["5"]), ("ANSWERED", ["5"]), ("UNCERTAIN", ["5"])]
    (request,) = questions(watch)
    assert "“6 %”" in request["question"] and ".." not in request["question"]
    answer_question(watch.app, request["request_id"], "no_change", Reviewer(person="Ana"))
    watch.drain()
    assert law(watch)[2] == ("ANSWERED", ["5"])
    assert questions(watch) == []


def test_a_provision_that_the_act_does_not_have_leaves_its_article_uncertain(watch: Watch) -> None:
    what = "u članku 2. stavku 3. riječi »5 %« zamjenjuju se riječima »6 %«."
    publish(watch, ("/act.html", ACT), ("/change.html", change(what)))
    assert law(watch)[2] == ("UNCERTAIN", ["5"])
    (request,) = questions(watch)
    answer_question(watch.app, request["request_id"], "ended", Reviewer(person="Ana"))
    watch.drain()
    assert law(watch)[2] == ("NONE", [])


def test_a_value_whose_sentence_changed_applies_as_it_says_now(watch: Watch) -> None:
    what = "u članku 2. stavku 2. iza riječi »godina« dodaju se riječi », a ustanova trajno,«."
    publish(watch, ("/act.html", ACT), ("/change.html", change(what)))
    assert questions(watch) == []
    found = [row for row in watch.rows(table_of(CandidateFact)) if row["value"] == "7"]
    assert len({row["concept"] for row in found}) == 1
    (concept,) = {row["concept"] for row in found}
    assert answer_on(watch, FEBRUARY, AUGUST, concept=concept) == [
        ("AS_WORDED", ["7"]),
        ("AS_WORDED", ["7"]),
    ]


SECOND = (
    CHANGE.replace("Zakon o izmjenama Zakona", "Zakon o izmjeni Zakona o izmjenama Zakona")
    .replace("U Zakonu o turističkoj", "U Zakonu o izmjenama Zakona o turističkoj")
    .format(what="u članku 1. riječi »6 %« zamjenjuju se riječima »7 %«.")
)


def test_what_an_amending_act_does_is_uncertain_if_a_later_act_amends_it(watch: Watch) -> None:
    act, first = ("/act.html", ACT), ("/a1.html", change(RATE, "1. veljače 2026."))
    publish(watch, act, first)
    assert law(watch)[1:] == [("ANSWERED", ["6"]), ("ANSWERED", ["6"])]
    publish(watch, act, first, ("/a2.html", SECOND))
    assert law(watch) == [("ANSWERED", ["5"]), ("ANSWERED", ["6"]), ("UNCERTAIN", ["6"])]
    (request,) = questions(watch)
    assert "known here" in request["question"] and "no text" not in request["question"]
    answer_question(watch.app, request["request_id"], "no_change", Reviewer(person="Ana"))
    watch.drain()
    assert law(watch)[2] == ("ANSWERED", ["6"])


@pytest.mark.parametrize("first", ["/a1.html", "/a2.html"])
def test_an_amending_act_and_its_amendment_arrive_in_any_order(watch: Watch, first: str) -> None:
    pages = {"/act.html": ACT, "/a1.html": change(RATE, "1. veljače 2026."), "/a2.html": SECOND}
    publish(watch, ("/act.html", ACT), (first, pages[first]))
    publish(watch, *pages.items())
    assert law(watch)[2] == ("UNCERTAIN", ["6"])
    assert len(questions(watch)) == 1


def test_a_later_act_may_prevent_what_an_amending_act_would_have_ended(watch: Watch) -> None:
    second = SECOND.replace("1. srpnja 2026.", "1. siječnja 2026.")
    first = ("/a1.html", change(RATE, "1. veljače 2026."))
    publish(watch, ("/act.html", ACT), first, ("/a2.html", second))
    assert {state for state, _ in law(watch)[1:]} == {"UNCERTAIN"}


def test_a_page_that_consolidated_an_amended_amendment_is_uncertain(watch: Watch) -> None:
    first = ("/a1.html", change(RATE, "1. veljače 2026."))
    publish(watch, ("/act.html", ACT), first)
    watch.clock.turn(days=3)
    publish(watch, ("/act.html", ACT.replace("5 %", "6 %")), first, ("/a2.html", SECOND))
    assert law(watch) == [("ANSWERED", ["5"]), ("ANSWERED", ["6"]), ("UNCERTAIN", ["6"])]


def test_an_amending_page_that_is_corrected_is_undone(watch: Watch) -> None:
    act = ("/act.html", ACT)
    publish(watch, act, ("/change.html", change(RATE)))
    watch.clock.turn(days=3)
    publish(watch, act, ("/change.html", change(RATE).replace("turističkoj pristojbi", "renti")))
    assert law(watch) == [("ANSWERED", ["5"])] * 3
    assert [end for end in ends(watch) if end[0] == "5" and end[3]] == []


def test_the_question_of_a_corrected_amending_page_is_over(watch: Watch) -> None:
    act = ("/act.html", ACT)
    publish(watch, act, ("/change.html", change(UNKNOWN_WORDS)))
    assert law(watch)[2] == ("UNCERTAIN", ["5"])
    watch.clock.turn(days=3)
    publish(watch, act, ("/change.html", change(RATE).replace("turističkoj pristojbi", "renti")))
    assert law(watch) == [("ANSWERED", ["5"])] * 3
    assert len(questions(watch, "MOOT")) == 1
    watch.clock.turn(days=3)
    publish(watch, act, ("/change.html", change(UNKNOWN_WORDS)))
    assert law(watch)[2] == ("UNCERTAIN", ["5"])
    assert len(questions(watch)) == 1


def test_one_act_amends_two_others(watch: Watch) -> None:
    first = "u članku 2. stavku 1. riječi »5 %« zamjenjuju se riječima »6 %«."
    second = (
        "<p>Članak 2.</p><p>U Zakonu o turističkoj pristojbi (»Službeni list«, br. 8/24) u članku "
        "2. stavku 1. riječi »6 %« zamjenjuju se riječima »8 %«.</p><p>Članak 3.</p><p>U Zakonu o "
        "boravišnoj pristojbi (»Službeni list«, br. 9/24) u članku 2. stavku 1. riječi »5 %« "
        "zamjenjuju se riječima »9 %«.</p><p>Članak 4.</p>"
    )
    amending = change(first).replace("<p>Članak 2.</p>", second)
    amending = amending.replace(
        "2026.</p></body>", "2026., osim članka 2. koji stupa na snagu 1. siječnja 2027.</p></body>"
    )
    publish(watch, ("/act.html", ACT), ("/change.html", amending))
    before = [end for end in ends(watch) if end[3]]
    assert ("6", "2027-01-01", "", True) in before
    publish(watch, ("/act.html", ACT), ("/change.html", amending), ("/other.html", OTHER))
    assert set(before) <= {end for end in ends(watch) if end[3]}
    assert "9" in {row["value"] for row in amended(watch)}


def test_an_end_needs_a_day(watch: Watch) -> None:
    undated = change(UNKNOWN_WORDS).replace("stupa na snagu 1. srpnja 2026.", "objavit će se.")
    publish(watch, ("/act.html", ACT), ("/change.html", undated))
    (request,) = questions(watch)
    with pytest.raises(InvalidInput):
        answer_question(watch.app, request["request_id"], "ended", Reviewer(person="Ana"))
    words = "ended from 2026-07-01"
    answer_question(watch.app, request["request_id"], words, Reviewer(person="Ana"))
    watch.drain()
    assert law(watch) == [("ANSWERED", ["5"]), ("ANSWERED", ["5"]), ("NONE", [])]


def decide(town: str, rate: int) -> str:
    return f"""<html lang="hr"><title>Odluka o turističkoj pristojbi</title><body>
<p>Gradsko vijeće Grada {town} donosi</p><h1>Odluku o turističkoj pristojbi</h1>
<p>Članak 1.</p><p>Ovom se Odlukom uređuje turistička pristojba.</p>
<p>Članak 2.</p><p>Turistička pristojba plaća se po stopi od {rate} % od iznosa računa.</p>
<p>Članak 3.</p><p>Ova Odluka stupa na snagu 1. siječnja 2025.</p></body></html>"""


def test_a_town_amends_its_own_decision_only(watch: Watch) -> None:
    amending = """<html lang="hr"><title>Odluka o izmjeni Odluke o turističkoj pristojbi</title>
<body><p>Gradsko vijeće Grada Splita donosi</p><h1>Odluku o izmjeni Odluke o turističkoj pristojbi
</h1><p>Članak 1.</p><p>U članku 2. riječi »5 %« zamjenjuju se riječima »6 %«.</p>
<p>Članak 2.</p><p>Ova Odluka stupa na snagu 1. srpnja 2026.</p></body></html>"""
    pages = [("/split.html", decide("Splita", 5)), ("/zadar.html", decide("Zadra", 5))]
    publish(watch, *pages, ("/change.html", amending))
    assert [end for end in ends(watch) if end[0] == "5" and end[3]] == [
        ("5", "2026-07-01", "", True)
    ]
    (new,) = amended(watch)
    assert new["value"] == "6" and "split" in new["concept"]
