"""A page to explore a graph with: one file, no network, readable without its script.

The picture is drawn by cytoscape.js 3.34.4 (MIT), which is part of the page:
`static/cytoscape.min.js` is `dist/cytoscape.min.js` of the npm package, unchanged, with its licence
on top.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path

from assay.packs.graph.model import RelationVerdict
from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.picture.contents import PageContents, collect_contents, dump_contents
from assay.packs.graph.picture.marking import mark_text
from assay.packs.graph.picture.tables import list_details, tabulate_entities, tabulate_relations
from assay.packs.graph.picture.words import count_things, escape_text, fold_line, shorten_line
from assay.packs.graph.results import GraphResult
from assay.packs.graph.steps import GraphCompleteness

_COMPLETENESS = {
    GraphCompleteness.COMPLETE: "complete",
    GraphCompleteness.PARTIAL_ENTITY_ONLY: "partial: entities only",
    GraphCompleteness.PARTIAL_EARLY_EXIT: "partial: ended early",
    GraphCompleteness.FALLBACK_CACHE: "from earlier results in part",
    GraphCompleteness.EMPTY: "empty",
}
# Hidden until the script makes them work.
_FILTER = """<form role="search" hidden><label for="filter">Filter by name or kind</label>
<input id="filter" type="search" autocomplete="off" spellcheck="false">
<output id="matches" for="filter"></output></form>"""
_TOOLS = """<div class="tools" hidden>
<button type="button" id="out" aria-label="Smaller">−</button>
<button type="button" id="fit">Fit</button>
<button type="button" id="in" aria-label="Larger">+</button></div>"""
_CHOSEN = """<aside id="chosen" aria-live="polite" hidden><p class="hint">Choose an entity or a
relation in the picture, in the text or in the lists.</p></aside>"""
_NO_SCRIPT = """<noscript><p class="hint">The picture needs JavaScript. The text and the lists
below have everything that it shows.</p></noscript>"""
# The console serves these as files.
_LIBRARY = "../static/cytoscape.min.js"
_SCRIPT = "../static/explorer.js"
_CONTAINER = ".__________cytoscape_container { position: relative; }"
"""The one rule that cytoscape.js adds to a page by itself, unless its style is already there;
the policy of the page refuses styles that are added later."""


def render_page(result: GraphResult, ontology: Ontology, text: str) -> str:
    """The text with its mentions, the picture, and lists of all that was found and refused."""
    contents = collect_contents(result, ontology, text)
    name = fold_line(ontology.title) or fold_line(ontology.iri) or "A graph"
    title = escape_text(shorten_line(name, 120))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_write_policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{_read_file("page.css")}</style>
<style id="__________cytoscape_stylesheet">{_CONTAINER}</style>
</head>
<body>
<nav class="skip"><a href="#picture">To the picture</a> <a href="#relations">To the relations</a>
<a href="#more">To conflicts, warnings and cost</a></nav>
<header>
<div><h1>{title}</h1><p>{escape_text(_summarise_result(result, ontology))}</p></div>
{_FILTER}
</header>
<main>
<section id="text" tabindex="0" aria-label="The text">
<div class="text" dir="auto">{mark_text(contents)}</div></section>
<section id="picture" aria-label="The picture">
{_TOOLS}
<div class="canvas" role="img" aria-label="Picture of the graph; the lists below say the same">
{_NO_SCRIPT}</div>
{_draw_legend(contents)}
{_CHOSEN}
</section>
</main>
{tabulate_relations(contents)}
{tabulate_entities(contents)}
<section id="more"><h2>Beside the graph</h2>
{list_details(result, contents)}
</section>
<script type="application/json" id="data">{dump_contents(contents)}</script>
<script>{_read_file(_LIBRARY)}</script>
<script>{_read_file(_SCRIPT)}</script>
</body>
</html>
"""


def _summarise_result(result: GraphResult, ontology: Ontology) -> str:
    """Summarize a result on one line."""
    unverified = sum(1 for one in result.relations if one.verdict is RelationVerdict.UNVERIFIED)
    parts = [
        count_things(len(result.entities), "entity", "entities"),
        count_things(len(result.relations), "relation", "relations")
        + (f" ({unverified:,} unverified)" if unverified else ""),
        _COMPLETENESS[result.completeness],
        f"read by {shorten_line(fold_line(result.by), 80) or 'nobody'}",
    ]
    version = shorten_line(fold_line(ontology.version), 30)
    return " · ".join([*parts, f"ontology version {version}"] if version else parts)


def _draw_legend(contents: PageContents) -> str:
    if not contents.entities:
        return '<p class="legend">No entity was found in the text.</p>'
    drawn = contents.drawn
    parts = [
        f'<span class="chip k{colour}" data-colour="{colour}">'
        f"{escape_text(shorten_line(label, 40))} {count:,}</span>"
        for colour, label, count in contents.count_kinds()
    ]
    verdicts = {contents.relations[at].relation.verdict for at in drawn.relations}
    for is_shown, line, words in (
        (RelationVerdict.GROUNDED in verdicts, "solid", "supported by the text"),
        (RelationVerdict.UNVERIFIED in verdicts, "dashed", "not verified"),
        (bool(drawn.same), "dotted", "perhaps the same"),
    ):
        if is_shown:
            parts.append(f'<span class="way {line}">{words}</span>')
    if drawn.left_out:
        parts.append(f"<strong>{escape_text(drawn.left_out)}</strong>")
    return f'<p class="legend">{"".join(parts)}</p>'


@cache
def _read_file(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


@cache
def _write_policy() -> str:
    """Write the policy: nothing is loaded or sent; only the page's own styles and scripts apply."""
    styles = " ".join(_hash_content(one) for one in (_read_file("page.css"), _CONTAINER))
    scripts = " ".join(_hash_content(_read_file(name)) for name in (_LIBRARY, _SCRIPT))
    return (
        f"default-src 'none'; style-src {styles}; script-src {scripts};"
        " base-uri 'none'; form-action 'none'"
    )


def _hash_content(content: str) -> str:
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
