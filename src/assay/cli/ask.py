"""`assay ask`: which value applies to a situation on a date, and who says so."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from assay.app.asking import ReleaseAnswer, parse_day
from assay.app.asking import ask as app_ask
from assay.cli.exit_codes import ExitCode
from assay.cli.rendering import render_fields
from assay.cli.session import AsJson, session_of
from assay.ruling.answers import (
    AnswerState,
    ApplicableValue,
    ExcludedRule,
    ExclusionReason,
    RuleAnswer,
)
from assay.ruling.release.published_rules import PublishedRule, Quotation
from assay.ruling.rules.conditions import parse_situation, render_condition
from assay.ruling.rules.descriptions import describe_period, describe_value
from assay.ruling.staleness import Freshness, StaleMark

_MOST_MISSES = 5
PackOption = Annotated[
    str | None, typer.Option("--pack", help="The pack, if several have releases.")
]


def ask(
    ctx: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="CONCEPT|FIELD=VALUE",
            help="The concept, such as fee.amount or its label, and what is known about the case.",
        ),
    ],
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="The date, YYYY-MM-DD; today by default.")
    ] = None,
    release: Annotated[
        str | None,
        typer.Option("--release", help="A release; by default the newest one in force."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--from", help="The folder of an exported release; needs no store."),
    ] = None,
    pack: PackOption = None,
    as_json: AsJson = False,
) -> None:
    """Ask which value applies on a date; the answer cites the rule, its quotes and the release.

    Nothing is guessed: if there are several answers, or none, the command says so and ends with
    exit code 6. If one of the answer's rules has come under review, was withdrawn, contradicted or
    replaced, or its evidence has changed since the release, it says what is newer and ends with
    exit code 7.
    """
    session = session_of(ctx, as_json)
    concept, fields = _split_words(words)
    situation = parse_situation(fields)
    day = None if as_of is None else parse_day(as_of)
    if folder is not None:
        aliases = session.settings.aliases
        reply = app_ask(
            folder, concept, situation, day, release=release, pack=pack, aliases=aliases
        )
    else:
        with session.app() as app:
            reply = app_ask(app, concept, situation, day, release=release, pack=pack)
    session.print_json(reply.values())
    session.show(Group(*_render_lines(reply)))
    if reply.answer.state is not AnswerState.ANSWERED:
        raise typer.Exit(ExitCode.NO_SINGLE_ANSWER)
    if reply.freshness is Freshness.STALE:
        raise typer.Exit(ExitCode.STALE_ANSWER)


def _split_words(words: Sequence[str]) -> tuple[str, list[str]]:
    """The concept, wherever it appears, and the fields of the situation."""
    concepts = [word for word in words if "=" not in word]
    if len(concepts) != 1:
        given = ", ".join(f"'{word}'" for word in concepts) or "none"
        raise typer.BadParameter(f"give one concept, and fields as name=value; concepts: {given}")
    return concepts[0], [word for word in words if "=" in word]


def _render_lines(reply: ReleaseAnswer) -> Iterator[RenderableType]:
    """An answer for a person to read."""
    answer = reply.answer
    yield Text(f"{answer.label or answer.concept}, on {answer.as_of}", style="bold")
    if reply.freshness is Freshness.STALE:
        yield Text(
            f"Stale: something has changed since release {reply.release.version}; see below.",
            style="yellow",
        )
    if answer.state is AnswerState.SEVERAL:
        yield Text(
            f"{len(answer.found)} different values apply; nothing says that one takes precedence.",
            style="yellow",
        )
    if answer.state is AnswerState.AS_WORDED:
        yield Text("Applies as its provision says: read the words for your case.", style="yellow")
    for found in answer.found:
        yield from _render_found(found, reply)
    if answer.state is AnswerState.NONE:
        yield Text("No rule in the release applies.", style="yellow")
        yield from _render_misses("Closest rules:", answer.misses)
    else:
        yield from _render_misses("Overridden:", _select_misses(answer, ExclusionReason.GENERAL))
        yield from _render_misses(
            "Could apply with more information:",
            _select_misses(answer, ExclusionReason.FIELD_MISSING),
        )
    if answer.open_fields:
        fields = " ".join(f"{name}=…" for name in answer.open_fields)
        yield Text(f"Add: assay ask {fields} {answer.concept}")
    release = reply.release
    state = "" if release.state == "PUBLISHED" else f", {release.state}"
    yield Text(
        f"Release {release.version} of {release.pack}{state}, manifest {release.manifest_hash}",
        style="dim",
    )
    if reply.freshness is Freshness.UNKNOWN:
        yield Text(
            "An exported release cannot know whether its rules have changed since; ask the store.",
            style="dim",
        )


def _select_misses(answer: RuleAnswer, why: ExclusionReason) -> list[ExcludedRule]:
    return [miss for miss in answer.misses if miss.why is why]


def _render_found(found: ApplicableValue, reply: ReleaseAnswer) -> Iterator[RenderableType]:
    answer, stale = reply.answer, reply.stale or {}
    yield Text("")
    yield Text(describe_value(found.value, found.value_type, found.unit), style="bold green")
    if found.doubt is not None:
        since = "" if found.doubt.since is None else f" from {found.doubt.since}"
        words = " ".join(found.doubt.quote.split())
        yield Text(f"May have changed{since}: “{words}” was not applied.", style="yellow")
        yield Text(f"{found.doubt.why}; 'assay review list' has the question.")
    if found.assumed:
        yield Text(f"assuming that no other value is known for {', '.join(found.assumed)}")
    for rule in found.rules:
        about = (
            {} if rule.concept == answer.concept else {"about": f"{rule.label} ({rule.concept})"}
        )
        yield render_fields({**about, **_describe_rule(rule)})
        for mark in stale.get(rule.rule_id, ()):
            yield Text(f"Stale: {mark.what}.", style="yellow")
            yield render_fields(_describe_mark(mark))
    yield Text("")


def _describe_mark(mark: StaleMark) -> dict[str, str]:
    """What is newer than a released rule, one line for each thing."""
    newer = [
        f"{rule.rule_id}: {rule.display}, {describe_period(rule.effective_from, None)}, "
        f"{rule.status}"
        for rule in mark.rules
    ]
    lines = {
        "newer rule": "; ".join(newer),
        "new evidence": " ".join(filter(None, (mark.evidence_id, mark.url))),
        "question": ": ".join(filter(None, (mark.request_id, mark.question))),
        "conflict": mark.conflict_id or "",
    }
    return {name: line for name, line in lines.items() if line}


def _describe_rule(rule: PublishedRule) -> dict[str, str]:
    """A rule, one line for each thing known about it."""
    fields = {
        "rule": f"{rule.rule_id} ({rule.tier})",
        "in force": describe_period(rule.effective_from, rule.effective_until),
        "applies": render_condition(rule.applies_when),
        "approved by": rule.approved_by or "the machine; its tier does not need a person",
    }
    for number, source in enumerate(rule.sources):
        place = "" if number == 0 else f" {number + 1}"
        fields[f"quote{place}"] = f"“{' '.join(source.quote.split())}”"
        if source.amended:
            fields[f"amends{place}"] = f"“{' '.join(source.amended.split())}”"
        fields[f"source{place}"] = describe_quotation(source)
    return fields


def describe_quotation(source: Quotation) -> str:
    """Where a quote is found."""
    parts = [source.name or source.source_slug, source.article]
    parts.append("" if source.page is None else f"page {source.page}")
    parts.append(source.url)
    return ", ".join(part for part in parts if part)


def _render_misses(title: str, misses: Sequence[ExcludedRule]) -> Iterator[Text]:
    if misses:
        yield Text(title)
    for miss in misses[:_MOST_MISSES]:
        rule = miss.rule
        value = describe_value(rule.value, rule.value_type, rule.unit)
        yield Text(f"  {value} ({render_condition(rule.applies_when)}): {miss.reason}")
    if len(misses) > _MOST_MISSES:
        yield Text(f"  and {len(misses) - _MOST_MISSES} more; --json lists all.")
