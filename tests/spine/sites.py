"""A site on loopback, and an application that watches it, batch by batch."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App, runs
from assay.app.installed_packs import portals_of
from assay.app.pipeline import build_pipeline
from assay.app.tools import Tools, build_tools
from assay.clock import TurnedClock
from assay.engine.contract import Outcome, QueueLimits, Result, Stage
from assay.engine.loop import LoopThread
from assay.engine.process_pool import PoolLimits, ProcessPool
from assay.engine.reader import Reader
from assay.engine.runner import Runner
from assay.model.records import Endpoint, Record, Source
from assay.packs.regulatory.scouting import SCOUTING
from assay.ruling.declaration import Facts
from assay.ruling.facts.extract import ExtractionModel
from assay.sdk.pack import Accepts, Pack, PackStage, Scouting
from assay.settings import Settings
from assay.spine.payloads import PackJob
from assay.spine.router import BudgetFinder, find_no_budget
from assay.store import tables as t
from assay.store.dump import dump_canonical
from assay.store.upserts import upsert_records
from tests.bad_site import BadSite, serve_in_thread
from tests.bad_site.behaviours import serve_page
from tests.bad_site.site import Behaviour
from tests.engine.hand import all_rows, open_batches
from tests.waiting import PATIENCE_S

HOST = "gazette.test"
HOME = f"http://{HOST}"
SINK = Stage(name="sink", version=1, payload=PackJob, queue=QueueLimits(), batch=200)
"""Where documents go that a pack accepts, where a test ends with the router."""
NAMES = (HOST, "www.gazette.test", "files.test", "a-b.test", "a.b.test")
"""Names that all lead to the one site."""
_SENTENCE = (
    "Article {n}. The tax rate is {rate} % from 1 January 2026 for every taxpayer under this Act, "
    "and the deadline for payment is the {day}th day of the month; penalty {fine} EUR. "
)


@dataclass(frozen=True)
class Workplace:
    """A loop and reading processes that many tests share: to start them takes its time."""

    loop: LoopThread
    pool: ProcessPool


@contextmanager
def workplace() -> Iterator[Workplace]:
    loop = LoopThread()
    loop.start()
    folders = [Path(tempfile.gettempdir())]
    shared = Workplace(loop, ProcessPool(1, PoolLimits(timeout_s=PATIENCE_S), folders))
    try:
        yield shared
    finally:
        loop.submit(shared.pool.close()).result(timeout=PATIENCE_S)
        loop.stop()


def act(number: int = 1, *, rate: int = 25, words: int = 6, extra: str = "") -> bytes:
    """A page with an act on it, long enough to be worth reading."""
    body = " ".join(
        f"<p>{_SENTENCE.format(n=n, rate=rate, day=10 + n, fine=100 * number + n)}</p>"
        for n in range(1, words + 1)
    )
    title = f"Act No. {number} on Taxes"
    return f"<html><title>{title}</title><body><h1>{title}</h1>{body}{extra}</body></html>".encode()


def sitemap(*entries: str | tuple[str, str | None], host: str = HOST) -> bytes:
    """A sitemap of these paths, some with their date."""
    return _xml("urlset", "url", entries, host)


def index(*entries: str | tuple[str, str | None], host: str = HOST) -> bytes:
    """An index of these sitemaps, some with their date."""
    return _xml("sitemapindex", "sitemap", entries, host)


def _xml(root: str, tag: str, entries: Sequence[str | tuple[str, str | None]], host: str) -> bytes:
    lines = []
    for entry in entries:
        path, changed = (entry, None) if isinstance(entry, str) else entry
        address = path if "://" in path else f"http://{host}{path}"
        dated = f"<lastmod>{changed}</lastmod>" if changed else ""
        lines.append(f"<{tag}><loc>{address}</loc>{dated}</{tag}>")
    return f'<?xml version="1.0"?><{root}>{"".join(lines)}</{root}>'.encode()


def links(*paths: str, following: str | None = None, extra: str = "") -> bytes:
    """A page that lists these, and may lead to another page."""
    entries = "".join(f'<li><a href="{path}">Act {path}</a></li>' for path in paths)
    then = f'<a rel="next" href="{following}">next</a>' if following else ""
    return f"<html><title>Acts</title><ul>{entries}</ul>{then}{extra}</html>".encode()


@dataclass
class Watch:
    """An application that watches a site."""

    app: App
    site: BadSite
    clock: TurnedClock
    runner: Runner
    tools: Tools
    batch_s: float = 0.0
    """What the clock is turned by with each batch; usually it stands still."""

    def show(self, path: str, body: bytes, **more: Any) -> None:
        """From now on the site shows this there."""
        self.site.paths[path] = serve_page(body, **more)

    def do(self, path: str, behaviour: Behaviour) -> None:
        self.site.paths[path] = behaviour

    def hide(self, *paths: str) -> None:
        for path in paths:
            del self.site.paths[path]

    def store(self, *records: Record) -> None:
        with self.app.engine.begin() as connection:
            upsert_records(connection, records)

    def endpoint(
        self,
        path: str = "/sitemap.xml",
        strategy: str = "SITEMAP_XML",
        name: str = "e",
        hierarchy: int = 7,
        pack: str = "regulatory",
        **more: Any,
    ) -> None:
        """Watch this place."""
        url = path if "://" in path else f"{HOME}{path}"
        self.store(
            Source(
                source_slug="gazette",
                name="Gazette",
                base_url=HOME,
                packs=[pack],
                hierarchy=hierarchy,
            ),
            Endpoint(endpoint_id=name, source_slug="gazette", url=url, strategy=strategy, **more),
        )

    def run(self) -> str:
        """One run to its end, whatever it brings."""
        run_id = runs.start_run(self.app)
        self.drain()
        return run_id

    def drain(self, order: int = 1) -> None:
        """Batch after batch; all of one round, then what they led to."""
        for _ in range(200):
            if not (batches := open_batches(self.app)):
                return
            for batch, stage in batches[::order]:
                self.runner.run(batch, stage)
                self.clock.turn(seconds=self.batch_s)
        raise AssertionError("there is always another batch")

    def asked(self) -> list[str]:
        """The paths that were asked for since the last time, without robots.txt."""
        paths = [seen.path for seen in self.site.seen if seen.path != "/robots.txt"]
        self.site.seen.clear()
        return sorted(paths)

    def rows(self, table: sa.Table, **equal: Any) -> list[dict[str, Any]]:
        return [
            row
            for row in all_rows(self.app, table)
            if all(row[name] == value for name, value in equal.items())
        ]

    def state(self, name: str = "e") -> dict[str, Any]:
        """How an endpoint stands."""
        (row,) = self.rows(t.endpoint, endpoint_id=name)
        return row

    def items(self) -> list[str]:
        return sorted(row["url"].removeprefix(HOME) for row in self.rows(t.item))

    def parts(self) -> dict[str, dict[str, Any]]:
        return {row["url"].removeprefix(HOME): row for row in self.rows(t.endpoint_part)}

    def notes(self, stage: str, run_id: str | None = None) -> list[str]:
        """What became of the attempts of a stage."""
        found = self.rows(t.progress, stage=stage)
        kept = [row for row in found if run_id is None or row["run_id"] == run_id]
        return sorted(row["outcome"] for row in kept)

    def events(self, tag: str) -> list[dict[str, Any]]:
        return [_body(row["body"]) for row in self.rows(t.event, tag=tag)]

    def evidence(self, path: str) -> list[dict[str, Any]]:
        return self.rows(t.evidence, url=f"{HOME}{path}")

    def dead(self) -> list[str]:
        """What the dead letters say."""
        return sorted(row["error_message"] for row in self.rows(t.dead_letter))

    def dump(self) -> bytes:
        with self.app.engine.connect() as connection:
            return b"".join(dump_canonical(connection))


def _body(body: str | dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body) if isinstance(body, str) else body
    return found


@contextmanager
def watching(
    make_app: Callable[..., App],
    settings: Settings,
    shared: Workplace,
    *,
    model: ExtractionModel | None = None,
    packs: Mapping[str, Facts | Pack] | None = None,
    budget_view: BudgetFinder = find_no_budget,
    **changed: Any,
) -> Iterator[Watch]:
    """A site without a page, and an application that knows of no source."""
    with serve_in_thread({}) as site:
        given: Mapping[str, Any] = {"hosts": dict.fromkeys(NAMES, site.url), **changed}
        own = settings.model_copy(update=given)
        known = FactsAsPacks({"regulatory": sinking_pack()} if packs is None else packs)
        tools = _sharing(build_tools(own, portals_of(known)), shared.pool)
        clock = TurnedClock()
        app: App = make_app(
            own,
            pipeline=build_pipeline(
                tools,
                known,
                services=lambda: app.services,
                model=model,
                budget_view=budget_view,
            ),
            clock=clock,
        )
        try:
            yield Watch(app, site, clock, app.make_runner(app.make_committer(), shared.loop), tools)
        finally:
            # What a failed test leaves open would otherwise be blamed on a later one.
            shared.loop.submit(tools.fetcher.close()).result(timeout=PATIENCE_S)
            shared.loop.submit(tools.notifier.close()).result(timeout=PATIENCE_S)
            shared.loop.submit(app.services.models.close()).result(timeout=PATIENCE_S)


def _sharing(tools: Tools, pool: ProcessPool) -> Tools:
    return replace(
        tools,
        pool=pool,
        listing_fetcher=replace(tools.listing_fetcher, pool=pool),
        scanner=replace(tools.scanner, pool=pool),
    )


def sinking_app(make_app: Callable[..., App], settings: Settings, **more: Any) -> App:
    """All stages up to the router, and a pack called `regulatory` that takes what it accepts."""
    packs, tools = {"regulatory": sinking_pack()}, build_tools(settings)
    pipeline = build_pipeline(tools, packs, services=no_services)
    app: App = make_app(settings, pipeline=pipeline, **more)
    # Whoever closes the tools of the application must close those that the stages use.
    app.tools = tools
    return app


def no_services() -> Any:
    """For packs that use nothing."""


def sinking_pack(name: str = "regulatory", scouting: Scouting = SCOUTING) -> Pack:
    """A pack that accepts documents by that profile, and does nothing with them."""

    async def sink(jobs: Sequence[Any], _read: Reader, _services: object) -> Sequence[Result]:
        return [Outcome() for _ in jobs]

    return Pack(
        name=name,
        version="1",
        title="Whatever is accepted",
        scouting=scouting,
        stages=(PackStage(SINK, sink),),
        accepts=Accepts(first_stage=SINK.name),
    )


class FactsAsPacks(Mapping[str, Pack]):
    """Facts as packs that declare nothing else; what a test changes later is seen."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def __getitem__(self, name: str) -> Pack:
        found = self._given[name]
        if isinstance(found, Pack):
            return found
        return Pack(
            name=name, version=found.version, title=found.title, scouting=SCOUTING, facts=found
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)
