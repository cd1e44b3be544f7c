"""The first page: every stage is drawn, and what waits is explained."""

import re
from itertools import pairwise

import sqlalchemy as sa

from assay.app import App
from assay.app.contracts import group_stages, list_declared_stages
from assay.app.installed_packs import load_all_packs
from assay.app.overview import draw_own_pipeline, shorten
from assay.app.pipeline_diagram import DiagramArrow, DiagramBox, draw_pipeline
from assay.app.sources import pause_source
from assay.store import tables as t
from tests.console.conftest import open_console
from tests.console.large import fill_store
from tests.console.large_plan import SMALL


def _points(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]


def _is_inside(point: tuple[float, float], box: DiagramBox) -> bool:
    (x, y), edge = point, 1.0
    return (
        box.x + edge < x < box.x + box.width - edge and box.y + edge < y < box.y + box.height - edge
    )


def _crosses(arrow: DiagramArrow, box: DiagramBox) -> bool:
    """Whether one of the straight parts of a line runs through a box."""
    places = _points(arrow.path)
    return any(
        _is_inside((a[0] + (b[0] - a[0]) * n / 50, a[1] + (b[1] - a[1]) * n / 50), box)
        for a, b in pairwise(places)
        for n in range(51)
    )


def test_every_stage_and_every_arrow_is_drawn_and_no_line_runs_through_a_box() -> None:
    groups = group_stages(list_declared_stages(), load_all_packs().values())
    diagram = draw_pipeline(groups)
    shown = {name for box in diagram.boxes for name in (box.stages or (box.name,))}
    assert shown == {stage.name for stages in groups.values() for stage in stages}
    drawn = {(arrow.start, arrow.end) for arrow in diagram.arrows}
    drawn |= {(a.end, a.start) for a in diagram.arrows if len(a.heads) == 2}
    node = {name: box.name for box in diagram.boxes for name in (box.stages or (box.name,))}
    led = {
        (node[stage.name], node[name])
        for stages in groups.values()
        for stage in stages
        for name in stage.next
    }
    assert drawn == {(a, b) for a, b in led if a != b}
    assert [(a.start, a.end, b.name) for a in diagram.arrows for b in diagram.boxes
            if _crosses(a, b)] == []  # fmt: skip


def test_boxes_do_not_overlap_and_fit_beside_the_navigation() -> None:
    diagram = draw_pipeline(group_stages(list_declared_stages(), load_all_packs().values()))
    assert diagram.width <= 1012
    for one in diagram.boxes:
        for other in diagram.boxes:
            apart = (
                one.x + one.width <= other.x
                or other.x + other.width <= one.x
                or one.y + one.height <= other.y
                or other.y + other.height <= one.y
            )
            assert one is other or apart, (one.name, other.name)


def test_a_pipeline_without_packs_is_drawn() -> None:
    stages = list_declared_stages()
    groups = group_stages(stages, load_all_packs().values())
    core = draw_pipeline({name: groups[name] for name in ("spine", "ruling")})
    assert {"router", "extract"} <= {box.name for box in core.boxes}
    assert ("router", "extract") in {(arrow.start, arrow.end) for arrow in core.arrows}


def test_counts_are_short() -> None:
    assert [shorten(n) for n in (0, 999, 1_000, 9_949, 35_400, 4_100_000)] == [
        "0", "999", "1.0k", "9.9k", "35k", "4.1M",
    ]  # fmt: skip


def test_the_overview_says_what_waits_and_why(empty: App) -> None:
    fill_store(empty, SMALL)
    pause_source(empty, "gazette-001", "its site is being rebuilt", None)
    page = open_console(empty).get("/").text
    assert 'id="stage-sentinel" href="/jobs?stage=sentinel"' in page
    assert "cap reached" in page and "/documents?state=blocked" in page
    assert "its site is being rebuilt" in page and "until a person resumes it" in page
    assert "overdue" in page and "50" in page.split('id="card-dead"')[1][:80]
    assert "regulatory 2.0.0" in page and "w0" in page
    assert all(stage.name in page for stage in empty.pipeline.stages)


def test_what_is_refreshed_is_a_part_of_the_page(published: App) -> None:
    console = open_console(published)
    part = console.get("/?part=now").text
    assert "<html" not in part and "<h1" not in part and "stage-router" in part
    assert 'hx-get="/?part=now"' in console.get("/").text


def test_a_closed_endpoint_leads_to_the_sources_in_trouble(empty: App) -> None:
    fill_store(empty, SMALL)
    with empty.engine.begin() as connection:
        connection.execute(sa.update(t.endpoint).values(consecutive_errors=5))
    page = open_console(empty).get("/").text
    assert "6 endpoints" in page and "/sources?show=trouble" in page


def test_the_diagram_is_that_of_the_installed_packs(published: App) -> None:
    names = {box.name for box in draw_own_pipeline(published).boxes}
    assert {pack for pack, p in published.packs.installed.items() if p.stages} <= names
