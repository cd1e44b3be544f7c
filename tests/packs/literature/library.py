"""A small world of papers on loopback: lists, services that know the works, and full texts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from assay.app import App, runs
from assay.engine.contract import Payload
from assay.model.records import Record
from assay.packs.literature import pack
from assay.packs.literature.corpus import add_list
from assay.packs.literature.listed import ListKind
from assay.packs.literature.resolving.works import FoundWork
from assay.settings import Settings
from assay.store.record_tables import table_of
from tests.packs.literature.services import HOSTS, LiteratureServices, serve
from tests.spine.sites import Watch, Workplace, watching
from tests.waiting import PATIENCE_S

LIST_URL = "http://lists.test/reading.md"
SUBJECTS = ("harbour ice", "salt levies", "river lights", "mountain bells", "island clocks")


@dataclass
class Library(LiteratureServices):
    """The services, and every other site of the world."""

    pages: dict[str, bytes] = field(default_factory=dict)
    """By host and path."""

    async def answer(self, request: web.Request) -> web.Response:
        if request.host in HOSTS:
            return await super().answer(request)
        place = f"{request.host}{request.path}"
        self.asked.append(place)
        body = self.pages.get(place)
        if body is None:
            return web.Response(status=404, text="nothing here")
        return web.Response(body=body, content_type="text/plain", charset="utf-8")


def make_work(number: int, *schemes: str, **changed: Any) -> FoundWork:
    """A work about one of a few subjects, with the ids that it has."""
    own = {
        "arxiv": f"arxiv:2401.{number:05}",
        "doi": f"doi:10.5555/w{number}",
        "openalex": f"openalex:W{number}",
    }
    subject = SUBJECTS[number % len(SUBJECTS)]
    values: dict[str, Any] = {
        "provider": "test",
        "ids": tuple(sorted(own[each] for each in (*schemes, "openalex"))),
        "title": f"On the measurement of {subject}, part {number}",
        "authors": ("Ana Kovač", "Ben Okri"),
        "year": 2020 + number % 5,
        "venue": "Journal of Vedrine Studies",
        "abstract": f"We measure {subject} in the north and report what was found there.",
        "version": 2 if "arxiv" in schemes else None,
    }
    return FoundWork(**{**values, **changed})


def write_paper(work: FoundWork, extra: str = "") -> bytes:
    """The text of a paper, long enough to be one."""
    subject = work.title.split("measurement of ")[-1]
    sentences = " ".join(
        f"In winter {1990 + n} the observers counted {subject} on {n + 3} days in the harbour."
        for n in range(12)
    )
    return (
        f"{work.title}\n\n{', '.join(work.authors)}\n\nAbstract\n\n{work.abstract}\n\n"
        f"1 Introduction\n\n{sentences}\n\n2 Results\n\n{sentences}{extra}\n"
    ).encode()


def write_list(*entries: str) -> bytes:
    """A list in Markdown."""
    lines = "\n".join(f"- {entry}" for entry in entries)
    return f"# Reading list\n\n## Papers\n\n{lines}\n".encode()


@dataclass
class Corpus:
    """An application with the pack, and the world that it looks at."""

    watch: Watch
    world: Library

    def add(self, name: str, url: str = LIST_URL, kind: ListKind = ListKind.AWESOME) -> None:
        add_list(self.watch.app.services, name, url, kind, "A")

    def work(self, *plans: Callable[..., Sequence[tuple[str, Payload]]]) -> str | None:
        """A run with the jobs of these plans, to its end."""
        first = [job for plan in plans for job in plan(self.watch.app.services)]
        if not first:
            return None
        run_id = runs.start_run(self.watch.app, first=first)
        self.watch.drain()
        return run_id

    def read(self, record: type[Record]) -> list[Any]:
        return [record.from_row(row) for row in self.watch.rows(table_of(record))]


@contextmanager
def opening_corpus(
    make_app: Callable[..., App], settings: Settings, shared: Workplace, world: Library
) -> Iterator[Corpus]:
    """An application that knows only this world."""
    server = serve(world)
    url = shared.loop.submit(server.__aenter__()).result(timeout=PATIENCE_S)
    names = (*HOSTS, "arxiv.org", "lists.test", "papers.test")
    try:
        packs: dict[str, Any] = {"literature": pack()}
        hosts = dict.fromkeys(names, url)
        with watching(make_app, settings, shared, packs=packs, hosts=hosts) as watch:
            # Stages read lists and texts with the processes that all tests share.
            watch.app.tools = watch.tools
            yield Corpus(watch, world)
            shared.loop.submit(watch.app.services.close()).result(timeout=PATIENCE_S)
    finally:
        shared.loop.submit(server.__aexit__(None, None, None)).result(timeout=PATIENCE_S)
