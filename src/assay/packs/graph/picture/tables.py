"""The lists of a page: relations, entities, and what went wrong or was turned away."""

from collections.abc import Iterable

from assay.packs.graph.model import Span
from assay.packs.graph.picture.contents import Contents, Statement, Thing
from assay.packs.graph.picture.framing import counted
from assay.packs.graph.picture.words import escaped, line, shortened
from assay.packs.graph.results import GraphResult

MOST_ROWS = 3_000
"""Relations and entities that a page lists."""
_PLACES = 12
"""Mentions of an entity that its row leads to."""
_CELL = 330.0


def relations_table(contents: Contents) -> str:
    """Every relation, with its verdict and the words that state it."""
    shown = contents.statements[:MOST_ROWS]
    rows = "\n".join(_relation_row(at, one, contents) for at, one in enumerate(shown))
    heads = ("Subject", "Property", "Object", "Verdict", "Confidence", "Read by", "Quote")
    return _table("relations", "Relations", heads, rows, len(shown), len(contents.statements))


def entities_table(contents: Contents) -> str:
    """Every entity, with its kinds and the places that name it."""
    shown = contents.things[:MOST_ROWS]
    values = _values(contents)
    rows = "\n".join(_entity_row(at, one, values[at]) for at, one in enumerate(shown))
    heads = ("Name", "Kind", "Values", "Mentions")
    return _table("entities", "Entities", heads, rows, len(shown), len(contents.things))


def details(result: GraphResult, contents: Contents) -> str:
    """What is beside the graph: conflicts, what was turned away, warnings, stages and cost."""
    names = {one.entity.id: one.name for one in contents.things}
    names |= {one.relation.id: contents.sentence(one) for one in contents.statements}
    graph = result.graph
    failures = [*result.failed_stages, *([result.error] if result.error else [])]
    conflicts = (
        f"{one.kind}: {one.detail or names.get(one.subject, one.subject)}"
        + "".join(f" — {names.get(other, other)}" for other in one.between)
        for one in graph.conflicts
    )
    return "\n".join(
        (
            _list("Conflicts", conflicts),
            _list("Claims that were turned away", _refused(result)),
            _list("Warnings", result.warnings),
            _list("Shapes that are not kept", _violations(result)),
            _list("Stages that failed", (f"{o.stage}: {o.reason} ({o.code})" for o in failures)),
            _list("Stages that were left out", result.skipped_stages),
            _list("Tokens and time", _cost(result), count=False),
        )
    )


def _refused(result: GraphResult) -> Iterable[str]:
    return (f"{one.reason.value}: {one.detail} {one.claim}" for one in result.graph.refused)


def _violations(result: GraphResult) -> Iterable[str]:
    return (f"{one.node} {one.path}: {one.message}" for one in result.violations)


def _cost(result: GraphResult) -> tuple[str, ...]:
    tokens = result.tokens
    spent = (
        f"{tokens.used:,} of {tokens.allocated:,} tokens used, {tokens.remaining:,} left"
        if tokens.allocated or tokens.used
        else "No model was asked: no tokens were used"
    )
    stored = " (found in the store, nothing was spent this time)" if result.stored else ""
    return f"{spent}{stored}.", f"{result.execution_ms:,} ms.", f"Request {result.request_id}."


def _table(
    name: str, caption: str, heads: tuple[str, ...], rows: str, shown: int, count: int
) -> str:
    if not count:
        return f'<section id="{name}"><h2>{caption}</h2><p>None.</p></section>'
    cells = "".join(f'<th scope="col">{head}</th>' for head in heads)
    left = f"<p>and {count - shown:,} more</p>" if shown < count else ""
    return (
        f'<section id="{name}"><h2>{caption} <small>{count:,}</small></h2>\n'
        f'<div class="wide" role="region" aria-label="{caption}" tabindex="0"><table>'
        f"<thead><tr>{cells}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>{left}</section>"
    )


def _relation_row(at: int, one: Statement, contents: Contents) -> str:
    verdict = one.relation.verdict.value
    return (
        f'<tr id="r{at}" data-relation="{at}" class="{verdict}">'
        f"<td>{_thing_link(one.subject, contents.subject(one))}</td>"
        f'<td><a href="#r{at}" data-relation="{at}">{_cut(one.says)}</a></td>'
        f"<td>{_thing_link(one.object, one.value)}</td>"
        f'<td><span class="verdict {verdict}">{verdict}</span></td>'
        f"<td>{one.relation.confidence:.2f}</td><td>{_cut(one.relation.by)}</td>"
        f"<td>{_quotes(at, one)}</td></tr>"
    )


def _thing_link(number: int | None, words: str) -> str:
    if number is None:
        return _cut(words)
    return f'<a href="#e{number}" data-entity="{number}">{_cut(words)}</a>'


def _quotes(at: int, one: Statement) -> str:
    here = set(one.here)
    return " ".join(_quote(at, span, span in here) for span in one.relation.quotes[:3])


def _quote(at: int, span: Span, here: bool) -> str:
    words = f"<q>{_cut(span.words, 700.0)}</q>"
    return f'<a href="#c{span.start}" data-relation="{at}">{words}</a>' if here else words


def _values(contents: Contents) -> list[list[str]]:
    """What is told of each entity as typed values."""
    found = [list(thing.attributes) for thing in contents.things]
    for one in contents.statements:
        told = f"{one.says}: {one.value}"
        if one.subject is not None and one.object is None and told not in found[one.subject]:
            found[one.subject].append(told)
    return found


def _entity_row(at: int, thing: Thing, values: list[str]) -> str:
    places = " ".join(
        f'<a href="#c{span.start}" data-entity="{at}" data-at="{span.start}">{span.start:,}</a>'
        for span in thing.here[:_PLACES]
    )
    more = len(thing.here) - _PLACES
    if more > 0:
        places += f" and {more:,} more"
    if thing.elsewhere:
        places += " " + counted(thing.elsewhere, "in another text", "in other texts")
    return (
        f'<tr id="e{at}" data-entity="{at}"><td><a href="#e{at}" data-entity="{at}">'
        f"{_cut(thing.name)}</a></td>"
        f'<td><span class="chip k{thing.colour}">{_cut(", ".join(thing.kinds))}</span></td>'
        f"<td>{_cut('; '.join(values))}</td><td>{places}</td></tr>"
    )


def _cut(words: str, most: float = _CELL) -> str:
    """Words cut to a cell, all of them on hover."""
    whole = line(words)
    short = shortened(whole, most, 14.0)
    if short == whole:
        return f"<bdi>{escaped(whole)}</bdi>"
    return f'<bdi title="{escaped(whole)}">{escaped(short)}</bdi>'


def _list(title: str, told: Iterable[str], count: bool = True) -> str:
    items = [line(one) for one in told]
    if not items:
        return ""
    number = f" <small>{len(items):,}</small>" if count else ""
    rows = "".join(f"<li><bdi>{escaped(one[:1_000])}</bdi></li>" for one in items[:500])
    left = f"<p>and {len(items) - 500:,} more</p>" if len(items) > 500 else ""
    return f"<details><summary>{title}{number}</summary><ul>{rows}</ul>{left}</details>"
