"""`/extract` with what nobody should send, and with what a bug or another version left behind."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from assay.app import App
from assay.packs.graph import routes
from assay.packs.graph.results import GraphResult
from assay.packs.graph.service import GraphOrder, GraphService
from assay.store.results import ResultStore
from tests.conftest import quick_settings
from tests.packs.graph.provider import ONTOLOGY, TEXT, Script
from tests.server.test_extraction import JSON, Site, _events, site

PLAIN: dict[str, Any] = {"text": TEXT, "ontology": ONTOLOGY, "model": False}
HALF = "\ud800"
"""Half a character: JSON can name it, and nothing can write it down."""


@pytest.fixture
async def reader(home: Path, make_app: Callable[..., App]) -> AsyncIterator[Site]:
    async with site(home, make_app, Script()) as found:
        yield found


BAD: dict[str, tuple[str | bytes, str]] = {
    "half a character in the text": (json.dumps(PLAIN | {"text": f"a {HALF}"}), "text"),
    "half a character in the name": (json.dumps(PLAIN | {"name": HALF}), "name"),
    "half a character in the base": (json.dumps(PLAIN | {"base": f"urn:{HALF}"}), "base"),
    "half a character in the ontology": (json.dumps(PLAIN | {"ontology": HALF}), "ontology"),
    "half a character in the provider": (json.dumps(PLAIN | {"provider": HALF}), "provider"),
    "half a character in a name of ours": (
        json.dumps({"text": TEXT, "ontology_name": HALF}),
        "ontology_name",
    ),
    "half a character for a field": (json.dumps(PLAIN | {HALF: 1}), "the request"),
    "a field twice": ('{"text": "a", "text": "b", "ontology": "x"}', "twice"),
    "brackets without end": ("[" * 5_000, "32 levels"),
    "a number that is none": ('{"text": "x", "ontology": "x", "tokens": NaN}', "tokens"),
    "a number without end": ('{"text": "x", "ontology": "x", "tokens": 1e999}', "tokens"),
    "a number with many digits": (f'{{"tokens": {"9" * 5000}}}', "not valid JSON"),
    "yes for a number": (json.dumps(PLAIN | {"tokens": True}), "tokens"),
    "less than nothing": (json.dumps(PLAIN | {"tokens": -1}), "tokens"),
    "bytes that are no letters": (b'{"text": "\xff"}', "not valid JSON"),
    "an id on two lines": (json.dumps(PLAIN | {"request_id": "a\n"}), "request_id"),
    "a name without end": (json.dumps(PLAIN | {"name": "x" * 1001}), "name"),
}


@pytest.mark.parametrize("what", BAD)
async def test_odd_requests_are_refused_with_what_is_wrong(reader: Site, what: str) -> None:
    body, said = BAD[what]
    told = await reader.post(body, 400)
    assert said in told["detail"]


@pytest.mark.parametrize("path", ["%00", "%ED%A0%80", "%FF", "..%2f..", "a%20b", "%0a", "x" * 3000])
async def test_an_id_that_no_request_can_have_is_unknown(reader: Site, path: str) -> None:
    told = await reader.get(f"/extract/{path}", 404)
    assert told["code"] == "not_found"
    await reader.delete(f"/extract/{path}", 404)


async def test_places_count_in_characters_whatever_stands_in_the_text(reader: Site) -> None:
    text = f"\U0001f600\U0001f600 a\x00b\r\n\r\n{TEXT}\r\n{TEXT}"
    told = await reader.post(PLAIN | {"text": text, "name": "a\r\nb\x00"})
    spans = [span for entity in told["graph"]["entities"] for span in entity["mentions"]]
    spans += [quote for relation in told["graph"]["relations"] for quote in relation["quotes"]]
    assert len(spans) > 10
    assert all(text[span["start"] : span["end"]] == span["words"] for span in spans)


async def test_a_bug_is_told_to_whoever_watches(
    reader: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(desk: GraphService, order: GraphOrder, on_progress: Any = None) -> GraphResult:
        raise RuntimeError("This should not happen.")

    monkeypatch.setattr(GraphService, "extract", broken)
    async with reader.session.post(
        "/extract", json=PLAIN, headers={"Accept": "text/event-stream"}
    ) as answered:
        events = _events(await answered.text())
    name, told = events[-1]
    assert (name, told["code"]) == ("error", "bug")
    told = await reader.post(PLAIN, 500)
    assert told["code"] == "bug"


async def test_a_request_that_takes_all_memory_is_refused(
    reader: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def greedy(desk: GraphService, order: GraphOrder, on_progress: Any = None) -> GraphResult:
        raise MemoryError

    monkeypatch.setattr(GraphService, "extract", greedy)
    told = await reader.post(PLAIN, 503)
    assert "serve_memory_mb" in told["advice"]


async def test_an_error_is_told_to_whoever_watches(reader: Site) -> None:
    body = PLAIN | {"ontology": "# nothing"}
    async with reader.session.post(
        "/extract", json=body, headers={"Accept": "text/event-stream"}
    ) as answered:
        events = _events(await answered.text())
    name, told = events[-1]
    assert (name, told["code"]) == ("error", "invalid_input")


async def test_a_result_of_another_version_is_not_there(
    home: Path, make_app: Callable[..., App]
) -> None:
    app = make_app(quick_settings(home))
    shelf = ResultStore(app.engine, app.blobs)
    shelf.keep("a key", "mine", "graph", "complete", b'{"graph": 7}')
    assert await GraphService(app.services).find_result("mine") is None


async def test_a_name_that_was_used_before_has_tokens_of_its_own(reader: Site) -> None:
    for number in range(3):
        body = {"text": f"{TEXT} {number} times.", "ontology": ONTOLOGY, "request_id": "mine"}
        told = await reader.post(body | {"tokens": 5000})
        assert told["completeness"] == "complete", told["failed_stages"]
        assert told["by"] == "local:m"


async def test_what_is_over_is_forgotten_by_its_weight(
    reader: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GraphResult, "weight", len(TEXT))
    monkeypatch.setattr(routes, "_REMEMBERED_CHARACTERS", 4 * len(TEXT) + 10)
    for number in range(5):
        await reader.post(PLAIN | {"request_id": f"r{number}"})
    known = [each["request_id"] for each in (await reader.get("/extract"))["requests"]]
    assert known == ["r3", "r4"]
    # The first is in the store; the others found it there, and were not worth a row.
    assert (await reader.get("/extract/r0"))["request_id"] == "r0"


async def test_the_ontology_of_the_home_that_vanished_is_told(
    reader: Site, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "ontologies").mkdir()
    (home / "ontologies" / "people.ttl").write_text(ONTOLOGY)

    def gone(path: Path) -> bytes:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Path, "read_bytes", gone)
    data = json.dumps({"text": TEXT, "ontology_name": "people"})
    async with reader.session.post("/extract", data=data, headers=JSON) as answered:
        told = await answered.json()
    assert told["code"] != "bug"
    assert "people.ttl" in told["detail"]
