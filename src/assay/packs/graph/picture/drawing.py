"""The picture of a graph, as SVG. The same graph gives the same bytes."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from assay.packs.graph.model import Verdict
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.picture.boxes import Box, box_of, drawn_box, room_for
from assay.packs.graph.picture.colours import rules
from assay.packs.graph.picture.framing import Frame, footer, header
from assay.packs.graph.picture.layout import Array, Link, placed
from assay.packs.graph.picture.routing import Route, Router, Want
from assay.packs.graph.picture.scene import Line, Scene, scene_of
from assay.packs.graph.picture.words import escaped, shortened, width
from assay.packs.graph.results import GraphResult

_LABEL_SIZE = 11.5
_LABEL_WIDTHS = (130.0, 84.0, 52.0)
"""How wide the words of a line may be; the next where there is no room for more."""
_MARGIN = 28.0
_LEAST_WIDTH = 620.0
_ARROW = 9.0
_CROWD = 120


def svg(result: GraphResult, ontology: Ontology) -> str:
    """The picture of a result: at most 150 entities, the best-connected ones; it says the rest."""
    scene = scene_of(result, ontology)
    room = room_for(len(scene.nodes))
    boxes = [box_of(node, room) for node in scene.nodes]
    sizes = np.array([(box.width, box.height) for box in boxes], dtype=np.float64).reshape(-1, 2)
    links = [Link(one.source, one.target, _label_width(one, 0)) for one in scene.lines]
    centres = np.round(placed(sizes, links))
    routes = Router(centres, sizes).routes([_want(one) for one in scene.lines])
    low, high = _bounds(centres, sizes, scene.lines, routes)
    frame = Frame(width=max(float(high[0] - low[0]) + 2 * _MARGIN, _LEAST_WIDTH))
    top, head_height = header(result, scene, ontology, frame)
    bottom, foot_height = footer(scene, frame)
    shift_x = round((frame.width - float(high[0] - low[0])) / 2 - float(low[0]))
    shift_y = round(head_height - float(low[1]))
    tall = round(head_height + float(high[1] - low[1]) + foot_height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="assay-graph" role="img" width="100%"'
        f' viewBox="0 0 {frame.width:g} {tall}" preserveAspectRatio="xMidYMid meet"'
        f' aria-label="{escaped(_summary(result, scene))}">',
        f"<style>{style()}</style>",
        f'<rect class="ground" width="{frame.width:g}" height="{tall}"/>',
        top,
        f'<g class="{_crowd(scene)}" transform="translate({shift_x} {shift_y})">',
        *_drawn_lines(scene.lines, routes),
        *(
            drawn_box(box, *_corner(box, centre))
            for box, centre in zip(boxes, centres, strict=True)
        ),
        "</g>",
        f'<g transform="translate(0 {tall - foot_height:g})">{bottom}</g>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _crowd(scene: Scene) -> str:
    """Many lines are fainter: what stands between them matters more."""
    return "drawn crowded" if len(scene.lines) > _CROWD else "drawn"


@cache
def style() -> str:
    """The style of the picture, which is all that it needs besides itself."""
    sheet = Path(__file__).with_name("picture.css").read_text(encoding="utf-8")
    return sheet + rules(".assay-graph .k", "svg")


def _summary(result: GraphResult, scene: Scene) -> str:
    return (
        f"A graph of {len(result.entities)} entities and {len(result.relations)} relations,"
        f" {len(scene.nodes)} entities drawn"
    )


def _label_width(one: Line, which: int) -> float:
    return width(_label(one, which), _LABEL_SIZE) + 6.0


def _label(one: Line, which: int) -> str:
    return shortened(one.label, _LABEL_WIDTHS[which], _LABEL_SIZE)


def _want(one: Line) -> Want:
    widths = tuple(_label_width(one, which) for which in range(len(_LABEL_WIDTHS)))
    return Want(one.source, one.target, widths)


def _corner(box: Box, centre: Array) -> tuple[float, float]:
    return float(centre[0]) - box.width / 2, float(centre[1]) - box.height / 2


def _bounds(
    centres: Array, sizes: Array, lines: Sequence[Line], routes: Sequence[Route]
) -> tuple[Array, Array]:
    """The corners of all that is drawn, the words of lines included."""
    points = [centres - sizes / 2, centres + sizes / 2]
    for one, route in zip(lines, routes, strict=True):
        points.append(route.way)
        if route.label is not None:
            half = np.array([_label_width(one, route.width) / 2, 8.0])
            points.append(np.array([np.subtract(route.label, half), np.add(route.label, half)]))
    every = np.concatenate(points)
    if not len(every):
        return np.zeros(2), np.zeros(2)
    return np.floor(every.min(axis=0)), np.ceil(every.max(axis=0))


def _drawn_lines(lines: Sequence[Line], routes: Sequence[Route]) -> list[str]:
    """Words last: no line is drawn over the words of another."""
    pairs = list(zip(lines, routes, strict=True))
    return [_drawn_way(*pair) for pair in pairs] + [_drawn_words(*pair) for pair in pairs]


def _drawn_way(one: Line, route: Route) -> str:
    a, b, c, d = (f"{_n(point[0])} {_n(point[1])}" for point in route.points)
    head = "" if one.relation is None else f'<path class="head" d="{_arrow(route.points)}"/>'
    return (
        f'<g class="line {_manner(one)}"{_told(one)}><title>{escaped(_all(one))}</title>'
        f'<path class="way" d="M{a}C{b} {c} {d}"/>{head}</g>'
    )


def _drawn_words(one: Line, route: Route) -> str:
    if route.label is None:
        return ""
    x, y = route.label
    return (
        f'<g class="line {_manner(one)}"{_told(one)}><title>{escaped(_all(one))}</title>'
        f'<text class="says" x="{_n(x)}" y="{_n(y + 3.6)}">'
        f"{escaped(_label(one, route.width))}</text></g>"
    )


def _manner(one: Line) -> str:
    return "same" if one.relation is None else one.relation.verdict.value


def _told(one: Line) -> str:
    return "" if one.relation is None else f' data-relation="{escaped(one.relation.id)}"'


def _all(one: Line) -> str:
    if one.relation is None:
        return one.label
    quotes = "\n".join(f"“{quote.words[:600]}”" for quote in one.relation.quotes[:3])
    unsure = " (unverified)" if one.relation.verdict is Verdict.UNVERIFIED else ""
    return f"{one.label}{unsure}\n{quotes}"


def _arrow(points: Array) -> str:
    """A head at the end of a curve, in the direction from which the curve comes."""
    tip = points[3]
    # From a little before the end: the last control point may lie on the end itself.
    back = tip - (points[0] + 3 * points[1] + 12 * points[2] + 48 * points[3]) / 64
    length = float(np.hypot(back[0], back[1])) or 1.0
    ahead = back / length
    side = np.array([-ahead[1], ahead[0]])
    left, right = tip - ahead * _ARROW + side * 4.0, tip - ahead * _ARROW - side * 4.0
    notch = tip - ahead * (_ARROW - 2.2)
    corners = " ".join(f"{_n(p[0])} {_n(p[1])}" for p in (tip, left, notch, right))
    return f"M{corners}Z"


def _n(value: float) -> str:
    """One decimal; nobody sees more, and no machine rounds it otherwise."""
    return f"{round(float(value), 1) + 0.0:g}"
