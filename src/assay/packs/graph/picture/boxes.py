"""The box of an entity: its kind, its name on one line or two, its values as rows."""

from dataclasses import dataclass

from assay.packs.graph.picture.scene import Node
from assay.packs.graph.picture.words import escaped, line, shortened, width, wrapped

KIND_SIZE = 10.5
NAME_SIZE = 13.5
ROW_SIZE = 11.0
_PAD = 11.0
_KIND_LINE = 15.0
_NAME_LINE = 17.0
_ROW_LINE = 14.5
_DOT = 11.0
_BOLD = 1.08
"""How much wider bold letters are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much a box may hold; less where there are many."""

    name: float
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A value in a box, or how many more there are."""

    words: str
    verified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """What stands in a box, cut to its room, and how large that makes it."""

    node: Node
    kind: str
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    width: float
    height: float


def room_for(count: int) -> Room:
    """Many boxes are small boxes."""
    if count <= 12:
        return Room(name=190.0, rows=6)
    return Room(name=165.0, rows=4) if count <= 50 else Room(name=140.0, rows=2)


def box_of(node: Node, room: Room) -> Box:
    """A box that its own words fit into."""
    more = f" +{len(node.kinds) - 1}" if len(node.kinds) > 1 else ""
    kind = shortened(node.kind, room.name - 30.0, KIND_SIZE) + more
    names = tuple(wrapped(node.name, room.name, NAME_SIZE, 2))
    rows = _rows(node, room)
    widest = max(
        width(kind, KIND_SIZE) + _DOT,
        *(width(name, NAME_SIZE) * _BOLD for name in names),
        *(width(row.words, ROW_SIZE) for row in rows),
        44.0,
    )
    tall = _KIND_LINE + _NAME_LINE * len(names) + 13.0
    if rows:
        tall += _ROW_LINE * len(rows) + 6.0
    return Box(
        node=node,
        kind=kind,
        names=names,
        rows=rows,
        width=float(round(widest + 2 * _PAD)),
        height=float(round(tall)),
    )


def _rows(node: Node, room: Room) -> tuple[Row, ...]:
    shown = node.values
    if len(shown) > room.rows:
        shown = shown[: room.rows - 1]
    rows = [
        Row(words=shortened(value.words, room.name + 12.0, ROW_SIZE), verified=value.verified)
        for value in shown
    ]
    if len(shown) < len(node.values):
        rows.append(Row(words=f"and {len(node.values) - len(shown)} more", verified=True))
    return tuple(rows)


def drawn_box(box: Box, x: float, y: float) -> str:
    """A box at its upper left corner."""
    node = box.node
    parts = [
        f'<g class="node k{node.colour}" data-entity="{escaped(node.entity.id)}"'
        f' transform="translate({x:g} {y:g})">',
        f"<title>{escaped(_all(node))}</title>",
        f'<rect class="box" width="{box.width:g}" height="{box.height:g}" rx="9"/>',
        f'<circle class="dot" cx="{_PAD + 3:g}" cy="14" r="3.5"/>',
        f'<text class="kind" x="{_PAD + _DOT:g}" y="17.5">{escaped(box.kind)}</text>',
    ]
    at = 17.5
    for name in box.names:
        at += _NAME_LINE
        parts.append(f'<text class="name" x="{_PAD:g}" y="{at:g}">{escaped(name)}</text>')
    if box.rows:
        at += 8.5
        parts.append(f'<path class="rule" d="M{_PAD:g} {at:g}H{box.width - _PAD:g}"/>')
    for row in box.rows:
        at += _ROW_LINE
        unsure = "" if row.verified else " unsure"
        parts.append(
            f'<text class="row{unsure}" x="{_PAD:g}" y="{at - 1.5:g}">{escaped(row.words)}</text>'
        )
    return "".join((*parts, "</g>"))


def _all(node: Node) -> str:
    """Everything that a box may have had to cut."""
    told = [f"{node.name} ({', '.join(node.kinds)})"]
    told += [
        line(value.words) + ("" if value.verified else " (unverified)") for value in node.values
    ]
    return "\n".join(told)
