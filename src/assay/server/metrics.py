"""`GET /metrics`: queues, candidates, model calls and the metrics of packs, for Prometheus."""

import asyncio
from collections.abc import Iterator

from aiohttp import web

from assay.app import App
from assay.app.status import collect_status
from assay.llm.metering.exposition import CONTENT_TYPE, format_heading, format_sample
from assay.logs import Log
from assay.server.app_keys import APP
from assay.server.backend_process import BackendProcess
from assay.server.relay import fetch_text

PACKS = web.AppKey("packs", BackendProcess)
"""The key of the process that answers requests to packs, if there is one."""
_OF_MODELS = "/metrics/models"
"""Where that process shows what it counted of model calls; clients do not reach it."""
log = Log("assay.server")


def add_routes(made: web.Application) -> None:
    made.router.add_get("/metrics", _show)


def add_model_routes(made: web.Application) -> None:
    made.router.add_get(_OF_MODELS, _show_models)


async def _show(request: web.Request) -> web.Response:
    text = await asyncio.to_thread(render_metrics, request.app[APP])
    if PACKS in request.app:
        # The rest is worth having without it, above all when something is wrong.
        counted = await fetch_text(request.app[PACKS], _OF_MODELS)
        text = "\n".join((*_render_pack_process(counted is not None), text + (counted or "")))
    return _answer_text(text)


async def _show_models(request: web.Request) -> web.Response:
    return _answer_text(request.app[APP].services.models.metrics_text())


def _answer_text(text: str) -> web.Response:
    return web.Response(body=text.encode(), headers={"Content-Type": CONTENT_TYPE})


def render_metrics(app: App) -> str:
    """All metrics of this process, in the text format that Prometheus reads."""
    return "\n".join((*_render_lines(app), app.services.models.metrics_text()))


def _render_lines(app: App) -> Iterator[str]:
    app.require_pack_tables()
    now = collect_status(app)
    yield from format_heading("assay_jobs", "gauge", "Jobs by stage and state.")
    for stage, states in now["queues"].items():
        for state, count in states.items():
            yield format_sample("assay_jobs", [("stage", stage), ("state", state)], count)
    help_text = "Documents by their place in the lifecycle."
    yield from _render_gauge("assay_candidates", help_text, "state", now["candidates"])
    help_text = "Open questions to a person by reason."
    yield from _render_gauge("assay_questions", help_text, "reason", now["open_questions"])
    yield from _render_pack_metrics(app)


def _render_gauge(name: str, help_text: str, label: str, counts: dict[str, int]) -> Iterator[str]:
    yield from format_heading(name, "gauge", help_text)
    for value, count in counts.items():
        yield format_sample(name, [(label, value)], count)


def _render_pack_process(responds: bool) -> Iterator[str]:
    help_text = "Whether the process that answers for packs responds."
    yield from format_heading("assay_pack_process_up", "gauge", help_text)
    yield format_sample("assay_pack_process_up", [], int(responds))


def _render_pack_metrics(app: App) -> Iterator[str]:
    """The metrics of packs, and how many of each pack's metrics cannot be read."""
    failed: dict[str, int] = {}
    for pack in app.packs.installed.values():
        for metric in pack.metrics:
            try:
                number = float(metric.read(app.services))
            # A pack is third-party code: whatever it raises, the other metrics are shown.
            except (Exception, SystemExit) as error:
                failed[pack.name] = failed.get(pack.name, 0) + 1
                problem = f"{type(error).__name__}: {error}"
                log.error(
                    "pack_metric_failed",
                    f"Metric '{metric.name}' of pack '{pack.name}' cannot be read: {problem}.",
                )
                continue
            yield from format_heading(metric.name, "gauge", metric.help)
            yield format_sample(metric.name, [("pack", pack.name)], number)
    if failed:
        help_text = "Metrics of packs that cannot be read."
        yield from _render_gauge("assay_pack_metrics_failed", help_text, "pack", failed)
