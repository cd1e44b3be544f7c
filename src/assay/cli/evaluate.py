"""`assay eval`: measures how well a pack finds facts in documents whose facts are known."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from assay.app.evaluation import (
    CorpusPart,
    PartEvaluation,
    evaluate_facts,
    find_corpus,
    load_corpus_parts,
)
from assay.app.installed_packs import load_pack, require_facts
from assay.app.tools import build_tools
from assay.cli.evaluate_rules import (
    evaluate_released_rules,
    render_missed_rules,
    render_rule_scores,
    rule_evaluation_as_json,
)
from assay.cli.rendering import pluralize, render_table
from assay.cli.session import AsJson, Session, session_of
from assay.ruling.declaration import Facts
from assay.ruling.evaluation.scoring import FactScore, FactTally

_COLUMNS = ("known", "found", "precision", "recall", "F1", "named P", "named R", "named F1")


def evaluation(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(help="The pack to evaluate.")],
    corpus: Annotated[
        Path | None,
        typer.Option(help="A folder with documents and a truth.jsonl; by default the pack's own."),
    ] = None,
    part: Annotated[str | None, typer.Option(help="Only this part, such as 'seen'.")] = None,
    misses: Annotated[
        bool, typer.Option("--misses", help="List missed facts and false alarms.")
    ] = False,
    facts_only: Annotated[
        bool, typer.Option("--facts-only", help="Skip the rules of a release.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare the facts and rules that a pack finds with those that are known.

    No model is called and nothing is stored. The rules are those a release would contain if a
    person approved everything; your own corpus has no sites that publish it, so it has no rules.
    """
    session = session_of(ctx, as_json)
    chosen = load_pack(pack)
    facts = require_facts(chosen)
    parts = load_corpus_parts(facts, corpus or find_corpus(chosen), part)
    found = asyncio.run(_evaluate_with_progress(session, parts, facts))
    values = [entry.values() for entry in found]
    session.show(_render_scores(found))
    if misses:
        for entry in found:
            session.show(_render_misses(entry))
    publish = None if corpus or chosen.evaluation is None else chosen.evaluation.demo
    if publish is not None and not facts_only:
        judged, rules = evaluate_released_rules(session, pack, publish(), parts)
        for value, of_part in zip(values, rules, strict=True):
            value["rules"] = rule_evaluation_as_json(judged, of_part)
            if misses:
                session.show(render_missed_rules(of_part))
        session.show(render_rule_scores(judged, rules))
    session.print_json(values)


async def _evaluate_with_progress(
    session: Session, parts: Sequence[CorpusPart], pack: Facts
) -> list[PartEvaluation]:
    tools = build_tools(session.settings)
    try:
        return await evaluate_facts(parts, pack, tools, on_done=_make_reporter(session, parts))
    finally:
        await tools.close()


def _make_reporter(session: Session, parts: Sequence[CorpusPart]) -> Callable[[], None]:
    """Print a line now and then, since scanned pages take a while."""
    count = sum(len(part.documents) for part in parts)
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1
        if not session.json and count >= 20 and done % (count // 4) == 0:
            session.err.print(Text(f"{done} of {count} read"))

    return one_more


def _render_scores(found: Sequence[PartEvaluation]) -> Group:
    shown: list[RenderableType] = []
    for entry in found:
        shown.append(
            Text(
                f"{entry.part.name}: {pluralize(len(entry.part.documents), 'document')}, "
                f"{len(entry.unread)} unreadable"
            )
        )
        shown += [Text(f"  {unread.document}: {unread.reason}") for unread in entry.unread]
    shown.append(render_table(("", "part", *_COLUMNS), _build_rows(found)))
    return Group(*shown)


def _build_rows(found: Sequence[PartEvaluation]) -> list[list[object]]:
    """A line for each breakdown and part, the parts of a breakdown below one another."""
    rows: list[list[object]] = []
    for name, tallies in _collect_breakdowns([entry.score for entry in found]).items():
        for entry, tally in zip(found, tallies, strict=True):
            rows.append([name, entry.part.name, *_format_figures(tally)])
    return rows


def _collect_breakdowns(scores: Sequence[FactScore]) -> Mapping[str, list[FactTally]]:
    breakdowns = {"all facts": [score.overall for score in scores]}
    for pick in (_pick_value_types, _pick_languages, _pick_kinds):
        for name in sorted({name for score in scores for name in pick(score)}):
            breakdowns[name] = [pick(score).get(name, FactTally()) for score in scores]
    return breakdowns


def _pick_value_types(score: FactScore) -> Mapping[str, FactTally]:
    return score.by_value_type


def _pick_languages(score: FactScore) -> Mapping[str, FactTally]:
    return score.by_language


def _pick_kinds(score: FactScore) -> Mapping[str, FactTally]:
    return score.by_kind


def _format_figures(tally: FactTally) -> list[object]:
    shares = (
        tally.precision,
        tally.recall,
        tally.f1,
        tally.named_precision,
        tally.named_recall,
        tally.named_f1,
    )
    return [tally.known, tally.found, *("-" if s is None else f"{s:.3f}" for s in shares)]


def _render_misses(entry: PartEvaluation) -> Group:
    score = entry.score
    missed = [
        (miss.document, miss.fact.concept or miss.fact.predicate, miss.fact.value, miss.fact.quote)
        for miss in score.misses
    ]
    surplus = [
        (alarm.document, alarm.fact.concept, alarm.fact.value, alarm.fact.quote)
        for alarm in score.false_alarms
    ]
    misnamed = [
        (one.document, one.known.concept or one.known.predicate, one.found.concept, one.found.quote)
        for one in score.misnamed
    ]
    columns = ("document", "concept", "value", "quote")
    return Group(
        render_table(columns, missed, title=f"{entry.part.name}: missed"),
        render_table(columns, surplus, title=f"{entry.part.name}: false alarms"),
        render_table(
            ("document", "known as", "found as", "quote"),
            misnamed,
            title=f"{entry.part.name}: found under another name",
        ),
    )
