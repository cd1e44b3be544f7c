"""`assay literature` as people type it, with a list, services and papers on loopback."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.engine.loop import LoopThread
from tests.desk import Desk
from tests.packs.literature.library import (
    LIST_URL,
    Library,
    make_work,
    write_list,
    write_paper,
)
from tests.packs.literature.services import HOSTS, serve
from tests.waiting import PATIENCE_S

BOTH = make_work(1, "arxiv", "doi")
OPEN = make_work(2, "doi", pdf_urls=("http://papers.test/2.pdf",), cites=("openalex:W1",))
CLOSED = make_work(3, "doi")


@contextmanager
def serving(world: Library) -> Iterator[str]:
    loop = LoopThread()
    loop.start()
    server = serve(world)
    try:
        yield loop.submit(server.__aenter__()).result(timeout=PATIENCE_S)
        loop.submit(server.__aexit__(None, None, None)).result(timeout=PATIENCE_S)
    finally:
        loop.stop()


def open_desk(home: Path, url: str) -> Desk:
    """A home for which every site of the world is at one address."""
    return Desk(home, dict.fromkeys((*HOSTS, "arxiv.org", "lists.test", "papers.test"), url))


@pytest.fixture
def world() -> Library:
    made = Library(works=(BOTH, OPEN, CLOSED))
    made.pages = {
        "lists.test/reading.md": write_list(
            f"[{BOTH.title}](https://arxiv.org/abs/2401.00001)",
            f"[{BOTH.title}](https://doi.org/10.5555/W1)",
            f"[{OPEN.title}](https://doi.org/10.5555/w2)",
            f"[{CLOSED.title}](https://doi.org/10.5555/w3)",
        ),
        "arxiv.org/pdf/2401.00001v2": write_paper(BOTH),
        "papers.test/2.pdf": write_paper(OPEN),
    }
    return made


def test_a_list_from_its_address_to_a_citation(tmp_path: Path, world: Library) -> None:
    with serving(world) as url:
        desk = open_desk(tmp_path / "home", url)
        assert "is not a name for a list" in desk.refuse("literature", "add", "My List", LIST_URL)
        added = desk.ask("literature", "add", "reading", LIST_URL)
        assert (added["kind"], added["is_new"]) == ("awesome", True)
        done = desk.ask("literature", "run")
        assert done["dead"] == 0 and done["corpus"]["works"] == 3
        assert done["corpus"]["states"] == {"blocked": 1, "ingested": 2}

        asked = len(world.asked)
        again = desk.ask("literature", "run")
        assert again["corpus"] == done["corpus"]
        assert len(world.asked) - asked <= 2, world.asked[asked:]

    found = desk.ask("literature", "search", "harbour", "salt", "levies")
    assert found[0]["doc_id"] == "arxiv:2401.00001" and found[0]["passages"]
    shown = desk.ask("literature", "show", "https://doi.org/10.5555/W1")
    assert shown["doc_id"] == "arxiv:2401.00001" and "doi:10.5555/w1" in shown["ids"]
    assert shown["said_by"]["title"] in ("crossref", "openalex", "arxiv")
    closed = desk.ask("literature", "show", "10.5555/w3")
    assert (closed["state"], closed["reason"]) == ("blocked", "no open full text is known")
    assert "@" in desk.call("literature", "cite", "arXiv:2401.00001", "--style", "bibtex")
    related = desk.ask("literature", "related", "10.5555/w2")
    assert {row["doc_id"] for row in related} >= {"arxiv:2401.00001"}
    out = tmp_path / "works.ris"
    assert desk.ask("literature", "export", "--format", "ris", "-o", str(out))["works"] == 3
    assert out.read_text(encoding="utf-8").count("TY  -") == 3
    files = desk.ask("literature", "snapshots", str(tmp_path / "snapshots"))
    assert any(Path(file).name == "tierA_arxiv.txt" for file in files)
    assert "--yes" in desk.refuse("literature", "reindex")
    assert desk.ask("literature", "reindex", "--yes") == {"works": 3}
    assert desk.ask("literature", "search", "harbour", "salt", "levies") == found
    assert "no work '10.9999/nothing'" in desk.refuse("literature", "show", "10.9999/nothing")


def test_references_are_kept_in_the_folder_of_their_run(tmp_path: Path, world: Library) -> None:
    with serving(world) as url:
        desk = open_desk(tmp_path / "home", url)
        desk.call("literature", "add", "reading", LIST_URL)
        first = desk.ask("literature", "run")["run_id"]
        world.pages["lists.test/reading.md"] += b"- [More](https://arxiv.org/abs/2401.00009)\n"
        second = desk.ask("literature", "run")["run_id"]
    runs = tmp_path / "home" / "runs"
    old = (runs / first / "awesome_references.jsonl").read_text(encoding="utf-8").splitlines()
    new = (runs / second / "awesome_references.jsonl").read_text(encoding="utf-8").splitlines()
    assert (len(old), len(new)) == (4, 1)
    assert (runs / first / "openalex_resolution.jsonl").is_file()
    assert json.loads(new[0])["ids"] == ["arxiv:2401.00009"]
