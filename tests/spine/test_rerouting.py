"""A pack that begins to watch a source gets its stored documents, and nothing is fetched again."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from assay.app import App
from assay.engine.contract import Outcome, QueueLimits, Result, Stage
from assay.engine.reader import Reader
from assay.model.records import Source
from assay.packs.regulatory.scouting import SCOUTING
from assay.sdk.pack import Accepts, Pack, PackStage, Scouting
from assay.settings import Settings
from assay.spine.payloads import PackJob
from assay.store import tables as t
from tests.spine.sites import HOME, Watch, Workplace, act, sinking_pack, sitemap, watching

BASIN = Stage(name="basin", version=1, payload=PackJob, queue=QueueLimits(), batch=200)
SHIPS = Scouting(languages=frozenset({"de"}), vocabulary={"s": "schiff*"}, signals={"ships": "s"})


def second_pack(scouting: Scouting = SCOUTING) -> Pack:
    """A pack beside `regulatory`, with a stage of its own."""

    async def take(jobs: Sequence[Any], _read: Reader, _services: object) -> Sequence[Result]:
        return [Outcome() for _ in jobs]

    return Pack(
        name="second", version="1", title="A second pack", scouting=scouting,
        stages=(PackStage(BASIN, take),), accepts=Accepts(first_stage=BASIN.name),
    )  # fmt: skip


@pytest.fixture
def watch(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[Watch]:
    packs = {"regulatory": sinking_pack(), "second": second_pack()}
    with watching(make_app, settings, shared_workplace, packs=packs) as found:
        yield found


@pytest.fixture
def picky(
    make_app: Callable[..., App], settings: Settings, shared_workplace: Workplace
) -> Iterator[Watch]:
    """The same, but the second pack does not want what is listed."""
    packs = {"regulatory": sinking_pack(), "second": second_pack(SHIPS)}
    with watching(make_app, settings, shared_workplace, packs=packs) as found:
        yield found


def list_acts(watch: Watch) -> None:
    watch.show("/one", act(1))
    watch.show("/two", act(2, rate=13))
    watch.show("/sitemap.xml", sitemap("/one", "/two"))
    watch.endpoint(frequency="MONTHLY")


def give_to(watch: Watch, *packs: str, **more: Any) -> None:
    source = Source(source_slug="gazette", name="Gazette", base_url=HOME, packs=list(packs))
    watch.store(source.model_copy(update=more))


def handed_to(watch: Watch, stage: str) -> int:
    return len(watch.rows(t.job, stage=stage))


def decisions(watch: Watch) -> list[tuple[str, str]]:
    return sorted((row["pack"], row["decision"]) for row in watch.rows(t.routing_decision))


def states(watch: Watch) -> set[str]:
    return {row["state"] for row in watch.rows(t.candidate)}


def test_a_pack_that_is_added_gets_what_is_stored(watch: Watch) -> None:
    list_acts(watch)
    watch.run()
    assert (handed_to(watch, "sink"), handed_to(watch, "basin")) == (2, 0)
    watch.asked()
    give_to(watch, "regulatory", "second")
    watch.run()
    assert watch.asked() == []
    assert (handed_to(watch, "sink"), handed_to(watch, "basin")) == (2, 2)
    assert (
        decisions(watch)
        == [("regulatory", "EXTRACT_LOCAL")] * 2 + [("second", "EXTRACT_LOCAL")] * 2
    )
    before = watch.dump()
    watch.run()
    assert watch.dump() == before


def test_a_pack_that_replaces_another_gets_what_is_stored(watch: Watch) -> None:
    list_acts(watch)
    watch.run()
    watch.asked()
    give_to(watch, "second")
    watch.run()
    assert watch.asked() == []
    assert (handed_to(watch, "sink"), handed_to(watch, "basin")) == (2, 2)
    give_to(watch, "regulatory")
    watch.run()
    assert (handed_to(watch, "sink"), handed_to(watch, "basin")) == (2, 2)


def test_a_pack_that_does_not_want_it_leaves_it_to_the_other(picky: Watch) -> None:
    list_acts(picky)
    picky.run()
    with picky.app.engine.begin() as connection:
        connection.execute(t.candidate.update().values(state="ingested"))
    give_to(picky, "regulatory", "second")
    picky.run()
    assert handed_to(picky, "basin") == 0
    assert decisions(picky) == [("regulatory", "EXTRACT_LOCAL")] * 2 + [("second", "SKIP")] * 2
    assert states(picky) == {"ingested"}


def test_a_source_that_is_not_watched_is_not_routed_again(watch: Watch) -> None:
    list_acts(watch)
    watch.run()
    give_to(watch, "regulatory", "second", active=False)
    before = watch.dump()
    watch.run()
    assert watch.dump() == before
    give_to(watch, "regulatory", "second")
    watch.run()
    assert handed_to(watch, "basin") == 2


def test_a_document_is_routed_again_after_each_change(watch: Watch) -> None:
    list_acts(watch)
    give_to(watch)
    watch.run()
    assert decisions(watch) == [("", "NO_PACK")] * 2
    give_to(watch, "second")
    watch.run()
    give_to(watch, "second", "regulatory")
    watch.run()
    assert (handed_to(watch, "sink"), handed_to(watch, "basin")) == (2, 2)


def test_a_listing_is_looked_at_at_once_after_its_options_changed(watch: Watch) -> None:
    list_acts(watch)
    watch.run()
    watch.asked()
    watch.run()
    assert watch.asked() == []
    (endpoint,) = watch.rows(t.endpoint)
    assert endpoint["last_content_hash"] is not None
    with watch.app.engine.begin() as connection:
        connection.execute(t.endpoint.update().values(last_content_hash=None))
    watch.run()
    assert "/sitemap.xml" in watch.asked()
    watch.run()
    assert watch.asked() == []
