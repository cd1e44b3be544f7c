"""A page that its publisher consolidates in place, through all stages: earlier law stays law."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from assay.app import runs
from assay.app.releases import preview_release
from assay.app.review_kinds import answer_question
from assay.app.reviewing import build_review_service
from assay.errors import InvalidInput
from assay.model.facts import CoverageReport, FactEnd
from assay.model.records import ReviewRequest
from assay.model.rules import Rule, SourcePointer
from assay.packs.regulatory import pack
from assay.packs.regulatory.act_histories import read_act_history
from assay.packs.regulatory.acts.provision_history import select_provision
from assay.packs.regulatory.pages import list_acts, show_act
from assay.ruling.answers import answer_question as answer_question_of_release
from assay.ruling.release.published_rules import PublishedRule
from assay.ruling.review.decisions import approve_rule
from assay.ruling.review.service import Reviewer
from assay.ruling.rules.rule_support import build_support, select_current_pointers
from assay.sdk.pages import ConsoleRequest
from assay.settings import Settings
from assay.store import tables as t
from assay.store.record_tables import table_of
from tests.engine.workers import MakeApp
from tests.spine.sites import Watch, Workplace, sitemap, watching
from tests.waiting import PATIENCE_S

ACT = """<html lang="hr"><title>Zakon o turističkoj pristojbi</title><body>
<h1>Zakon o turističkoj pristojbi</h1>{note}
<p>Članak 1.</p><p>Ovim se Zakonom uređuje turistička pristojba koju plaćaju iznajmljivači.</p>
<p>Članak 2.</p>
<p>(1) Turistička pristojba plaća se po stopi od {rate} % od iznosa računa za smještaj.</p>
<p>(2) Iznajmljivač čuva račune najmanje 7 godina od isteka godine na koju se odnose.</p>
<p>Članak 3.</p>{fine}
<p>Članak 4.</p><p>Ovaj Zakon stupa na snagu 1. siječnja 2023.</p></body></html>"""
FINE = "<p>Novčanom kaznom od 1.000,00 eura kaznit će se iznajmljivač koji ne plati pristojbu.</p>"
FROM_JULY = "<p>Pročišćeni tekst na snazi od 1. srpnja 2024.</p>"
CHANGE = """<html lang="hr"><title>Zakon o izmjenama Zakona o turističkoj pristojbi</title><body>
<h1>Zakon o izmjenama Zakona o turističkoj pristojbi</h1>
<p>Članak 1.</p><p>U Zakonu o turističkoj pristojbi (»Službeni list«, br. 8/24) u članku 2.
stavku 1. riječi »5 %« zamjenjuju se riječima »6 %«.</p>
<p>Članak 2.</p><p>Ovaj Zakon stupa na snagu 1. srpnja 2024.</p></body></html>"""
RATE = "turisticka_pristojba.rate"


def page(rate: int = 5, note: str = "", fine: str = FINE) -> str:
    return ACT.format(rate=rate, note=note, fine=fine)


@pytest.fixture
def watch(make_app: MakeApp, settings: Settings, shared_workplace: Workplace) -> Iterator[Watch]:
    packs: dict[str, Any] = {"regulatory": pack()}
    with watching(make_app, settings, shared_workplace, packs=packs) as made:
        made.app.tools = made.tools
        made.endpoint(hierarchy=1)
        yield made


def publish(watch: Watch, *pages: tuple[str, str], order: int = 1) -> str:
    """Show these pages, look at them, and return the day."""
    watch.show("/sitemap.xml", sitemap(*(path for path, _ in pages)))
    for path, text in pages:
        watch.show(path, text.encode())
    runs.start_run(watch.app)
    watch.drain(order)
    assert watch.dead() == []
    return day_of(watch)


def day_of(watch: Watch) -> str:
    return datetime.fromtimestamp(watch.clock.now_ms() / 1000, UTC).date().isoformat()


def list_law(watch: Watch) -> set[tuple[str, str | None, str | None, str | None]]:
    """Value, first day, first day in doubt and last day of every rule that has support."""
    rules = [Rule(**row) for row in watch.rows(table_of(Rule))]
    support = build_support(
        {row["doc_id"]: row["evidence_id"] for row in watch.rows(t.candidate)},
        [CoverageReport(**row) for row in watch.rows(table_of(CoverageReport))],
        (),
        rules,
        [FactEnd(**row) for row in watch.rows(table_of(FactEnd))],
    )
    pointers = [SourcePointer(**row) for row in watch.rows(table_of(SourcePointer))]
    held = select_current_pointers(pointers, support)
    found = set()
    for rule in rules:
        own = [pointer for pointer in held if pointer.rule_id == rule.rule_id]
        if own:
            doubts = support.list_doubts(own)
            since = doubts[0].since or doubts[0].day if doubts else None
            found.add((rule.value, rule.effective_from, since, support.find_last_day(own)))
    return found


def list_rates(watch: Watch) -> set[tuple[str, str | None, str | None, str | None]]:
    return {entry for entry in list_law(watch) if entry[0] in ("5", "6", "8")}


def ask_about_versions(watch: Watch) -> list[dict[str, Any]]:
    return watch.rows(table_of(ReviewRequest), subject_kind="law_version")


@pytest.mark.parametrize("order", [1, -1])
def test_a_page_that_says_from_when_it_applies_keeps_the_earlier_law(
    watch: Watch, order: int
) -> None:
    publish(watch, ("/act.html", page(5)), order=order)
    before = list_law(watch)
    assert ("5", "2023-01-01", None, None) in before
    watch.clock.turn(days=40)
    publish(watch, ("/act.html", page(6, FROM_JULY)), order=order)
    assert list_rates(watch) == {
        ("5", "2023-01-01", None, "2024-07-01"),
        ("6", "2024-07-01", None, None),
    }
    # What did not change has no new period.
    others = list_law(watch) - list_rates(watch)
    assert others == {entry for entry in before if entry[0] != "5"}
    assert ask_about_versions(watch) == []


def answer_on(watch: Watch, *days: str, concept: str = RATE) -> list[tuple[str, list[str]]]:
    """How the next release would answer on these days, if a person approved everything that a
    document supports."""
    service = build_review_service(watch.app)
    for row in watch.rows(table_of(Rule), status="PENDING_REVIEW"):
        try:
            approve_rule(service, row["rule_id"], Reviewer(person="Ana"))
        except InvalidInput as error:
            assert "no document supports it any more" in str(error)
    plan = preview_release(watch.app, "regulatory", by="Ana")
    rules = [PublishedRule.from_line(line) for line in plan.lines]
    found = [
        answer_question_of_release(rules, concept, {}, date.fromisoformat(day)) for day in days
    ]
    return [(one.state.value, [value.value for value in one.found]) for one in found]


def test_between_two_retrievals_it_is_uncertain_which_law_applies(watch: Watch) -> None:
    act = ("/act.html", page(5))
    publish(watch, act)
    watch.clock.turn(days=30)
    last_seen = publish(watch, act)
    watch.clock.turn(days=30)
    first_seen = publish(watch, ("/act.html", page(6)))
    since = (date.fromisoformat(last_seen) + timedelta(days=1)).isoformat()
    (request,) = ask_about_versions(watch)
    for words in (last_seen, first_seen, "5 % → 6 %", "art_2__para_1"):
        assert words in request["question"]
    # Until a person has answered, 5 % may have been an error.
    assert answer_on(watch, last_seen, since, first_seen) == [
        ("UNCERTAIN", ["5"]),
        ("UNCERTAIN", ["5"]),
        ("ANSWERED", ["6"]),
    ]
    answer_question(watch.app, request["request_id"], "new_law", Reviewer(person="Ana"))
    watch.drain()
    assert list_rates(watch) == {
        ("5", "2023-01-01", since, first_seen),
        ("6", first_seen, None, None),
    }
    assert answer_on(watch, last_seen, since, first_seen) == [
        ("ANSWERED", ["5"]),
        ("UNCERTAIN", ["5"]),
        ("ANSWERED", ["6"]),
    ]


def test_a_corrected_figure_always_applied(watch: Watch) -> None:
    publish(watch, ("/act.html", page(5)))
    watch.clock.turn(days=30)
    publish(watch, ("/act.html", page(6)))
    (request,) = ask_about_versions(watch)
    answer_question(watch.app, request["request_id"], "correction", Reviewer(person="Ana"))
    watch.drain()
    assert list_rates(watch) == {("6", "2023-01-01", None, None)}
    watch.run()
    assert [row["state"] for row in ask_about_versions(watch)] == ["ANSWERED"]


def test_a_page_that_goes_back_to_its_earlier_text_withdraws_the_other(watch: Watch) -> None:
    for rate in (5, 6, 5):
        publish(watch, ("/act.html", page(rate)))
        watch.clock.turn(days=10)
    assert list_rates(watch) == {("5", "2023-01-01", None, None)}
    assert [row["state"] for row in ask_about_versions(watch)] == ["MOOT"]


@pytest.mark.parametrize(
    ("last", "days"),
    [("/act.html", 300), ("/change.html", 30)],
    ids=["consolidated after the day", "consolidated ahead of the day"],
)
def test_a_known_amendment_explains_what_the_page_changed(
    watch: Watch, last: str, days: int
) -> None:
    publish(watch, ("/act.html", page(5)))
    watch.clock.turn(days=days)
    later = {"/act.html": page(6), "/change.html": CHANGE}
    first = {path: text for path, text in later.items() if path != last}
    publish(watch, *({"/act.html": page(5)} | first).items())
    publish(watch, *later.items())
    assert list_rates(watch) == {
        ("5", "2023-01-01", None, "2024-07-01"),
        ("6", "2024-07-01", None, None),
    }
    about_law = [row for row in watch.rows(table_of(ReviewRequest)) if "law" in row["subject_kind"]]
    assert {row["state"] for row in about_law} <= {"MOOT"}


def test_a_provision_can_be_read_as_it_was_on_a_day(
    watch: Watch, shared_workplace: Workplace
) -> None:
    publish(watch, ("/act.html", page(5)))
    watch.clock.turn(days=30)
    publish(watch, ("/act.html", page(6, FROM_JULY)))
    history = read_act_history(watch.app.services, "turističkoj pristojbi")
    _, found = shared_workplace.loop.submit(history).result(timeout=PATIENCE_S)
    texts = {
        day: [one.text for one in select_provision(found, "art_2__para_1", day)]
        for day in ("2024-06-30", "2024-07-01")
    }
    assert [("5 %" in old, "6 %" in new) for old, new in zip(*texts.values(), strict=True)] == [
        (True, True)
    ]


def test_the_console_shows_a_change_with_both_wordings(
    watch: Watch, shared_workplace: Workplace
) -> None:
    publish(watch, ("/act.html", page(5)))
    watch.clock.turn(days=30)
    publish(watch, ("/act.html", page(6, FROM_JULY)))
    (act,) = list_acts(ConsoleRequest(), watch.app.services).values["acts"]
    assert act["versions"] == 2
    path = {"source": act["source"], "act_key": act["act_key"]}

    def show(day: str) -> Any:
        asked = show_act(ConsoleRequest(path=path, query={"on": day}), watch.app.services)
        return shared_workplace.loop.submit(asked).result(timeout=PATIENCE_S).values

    changed = next(c for c in show("2024-07-01")["changes"] if c["path"] == "art_2__para_1")
    assert changed["day"] == "2024-07-01"
    pieces = [(piece.kind, piece.text) for piece in changed["pieces"] if piece.kind != "same"]
    assert pieces == [("removed", " 5"), ("added", " 6")]
    for day, rate in (("2024-06-30", "5 %"), ("2024-07-01", "6 %")):
        (standing,) = [p for p in show(day)["provisions"] if p["path"] == "art_2__para_1"]
        assert rate in standing["text"]
    with pytest.raises(InvalidInput, match="not a valid date"):
        show("yesterday")
