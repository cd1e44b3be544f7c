"""The pages of graphs: the list of stored results, and the explorer."""

import json
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from playwright.async_api import Browser

from assay.app import App
from assay.app.principals import Role
from assay.model.hashes import canonical_json, content_hash
from assay.model.records import Artifact
from assay.packs.graph.ontology.reading import read_ontology
from assay.packs.graph.ontology_pack import read_bundled_ontology
from assay.packs.graph.results import KIND, GraphResult
from assay.store.upserts import upsert_records
from tests.conftest import quick_settings
from tests.console.conftest import WatchedPage, open_console, serving_console
from tests.console.conftest import browser as browser
from tests.packs.graph.picture_examples import space

EVIL = "</script><script>alert('x')</script>"


def keep(app: App, result: GraphResult, request_id: str = "rq-1") -> None:
    kept = replace(result, request_id=request_id, key=f"key-{request_id}")
    data = canonical_json(kept.to_dict())
    app.services.results.keep(kept.key, request_id, KIND, kept.completeness, data)


def keep_text(app: App, text: str) -> None:
    """The evidence that a graph was made from."""
    hash_of_text = app.blobs.put(text.encode())
    with app.engine.begin() as connection:
        upsert_records(
            connection,
            [
                Artifact(artifact_id="ar_space", evidence_id="ev_space", kind="text",
                         content_hash=hash_of_text, length=len(text)),
            ],
        )  # fmt: skip


@pytest.fixture
def home_app(home: Path, make_app: Callable[..., App]) -> App:
    app: App = make_app(quick_settings(home))
    return app


def read_page(app: App, path: str, status: int = 200, /, **query: str) -> str:
    answer = open_console(app, "ivo", Role.READER).get(path, params=query)
    assert answer.status_code == status, answer.text
    return answer.text


def read_data(page: str) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(
        page.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    )
    return found


def test_graphs_are_listed_with_what_they_are_about_page_by_page(home_app: App) -> None:
    assert "No graphs yet." in read_page(home_app, "/graph/graphs")
    result, _, _ = space(5)
    for number in range(45):
        keep(home_app, result, f"rq-{number:02}")
    seen: list[str] = []
    query: dict[str, str] = {}
    for _ in range(3):
        page = read_page(home_app, "/graph/graphs", **query)
        seen += [part.split('"')[0] for part in page.split('<a href="/graph/graphs/')[1:]]
        query = (
            {"before": unescape(page.split("?before=")[1].split('"')[0])}
            if "?before" in page
            else {}
        )
    assert seen == [f"rq-{number:02}" for number in reversed(range(45))]
    assert max(result.entities, key=lambda one: len(one.mentions)).name in page
    assert seen[0] in read_page(home_app, "/graph/graphs", before="no place")


def test_a_graph_without_its_text_shows_the_words_of_each_relation(home_app: App) -> None:
    result, _, _ = space(12)
    keep(home_app, replace(result, document="f" * 64))
    page = read_page(home_app, "/graph/graphs/rq-1")
    assert "The text of this request is not in the store" in page and 'id="text"' not in page
    assert page.count('<tr id="r') == len(result.relations)
    assert result.relations[0].quotes[0].words in unescape(page)
    assert len(read_data(page)["entities"]) == 12 and "/evidence/" not in page


def test_a_graph_leads_to_the_evidence_that_it_was_made_from(home_app: App) -> None:
    result, _, text = space(12)
    keep(home_app, replace(result, document=content_hash(text.encode())))
    keep_text(home_app, text)
    page = read_page(home_app, "/graph/graphs/rq-1")
    quote = result.relations[0].quotes[0]
    assert f'href="/evidence/ev_space?quote={quote.start}-{quote.end}"' in page
    assert 'data-evidence="/evidence/ev_space"' in page and 'class="k0' in page


def test_terms_have_the_labels_of_an_ontology_of_the_home(home_app: App) -> None:
    ontology = read_ontology(read_bundled_ontology(), name="ontology.ttl")
    result, _, _ = space(3)
    keep(home_app, replace(result, ontology=ontology.key))
    keep(home_app, replace(result, ontology="other"), "rq-2")
    labelled, bare = (read_page(home_app, f"/graph/graphs/rq-{n}") for n in (1, 2))
    assert "without their labels" in bare and "without their labels" not in labelled


def test_hostile_names_end_neither_the_script_nor_the_page(home_app: App) -> None:
    result, _, _ = space(3)
    evil = replace(result.entities[0], name=EVIL)
    graph = replace(result.graph, entities=(evil, *result.entities[1:]))
    keep(home_app, replace(result, graph=graph, warnings=(EVIL,)), f"a/b {EVIL}")
    (path,) = {
        part.split('"')[0]
        for part in read_page(home_app, "/graph/graphs").split('<a href="/graph/graphs/')[1:]
    }
    page = read_page(home_app, f"/graph/graphs/{path}")
    assert EVIL not in page and EVIL in unescape(page)
    assert read_data(page)["entities"][0]["name"] == EVIL


def test_a_missing_or_older_result_is_explained(home_app: App) -> None:
    assert "There is no graph" in unescape(read_page(home_app, "/graph/graphs/none", 404))
    home_app.services.results.keep("k", "old", KIND, "complete", b'{"version": 0}')
    assert "old" in read_page(home_app, "/graph/graphs")
    read_page(home_app, "/graph/graphs/old", 404)


def test_files_of_a_pack_may_be_kept_because_their_address_has_their_hash(home_app: App) -> None:
    keep(home_app, space(3)[0])
    page, console = read_page(home_app, "/graph/graphs/rq-1"), open_console(home_app)
    for name in ("explorer.js", "cytoscape.min.js", "explorer.css"):
        address = page.split(f"/static/packs/graph/{name}")[1].split('"')[0]
        answer = console.get(f"/static/packs/graph/{name}{address}")
        assert answer.status_code == 200 and "immutable" in answer.headers["Cache-Control"]
    for outside in ("../pages.py", "%2e%2e/pages.py", "..%2fpages.py"):
        assert console.get(f"/static/packs/graph/{outside}").status_code == 404


async def test_a_graph_is_explored_in_a_browser(home_app: App, browser: Browser) -> None:
    result, _, text = space(12)
    keep(home_app, replace(result, document=content_hash(text.encode())))
    keep_text(home_app, text)
    async with serving_console(home_app) as url:
        watched = WatchedPage(await browser.new_page())
        page = watched.page
        await page.goto(f"{url}/graph/graphs/rq-1")
        await page.locator(".canvas canvas").first.wait_for()
        assert await page.locator(".text").text_content() == text
        await page.locator("#relations a[data-relation]").first.click()
        chosen = page.locator("#chosen")
        quote = result.relations[0].quotes[0]
        link = chosen.get_by_role("link", name="open in the document")
        assert await link.get_attribute("href") == (
            f"/evidence/ev_space?quote={quote.start}-{quote.end}"
        )
        lit = await page.locator(".text .lit").all_inner_texts()
        assert "".join(lit) == quote.words
        await page.keyboard.press("/")
        await page.keyboard.type(result.entities[0].name)
        assert f"of {len(result.entities)} entities" in await page.locator("#matches").inner_text()
        assert watched.complaints == []
        assert all(address.startswith(url) for address in watched.requested)
