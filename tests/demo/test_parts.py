"""The demo plays the parts of all packs: which are served, watched, chosen and refused."""

import dataclasses
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.app import App
from assay.app.composition import init_home
from assay.app.sources import list_sources
from assay.demo import play as player
from assay.demo.play import DemoCallbacks, DemoSites, choose_demos, load_demos, play_demo
from assay.demo.result import count_questions
from assay.errors import InvalidInput, NotFound
from assay.model.records import Endpoint, ReviewRequest, Source
from assay.sdk.demo import ANY_BASE, Demo, SitePage
from assay.sdk.pack import Pack
from assay.store.upserts import upsert_records
from tests.demo.part import settings_of

PUBLISHED = datetime(2024, 1, 1, tzinfo=UTC)


def site(name: str, *, host: str | None = None, last_day: int = 1) -> Demo:
    """A site with one more page a day, and a feed that lists them."""
    host = host or f"{name}.test"

    def pages(day: int) -> dict[str, SitePage]:
        text = "A page of some words about bread and wine in the old town, number {}."
        found = [
            SitePage.of(f"/{number}.txt", text.format(number).encode(), "text/plain", PUBLISHED)
            for number in range(1, day + 1)
        ]
        items = "".join(
            f"<item><title>Page</title><link>{ANY_BASE}{page.path}</link></item>" for page in found
        )
        feed = f"<rss version='2.0'><channel><title>{name}</title>{items}</channel></rss>"
        found.append(SitePage.of("/feed.xml", feed.encode(), "application/rss+xml", PUBLISHED))
        return {f"{host}{page.path}": page for page in found}

    return Demo(
        sources=(Source(source_slug=name, name=name, base_url=f"http://{host}/", packs=[name]),),
        endpoints=(
            Endpoint(
                endpoint_id=f"{name}/feed",
                source_slug=name,
                url=f"http://{host}/feed.xml",
                strategy="RSS_FEED",
            ),
        ),
        pages=pages,
        last_day=last_day,
    )


def test_every_pack_brings_its_own_sites_and_days() -> None:
    demos = [site("one", last_day=1), site("two", last_day=3)]
    assert set(DemoSites(demos, 1).build_pages()) == {
        "one.test/1.txt", "one.test/feed.xml", "two.test/1.txt", "two.test/feed.xml",
    }  # fmt: skip
    third = DemoSites(demos, 3).build_pages()
    assert "one.test/2.txt" not in third
    assert "two.test/3.txt" in third
    assert DemoSites(demos, 9).build_pages() == third


def test_all_are_served_and_only_the_chosen_are_watched(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "home")
    demos = {"one": site("one"), "two": site("two", last_day=2)}
    (first,) = play_demo(settings, demos, watch=["one"], days=1, watchers=DemoCallbacks())
    with App(settings) as app:
        assert [source["source_slug"] for source in list_sources(app)] == ["one"]
    # The home goes on watching the first, which must still be there for it.
    (second,) = play_demo(settings, demos, watch=["two"], days=2, watchers=DemoCallbacks())
    with App(settings) as app:
        assert [source["source_slug"] for source in list_sources(app)] == ["one", "two"]
    assert (first.day, second.day) == (1, 2)
    assert first.jobs["fetch"]["done"] == 1
    assert second.jobs["sentinel"]["done"] == 2
    assert second.jobs["fetch"]["done"] >= 2
    assert "dead" not in {state for states in second.jobs.values() for state in states}


def test_questions_about_documents_count_with_the_pack_that_watches_them(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "home")
    asked = [
        ReviewRequest(
            request_id=f"rq_{slug}",
            reason="LOW_CONFIDENCE",
            subject_kind="evidence",
            subject=f"ev_{slug}",
            source_slug=slug,
            question="What does it change?",
            created_ms=1,
            deadline_ms=2,
        )
        for slug in ("one", "two")
    ]
    init_home(settings)
    with App(settings) as app:
        app.migrate()
        with app.engine.begin() as connection:
            upsert_records(connection, asked)
        found = count_questions(app, "one", site("one"))
    assert found == {"LOW_CONFIDENCE": {"open": 1, "deadline_ms": 2}}


def test_one_pack_can_be_chosen() -> None:
    demos = {"one": site("one"), "two": site("two")}
    assert choose_demos(demos) == demos
    assert choose_demos(demos, "two") == {"two": demos["two"]}
    with pytest.raises(InvalidInput, match="'graph' has no demo") as refused:
        choose_demos(demos, "graph")
    assert refused.value.advice == "Packs with a demo: one, two."
    with pytest.raises(NotFound, match="'nowhere'"):
        choose_demos(demos, "nowhere")
    with pytest.raises(InvalidInput, match="No installed pack has a demo"):
        choose_demos({})


def test_installed_packs_bring_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(load_demos()) == ["civic", "literature", "regulatory"]

    def clashing() -> dict[str, Pack]:
        pack = Pack(name="one", version="1", title="One", demo=lambda: site("one"))
        return {"one": pack, "two": dataclasses.replace(pack, name="two")}

    monkeypatch.setattr(player, "load_all_packs", clashing)
    with pytest.raises(InvalidInput, match="'one' and 'two' both have a source 'one'"):
        load_demos()


def test_a_demo_serves_no_name_that_a_real_site_may_have() -> None:
    with pytest.raises(InvalidInput, match=r"cannot serve 'gazette\.example\.com'") as refused:
        site("one", host="gazette.example.com")
    assert ".test" in (refused.value.advice or "")
    with pytest.raises(InvalidInput, match="day 1"):
        site("one", last_day=0)
