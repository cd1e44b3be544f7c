"""The explorer page in a real Chromium: choosing, highlighting, filtering, and no complaint."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.packs.graph.model import Graph, RelationVerdict, TextSpan
from assay.packs.graph.picture import render_page
from assay.packs.graph.picture.words import fold_line, replace_unshowable
from tests.browser.chromium import Tab, found, tab
from tests.packs.graph.picture_examples import space

pytestmark = pytest.mark.skipif(
    found() is None,
    reason="Chromium is not installed; scripts/system-packages installs it where it may.",
)
RESULT, ONTOLOGY, TEXT = space(30)


@pytest.fixture
async def shown(tmp_path: Path) -> AsyncIterator[Tab]:
    """The page of a graph of 30 entities, opened from a file."""
    file = tmp_path / "graph.html"
    file.write_text(render_page(RESULT, ONTOLOGY, TEXT), encoding="utf-8", newline="")
    async with tab(tmp_path / "browser") as opened:
        await opened.open(file.as_uri())
        yield opened
        assert opened.complaints == []
        assert opened.requested == [file.as_uri()]


CY = "document.querySelector('.canvas')._cyreg.cy"
"""The picture, as cytoscape.js keeps it with its element."""
LIT = "Array.from(document.querySelectorAll('.text .lit')).map(e => e.textContent).join('')"


async def place_of(shown: Tab, number: int) -> tuple[float, float]:
    """Where an entity of the picture is in the window."""
    x, y = await shown.run(
        f"(() => {{ const at = {CY}.getElementById('e{number}').renderedPosition();"
        " const pane = document.querySelector('.canvas').getBoundingClientRect();"
        " return [pane.left + at.x, pane.top + at.y]; })()"
    )
    return x, y


async def test_everything_is_drawn_apart_from_each_other_and_inside_the_pane(shown: Tab) -> None:
    assert await shown.run(f"{CY}.nodes().length") == len(RESULT.entities)
    lines = {f"r{n}" for n, one in enumerate(RESULT.relations) if isinstance(one.object, str)}
    assert set(await shown.run(f"{CY}.edges().map(each => each.id())")) == lines
    covered = await shown.run(
        f"{CY}.nodes().filter(a => {CY}.nodes().some(b => a.id() < b.id() &&"
        " Math.hypot(a.position('x') - b.position('x'), a.position('y') - b.position('y'))"
        " < (a.width() + b.width()) / 2)).length"
    )
    assert covered == 0
    assert await shown.run(
        f"(() => {{ const box = {CY}.elements().renderedBoundingBox();"
        f" return box.x1 >= 0 && box.y1 >= 0 && box.x2 <= {CY}.width() && box.y2 <= {CY}.height();"
        " })()"
    )


async def test_the_same_graph_looks_the_same_each_time(shown: Tab) -> None:
    places = f"JSON.stringify({CY}.nodes().map(each => [each.id(), each.position()]))"
    first = await shown.run(places)
    await shown.open(await shown.run("location.href"))
    assert await shown.run(places) == first
    shown.requested.pop()


async def test_a_graph_is_explored(shown: Tab) -> None:
    entity = max(RESULT.entities, key=lambda one: len(one.mentions))
    assert await shown.run("document.querySelector('.text').textContent") == TEXT

    await shown.run("scrollTo(0, 0)")
    await shown.click_at(*await place_of(shown, RESULT.entities.index(entity)))
    assert await shown.run("document.querySelector('#chosen h2').textContent") == entity.name
    own = await shown.run(
        "Array.from(document.querySelectorAll('.text .own')).map(e => e.textContent)"
    )
    assert own == [entity.name] * len(entity.mentions)
    told = await shown.run("document.querySelector('#chosen').textContent")
    around = [one for one in RESULT.relations if entity.id in (one.subject, one.object)]
    assert f"Mentions ({len(entity.mentions)})" in told
    assert sum(told.count(f"{verdict.value} ") for verdict in RelationVerdict) == len(around)

    await shown.click("#chosen li .link")
    assert await shown.run("document.querySelectorAll('#chosen blockquote').length") == 1
    quote = await shown.run("document.querySelector('#chosen blockquote').textContent")
    assert await shown.run(LIT) == quote
    assert quote in {one.quotes[0].words for one in around}
    (at,) = [n for n, one in enumerate(RESULT.relations) if one.quotes[0].words == quote]
    lit = [f"r{at}"] if isinstance(RESULT.relations[at].object, str) else []
    assert await shown.run(f"{CY}.edges('.now').map(each => each.id())") == lit

    relation = RESULT.relations[0]
    await shown.click("#r0 td:nth-child(2) a")
    assert await shown.run(LIT) == relation.quotes[0].words
    assert await shown.run(
        "(() => { const a = document.querySelector('.text .lit').getBoundingClientRect();"
        " return a.bottom > 0 && a.top < innerHeight; })()"
    )


async def test_keys_lead_to_an_entity_and_away_from_it(shown: Tab) -> None:
    await shown.run("document.querySelector('.text mark').focus()")
    await shown.press("Enter")
    names = {one.name for one in RESULT.entities}
    assert await shown.run("document.querySelector('#chosen h2').textContent") in names
    assert await shown.run(f"{CY}.nodes('.now').length") == 1
    await shown.press("Escape")
    assert await shown.run("document.querySelectorAll('.own, .now').length") == 0
    assert await shown.run(f"{CY}.elements('.now, .away').length") == 0


async def test_a_filter_leaves_what_fits(shown: Tab) -> None:
    await shown.run(
        "(() => { const f = document.querySelector('#filter'); f.value = 'ágency';"
        " f.dispatchEvent(new Event('input')); })()"
    )
    wanted = {one.name for one in RESULT.entities if one.types[0].endswith("Agency")}
    left = await shown.run(
        "Array.from(document.querySelectorAll('#entities tbody tr:not([hidden]) td:first-child'))"
        ".map(e => e.textContent)"
    )
    assert set(left) == wanted
    bright = await shown.run(f"{CY}.nodes().not('.away').length")
    assert bright == len(wanted)


async def test_hostile_words_stay_words(tmp_path: Path) -> None:
    words = "</script><img src=x onerror=alert(1)>\r\n\r\t\x00\x1b\u202e שלום 👩‍👧 &amp; <!--"
    text = f"\n{words} was {words}"
    entity = replace(RESULT.entities[0], name=words, mentions=(TextSpan(1, 1 + len(words), words),))
    told = replace(RESULT, graph=Graph(entities=(entity,)), warnings=(words,))
    file = tmp_path / "hostile.html"
    file.write_text(render_page(told, ONTOLOGY, text), encoding="utf-8", newline="")
    async with tab(tmp_path / "browser") as opened:
        await opened.open(file.as_uri())
        assert await opened.run(
            "document.querySelector('.text').textContent"
        ) == replace_unshowable(text)
        await opened.click(".text mark")
        assert await opened.run("document.querySelector('#chosen h2').textContent") == fold_line(
            words
        )
        assert await opened.run("document.images.length + document.scripts.length") == 3
        assert opened.complaints == []
        assert opened.requested == [file.as_uri()]
