"""A page that its publisher consolidates in place, through all stages: earlier law stays law."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assay.app.review_kinds import answer_question
from assay.model.facts import CandidateFact, FactEnd
from assay.model.records import ReviewRequest
from assay.model.rules import Rule, SourcePointer
from assay.packs.regulatory import pack
from assay.ruling.review.service import Reviewer
from assay.ruling.rules.rule_support import build_support, select_current_pointers
from assay.settings import Settings
from assay.store import tables as t
from assay.store.record_tables import table_of
from assay.model.facts import CoverageReport
from tests.engine.workers import MakeApp
from tests.spine.sites import Watch, Workplace, sitemap, watching

ACT = """<html lang="hr"><title>Zakon o turističkoj pristojbi</title><body>
<h1>Zakon o turističkoj pristojbi</h1>{note}
<p>Članak 1.</p><p>Ovim se Zakonom uređuje turistička pristojba koju plaćaju iznajmljivači.</p>
<p>Članak 2.</p>
<p>(1) Turistička pristojba plaća se po stopi od {rate} % od iznosa računa za smještaj.</p>
<p>(2) Iznajmljivač čuva račune najmanje 7 godina od isteka godine na koju se odnose.</p>
<p>Članak 3.</p>{fine}
<p>Članak 4.</p><p>Ovaj Zakon stupa na snagu 1. siječnja 2025.</p></body></html>"""
FINE = "<p>Novčanom kaznom od 1.000,00 eura kaznit će se iznajmljivač koji ne plati pristojbu.</p>"
FROM_JULY = "<p>Pročišćeni tekst na snazi od 1. srpnja 2026.</p>"
CHANGE = """<html lang="hr"><title>Zakon o izmjenama Zakona o turističkoj pristojbi</title><body>
<h1>Zakon o izmjenama Zakona o turističkoj pristojbi</h1>
<p>Članak 1.</p><p>U Zakonu o turističkoj pristojbi (»Službeni list«, br. 8/24) u članku 2.
stavku 1. riječi »5 %« zamjenjuju se riječima »6 %«.</p>
<p>Članak 2.</p><p>Ovaj Zakon stupa na snagu 1. srpnja 2026.</p></body></html>"""


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
    from assay.app import runs

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


def test_a_page_that_says_from_when_it_applies_keeps_the_earlier_law(watch: Watch) -> None:
    publish(watch, ("/act.html", page(5)))
    before = list_law(watch)
    assert ("5", "2025-01-01", None, None) in before
    watch.clock.turn(days=40)
    publish(watch, ("/act.html", page(6, FROM_JULY)))
    law = list_law(watch)
    assert {entry for entry in law if entry[0] in "56"} == {
        ("5", "2025-01-01", None, "2026-07-01"),
        ("6", "2026-07-01", None, None),
    }
    # What did not change has no new period.
    assert {e for e in law if e[0] not in "56"} == {e for e in before if e[0] not in "56"}
    assert watch.rows(table_of(ReviewRequest), subject_kind="law_version") == []
