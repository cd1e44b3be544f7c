"""A site that is watched, a mail server, and what happens between them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from assay.app import App, runs
from assay.app.installed_packs import load_installed_facts
from assay.app.watches import WatchRequest, add_watch
from assay.model.watches import Watch as StoredWatch
from assay.settings import Settings
from assay.store import tables as t
from tests.notices.mail_server import MailServer, mail_server
from tests.spine.sites import HOME, Watch, Workplace, sitemap, watching

ME = "me@example.org"


@dataclass
class Newsroom:
    """A watched site and the mail of those who hear about it."""

    watch: Watch
    mail: MailServer

    @property
    def app(self) -> App:
        return self.watch.app

    def add(self, *words: str, to: str = ME, **more: Any) -> StoredWatch:
        # What happened before this moment is not reported.
        self.watch.clock.turn(seconds=1)
        return add_watch(self.app, WatchRequest(words=words, channels=(to,), **more))

    def publish(self, pages: dict[str, str]) -> None:
        """Show these paragraphs; a line is a paragraph."""
        self.watch.show("/sitemap.xml", sitemap(*pages))
        for path, text in pages.items():
            paragraphs = "".join(f"<p>{line}</p>" for line in text.splitlines())
            page = f"<html><title>Page {path}</title><body><main>{paragraphs}</main></body></html>"
            self.watch.show(path, page.encode())

    def run(self) -> str:
        """One run to its end, with all that people are told about it."""
        run_id = runs.start_run(self.app)
        self.finish()
        return run_id

    def finish(self) -> None:
        for _ in range(10):
            self.watch.drain()
            runs.seal_finished_runs(self.app)
            if not runs.list_open_runs(self.app):
                return
        raise AssertionError("the run does not end")

    def next_day(self, days: float = 1) -> None:
        self.watch.clock.turn(days=days)

    def deliveries(self) -> list[dict[str, Any]]:
        return self.watch.rows(t.delivery)


@pytest.fixture
def mail() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
def newsroom(
    settings: Settings,
    make_app: Callable[..., App],
    shared_workplace: Workplace,
    mail: MailServer,
) -> Iterator[Newsroom]:
    """A newsroom on either database, with a source but without a page."""
    with watching(make_app, settings, shared_workplace, **mail.settings) as watch:
        watch.endpoint(frequency="EVERY_RUN")
        yield Newsroom(watch, mail)


@pytest.fixture
def law_desk(
    settings: Settings,
    make_app: Callable[..., App],
    shared_workplace: Workplace,
    mail: MailServer,
) -> Iterator[Newsroom]:
    """The same, with a pack that takes rules from what is found."""
    changed: dict[str, Any] = {**mail.settings, "packs": load_installed_facts()}
    with watching(make_app, settings, shared_workplace, **changed) as watch:
        watch.endpoint(frequency="EVERY_RUN")
        yield Newsroom(watch, mail)


def address(path: str) -> str:
    return f"{HOME}{path}"
