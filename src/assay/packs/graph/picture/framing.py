"""What stands around the picture: a title above it, the legend and what is missing below it."""

from dataclasses import dataclass

from assay.packs.graph.model import Verdict
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.picture.scene import Scene
from assay.packs.graph.picture.words import escaped, line, shortened, width, wrapped
from assay.packs.graph.results import GraphResult
from assay.packs.graph.steps import GraphCompleteness

COMPLETENESS = {
    GraphCompleteness.COMPLETE: "complete",
    GraphCompleteness.PARTIAL_ENTITY_ONLY: "partial: entities only",
    GraphCompleteness.PARTIAL_EARLY_EXIT: "partial: ended early",
    GraphCompleteness.FALLBACK_CACHE: "from earlier results in part",
    GraphCompleteness.EMPTY: "empty",
}
"""How much there is, in words."""
_EDGE = 28.0


@dataclass(frozen=True, slots=True)
class Frame:
    """How wide the picture is. Its words grow with it: a large one is shown small."""

    width: float

    @property
    def scale(self) -> float:
        return min(2.4, max(1.0, self.width / 1000))

    @property
    def room(self) -> float:
        return self.width - 2 * _EDGE


def counted(count: int, one: str, many: str) -> str:
    """`1 entity`, `2,400 entities`."""
    return f"{count:,} {one if count == 1 else many}"


def told_line(result: GraphResult, ontology: Ontology) -> str:
    """What a result is, on one line."""
    unverified = sum(1 for one in result.relations if one.verdict is Verdict.UNVERIFIED)
    told = [
        counted(len(result.entities), "entity", "entities"),
        counted(len(result.relations), "relation", "relations")
        + (f" ({unverified:,} unverified)" if unverified else ""),
        COMPLETENESS[result.completeness],
        f"read by {shortened(line(result.by), 420.0, 12.5) or 'nobody'}",
    ]
    version = shortened(line(ontology.version), 120.0, 12.5)
    return " · ".join([*told, f"ontology version {version}"] if version else told)


def title_of(ontology: Ontology) -> str:
    return line(ontology.title) or line(ontology.iri) or "A graph"


def header(
    result: GraphResult, scene: Scene, ontology: Ontology, frame: Frame
) -> tuple[str, float]:
    """The title and what is told below it, and how much height they take."""
    scale = frame.scale
    large, small = 21.0 * scale, 12.5 * scale
    title = shortened(title_of(ontology), frame.room, large)
    at = 20.0 + large
    parts = [
        f'<g><title>{escaped(title_of(ontology))}</title><text class="title" x="{_EDGE:g}"'
        f' y="{at:g}" font-size="{large:g}">{escaped(title)}</text></g>'
    ]
    told = wrapped(told_line(result, ontology), frame.room, small, 3)
    for words in told:
        at += small * 1.5
        parts.append(_words("told", at, small, words))
    left = missing(scene)
    for words in wrapped(left, frame.room, small, 2) if left else ():
        at += small * 1.5
        parts.append(_words("more", at, small, words))
    if not scene.nodes:
        at += small * 3
        parts.append(_words("told", at, small, "No entity was found in the text."))
    return "\n".join(parts), round(at + 22.0 * scale)


def missing(scene: Scene) -> str:
    """What is not in the picture; nothing where all is."""
    told = []
    if scene.nodes_left:
        told.append(f"and {counted(scene.nodes_left, 'more entity', 'more entities')}")
    if scene.lines_left:
        told.append(f"and {counted(scene.lines_left, 'more relation', 'more relations')}")
    if scene.ungrounded:
        told.append(
            counted(scene.ungrounded, "relation", "relations")
            + " that the text does not bear out "
            + ("is" if scene.ungrounded == 1 else "are")
            + " left out"
        )
    return ", ".join(told)


def footer(scene: Scene, frame: Frame) -> tuple[str, float]:
    """The legend, in as many rows as it needs, and its height."""
    if not scene.nodes:
        return "", 24.0
    scale = frame.scale
    size = 11.5 * scale
    gap, high = 20.0 * scale, 21.0 * scale
    x, y = _EDGE, 30.0 * scale
    parts = [f'<path class="frame" d="M{_EDGE:g} {8 * scale:g}H{frame.width - _EDGE:g}"/>']
    for mark, mark_width, words in _entries(scene, scale):
        wide = mark_width + width(words, size)
        if x > _EDGE and x + wide > frame.width - _EDGE:
            x, y = _EDGE, y + high
        parts.append(
            f'<g transform="translate({round(x, 1):g} {round(y, 1):g})">{mark}'
            f'<text class="told" x="{mark_width:g}" y="{size * 0.35:g}" font-size="{size:g}">'
            f"{escaped(words)}</text></g>"
        )
        x += wide + gap
    return "\n".join(parts), round(y + 20.0 * scale)


def _entries(scene: Scene, scale: float) -> list[tuple[str, float, str]]:
    entries = [
        (
            f'<g class="k{kind.colour}"><circle class="dot" cx="{6 * scale:g}" cy="0"'
            f' r="{5 * scale:g}"/></g>',
            16.0 * scale,
            f"{shortened(kind.label, 150.0 * scale, 11.5 * scale)} {kind.count:,}",
        )
        for kind in scene.kinds
    ]
    manners = {
        "same" if one.relation is None else one.relation.verdict.value for one in scene.lines
    }
    unsure = any(not value.verified for node in scene.nodes for value in node.values)
    for manner, words, shown in (
        ("grounded", "borne out by the text", False),
        ("unverified", "not verified" + (" (values: in italics)" if unsure else ""), unsure),
        ("same", "perhaps the same", False),
    ):
        if manner in manners or shown:
            mark = f'<g class="{manner}"><path class="way" d="M0 0H{30 * scale:g}"/></g>'
            entries.append((mark, 36.0 * scale, words))
    return entries


def _words(name: str, y: float, size: float, words: str) -> str:
    return (
        f'<text class="{name}" x="{_EDGE:g}" y="{round(y, 1):g}" font-size="{size:g}">'
        f"{escaped(words)}</text>"
    )
