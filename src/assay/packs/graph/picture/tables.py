"""The lists of a page: relations, entities, and what failed or was refused."""

from collections.abc import Iterable

from assay.packs.graph.model import TextSpan
from assay.packs.graph.picture.contents import PageContents, PageEntity, PageRelation
from assay.packs.graph.picture.words import (
    count_things,
    escape_text,
    fold_line,
    shorten_line,
)
from assay.packs.graph.results import GraphResult

MOST_ROWS = 3_000
"""Most relations and entities that a page lists."""
_PLACES = 12
"""Most mentions that the row of an entity links to."""
_CELL = 60
"""Most characters in a cell; hovering shows the rest."""
_QUOTE = 160


def tabulate_relations(contents: PageContents) -> str:
    """List every relation, with its verdict and the words that state it."""
    shown = contents.relations[:MOST_ROWS]
    rows = "\n".join(_write_relation(at, one) for at, one in enumerate(shown))
    heads = ("Subject", "Property", "Object", "Verdict", "Confidence", "Read by", "Quote")
    return _write_table("relations", "Relations", heads, rows, len(shown), len(contents.relations))


def tabulate_entities(contents: PageContents) -> str:
    """List every entity, with its kinds and the places that name it."""
    shown = contents.entities[:MOST_ROWS]
    values = _collect_values(contents)
    rows = "\n".join(_write_entity(at, one, values[at]) for at, one in enumerate(shown))
    heads = ("Name", "Kind", "Values", "Mentions")
    return _write_table("entities", "Entities", heads, rows, len(shown), len(contents.entities))


def list_details(result: GraphResult, contents: PageContents) -> str:
    """List the details: conflicts, refused claims, warnings, stages and cost."""
    names = {one.entity.id: one.name for one in contents.entities}
    names |= {one.relation.id: one.sentence for one in contents.relations}
    graph = result.graph
    failures = [*result.failed_stages, *([result.error] if result.error else [])]
    conflicts = (
        f"{one.kind}: {one.detail or names.get(one.subject, one.subject)}"
        + "".join(f" — {names.get(other, other)}" for other in one.between)
        for one in graph.conflicts
    )
    return "\n".join(
        (
            _write_list("Conflicts", conflicts),
            _write_list("Claims that were turned away", _describe_refused(result)),
            _write_list("Warnings", result.warnings),
            _write_list("Shapes that are not kept", _describe_violations(result)),
            _write_list(
                "Stages that failed", (f"{o.stage}: {o.reason} ({o.code})" for o in failures)
            ),
            _write_list("Stages that were left out", result.skipped_stages),
            _write_list("Tokens and time", _describe_cost(result), count=False),
        )
    )


def _describe_refused(result: GraphResult) -> Iterable[str]:
    return (f"{one.reason.value}: {one.detail} {one.claim}" for one in result.graph.refused)


def _describe_violations(result: GraphResult) -> Iterable[str]:
    return (f"{one.node} {one.path}: {one.message}" for one in result.violations)


def _describe_cost(result: GraphResult) -> tuple[str, ...]:
    tokens = result.tokens
    spent = (
        f"{tokens.used:,} of {tokens.allocated:,} tokens used, {tokens.remaining:,} left"
        if tokens.allocated or tokens.used
        else "No model was asked: no tokens were used"
    )
    stored = " (found in the store, nothing was spent this time)" if result.stored else ""
    return f"{spent}{stored}.", f"{result.execution_ms:,} ms.", f"Request {result.request_id}."


def _write_table(
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


def _write_relation(at: int, one: PageRelation) -> str:
    verdict = one.relation.verdict.value
    return (
        f'<tr id="r{at}" data-relation="{at}" class="{verdict}">'
        f"<td>{_link_entity(one.subject, one.subject_name)}</td>"
        f'<td><a href="#r{at}" data-relation="{at}">{_cut_cell(one.says)}</a></td>'
        f"<td>{_link_entity(one.object, one.value)}</td>"
        f'<td><span class="verdict {verdict}">{verdict}</span></td>'
        f"<td>{one.relation.confidence:.2f}</td><td>{_cut_cell(one.relation.by)}</td>"
        f"<td>{_link_quotes(at, one)}</td></tr>"
    )


def _link_entity(number: int | None, words: str) -> str:
    if number is None:
        return _cut_cell(words)
    return f'<a href="#e{number}" data-entity="{number}">{_cut_cell(words)}</a>'


def _link_quotes(at: int, one: PageRelation) -> str:
    here = set(one.here)
    return " ".join(_link_quote(at, span, span in here) for span in one.relation.quotes[:3])


def _link_quote(at: int, span: TextSpan, here: bool) -> str:
    words = f"<q>{_cut_cell(span.words, _QUOTE)}</q>"
    return f'<a href="#c{span.start}" data-relation="{at}">{words}</a>' if here else words


def _collect_values(contents: PageContents) -> list[list[str]]:
    """Collect the typed values of each entity."""
    found = [list(entity.attributes) for entity in contents.entities]
    for one in contents.relations:
        told = f"{one.says}: {one.value}"
        if one.subject is not None and one.object is None and told not in found[one.subject]:
            found[one.subject].append(told)
    return found


def _write_entity(at: int, entity: PageEntity, values: list[str]) -> str:
    places = " ".join(
        f'<a href="#c{span.start}" data-entity="{at}" data-at="{span.start}">{span.start:,}</a>'
        for span in entity.here[:_PLACES]
    )
    more = len(entity.here) - _PLACES
    if more > 0:
        places += f" and {more:,} more"
    if entity.elsewhere:
        places += " " + count_things(entity.elsewhere, "in another text", "in other texts")
    return (
        f'<tr id="e{at}" data-entity="{at}"><td><a href="#e{at}" data-entity="{at}">'
        f"{_cut_cell(entity.name)}</a></td>"
        f'<td><span class="chip k{entity.colour}">{_cut_cell(", ".join(entity.kinds))}</span></td>'
        f"<td>{_cut_cell('; '.join(values))}</td><td>{places}</td></tr>"
    )


def _cut_cell(words: str, most: int = _CELL) -> str:
    """Cut words to the width of a cell; hovering shows all of them."""
    whole = fold_line(words)
    short = shorten_line(whole, most)
    if short == whole:
        return f"<bdi>{escape_text(whole)}</bdi>"
    return f'<bdi title="{escape_text(whole)}">{escape_text(short)}</bdi>'


def _write_list(title: str, told: Iterable[str], count: bool = True) -> str:
    items = [fold_line(one) for one in told]
    if not items:
        return ""
    number = f" <small>{len(items):,}</small>" if count else ""
    rows = "".join(f"<li><bdi>{escape_text(one[:1_000])}</bdi></li>" for one in items[:500])
    left = f"<p>and {len(items) - 500:,} more</p>" if len(items) > 500 else ""
    return f"<details><summary>{title}{number}</summary><ul>{rows}</ul>{left}</details>"
