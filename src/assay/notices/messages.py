"""What a notification says, in plain text, HTML and JSON.

Titles, quotes and lines come from documents, which are not trusted: each form escapes them for its
medium, and control characters are written out.
"""

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from assay.display import escape_line
from assay.model.watches import Notice, NoticeKind, Watch

_LONGEST_SUBJECT: Final = 160
_MOST_IN_FULL: Final = 50
"""Changes that one message describes; of the others it names the titles."""
_MOST_BY_TITLE: Final = 500


@dataclass(frozen=True, slots=True)
class Report:
    """One change in a message."""

    delivery_id: str
    notice: Notice
    matched: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What one channel gets at a time. Anything that is worth a sentence can be one."""

    key: str
    """Stays the same however often it is sent, so that receivers can recognize a repetition."""
    subject: str
    sentences: tuple[str, ...] = ()
    reports: tuple[Report, ...] = ()
    shown: str = "added"
    """Whether changes are shown as `added` lines only or as a `diff`."""
    at_ms: int = 0


def describe_watch(watch: Watch) -> str:
    """What a watch looks for, in words."""
    if watch.concept is not None:
        return f"concept {watch.concept}"
    words = [f'"{words}"' if " " in words else words for words in watch.words]
    place = f"document {watch.url}" if watch.url else f"source {watch.source_slug}"
    if not words:
        return place
    return " ".join(words) + (f" in {place}" if watch.url or watch.source_slug else "")


def build_message(
    key: str, watch: Watch, reports: Sequence[Report], *, digest: str = "none", at_ms: int
) -> Message:
    """The message that reports these changes to the person who watches."""
    about = describe_watch(watch)
    if len(reports) == 1 and digest == "none":
        subject = f"{reports[0].notice.kind}: {reports[0].notice.title}"
    else:
        changes = "1 change" if len(reports) == 1 else f"{len(reports)} changes"
        subject = f"{'' if digest == 'none' else f'{digest} digest, '}{changes}: {about}"
    return Message(
        key=key,
        subject=subject[:1].upper() + subject[1:],
        sentences=(f"You watch {about} (watch {watch.watch_id}).",),
        reports=tuple(reports),
        shown=watch.shown,
        at_ms=at_ms,
    )


def clean_subject(text: str) -> str:
    """A subject on one line of limited length."""
    line = escape_line(" ".join(text.split()))
    return line if len(line) <= _LONGEST_SUBJECT else f"{line[: _LONGEST_SUBJECT - 1]}…"


def format_moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def render_text(message: Message) -> str:
    """The message as plain text; every line of a document stays one line."""
    parts = [[escape_line(sentence) for sentence in message.sentences]]
    for report in message.reports[:_MOST_IN_FULL]:
        notice = report.notice
        lines = [f"{notice.kind}: {notice.title}", *list_facts(notice)]
        lines += ["", *list_changes(report, message.shown)]
        parts.append([escape_line(line) for line in lines])
    if others := _list_titles(message):
        parts.append(["Also:", *(f"- {escape_line(title)}" for title in others)])
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def render_html(message: Message) -> str:
    """The same as HTML, without styles, pictures or scripts."""
    body = [f"<p>{_escape(sentence)}</p>" for sentence in message.sentences]
    for report in message.reports[:_MOST_IN_FULL]:
        body += [f"<h3>{_escape(f'{report.notice.kind}: {report.notice.title}')}</h3>"]
        body += [render_report_html(report, message.shown)]
    if others := _list_titles(message):
        items = "".join(f"<li>{_escape(title)}</li>" for title in others)
        body.append(f"<p>Also:</p><ul>{items}</ul>")
    title = _escape(clean_subject(message.subject))
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body>{''.join(body)}</body></html>"
    )


def render_report_html(report: Report, shown: str) -> str:
    """One change as HTML."""
    facts = "<br>".join(_escape(line) for line in list_facts(report.notice))
    lines = "\n".join(_escape(line) for line in list_changes(report, shown))
    return f"<p>{facts}</p><pre>{lines}</pre>"


def as_json(message: Message) -> dict[str, Any]:
    """The message for a program; text is exactly as the documents have it."""
    return {
        "id": message.key,
        "subject": clean_subject(message.subject),
        "sentences": list(message.sentences),
        "changes": [
            {
                "delivery_id": report.delivery_id,
                **report.notice.model_dump(mode="json"),
                "happened": format_moment(report.notice.happened_ms),
                "matched": list(report.matched),
            }
            for report in message.reports
        ],
    }


def list_facts(notice: Notice) -> list[str]:
    """Where and when it changed, and between which versions."""
    lines = [notice.url] if notice.url else []
    source = f"source {notice.source_slug}, " if notice.source_slug else ""
    lines.append(f"{source}found {format_moment(notice.happened_ms)}")
    if notice.evidence_id:
        before = f", before {notice.previous_evidence_id}" if notice.previous_evidence_id else ""
        lines.append(f"version {notice.evidence_id}{before}")
    return lines


def list_changes(report: Report, shown: str) -> list[str]:
    """The lines that describe what changed."""
    notice, content = report.notice, report.notice.content
    if notice.kind in (NoticeKind.RULE, NoticeKind.RELEASED):
        return list(_list_rules(content))
    if report.matched:
        rest = int(content.get("added_total", 0)) - len(report.matched)
        return [*(f"+ {line}" for line in report.matched), *_tell_rest(rest, "other added line")]
    if why := content.get("unreadable"):
        return [f"The text of this version could not be compared: {why}"]
    if shown == "diff" and content.get("diff"):
        diff = content["diff"]
        return [*diff, *_tell_rest(int(content["diff_total"]) - len(diff), "more line")]
    added = content.get("added", [])
    return [
        *(f"+ {line}" for line in added),
        *_tell_rest(int(content.get("added_total", 0)) - len(added), "more line"),
        *_tell_rest(int(content.get("removed_total", 0)), "line", " removed"),
    ]


def _tell_rest(count: int, what: str, after: str = "") -> list[str]:
    return [f"({count} {what}{'' if count == 1 else 's'}{after})"] if count > 0 else []


def _list_rules(content: Mapping[str, Any]) -> Iterator[str]:
    for name, label in (("new", "now"), ("old", "before")):
        rule = content.get(name)
        if rule is None:
            continue
        yield f"{label}: {rule['text']} [{rule['state']}]"
        yield f"  {rule['rule_id']}"
        for quote in rule["quotes"]:
            yield f'  "{quote["quote"]}" ({quote["place"]})'


def _list_titles(message: Message) -> list[str]:
    rest = message.reports[_MOST_IN_FULL:]
    titles = [f"{report.notice.kind}: {report.notice.title}" for report in rest]
    more = len(titles) - _MOST_BY_TITLE
    return titles[:_MOST_BY_TITLE] + ([f"and {more} more"] if more > 0 else [])


def _escape(text: str) -> str:
    return html.escape(escape_line(text))
