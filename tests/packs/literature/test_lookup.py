"""Looking works up at services: charged once, cached, paced, and stopped by a limit."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from assay.app import App
from assay.app.service_access import AppService, find_allowance
from assay.clock import TurnedClock
from assay.packs.literature.resolving import arxiv, crossref, openalex
from assay.packs.literature.resolving.lookup import (
    ARXIV,
    OPENALEX,
    LookupResult,
    look_up,
    make_sender,
)
from assay.packs.literature.resolving.requests import ServiceLimitReached, WrongWorkAnswered
from assay.packs.literature.resolving.works import FoundWork
from assay.sdk.errors import CallDenied, InvalidInput
from assay.settings import Settings
from assay.sources.fetching import Fetcher, FetchPolicy
from assay.sources.shared_pacing import SharedHostSchedule
from tests.conftest import quick_settings
from tests.packs.literature.services import HOSTS, LiteratureServices, serve


def make_work(number: int, **changed: Any) -> FoundWork:
    values: dict[str, Any] = {
        "provider": "test",
        "ids": (f"arxiv:2401.{number:05}", f"doi:10.1234/w{number}", f"openalex:W{number}"),
        "title": f"The hydrology of valley number {number}",
        "authors": ("Ana Kovač", "Ben Okri"),
        "year": 2024,
        "venue": "Journal of Valleys",
        "abstract": "water flows water falls",
    }
    return FoundWork(**{**values, **changed})


WORKS = tuple(make_work(number) for number in range(1, 8))
DOIS = tuple(f"doi:10.1234/w{number}" for number in range(1, 8))


@asynccontextmanager
async def open_app(
    make_app: Callable[..., App], settings: Settings, played: LiteratureServices, **changed: Any
) -> AsyncIterator[App]:
    async with serve(played) as url:
        given = settings.model_copy(update={"hosts": dict.fromkeys(HOSTS, url), **changed})
        app = make_app(given)
        try:
            yield app
        finally:
            await app.services.close()
            await app.tools.close()


async def ask(app: App, *requests: Any) -> list[LookupResult]:
    return await look_up(requests, make_sender(app.services))


async def test_a_list_is_paid_for_once_and_then_cached(
    make_app: Callable[..., App], settings: Settings
) -> None:
    played = LiteratureServices(WORKS)
    async with open_app(make_app, settings, played) as app:
        request = openalex.build_list_request([*DOIS, "doi:10.1234/unknown"])
        (first,) = await ask(app, request)
        assert [work.ids for work in first.works] == [work.ids for work in WORKS]
        assert first.works[0].abstract == "water flows water falls"
        assert (first.missing, first.is_cached) == (("doi:10.1234/unknown",), False)
        (second,) = await ask(app, request)
        assert second.is_cached
        assert second.works == first.works
        assert app.services.open_service(OPENALEX).read_spent_micros() == 100
    assert len(played.asked) == 1
    assert played.spent_micros == 100


async def test_a_used_up_allowance_stops_priced_requests_and_no_others(
    make_app: Callable[..., App], settings: Settings
) -> None:
    played = LiteratureServices(WORKS)
    allowance = {"service_allowances": {"openalex": 0.004}}
    async with open_app(make_app, settings, played, **allowance) as app:
        results = await ask(
            app,
            openalex.build_search_request("hydrology of valley number 1"),
            openalex.build_search_request("hydrology of valley number 2"),
            openalex.build_search_request("hydrology of valley number 3"),
            openalex.build_id_request("doi:10.1234/w3"),
        )
    # Three times the price is set aside, because a request may be repeated twice.
    assert [bool(result.works) for result in results] == [True, True, False, True]
    assert isinstance(results[2].error, CallDenied)
    assert results[2].error.recovers_ms is not None
    assert played.spent_micros == 2_000


def test_a_key_gives_a_larger_allowance_and_a_setting_any(tmp_path: Path) -> None:
    bare = quick_settings(tmp_path)
    assert find_allowance(OPENALEX, bare) == 10_000
    keys = {"https://api.openalex.org/": SecretStr("api_key=secret")}
    with_key = bare.model_copy(update={"site_keys": keys})
    assert find_allowance(OPENALEX, with_key) == 1_000_000
    given = with_key.model_copy(update={"service_allowances": {"openalex": 20.0}})
    assert find_allowance(OPENALEX, given) == 20_000_000
    assert find_allowance(ARXIV, bare) is None


async def test_a_missing_key_is_a_limit_that_stops_further_requests(
    make_app: Callable[..., App], settings: Settings
) -> None:
    played = LiteratureServices(WORKS, key="secret")
    async with open_app(make_app, settings, played) as app:
        assert app.services.open_service(OPENALEX).allowance_micros == 10_000
        results = await ask(app, *(openalex.build_id_request(doi) for doi in DOIS))
        assert app.services.open_service(OPENALEX).read_spent_micros() == 0
    assert len(played.asked) == 1
    assert all(isinstance(result.error, ServiceLimitReached) for result in results)


async def test_not_found_is_cached_and_a_merged_work_is_followed(
    make_app: Callable[..., App], settings: Settings
) -> None:
    played = LiteratureServices(WORKS, merged={"W99": "W2"})
    requests = (
        openalex.build_id_request("doi:10.1234/none"),
        openalex.build_id_request("openalex:W99"),
        crossref.build_doi_request("doi:10.1234/none"),
        arxiv.build_arxiv_request(["arxiv:2401.00001", "arxiv:2401.99999"]),
    )
    async with open_app(make_app, settings, played) as app:
        first = await ask(app, *requests)
        asked = len(played.asked)
        second = await ask(app, *requests)
    assert len(played.asked) == asked
    assert all(result.is_cached for result in second)
    assert [result.works for result in first] == [result.works for result in second]
    assert first[0].missing == ("doi:10.1234/none",)
    assert first[1].works[0].same_work_ids == ("openalex:W99",)
    assert first[3].missing == ("arxiv:2401.99999",)


async def test_a_different_work_is_refused_and_reported(
    make_app: Callable[..., App], settings: Settings
) -> None:
    other = make_work(5)
    played = LiteratureServices(WORKS, instead={"doi:10.1234/w1": other, "arxiv:2401.00001": other})
    async with open_app(make_app, settings, played) as app:
        results = await ask(
            app,
            openalex.build_id_request("doi:10.1234/w1"),
            openalex.build_list_request(DOIS[:2]),
            crossref.build_doi_request("doi:10.1234/w1"),
            arxiv.build_arxiv_request(["arxiv:2401.00001"]),
        )
    assert [type(result.error) for result in results] == [
        WrongWorkAnswered, type(None), WrongWorkAnswered, WrongWorkAnswered,
    ]  # fmt: skip
    assert results[1].missing == ("doi:10.1234/w1",)
    assert "was not asked for" in results[1].refused[0]


async def test_a_list_on_several_pages_is_read_whole(
    make_app: Callable[..., App], settings: Settings
) -> None:
    played = LiteratureServices(WORKS, page_size=3)
    async with open_app(make_app, settings, played) as app:
        (result,) = await ask(app, openalex.build_list_request(DOIS))
    assert len(result.works) == 7
    assert (result.missing, played.spent_micros) == ((), 300)


async def test_what_a_service_refuses_costs_nothing(
    make_app: Callable[..., App], settings: Settings
) -> None:
    played = LiteratureServices(WORKS, fault=503)
    async with open_app(make_app, settings, played) as app:
        (result,) = await ask(app, openalex.build_search_request("valley"))
        assert result.error is not None and "503" in str(result.error)
        assert app.services.open_service(OPENALEX).read_spent_micros() == 0
        played.fault = 0
        (result,) = await ask(app, openalex.build_search_request("valley"))
        assert len(result.works) == 7


async def test_workers_ask_arxiv_every_three_seconds_together(
    make_app: Callable[..., App], tmp_path: Path
) -> None:
    settings = quick_settings(tmp_path / "home")
    clock = TurnedClock()
    app = make_app(settings, clock=clock)
    played = LiteratureServices(WORKS, now_ms=clock.now_ms)

    async def sleep(seconds: float) -> None:
        clock.turn(seconds=seconds)

    def make_service(url: str, engine: sa.Engine) -> AppService:
        starts = SharedHostSchedule(engine, clock)
        fetcher = Fetcher(FetchPolicy(allow_private=True), clock=clock, sleep=sleep, starts=starts)
        return AppService(ARXIV, settings, fetcher, lambda: app, 3)

    async with serve(played) as url:
        workers = [make_service(url, app.engine) for _ in range(2)]
        for number in range(3):
            for worker in workers:
                key = f"{id(worker)} {number}"
                await worker.send(f"{url}/api/query?id_list=2401.0000{number}", key=key)
        for worker in workers:
            await worker._fetcher.close()
    assert len(played.arxiv_times_ms) == 6
    assert played.count_early_arxiv_requests() == 0
    assert all("robots" not in each for each in played.asked)


@pytest.mark.parametrize("title", ["", " \x00 ", "!!!"])
def test_there_is_no_search_without_a_title(title: str) -> None:
    for build in (openalex.build_search_request, crossref.build_title_request,
                  arxiv.build_arxiv_search):  # fmt: skip
        with pytest.raises(InvalidInput, match="no title"):
            build(title)
