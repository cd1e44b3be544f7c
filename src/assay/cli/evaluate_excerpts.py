"""The part of `assay eval` about annotated excerpts; of the held-out half it shows totals only."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from assay.app.excerpt_evaluation import ExcerptEvaluation, evaluate_excerpts, has_texts
from assay.app.tools import build_tools
from assay.cli.rendering import pluralize, render_table
from assay.cli.session import Session
from assay.ruling.declaration import Facts
from assay.ruling.evaluation.aspects import Aspect, AspectScore
from assay.ruling.evaluation.excerpts import Half, half_of
from assay.ruling.evaluation.scoring import compute_share

_MAX_KINDS = 25


def evaluate_with_texts(session: Session, folder: Path, facts: Facts) -> ExcerptEvaluation | None:
    """Measure the excerpts in a folder; None if their texts are not there."""
    if not has_texts(folder):
        session.err.print(
            Text(
                "Skipping real law: its texts are not in this installation. See 'Real law' in the "
                "guide 'Measure a pack'."
            )
        )
        return None
    return asyncio.run(_evaluate(session, folder, facts))


async def _evaluate(session: Session, folder: Path, facts: Facts) -> ExcerptEvaluation:
    tools = build_tools(session.settings)
    try:
        return await evaluate_excerpts(folder, facts, tools)
    finally:
        await tools.close()


def render_excerpts(found: ExcerptEvaluation, *, misses: bool) -> Group:
    """The result as a person sees it."""
    shown: list[RenderableType] = [
        render_table(
            ("real law", *(half.value for half in found.halves)),
            _list_rows(found.halves.values()),
        )
    ]
    if found.unread:
        shown.append(Text(f"{pluralize(len(found.unread), 'excerpt')} not read."))
    relations = found.relations
    shown.append(
        render_table(
            ("rules of all excerpts together", "found", "right", "precision"),
            [
                [kind, count, right, _format(compute_share(right, count))]
                for kind, (count, right) in relations.count_by_kind().items()
            ],
        )
    )
    shown.append(
        Text(
            f"{pluralize(relations.rules, 'rule')}; {relations.met} of {relations.expected} pairs "
            "of documents that concern the same law are related."
        )
    )
    tuning = found.halves[Half.TUNING]
    shown.append(
        render_table(
            ("aspect", "error", "count"),
            [list(row) for row in tuning.count_errors()[:_MAX_KINDS]],
            title=f"{Half.TUNING.value}: most frequent errors",
        )
    )
    if misses:
        shown += _render_singles(found, tuning)
    return Group(*shown)


def _list_rows(scores: Iterable[AspectScore]) -> list[list[object]]:
    columns = [_list_figures(score) for score in scores]
    return [[name, *(column[name] for column in columns)] for name in columns[0]]


def _list_figures(score: AspectScore) -> dict[str, str]:
    matched = score.matched
    return {
        "excerpts": str(score.documents),
        "known values": str(score.known),
        "found of these (recall)": _show(matched, score.known),
        "found that are known (precision)": _show(matched, score.found),
        "figures that must not be facts, but are": f"{score.sprung} of {score.traps}",
        **{f"{aspect.value} right": _show(score.count_right(aspect), matched) for aspect in Aspect},
        "jurisdiction stated and right": _show(score.jurisdictions, matched),
        "value, concept, condition and dates right": _show(score.core_right, matched),
        "all aspects right, of found": _show(score.all_right, matched),
        "all aspects right, of known": _show(score.all_right, score.known),
    }


def _render_singles(found: ExcerptEvaluation, tuning: AspectScore) -> list[RenderableType]:
    """The errors one by one, in the tuning half only: those of the other half stay unseen."""
    missed = [
        (one.document, f"{one.known.value} {one.known.unit}", one.known.at)
        for one in tuning.judged
        if one.found is None
    ]
    wrong = [
        (one.document, one.known.at, "; ".join(f"{key}: {kind}" for key, kind in one.wrong.items()))
        for one in tuning.judged
        if one.wrong
    ]
    unfounded = [
        (one.document, one.fact.concept, f"{one.fact.value} {one.fact.unit}", one.why)
        for one in tuning.unfounded
    ]
    false = [
        (one.kind, one.concept, " / ".join(one.values), " / ".join(one.documents))
        for one in found.relations.related
        if not one.is_right and all(half_of(name) is Half.TUNING for name in one.documents)
    ]
    return [
        render_table(("document", "value", "at"), missed, title="tuning: missed"),
        render_table(("document", "at", "wrong"), wrong, title="tuning: wrong aspects"),
        render_table(
            ("document", "concept", "value", "why"), unfounded, title="tuning: should not exist"
        ),
        render_table(
            ("relation", "concept", "values", "documents"), false, title="tuning: false relations"
        ),
    ]


def _show(part: int, whole: int) -> str:
    return f"{_format(compute_share(part, whole))}  ({part} of {whole})"


def _format(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"
