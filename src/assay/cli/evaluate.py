"""`assay eval`: measures how well a pack finds facts and rules that are known."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from assay.app.evaluation import (
    CorpusPart,
    PartEvaluation,
    evaluate_facts,
    evaluate_rules,
    find_corpus,
    load_corpus_parts,
)
from assay.app.installed_packs import load_pack, require_facts
from assay.app.tools import build_tools
from assay.cli.evaluate_excerpts import evaluate_with_texts, render_excerpts
from assay.cli.rendering import pluralize, render_table
from assay.cli.session import AsJson, Session, session_of
from assay.demo.corpus_release import CorpusRelease, release_corpus
from assay.ruling.declaration import Facts
from assay.ruling.evaluation.rule_scoring import RuleScore, RuleTally
from assay.ruling.evaluation.scoring import FactScore, FactTally
from assay.sdk.demo import Demo
from assay.sdk.screens import StackingTable

_FACT_COLUMNS = ("known", "found", "precision", "recall", "F1", "named P", "named R", "named F1")
_RULE_COLUMNS = (
    "rules", "part", "known", "found", "precision", "recall", "named P", "named R", "dated P",
)  # fmt: skip


def evaluation(
    ctx: typer.Context,
    pack: Annotated[str, typer.Argument(help="The pack to evaluate.")],
    corpus: Annotated[
        Path | None,
        typer.Option(help="A folder with data and known answers; by default the pack's own."),
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
    if chosen.evaluation is not None and chosen.evaluation.measure is not None:
        tables = chosen.evaluation.measure(corpus or find_corpus(chosen))
        for title, rows in tables.items():
            session.show(_render_measures(title, rows))
        session.print_json(tables)
        return
    facts = require_facts(chosen)
    parts = load_corpus_parts(facts, corpus or find_corpus(chosen), part)
    found = asyncio.run(_evaluate_with_progress(session, parts, facts))
    values = [entry.values() for entry in found]
    session.show(_render_scores(found))
    if misses:
        for entry in found:
            session.show(_render_misses(entry))
    own = None if corpus or part else chosen.evaluation
    excerpts = None if own is None or own.excerpts is None else own.excerpts
    measured = None if excerpts is None else evaluate_with_texts(session, excerpts, facts)
    publish = None if corpus or chosen.evaluation is None else chosen.evaluation.demo
    if publish is not None and not facts_only:
        judged, rules = evaluate_released_rules(session, pack, publish(), parts)
        for value, of_part in zip(values, rules, strict=True):
            value["rules"] = rule_evaluation_as_json(judged, of_part)
            if misses:
                session.show(render_missed_rules(of_part))
        session.show(render_rule_scores(judged, rules))
    if measured is not None:
        session.show(render_excerpts(measured, misses=misses))
        values.append({"excerpts": measured.values()})
    session.print_json(values)


def _render_measures(title: str, rows: Sequence[Mapping[str, Any]]) -> StackingTable:
    """Figures that a pack measured in its own way."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return render_table(columns, [[row.get(name) for name in columns] for row in rows], title=title)


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
        documents = pluralize(len(entry.part.documents), "document")
        shown.append(Text(f"{entry.part.name}: {documents}, {len(entry.unread)} unreadable"))
        shown += [Text(f"  {unread.document}: {unread.reason}") for unread in entry.unread]
    # The parts of a breakdown are below one another.
    rows = [
        [name, entry.part.name, *_format_fact_figures(tally)]
        for name, tallies in _collect_breakdowns([entry.score for entry in found]).items()
        for entry, tally in zip(found, tallies, strict=True)
    ]
    return Group(*shown, render_table(("", "part", *_FACT_COLUMNS), rows))


def _collect_breakdowns(scores: Sequence[FactScore]) -> Mapping[str, list[FactTally]]:
    breakdowns = {"all facts": [score.overall for score in scores]}
    for by in ("by_value_type", "by_language", "by_kind"):
        tallies: list[Mapping[str, FactTally]] = [getattr(score, by) for score in scores]
        for name in sorted({name for of_part in tallies for name in of_part}):
            breakdowns[name] = [of_part.get(name, FactTally()) for of_part in tallies]
    return breakdowns


def _format_fact_figures(tally: FactTally) -> list[object]:
    named = (tally.named_precision, tally.named_recall, tally.named_f1)
    shares = (tally.precision, tally.recall, tally.f1, *named)
    return [tally.known, tally.found, *map(_format_share, shares)]


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


@dataclass(frozen=True)
class RuleEvaluation:
    """The rules of one part: those in the release, and those together with what it holds back."""

    part: str
    released: RuleScore
    approved: RuleScore


def evaluate_released_rules(
    session: Session, pack: str, demo: Demo, parts: Sequence[CorpusPart]
) -> tuple[CorpusRelease, list[RuleEvaluation]]:
    """Run the whole pipeline over the corpus, and compare released rules with the known ones."""
    if not session.json:
        session.err.print(Text("running the whole pipeline over the corpus for the rules"))
    judged = release_corpus(session.settings, pack, demo, parts)
    return judged, [
        RuleEvaluation(
            part.name,
            released=evaluate_rules(part, judged.rules_of_part(part.name)),
            approved=evaluate_rules(part, judged.rules_of_part(part.name, held_back=True)),
        )
        for part in parts
    ]


def rule_evaluation_as_json(judged: CorpusRelease, entry: RuleEvaluation) -> dict[str, Any]:
    """The evaluation as JSON."""
    return {
        "release": judged.manifest_hash,
        "values_outside_their_quotes": judged.outside_quotes,
        "t0_t1_without_a_person": judged.without_person,
        "released": _score_as_json(entry.released),
        "with_held_back": _score_as_json(entry.approved),
    }


def _score_as_json(score: RuleScore) -> dict[str, Any]:
    return {
        **score.overall.to_dict(),
        "by_predicate": {name: tally.to_dict() for name, tally in score.by_predicate.items()},
        "missing": [rule.model_dump(exclude_defaults=True) for rule in score.missing],
        "surplus": [_rule_as_json(asdict(rule)) for rule in score.surplus],
        "forbidden": [_rule_as_json(asdict(rule)) for rule, _ in score.forbidden],
    }


def _rule_as_json(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {**rule, "documents": sorted(rule["documents"])}


def render_rule_scores(judged: CorpusRelease, found: Sequence[RuleEvaluation]) -> Group:
    """The evaluation as a person sees it."""
    rows = [
        *(["released", e.part, *_format_rule_figures(e.released.overall)] for e in found),
        *(["with held back", e.part, *_format_rule_figures(e.approved.overall)] for e in found),
    ]
    forbidden = sum(len(entry.released.forbidden) for entry in found)
    return Group(
        render_table(_RULE_COLUMNS, rows),
        Text(
            f"{pluralize(len(judged.released), 'rule')} released, {len(judged.held_back)} "
            "held back because only one source that is not official supports each; "
            f"{forbidden} released that should not be."
        ),
        Text(
            f"{judged.outside_quotes} released values outside their quotes, "
            f"{judged.without_person} rules of tier T0 or T1 not approved by a person."
        ),
    )


def render_missed_rules(entry: RuleEvaluation) -> Group:
    """The known rules that were not approved, and the approved rules that are not known."""
    missing = [(r.concept, f"{r.value} {r.unit}", ", ".join(r.documents))
               for r in entry.approved.missing]  # fmt: skip
    surplus = [(r.concept, f"{r.value} {r.unit}", ", ".join(sorted(r.documents)))
               for r in entry.approved.surplus]  # fmt: skip
    columns = ("concept", "value", "documents")
    return Group(
        render_table(columns, missing, title=f"{entry.part}: missing rules"),
        render_table(columns, surplus, title=f"{entry.part}: surplus rules"),
    )


def _format_rule_figures(tally: RuleTally) -> list[object]:
    named = (tally.named_precision, tally.named_recall)
    shares = (tally.precision, tally.recall, *named, tally.dated_precision)
    return [tally.known, tally.released, *map(_format_share, shares)]


def _format_share(share: float | None) -> str:
    """'0.923'; "-" if there is nothing to take a share of."""
    return "-" if share is None else f"{share:.3f}"
