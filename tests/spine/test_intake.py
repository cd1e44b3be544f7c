"""Files given by hand: they become evidence, facts, rules and a release, like what was fetched."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.app import App, runs
from assay.app.asking import ask
from assay.app.installed_packs import HomePacks, load_installed_facts
from assay.app.intake import ingest_file
from assay.app.releases import list_releases, load_manifest
from assay.app.reviewing import build_review_service
from assay.errors import ContentEmpty, ContentTooLarge, InvalidInput, NotFound
from assay.model.ids import is_by_hand, make_file_url
from assay.ruling.payloads import ReleaseJob
from assay.ruling.review.decisions import approve_rule
from assay.ruling.review.service import Reviewer
from assay.spine.payloads import IntakeJob
from assay.store import tables as t
from assay.store import truth
from assay.store.audit import verify_chain
from tests.conftest import quick_settings
from tests.packs.graph.test_ontology_pack import SHIPS
from tests.spine.sites import Watch, Workplace, watching

LETTER = """Acme Systems is a company based in Split. It makes pumps and little else.

Acme Systems was founded in 1998. Acme Systems is led by Marko Babić, as everybody knows.
"""
REPORT = """A report on the firms of the coast, which nobody had asked for.

The reader will find few surprises. Acme Systems was founded in 1998. Its pumps are blue.
The harbour of Split has seen better days, and the author regrets it.
"""


@pytest.fixture
def bench(home: Path, make_app: Callable[..., App], shared_workplace: Workplace) -> Iterator[Watch]:
    """On SQLite, for what no database makes a difference to."""
    settings = quick_settings(home)
    with watching(make_app, settings, shared_workplace, packs=load_installed_facts()) as made:
        yield made


def given(watch: Watch, content: str | bytes, name: str = "letter.txt", **more: Any) -> str:
    data = content.encode() if isinstance(content, str) else content
    key = ingest_file(watch.app, data, name=name, pack="graph", **more)
    watch.drain()
    return key


def rules(watch: Watch) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["concept"], row["value"]): row for row in watch.rows(truth.rule)}


def test_from_two_files_to_an_answer_with_its_quotes(regulated: Watch) -> None:
    one = given(regulated, LETTER, source="letters")
    other = given(regulated, REPORT, "report.txt", source="reports")
    assert regulated.dead() == []
    founded = rules(regulated)["acme_systems.founded_in", "1998"]
    assert (founded["status"], founded["tier"], founded["pack"]) == (
        "PENDING_REVIEW",
        "T2",
        "graph",
    )
    pointers = regulated.rows(truth.source_pointer, rule_id=founded["rule_id"])
    assert {(p["source_slug"], p["evidence_id"]) for p in pointers} == {
        ("letters", one), ("reports", other),
    }  # fmt: skip
    approve_rule(build_review_service(regulated.app), founded["rule_id"], Reviewer(person="ana"))
    job = ReleaseJob(pack="graph", released_by="iva")
    runs.start_run(regulated.app, first=[("release", job)])
    regulated.drain()
    (release,) = list_releases(regulated.app, "graph")
    (line,) = load_manifest(regulated.app, release).rules
    for source in line["sources"]:
        text = regulated.app.blobs.get(source["artifact_hash"]).decode()
        assert text[source["start"] : source["end"]] == source["quote"]
        assert "1998" in source["quote"]
        assert is_by_hand(source["url"])
    reply = ask(regulated.app, "acme_systems.founded_in", pack="graph")
    assert [found.value for found in reply.answer.found] == ["1998"]
    with regulated.app.engine.connect() as connection:
        assert verify_chain(connection).ok


def test_a_file_becomes_evidence_that_slices_back_to_its_quotes(bench: Watch) -> None:
    key = given(bench, LETTER)
    (evidence,) = bench.rows(t.evidence, evidence_id=key)
    assert bench.app.blobs.get(evidence["content_hash"]) == LETTER.encode()
    assert (evidence["url"], evidence["source_slug"]) == (
        make_file_url("files-graph", "letter.txt"), "files-graph",
    )  # fmt: skip
    (artifact,) = bench.rows(t.artifact, artifact_id=evidence["primary_text_artifact_id"])
    text = bench.app.blobs.get(artifact["content_hash"]).decode()
    facts = bench.rows(truth.candidate_fact)
    assert {(f["concept"], f["value"]) for f in facts} >= {
        ("acme_systems.founded_in", "1998"),
        ("acme_systems.led_by", "Marko Babić"),
    }
    assert all(text[f["start"] : f["end"]] == f["quote"] for f in facts)
    assert all(f["value"] in f["quote"] for f in facts)
    (source,) = bench.rows(t.source)
    assert (source["packs"], source["hierarchy"], source["active"]) == (["graph"], 7, True)
    (document,) = bench.rows(t.document)
    assert document["title"] == "letter.txt"
    (candidate,) = bench.rows(t.candidate)
    assert candidate["state"] == "ingested"
    (report,) = bench.rows(truth.coverage_report)
    assert 0 < report["covered"] <= report["relevant"] < report["sentences"]


def test_the_same_again_begins_nothing(bench: Watch) -> None:
    key = given(bench, LETTER)
    before, jobs, known = bench.dump(), len(bench.rows(t.job)), len(bench.rows(t.run))
    assert given(bench, LETTER) == key
    assert (bench.dump(), len(bench.rows(t.job)), len(bench.rows(t.run))) == (before, jobs, known)
    job = IntakeJob(
        content_hash=bench.rows(t.evidence)[0]["content_hash"], name="letter.txt",
        source="files-graph",
    )  # fmt: skip
    run_id = runs.start_run(bench.app, first=[("intake", job)])
    bench.drain()
    assert bench.notes("intake", run_id) == ["unchanged"]
    assert bench.dump() == before


def test_another_content_is_a_new_version_and_the_old_one_may_come_back(bench: Watch) -> None:
    first = given(bench, LETTER)
    second = given(bench, LETTER.replace("1998", "1999"))
    assert first != second
    assert {row["doc_id"] for row in bench.rows(t.evidence)} == {
        bench.rows(t.document)[0]["doc_id"]
    }
    held = rules(bench)
    assert held["acme_systems.founded_in", "1998"]["status"] == "DEPRECATED"
    assert held["acme_systems.founded_in", "1999"]["status"] == "PENDING_REVIEW"
    assert len(bench.events("document.changed")) == 1
    assert given(bench, LETTER) == first
    held = rules(bench)
    assert held["acme_systems.founded_in", "1998"]["status"] == "PENDING_REVIEW"
    assert held["acme_systems.founded_in", "1999"]["status"] == "DEPRECATED"
    assert bench.dead() == []


def test_what_scout_would_skip_is_read_when_a_person_gives_it(bench: Watch) -> None:
    key = given(bench, "Acme Systems was founded in 1998.", "short.txt")
    (scouted,) = bench.rows(t.scout_result)
    assert (scouted["worth_it_score"], scouted["skip_reason"]) == (1.0, None)
    (fact,) = bench.rows(truth.candidate_fact, evidence_id=key)
    assert fact["concept"] == "acme_systems.founded_in"


def test_one_file_under_two_names_is_no_second_source(bench: Watch) -> None:
    given(bench, LETTER, source="letters")
    given(bench, LETTER, "copy.txt", source="copies")
    copies = [row for row in bench.rows(t.scout_result) if row["duplicate_of"] is not None]
    assert len(copies) == 1
    held = [
        p for p in bench.rows(truth.source_pointer) if p["evidence_id"] != copies[0]["evidence_id"]
    ]
    assert len({pointer["source_slug"] for pointer in held}) == 1


def test_a_page_and_a_file_that_holds_nothing(bench: Watch) -> None:
    page = "<html><title>T</title><body><p>Acme Systems was founded in 1998.</p></body></html>"
    given(bench, page, "page.html")
    assert [f["value"] for f in bench.rows(truth.candidate_fact)] == ["1998"]
    given(bench, " \n ", "blank.txt")
    assert len(bench.rows(t.candidate, state="skipped")) == 1
    assert bench.dead() == []


@pytest.mark.parametrize(
    ("content", "more", "error", "words"),
    [
        (b"", {}, ContentEmpty, "empty"),
        (b"x", {"pack": "none"}, NotFound, "no pack 'none'"),
        (b"x", {"name": " "}, InvalidInput, "name"),
        (b"x", {"name": "a\nb"}, InvalidInput, "name"),
        (b"x", {"hierarchy": 8}, InvalidInput, "rank"),
        (b"x", {"source": "Not a slug"}, InvalidInput, "source"),
        (b"x", {"source": "gazette"}, InvalidInput, "belongs to the pack 'regulatory'"),
        (Path("nowhere.txt"), {}, InvalidInput, "nowhere.txt"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_in_is_refused_and_begins_nothing(
    bench: Watch, content: Any, more: dict[str, Any], error: type[Exception], words: str
) -> None:
    bench.endpoint()
    with pytest.raises(error, match=words):
        ingest_file(bench.app, content, **{"name": "x.txt", "pack": "graph", **more})
    assert bench.rows(t.run) == []
    assert bench.rows(t.job) == []


def test_too_large_a_file_is_refused_before_it_is_read(
    bench: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "large.txt"
    with file.open("wb") as opened:
        opened.truncate(bench.tools.scout.limits.max_bytes + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("it was read"))
    with pytest.raises(ContentTooLarge):
        ingest_file(bench.app, file, name="large.txt", pack="graph")


def test_a_path_is_read(bench: Watch, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text(LETTER, encoding="utf-8")
    key = ingest_file(bench.app, file, name=file.name, pack="graph")
    assert key == ingest_file(bench.app, LETTER.encode(), name=file.name, pack="graph")
    assert len(bench.rows(t.job, stage="intake")) >= 1


def test_an_ontology_of_the_home_reads_like_any_pack(
    home: Path, make_app: Callable[..., App], shared_workplace: Workplace
) -> None:
    (home / "ontologies").mkdir(parents=True)
    (home / "ontologies" / "ships.ttl").write_text(SHIPS, encoding="utf-8")
    settings = quick_settings(home)
    with watching(make_app, settings, shared_workplace, packs=HomePacks(settings.home)) as watch:
        ingest_file(watch.app, b"The ship Marjan was launched in 1998.", name="s.txt", pack="ships")
        watch.drain()
        (rule,) = watch.rows(truth.rule)
        assert (rule["pack"], rule["concept"], rule["value"]) == (
            "ships", "marjan.launched_in", "1998",
        )  # fmt: skip
        assert watch.rows(t.source)[0]["source_slug"] == "files-ships"
        assert watch.dead() == []
