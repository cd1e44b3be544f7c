"""`assay documents`: lists and shows documents, their versions and texts, and what changed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from assay.app import App
from assay.app import documents as app_documents
from assay.app.document_diffs import DiffKind, DiffLine, diff_texts
from assay.app.documents import DocumentFilter
from assay.app.status import describe_waiting
from assay.cli.jobs import Limit
from assay.cli.passages import mark_passages
from assay.cli.rendering import (
    Columns,
    explain_empty,
    format_time,
    pluralize,
    render_fields,
    render_rows,
    report_list,
)
from assay.cli.rules import format_quote, format_value
from assay.cli.session import AsJson, Session, open_app
from assay.errors import NotFound
from assay.model.lifecycle import CandidateState

documents = typer.Typer(
    no_args_is_help=True, help="Show documents, their versions, their texts and what changed."
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="The document: its id or one of its evidence, or its address."
    ),
]
Version = Annotated[
    str | None,
    typer.Option("--version", help="Its number, or the id of its evidence; default: the current."),
]
MarkSeen = Annotated[
    bool, typer.Option("--mark-seen", help="Remember this version as the one you have seen.")
]
_ADD = "Add some with 'assay add' or 'assay sources add'."
_MOST_GROUPS = 12
_CONTEXT = 2
"""Unchanged lines shown around a change."""
_SIGNS = {DiffKind.ADDED: "+ ", DiffKind.REMOVED: "- ", DiffKind.SAME: "  ", DiffKind.OMITTED: "  "}
_STYLES = {DiffKind.ADDED: "green", DiffKind.REMOVED: "red", DiffKind.OMITTED: "dim"}
_MARKS = {DiffKind.ADDED: ("{+", "+}"), DiffKind.REMOVED: ("[-", "-]")}


@documents.command("list")
def list_(
    ctx: typer.Context,
    source: Annotated[str | None, typer.Option(help="Only from this source.")] = None,
    state: Annotated[CandidateState | None, typer.Option(help="Only in this state.")] = None,
    reason: Annotated[
        str | None, typer.Option(help="Only with these words, or this code, as the reason.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Only new or changed since then: YYYY-MM-DD, or 90m, 12h, 3d, 2w ago."),
    ] = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List documents with state and reason, the latest change first, and count them by reason."""
    with open_app(ctx, as_json) as (session, app):
        wanted = DocumentFilter(
            source=source,
            state=state,
            reason=reason,
            since_ms=None
            if since is None
            else app_documents.parse_since(since, app.clock.now_ms()),
        )
        found = app_documents.list_documents(app, wanted, session.choose_limit(limit))
    if found.documents:
        _report_groups(session, found.groups)
    columns: Columns = {
        "document": "doc_id",
        "title": lambda entry: entry["title"] or entry["url"],
        "source": "source_slug",
        "state": "state",
        "reason": _describe_reason,
        "versions": "versions",
        "changed": "changed_ms",
    }
    empty = explain_empty("documents", source, state, reason, since, advice=_ADD)
    report_list(session, found.documents, columns, empty, left_out=found.more)


@documents.command()
def show(
    ctx: typer.Context, name: Name, mark_seen: MarkSeen = False, as_json: AsJson = False
) -> None:
    """Show a document: its versions, how it was judged and routed and why, its facts, its family.

    With --mark-seen, later 'documents diff --since-seen' starts from its current version.
    """
    with open_app(ctx, as_json) as (session, app):
        doc_id = app_documents.find_document(app, name)
        found = app_documents.describe_document(app, doc_id)
        if mark_seen:
            versions = app_documents.list_versions(app, doc_id)
            current = app_documents.select_version(app, doc_id, versions)
            app_documents.mark_seen(app, doc_id, current["evidence_id"])
    session.show(render_fields(_describe_document(found)))
    _show_tables(session, found)
    session.print_json(found)


@documents.command()
def text(
    ctx: typer.Context,
    name: Name,
    version: Version = None,
    mark_seen: MarkSeen = False,
    as_json: AsJson = False,
) -> None:
    """Print the text of a version, as it was read."""
    with open_app(ctx, as_json) as (session, app):
        doc_id = app_documents.find_document(app, name)
        versions = app_documents.list_versions(app, doc_id)
        chosen = app_documents.select_version(app, doc_id, versions, version)
        found = app_documents.read_version_text(app, chosen)
        if mark_seen:
            app_documents.mark_seen(app, doc_id, chosen["evidence_id"])
    session.say(Text(found))
    session.print_json(
        {
            "doc_id": doc_id,
            "version": chosen["number"],
            "evidence_id": chosen["evidence_id"],
            "text": found,
        }
    )


@documents.command()
def diff(
    ctx: typer.Context,
    name: Name,
    earlier: Annotated[
        str | None, typer.Option("--from", help="The earlier version; default: the one before.")
    ] = None,
    later: Annotated[
        str | None, typer.Option("--to", help="The later version; default: the current one.")
    ] = None,
    since_seen: Annotated[
        bool, typer.Option("--since-seen", help="Start from the version that you marked as seen.")
    ] = False,
    mark_seen: MarkSeen = False,
    as_json: AsJson = False,
) -> None:
    """Show which lines and words changed between two versions, by default the last two.

    Versions are given by number or by the id of their evidence. With --mark-seen, the later
    version becomes the one that --since-seen starts from.
    """
    if since_seen and earlier is not None:
        raise typer.BadParameter("give --from or --since-seen, not both")
    with open_app(ctx, as_json) as (session, app):
        doc_id = app_documents.find_document(app, name)
        versions = app_documents.list_versions(app, doc_id)
        if since_seen:
            earlier = _require_seen(app, doc_id)
        before, after = app_documents.choose_versions_to_compare(
            app, doc_id, versions, earlier, later
        )
        old = app_documents.read_version_text(app, before)
        new = app_documents.read_version_text(app, after)
        if mark_seen:
            app_documents.mark_seen(app, doc_id, after["evidence_id"])
    lines = list(diff_texts(old, new, context=_CONTEXT))
    for title, version in (("from", before), ("to  ", after)):
        fetched = format_time(version["fetched_ms"])
        session.say(f"{title} version {version['number']}, {fetched}, {version['evidence_id']}")
    changes = [line for line in lines if line.kind in _MARKS]
    if not changes:
        session.say("The texts are the same.")
    else:
        for line in lines:
            session.say(_render_line(session, line))
    session.print_json(
        {
            "doc_id": doc_id,
            "from": {name: before[name] for name in ("number", "evidence_id", "fetched_ms")},
            "to": {name: after[name] for name in ("number", "evidence_id", "fetched_ms")},
            "lines": [
                {"kind": line.kind.value, "text": line.text, "changed": line.changed}
                for line in changes
            ],
        }
    )


def _require_seen(app: App, doc_id: str) -> str:
    seen = app_documents.find_seen_version(app, doc_id)
    if seen is None:
        raise NotFound(
            f"You have not marked a version of document {doc_id} as seen.",
            advice=f"'assay documents diff {doc_id} --mark-seen' does; then only later changes "
            "are shown.",
        )
    return str(seen["evidence_id"])


def _render_line(session: Session, line: DiffLine) -> Text:
    sign, style = _SIGNS[line.kind], _STYLES.get(line.kind, "")
    if line.kind not in _MARKS:
        return Text(sign + line.text, style=style)
    marked = mark_passages(session, line.text, line.changed, "bold reverse", _MARKS[line.kind])
    return Text.assemble(sign, marked, style=style)


def _report_groups(session: Session, groups: Sequence[Mapping[str, Any]]) -> None:
    """How many documents there are of each state and reason: '154 skipped: …'."""
    for group in groups[:_MOST_GROUPS]:
        waiting = describe_waiting(group["code"] or "", session.settings)
        session.say(f"{group['documents']} {group['state']}: {group['reason'] or waiting or '-'}")
    if rest := groups[_MOST_GROUPS:]:
        count = sum(group["documents"] for group in rest)
        session.say(f"{count} for {pluralize(len(rest), 'other reason')}; --reason selects one.")


def _describe_reason(entry: Mapping[str, Any]) -> str:
    return entry["reason"] or describe_waiting(entry["code"] or "")


def _describe_document(found: Mapping[str, Any]) -> dict[str, Any]:
    fields = {
        "document": found["doc_id"],
        "title": found["title"],
        "address": found["url"],
        "source": found["source_slug"],
        "state": found["state"],
        "reason": _describe_reason(found),
        "first_seen_ms": found["first_seen_ms"],
        "changed_ms": found["changed_ms"],
        "found at": ", ".join(
            f"{place['source_kind']} {place['source_ref']}" for place in found["places"]
        ),
    }
    if found["retry_ms"] is not None:
        fields["tried again"] = format_time(found["retry_ms"])
    if found["seen"] is not None:
        seen = found["seen"]
        fields["you saw"] = f"{seen['evidence_id']}, {format_time(seen['seen_ms'])}"
    if found["parent"] is not None:
        fields["part of"] = _name_relative(found["parent"])
    elif found["parent_doc_id"] is not None:
        fields["part of"] = found["parent_doc_id"]
    for number, child in enumerate(found["children"], start=1):
        fields[f"part {number}"] = _name_relative(child)
    return fields


def _name_relative(document: Mapping[str, Any]) -> str:
    return f"{document['doc_id']} ({document['title'] or document['url']})"


def _show_tables(session: Session, found: Mapping[str, Any]) -> None:
    numbers = {entry["evidence_id"]: entry["number"] for entry in found["versions"]}
    columns: Columns = {
        "version": lambda entry: f"{entry['number']}{' (current)' * entry['is_current']}",
        "evidence": "evidence_id",
        "fetched": "fetched_ms",
        "class": "content_class",
        "bytes": "size",
        "characters": "length",
    }
    if found["versions"]:
        session.show(render_rows(found["versions"], columns))
    columns = {
        "version": lambda entry: numbers[entry["evidence_id"]],
        "pack": "pack",
        "judged": _describe_judgement,
        "decision": lambda entry: entry["decision"] or "",
        "why": lambda entry: entry["reason"] or "",
    }
    if found["scout_results"]:
        session.show(render_rows(_join_judgements(found), columns))
    columns = {
        "fact": "fact_id",
        "version": lambda fact: numbers[fact["evidence_id"]],
        "concept": "concept",
        "value": format_value,
        "quote": format_quote,
    }
    session.say(f"{pluralize(len(found['facts']), 'fact')}.")
    if found["facts"]:
        session.show(render_rows(found["facts"], columns))
    columns = {"became": "to_state", "when": "at_ms", "why": "reason"}
    if found["history"]:
        session.show(render_rows(found["history"], columns))


def _join_judgements(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What scout found, beside what the router decided."""
    decided = {(entry["evidence_id"], entry["pack"]): entry for entry in found["routing"]}
    for result in found["scout_results"]:
        routed = decided.get((result["evidence_id"], result["pack"]))
        reason = None if routed is None else routed["reason"]
        yield {**result, "decision": routed and routed["decision"], "reason": reason}


def _describe_judgement(result: Mapping[str, Any]) -> str:
    parts = [f"{result['worth_it_score']:.2f}", result["doc_type"], result["language"]]
    if result["skip_reason"]:
        parts.append(result["skip_reason"])
    if result["duplicate_of"]:
        parts.append(f"copy of {result['duplicate_of']}")
    if result["version_of"]:
        parts.append(f"like {result['version_of']}, with other figures")
    return ", ".join(parts)
