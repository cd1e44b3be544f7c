"""A page to explore a graph with: one file, no network, readable without its script."""

import base64
import hashlib
from functools import cache
from pathlib import Path

from assay.packs.graph.ontology.model import Ontology
from assay.packs.graph.picture.colours import rules
from assay.packs.graph.picture.contents import Contents, contents_of, data
from assay.packs.graph.picture.drawing import style, svg
from assay.packs.graph.picture.framing import title_of, told_line
from assay.packs.graph.picture.spans import Piece, pieces
from assay.packs.graph.picture.tables import details, entities_table, relations_table
from assay.packs.graph.picture.words import escaped, shortened
from assay.packs.graph.results import GraphResult

# Hidden until the script is there to make them work.
_FILTER = """<form role="search" hidden><label for="filter">Filter by name or kind</label>
<input id="filter" type="search" autocomplete="off" spellcheck="false">
<output id="matches" for="filter"></output></form>"""
_TOOLS = """<div class="tools" hidden>
<button type="button" id="out" aria-label="Smaller">−</button>
<button type="button" id="fit">Fit</button>
<button type="button" id="in" aria-label="Larger">+</button></div>"""
_CHOSEN = """<aside id="chosen" aria-live="polite" hidden><p class="hint">Choose an entity or a
relation in the picture, in the text or in the lists.</p></aside>"""


def page(result: GraphResult, ontology: Ontology, text: str) -> str:
    """The text with its mentions, the picture, and lists of all that was found and refused."""
    contents = contents_of(result, ontology, text)
    title = escaped(shortened(title_of(ontology), 1_600.0, 22.0))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{_page_style()}</style>
</head>
<body>
<nav class="skip"><a href="#picture">To the picture</a> <a href="#relations">To the relations</a>
<a href="#more">To conflicts, warnings and cost</a></nav>
<header>
<div><h1>{title}</h1><p>{escaped(told_line(result, ontology))}</p></div>
{_FILTER}
</header>
<main>
<section id="text" tabindex="0" aria-label="The text">
<div class="text" dir="auto">{_text(contents)}</div></section>
<section id="picture" aria-label="The picture">
{_TOOLS}
<div class="canvas" tabindex="0" role="region" aria-label="Picture of the graph">
{svg(result, ontology)}</div>
{_CHOSEN}
</section>
</main>
{relations_table(contents)}
{entities_table(contents)}
<section id="more"><h2>Beside the graph</h2>
{details(result, contents)}
</section>
<script type="application/json" id="data">{data(contents)}</script>
<script>{_script()}</script>
</body>
</html>
"""


def _text(contents: Contents) -> str:
    """The text, exactly, with marks around its mentions and quotes."""
    cut = pieces(len(contents.text), contents.mentions, contents.quotes)
    return "".join(_marked(piece, contents) for piece in cut)


def _marked(piece: Piece, contents: Contents) -> str:
    words = escaped(contents.text[piece.start : piece.end])
    if not piece.entities and not piece.relations:
        return words
    told = f'id="c{piece.start}" data-a="{piece.start}" data-b="{piece.end}"'
    if piece.relations:
        told += f' data-r="{" ".join(map(str, piece.relations))}"'
    if not piece.entities:
        said = "\n".join(contents.sentence(contents.statements[at]) for at in piece.relations[:3])
        return f'<span {told} title="{escaped(said[:600])}">{words}</span>'
    things = [contents.things[at] for at in piece.entities]
    said = "\n".join(f"{one.name[:200]}: {', '.join(one.kinds)[:200]}" for one in things[:3])
    nested = " nested" if len(things) > 1 else ""
    return (
        f'<mark {told} class="k{things[0].colour}{nested}"'
        f' data-e="{" ".join(map(str, piece.entities))}" title="{escaped(said)}">{words}</mark>'
    )


@cache
def _page_style() -> str:
    sheet = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return sheet + rules("mark.k", "html") + rules(".chip.k", "html")


@cache
def _script() -> str:
    return Path(__file__).with_name("page.js").read_text(encoding="utf-8")


@cache
def _policy() -> str:
    """Nothing is loaded, nothing is sent; only the style and the script that stand here run."""
    styles = " ".join(_hash(one) for one in (_page_style(), style()))
    return (
        f"default-src 'none'; style-src {styles}; script-src {_hash(_script())};"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
