"""`assay rules`, `facts` and `coverage`: rules, their facts, rejected claims, and coverage."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from assay.app import rule_queries as rule_book
from assay.app.abbreviations import IdKind, expand_id
from assay.cli.jobs import Limit
from assay.cli.rendering import (
    Columns,
    explain_empty,
    format_time,
    pluralize,
    render_fields,
    render_rows,
    report_list,
)
from assay.cli.session import AsJson, open_app
from assay.model.rules import RuleStatus
from assay.ruling.facts.gates import Rejection
from assay.ruling.rules.descriptions import describe_period, describe_value

rules = typer.Typer(no_args_is_help=True, help="Show rules and the quotes behind them.")
facts = typer.Typer(no_args_is_help=True, help="Show facts and rejected claims.")

PackName = Annotated[str | None, typer.Option("--pack", help="Only this pack.")]
ConceptName = Annotated[str | None, typer.Option("--concept", help="Only this concept.")]
SourceName = Annotated[str | None, typer.Option("--source", help="Only from this source.")]
EvidenceId = Annotated[
    str | None, typer.Option("--evidence", help="Only from this piece of evidence.")
]

_MOST_SIMILAR = 5
_FIND = "'assay run' reads documents and looks for facts and rules."


@rules.command("list")
def list_rules(
    ctx: typer.Context,
    status: Annotated[RuleStatus | None, typer.Option(help="Only in this status.")] = None,
    concept: ConceptName = None,
    pack: PackName = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List rules by concept and date."""
    with open_app(ctx, as_json) as (session, app):
        found, left_out = rule_book.list_rules(
            app,
            limit=session.choose_limit(limit),
            status=status and status.value,
            concept=concept,
            pack=pack,
        )
    columns: Columns = {
        "rule": "rule_id",
        "concept": "concept",
        "value": format_value,
        "in force": _format_period,
        "applies": "condition",
        "tier": "tier",
        "status": "status",
        "approved by": "approved_by",
    }
    empty = explain_empty("rules", status, concept, pack, advice=_FIND)
    report_list(session, found, columns, empty, left_out=left_out)


@rules.command("show")
def show_rule(
    ctx: typer.Context,
    rule_id: Annotated[str, typer.Argument(help="The rule.")],
    as_json: AsJson = False,
) -> None:
    """Show one rule with its quotes, its effect on other rules, its conflicts and releases."""
    with open_app(ctx, as_json) as (session, app):
        found = rule_book.describe_rule(app, expand_id(app, rule_id, IdKind.RULE))
    session.show(render_fields(_describe_rule(found)))
    columns: Columns = {
        "source": lambda source: source["name"] or source["source_slug"],
        "place": describe_place,
        "quote": format_quote,
    }
    session.show(render_rows(found["sources"], columns))
    session.print_json(found)


@facts.command("list")
def list_facts(
    ctx: typer.Context,
    concept: ConceptName = None,
    source: SourceName = None,
    evidence: EvidenceId = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List facts by document and position."""
    with open_app(ctx, as_json) as (session, app):
        found, left_out = rule_book.list_facts(
            app,
            limit=session.choose_limit(limit),
            concept=concept,
            source_slug=source,
            evidence_id=evidence and expand_id(app, evidence, IdKind.EVIDENCE),
        )
    columns: Columns = {
        "concept": "concept",
        "value": format_value,
        "confidence": lambda fact: f"{fact['confidence']:.0%}",
        "evidence": "evidence_id",
        "place": describe_place,
        "quote": format_quote,
    }
    empty = explain_empty("facts", concept, source, evidence, advice=_FIND)
    report_list(session, found, columns, empty, left_out=left_out)


@facts.command("rejected")
def list_rejected(
    ctx: typer.Context,
    reason: Annotated[Rejection | None, typer.Option(help="Only for this reason.")] = None,
    source: SourceName = None,
    evidence: EvidenceId = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List claims that failed a gate, each with the reason."""
    with open_app(ctx, as_json) as (session, app):
        found, left_out = rule_book.list_rejected(
            app,
            limit=session.choose_limit(limit),
            reason=reason and reason.value,
            source_slug=source,
            evidence_id=evidence and expand_id(app, evidence, IdKind.EVIDENCE),
        )
    columns: Columns = {
        "reason": "reason",
        "detail": "detail",
        "evidence": "evidence_id",
        "claim": _describe_claim,
        "extractor": "extractor",
    }
    empty = explain_empty("rejected claims", reason, source, evidence)
    report_list(session, found, columns, empty, left_out=left_out)


def coverage(ctx: typer.Context, limit: Limit = None, as_json: AsJson = False) -> None:
    """Show how many relevant sentences became facts, the least covered documents first."""
    with open_app(ctx, as_json) as (session, app):
        whole, found, left_out = rule_book.summarize_coverage(
            app, limit=session.choose_limit(limit)
        )
    if found:
        session.say(_summarize_coverage(whole))
    columns: Columns = {
        "evidence": "evidence_id", "source": "source_slug", "share": _format_share,
        "covered": "covered", "relevant": "relevant", "values": _format_values, "facts": "facts",
        "rejected": "rejected", "address": "url",
    }  # fmt: skip
    values = {**whole, "reports": found, "left_out": left_out}
    empty = explain_empty("documents", advice=_FIND)
    report_list(session, found, columns, empty, left_out=left_out, values=values)


def _summarize_coverage(whole: Mapping[str, Any]) -> str:
    documents = pluralize(whole["documents"], "document")
    facts = f"{pluralize(whole['facts'], 'fact')}, {whole['rejected']} rejected."
    if not whole["relevant"]:
        return f"No relevant sentences in {documents}; {facts}"
    sentences = pluralize(whole["relevant"], "relevant sentence")
    found = f"{whole['covered']} of {sentences} in {documents} ({_format_share(whole)})"
    values = f"{whole['values_found']} of {pluralize(whole['values_total'], 'value')}"
    return f"{found}, {values}; {facts}" if whole["values_total"] else f"{found}; {facts}"


def _format_share(coverage: Mapping[str, Any]) -> str:
    """The share of the relevant sentences; a dash if there is nothing to cover."""
    return "–" if coverage["share"] is None else f"{coverage['share']:.0%}"


def _format_values(coverage: Mapping[str, Any]) -> str:
    total = coverage["values_total"]
    return f"{coverage['values_found']} of {total}" if total else "–"


def _describe_rule(found: Mapping[str, Any]) -> dict[str, Any]:
    """What a person wants to know about a rule, without the quotes."""
    fields = {
        "rule": found["rule_id"],
        "concept": found["concept"],
        "value": format_value(found),
        "in force": _format_period(found),
        "applies": found["condition"],
        "tier": found["tier"],
        "status": " ".join(filter(None, (found["status"], _add_brackets(found["status_reason"])))),
        "confidence": f"{found['confidence']:.2f}",
        "approved by": found["approved_by"],
        "releases": ", ".join(found["releases"]),
    }
    if found["approved_ms"] is not None:
        fields["approved at"] = format_time(found["approved_ms"])
    if found["person_version"]:
        fields["person's version"] = found["person_version"]
    for number, edge in enumerate(found["edges"], start=1):
        relation = f"{edge['from_rule']} {edge['kind']} {edge['to_rule']}"
        fields[f"edge {number}"] = f"{relation} {_add_brackets(edge['reason'])}".rstrip()
    if found["similar"]:
        fields["may concern the same thing"] = describe_similar(found["similar"])
    for conflict in found["conflicts"]:
        gave_way = conflict["gave_way_to"]
        outcome = f", gave way to {gave_way}" if gave_way else ""
        fields["conflict"] = f"{conflict['conflict_id']}: {conflict['state']}{outcome}"
    return fields


def describe_similar(rules: Sequence[Mapping[str, Any]]) -> str:
    """Rules that may concern the same thing as another."""
    shown = [f"{format_value(r)} ({r['concept']}, {r['rule_id']})" for r in rules[:_MOST_SIMILAR]]
    if len(rules) > _MOST_SIMILAR:
        shown.append(f"and {len(rules) - _MOST_SIMILAR} more; --json lists all")
    return "; ".join(shown)


def _add_brackets(text: str) -> str:
    return f"({text})" if text else ""


def format_value(row: Mapping[str, Any]) -> str:
    """The value of a rule or a fact, with its unit."""
    return describe_value(row["value"], row["value_type"], row["unit"])


def _format_period(row: Mapping[str, Any]) -> str:
    return describe_period(row["effective_from"], row["effective_until"])


def describe_place(row: Mapping[str, Any]) -> str:
    """Where in its document a quote is found."""
    parts = [row["article"], "" if row["page"] is None else f"page {row['page']}"]
    parts += [f"characters {row['start']} to {row['end']}", row.get("url") or ""]
    return ", ".join(part for part in parts if part)


def format_quote(row: Mapping[str, Any]) -> str:
    """A quote on one line."""
    return f"“{' '.join(row['quote'].split())}”"


def _describe_claim(row: Mapping[str, Any]) -> str:
    names = ("subject", "predicate", "value", "unit")
    subject, predicate, value, unit = (str(row["proposal"].get(name, "")) for name in names)
    return f"{subject}.{predicate}: {value} {unit}".rstrip()
