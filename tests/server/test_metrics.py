"""`GET /metrics`: what Prometheus reads, with the numbers of packs."""

from dataclasses import replace

import aiohttp
import pytest

from assay.app import App
from assay.sdk.pack import Metric
from assay.sdk.services import Services
from tests.server.sites import serving


async def _read(app: App) -> tuple[str, str]:
    async with serving(app) as url, aiohttp.ClientSession(url) as session:
        async with session.get("/metrics") as answer:
            assert answer.status == 200
            return answer.headers["Content-Type"], await answer.text()


async def test_queues_and_candidates_are_exposed(published: App) -> None:
    kind, text = await _read(published)
    assert kind.startswith("text/plain; version=0.0.4")
    assert '# TYPE assay_jobs gauge\nassay_jobs{stage="sentinel",state="waiting"} 0\n' in text
    assert "# TYPE assay_questions gauge" in text


async def test_a_pack_adds_its_own(published: App, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Metric(name="ships_total", help="Ships.", read=lambda services: 7.0)
    pack = replace(published.packs["graph"], metrics=(counted,))
    monkeypatch.setattr(published.packs, "_installed", {"graph": pack})
    _, text = await _read(published)
    assert (
        '# HELP ships_total Ships.\n# TYPE ships_total gauge\nships_total{pack="graph"} 7' in text
    )


async def test_a_metric_that_fails_is_reported_under_its_pack_and_stops_no_other(
    published: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sink(services: Services) -> float:
        raise RuntimeError("the ship sank")

    lost = Metric(name="ships_lost", help="Ships.", read=sink)
    counted = Metric(name="ships_total", help="Ships.", read=lambda services: 7.0)
    pack = replace(published.packs["graph"], metrics=(lost, counted))
    monkeypatch.setattr(published.packs, "_installed", {"graph": pack})
    _, text = await _read(published)
    assert 'ships_total{pack="graph"} 7' in text and "ships_lost" not in text
    assert 'assay_pack_metrics_failed{pack="graph"} 1' in text
