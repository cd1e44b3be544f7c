"""Discovered, resolved and ingested in any order, twice, or killed: the corpus is the same."""

import json
import random
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, example, given
from hypothesis import settings as drawing
from hypothesis import strategies as st

from assay.app import App, runs
from assay.engine.contract import Payload
from assay.model.records import Document, DocumentSource, IngestCandidate
from assay.packs.literature import pack
from assay.packs.literature.corpus import plan_discovery, plan_ingestion, plan_resolution
from assay.packs.literature.listed import ListKind
from assay.packs.literature.records import FullText, WorkId
from assay.store.dump import dump_canonical
from tests.conftest import quick_settings
from tests.engine.hand import open_batches
from tests.packs.literature.library import (
    Corpus,
    Library,
    make_work,
    opening_corpus,
    write_list,
    write_paper,
)
from tests.spine.sites import Workplace

KNOWN = make_work(1, "arxiv", "doi")
"""The services know that its preprint and its published version are one work."""
PREPRINT = make_work(2, "arxiv")
PUBLISHED = make_work(12, "doi", pdf_urls=("http://papers.test/12.pdf",))
"""Only a list says that these two are one work."""
CLOSED = make_work(3, "doi")
TITLED = make_work(4, "doi", pdf_urls=("http://papers.test/4.pdf",))
LISTS = {
    "web": ("http://lists.test/web.md", ListKind.AWESOME),
    "bib": ("http://lists.test/all.bib", ListKind.BIBTEX),
}
POINTS = ("batch.after_work", "commit.after_records", "commit.before_commit", "commit.after")
ACTIONS = ("web", "bib", "resolve", "ingest")


def build_world() -> Library:
    people = " and ".join(TITLED.authors)
    return Library(
        works=(KNOWN, PREPRINT, PUBLISHED, CLOSED, TITLED),
        pages={
            "lists.test/web.md": write_list(
                f"[{KNOWN.title}](https://doi.org/10.5555/w1)",
                f"[{PUBLISHED.title}](https://doi.org/10.5555/w12)",
                f"[{CLOSED.title}](https://doi.org/10.5555/w3)",
                "[Not known anywhere](https://doi.org/10.5555/unknown)",
            ),
            "lists.test/all.bib": (
                f"@article{{a, title={{{KNOWN.title}}}, eprint={{2401.00001}}}}\n"
                f"@article{{b, title={{{PREPRINT.title}}}, eprint={{2401.00002}}, "
                f"doi={{10.5555/W12}}}}\n@article{{c, title={{{TITLED.title}}}, "
                f"author={{{people}}}, year={{{TITLED.year}}}}}\n"
            ).encode(),
            "arxiv.org/pdf/2401.00001v2": write_paper(KNOWN),
            "arxiv.org/pdf/2401.00002v2": write_paper(PREPRINT, extra=" It is the preprint."),
            "papers.test/12.pdf": write_paper(PUBLISHED, extra=" It is the published version."),
            "papers.test/4.pdf": write_paper(TITLED),
        },
    )


class _Killed:
    """Dies at a point of every few batches; the work is done again by the next."""

    def __init__(self, corpus: Corpus, chance: random.Random) -> None:
        self._watch = corpus.watch
        self._chance = chance
        self._point = ""

    def reach(self, point: str) -> None:
        if point == self._point:
            self._point = ""
            raise SystemExit

    def drain(self) -> None:
        runner = self._watch.runner
        committer = self._watch.app.make_committer()
        before = runner._faults, runner._committer
        committer._faults = runner._faults = self
        runner._committer = committer
        try:
            for _ in range(400):
                if not (batches := open_batches(self._watch.app)):
                    return
                batch, stage = self._chance.choice(batches)
                self._point = self._chance.choice((*POINTS, "", ""))
                with suppress(SystemExit):
                    runner.run(batch, stage)
        finally:
            runner._faults, runner._committer = before
        raise AssertionError("there is always another batch")


def act(corpus: Corpus, action: str, killed: _Killed | None) -> None:
    """One command."""
    services = corpus.watch.app.services
    plans: dict[str, Callable[..., Sequence[tuple[str, Payload]]]] = {
        "resolve": plan_resolution,
        "ingest": plan_ingestion,
    }
    if action in LISTS:
        corpus.add(action, *LISTS[action])
        plans[action] = partial(plan_discovery, list_id=action)
    first = list(plans[action](services))
    if first:
        runs.start_run(corpus.watch.app, first=first)
        (corpus.watch if killed is None else killed).drain()


def dump(corpus: Corpus) -> list[str]:
    """The corpus in order: works, ids, references, what services said, states and texts.

    How often a document was tried, and the text of one that later turned out to be an alias, are
    traces of the way; they are left out.
    """
    app = corpus.watch.app
    aliases = {row.id for row in corpus.read(WorkId) if row.id != row.doc_id}
    records = [*(record for record in pack().records if record is not FullText)]
    with app.engine.connect() as connection:
        lines = [line.decode() for line in dump_canonical(connection, records)]
        lines += [line.decode() for line in dump_canonical(connection, [Document, DocumentSource])]
        for line in dump_canonical(connection, [FullText]):
            row = json.loads(line)
            if row["doc_id"] not in aliases:
                lines.append(line.decode())
    lines += [f"{row.doc_id} {row.state}\n" for row in corpus.read(IngestCandidate)]
    return lines


@pytest.fixture(scope="session")
def expected(
    tmp_path_factory: pytest.TempPathFactory, shared_workplace: Workplace, ready_stores: Any
) -> list[str]:
    """The corpus after one plain run over everything, on SQLite."""
    home = tmp_path_factory.mktemp("expected") / "home"
    with _making(ready_stores) as make_app:
        with opening_corpus(
            make_app, quick_settings(home), shared_workplace, build_world()
        ) as corpus:
            for action in ACTIONS:
                act(corpus, action, None)
            assert not corpus.watch.dead()
            return dump(corpus)


class _making:  # noqa: N801
    """Applications that are closed at the end."""

    def __init__(self, ready: Any) -> None:
        self._ready = ready
        self._made: list[App] = []

    def __enter__(self) -> Callable[..., App]:
        return self._make

    def _make(self, settings: Any, **parts: Any) -> App:
        from assay.app.composition import init_home

        init_home(settings)
        placed = self._ready.place(settings)
        made = App(settings, **parts)
        if not placed:
            made.migrate()
        self._made.append(made)
        return made

    def __exit__(self, *_error: object) -> None:
        for app in self._made:
            app.close()


def test_the_plain_run_finds_what_there_is(expected: list[str]) -> None:
    states = dict(line.split() for line in expected if not line.startswith("{"))
    assert states["arxiv:2401.00001"] == states["arxiv:2401.00002"] == "ingested"
    assert states["doi:10.5555/w1"] == states["doi:10.5555/w12"] == "resolved"
    assert states["doi:10.5555/w4"] == "ingested"
    assert states["doi:10.5555/w3"] == states["doi:10.5555/unknown"] == "blocked"


@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
@drawing(
    max_examples=4,
    # Making an example simpler takes longer than reading the difference.
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(actions=[], seed=1)
@given(actions=st.lists(st.sampled_from(ACTIONS), max_size=4), seed=st.integers(0, 1000))
def test_the_order_repetition_and_kills_of_runs_do_not_matter(
    database: str,
    actions: list[str],
    seed: int,
    tmp_path: Path,
    ready_stores: Any,
    shared_workplace: Workplace,
    expected: list[str],
    request: pytest.FixtureRequest,
) -> None:
    name = f"assay_{secrets.token_hex(6)}"
    url = None
    if database == "postgres":
        server = request.getfixturevalue("postgres_server")
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        url = server.replace("/postgres?", f"/{name}?")
    chance = random.Random(seed)
    settings = quick_settings(tmp_path / name, database_url=url)
    with _making(ready_stores) as make_app:
        with opening_corpus(make_app, settings, shared_workplace, build_world()) as corpus:
            killed = _Killed(corpus, chance)
            last = [*LISTS]
            chance.shuffle(last)
            for action in (*actions, *last, "resolve", "ingest"):
                act(corpus, action, killed)
            assert not corpus.watch.dead()
            found = dump(corpus)
    new, gone = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
    assert (new, gone) == ([], [])
    assert found == expected
