"""A digest as one page: no scripts, nothing to load, readable on a phone and in the dark."""

import html
from collections.abc import Iterable, Iterator
from typing import Final

from assay.packs.civic.dossiers import DocumentLink
from assay.packs.civic.outputs.digest import (
    CitedSentence,
    Digest,
    ItemDigest,
    MeetingDigest,
    format_start,
)
from assay.sdk.screens import escape_controls

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1b1f; --paper: #fff; --dim: #55565e; --line: #d8d9de;
  --link: #0b57a4; --card: #f5f6f8; --mark: #a03000; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e7ea; --paper: #16171a; --dim: #a9abb4;
  --line: #3a3c44; --link: #8dc0ff; --card: #1f2126; --mark: #ffb48a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 46rem; color: var(--ink);
  background: var(--paper); font: 1.05rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { margin-top: 2.5rem; padding-bottom: .25rem; border-bottom: 2px solid var(--line); }
h3 { margin-top: 2rem; color: var(--dim); font-size: 1rem; letter-spacing: .04em;
  text-transform: uppercase; }
h4 { margin: 0; font-size: 1.2rem; }
h5 { margin: 0; font-size: 1.05rem; }
article { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
section.item { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
p, ul, dl { margin: .4rem 0; }
ul { padding-left: 1.2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .8rem; }
dt { color: var(--dim); }
dd { margin: 0; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
.when, .source, .labels, .number { color: var(--dim); }
.source, .labels, details { font-size: .92rem; }
.change, .outcome { font-weight: 600; }
.change { color: var(--mark); }
.attend { margin: .8rem 0; padding: .6rem .8rem; background: var(--card); border-radius: .4rem; }
"""
_HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
"""
_FEW_DOCUMENTS: Final = 3


def render_html(digest: Digest) -> str:
    """The digest as one HTML page."""
    parts = [_HEAD.format(title=_escape(digest.title), style=_STYLE)]
    if not digest.cities:
        parts.append("<p>No meetings.</p>\n")
    if len(digest.cities) > 1:
        links = "".join(
            f'<li><a href="#{_escape(city.banana)}">{_escape(city.name)}</a></li>\n'
            for city in digest.cities
        )
        parts.append(f'<nav aria-label="Cities">\n<ul>\n{links}</ul>\n</nav>\n')
    for city in digest.cities:
        parts.append(f'<section id="{_escape(city.banana)}">\n<h2>{_escape(city.name)}</h2>\n')
        for heading, meetings, is_brief in city.list_sections():
            parts.append(f"<h3>{heading}</h3>\n")
            for meeting in meetings:
                parts.append("<article>\n")
                parts.append(f"<h4>{_escape(meeting.heading)}</h4>\n")
                parts.append(render_meeting(meeting, is_brief=is_brief))
                parts.append("</article>\n")
        parts.append("</section>\n")
    parts.append("</main>\n</body>\n</html>\n")
    return "".join(parts)


def render_meeting(meeting: MeetingDigest, *, is_brief: bool = False) -> str:
    """A meeting without its heading; in brief, only when and where."""
    return "".join(f"{line}\n" for line in _render_meeting(meeting, is_brief))


def _render_meeting(meeting: MeetingDigest, is_brief: bool) -> Iterator[str]:
    when = f'<time datetime="{_escape(meeting.starts)}">{format_start(meeting.starts)}</time>'
    where = f" · {_escape(meeting.location)}" if meeting.location else ""
    yield f'<p class="when">{when}{where}</p>'
    if meeting.change:
        yield f'<p class="change">{_escape(meeting.change)}</p>'
    pages = (("Meeting page", meeting.page), ("Video", meeting.video))
    links = [DocumentLink(name, url) for name, url in pages if url] + list(meeting.documents)
    if links:
        yield f"<p>{' · '.join(_link(link) for link in links)}</p>"
    if is_brief:
        return
    if meeting.attending:
        yield '<div class="attend"><strong>How to attend</strong>'
        yield "<dl>"
        yield from (
            f"<dt>{name}</dt><dd>{_link_value(value)}</dd>" for name, value in meeting.attending
        )
        yield "</dl>"
        yield f"{_cite_sources([meeting.attending_source])}</div>"
    if meeting.is_over and not meeting.has_results:
        yield '<p class="when">No decisions published yet.</p>'
    yield from _render_sentences(meeting.summary)
    for item in meeting.items:
        yield '<section class="item">'
        yield from _render_item(item)
        yield "</section>"
    if meeting.motions:
        yield '<section class="item"><h5>Other motions</h5>'
        yield from _render_sentences(meeting.motions)
        yield "</section>"


def _render_item(item: ItemDigest) -> Iterator[str]:
    number = f'<span class="number">{_escape(item.number)}</span> ' if item.number else ""
    yield f"<h5>{number}{_escape(item.title)}</h5>"
    if item.labels:
        yield f'<p class="labels">{_escape(", ".join(item.labels))}</p>'
    if item.outcome:
        yield f'<p class="outcome">{_escape(item.outcome)}</p>'
    yield from _render_sentences(item.motions)
    if item.votes:
        votes = (
            f"{value.capitalize()}: {_escape(', '.join(names))}" for value, names in item.votes
        )
        yield f"<p>{'<br>'.join(votes)}</p>"
    yield from _render_sentences(item.summary)
    if len(item.documents) > _FEW_DOCUMENTS:
        yield f"<details><summary>{len(item.documents)} documents</summary>"
        yield f"<ul>{''.join(f'<li>{_link(link)}</li>' for link in item.documents)}</ul></details>"
    elif item.documents:
        links = " · ".join(_link(link) for link in item.documents)
        yield f'<p class="source">Documents: {links}</p>'


def _render_sentences(sentences: Iterable[CitedSentence]) -> Iterator[str]:
    for sentence in sentences:
        yield f"<p>{_escape(sentence.text)} {_cite_sources(sentence.sources)}</p>"


def _cite_sources(sources: Iterable[DocumentLink | None]) -> str:
    shown = [_link(source) for source in sources if source is not None]
    return f'<span class="source">[Source: {", ".join(shown)}]</span>' if shown else ""


def _link(link: DocumentLink) -> str:
    name = _escape(link.name)
    if not link.is_safe:
        return name
    return f'<a href="{_escape(link.url)}" rel="noreferrer">{name}</a>'


def _link_value(value: str) -> str:
    return _link(DocumentLink(value, value))


def _escape(text: str) -> str:
    """Words from a document: no markup, and no sign that an editor or a terminal would obey."""
    return html.escape(escape_controls(text))
