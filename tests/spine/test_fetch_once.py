"""An address that several listings lead to is fetched once in a run, for all of them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.model.records import Endpoint, Source
from assay.sdk.pack import Accepts, Pack, PackStage
from assay.store import tables as t
from tests.conftest import quick_settings
from tests.spine.sites import (
    HOME,
    SINK,
    Watch,
    Workplace,
    act,
    links,
    sinking_pack,
    sitemap,
    watching,
)

DAY = "2026-01-0{}T00:00:00Z"


def listed(watch: Watch) -> None:
    """Three endpoints of one source that lead to the same page, one of them with its date."""
    for name in ("a", "b"):
        watch.endpoint(f"/{name}.xml", name=name)
        watch.show(f"/{name}.xml", sitemap("/x"))
    watch.endpoint("/c.xml", name="c")
    watch.show("/c.xml", sitemap(("/x", DAY.format(1))))


def test_a_page_listed_by_three_endpoints_is_fetched_once_in_a_run(watch: Watch) -> None:
    listed(watch)
    watch.show("/x", act(), etag='"1"')
    run_id = watch.run()
    assert watch.asked() == ["/a.xml", "/b.xml", "/c.xml", "/x"]
    assert watch.notes("fetch", run_id) == ["done"]
    assert len(watch.rows(t.item)) == len(watch.rows(t.item_visit)) == 3
    assert len(watch.rows(t.evidence)) == 1
    watch.clock.turn(days=1)
    assert watch.notes("fetch", watch.run()) == ["unchanged"]
    (asked,) = [seen for seen in watch.site.seen if seen.path == "/x"]
    assert asked.headers["if-none-match"] == '"1"'
    visits = watch.rows(t.item_visit)
    assert {visit["seen_ms"] for visit in visits} == {watch.clock.now_ms()}
    assert sorted(visit["changed"] or "" for visit in visits) == [
        "",
        "",
        "2026-01-01T00:00:00+00:00",
    ]
    watch.asked()
    watch.show("/x", act(rate=13))
    watch.clock.turn(days=1)
    assert watch.notes("fetch", watch.run()) == ["done"]
    assert watch.asked().count("/x") == 1
    assert len(watch.rows(t.evidence)) == 2 and len(watch.events("document.changed")) == 1
    assert len({visit["evidence_id"] for visit in watch.rows(t.item_visit)}) == 1


def test_a_page_that_is_gone_is_asked_for_once(watch: Watch) -> None:
    listed(watch)
    watch.show("/x", act())
    watch.run()
    watch.hide("/x")
    watch.asked()
    watch.run()
    assert watch.asked().count("/x") == 1
    assert len(watch.events("document.gone")) == 1


def test_a_page_that_cannot_be_fetched_is_tried_again_once_for_all(watch: Watch) -> None:
    listed(watch)
    watch.run()
    assert watch.asked().count("/x") == 1
    watch.clock.turn(days=14)
    watch.show("/x", act())
    watch.run()
    assert watch.asked().count("/x") == 1
    assert len(watch.rows(t.item_visit)) == 3


def test_an_endpoint_that_is_added_later_knows_what_was_fetched(watch: Watch) -> None:
    watch.endpoint("/a.xml", name="a")
    watch.show("/a.xml", sitemap(("/x", DAY.format(1))))
    watch.show("/x", act(), etag='"1"')
    watch.run()
    watch.asked()
    watch.endpoint("/b.html", "HTML_LIST", name="b", options={"item": "li a"})
    watch.show("/b.html", links("/x"))
    watch.run()
    (asked,) = [seen for seen in watch.site.seen if seen.path == "/x"]
    assert asked.headers["if-none-match"] == '"1"'
    assert len(watch.rows(t.item_visit)) == 2 and len(watch.rows(t.evidence)) == 1


def second_pack() -> Pack:
    """A pack of its own, with a stage of its own."""
    own = sinking_pack("other")
    (entry,) = own.stages
    stage = replace(SINK, name="other_sink")
    return replace(
        own,
        stages=(PackStage(stage, entry.function),),
        accepts=Accepts(first_stage=stage.name),
    )


@pytest.fixture
def two(make_app: Callable[..., App], home: Path, shared_workplace: Workplace) -> Iterator[Watch]:
    packs: dict[str, Any] = {"regulatory": sinking_pack(), "other": second_pack()}
    with watching(make_app, quick_settings(home), shared_workplace, packs=packs) as watch:
        watch.endpoint("/a.xml", name="a")
        watch.show("/a.xml", sitemap("/x"))
        watch.show("/x", act())
        yield watch


def second_source(watch: Watch) -> None:
    watch.store(
        Source(source_slug="council", name="Council", base_url=HOME, packs=["other"]),
        Endpoint(
            endpoint_id="b", source_slug="council", url=f"{HOME}/b.xml", strategy="SITEMAP_XML"
        ),
    )
    watch.show("/b.xml", sitemap("/x"))


def test_a_page_of_two_sources_is_fetched_once_and_goes_to_the_packs_of_both(two: Watch) -> None:
    second_source(two)
    two.run()
    assert two.asked() == ["/a.xml", "/b.xml", "/x"]
    assert len(two.rows(t.evidence)) == 1
    decisions = {row["pack"]: row["decision"] for row in two.rows(t.routing_decision)}
    assert decisions == {"regulatory": "EXTRACT_LOCAL", "other": "EXTRACT_LOCAL"}
    assert two.notes("sink") == two.notes("other_sink") == ["done"]
    two.show("/x", act(rate=13))
    two.run()
    assert two.asked() == ["/a.xml", "/b.xml", "/x"]
    assert two.notes("sink") == two.notes("other_sink") == ["done", "done"]
    assert len({row["source_slug"] for row in two.rows(t.evidence)}) == 1


def test_a_source_that_lists_a_stored_page_later_gets_it_for_its_packs(two: Watch) -> None:
    two.run()
    assert two.notes("other_sink") == []
    second_source(two)
    two.run()
    assert two.notes("other_sink") == ["done"]
    assert len(two.rows(t.evidence)) == 1
    before = two.notes("scout")
    two.run()
    assert two.notes("scout") == before
