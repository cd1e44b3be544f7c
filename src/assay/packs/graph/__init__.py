"""The graph pack: what a text says about things, guided by any ontology."""

from dataclasses import replace
from typing import TYPE_CHECKING

from assay.packs.graph.home_ontologies import find_ontologies, read_pack
from assay.packs.graph.ontology_pack import (
    BUNDLED,
    FILE,
    FOLDER,
    build_graph_pack,
    read_bundled_ontology,
)
from assay.sdk.pack import Pack, PackFamily, Page, Route

if TYPE_CHECKING:
    import typer


def pack() -> Pack:
    """The small ontology that comes with Assay, and a pack for each ontology of a home."""
    bundled = build_graph_pack(BUNDLED, read_bundled_ontology(), file=FILE)
    return replace(
        bundled,
        family=PackFamily(find=find_ontologies, make=read_pack),
        commands=_load_commands,
        routes=_load_routes,
        pages=_load_pages,
        templates=FOLDER / "templates",
    )


def _load_commands() -> "typer.Typer":
    from assay.packs.graph.commands import commands

    return commands


def _load_routes() -> tuple[Route, ...]:
    from assay.packs.graph.routes import ROUTES

    return ROUTES


def _load_pages() -> tuple[Page, ...]:
    from assay.packs.graph.pages import pages

    return pages()
