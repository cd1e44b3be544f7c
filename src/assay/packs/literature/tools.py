"""What assistants may look up in the corpus: papers, their passages and citations."""

import asyncio
from dataclasses import replace
from typing import Any, Final

from pydantic import Field

from assay.packs.literature.citing import CitationStyle, cite_work
from assay.packs.literature.corpus import find_work
from assay.packs.literature.index import SearchFilters, SearchMode
from assay.packs.literature.searching import search_corpus, share_read_only_index
from assay.packs.literature.works import Work, load_works
from assay.sdk.services import Services
from assay.sdk.tools import AssistantTool, Limit, ToolInput

_MOST_CITED: Final = 50


class PaperSearch(ToolInput):
    query: str = Field(min_length=1, description="The words to look for.")
    author: str | None = Field(default=None, description="Only by this author.")
    venue: str | None = Field(default=None, description="Only in this venue.")
    year_from: int | None = Field(default=None, description="Only of this year or later.")
    year_to: int | None = Field(default=None, description="Only of this year or earlier.")
    list_id: str | None = Field(default=None, description="Only papers that this list names.")
    limit: Limit = 5


class PaperId(ToolInput):
    paper: str = Field(
        min_length=1, description="A DOI, an arXiv id, an address, or an id from 'search_papers'."
    )


class PaperStyle(PaperId):
    style: CitationStyle = CitationStyle.TEXT


async def search_papers(wanted: PaperSearch, services: Services) -> dict[str, Any]:
    filters = SearchFilters(
        author=wanted.author,
        venue=wanted.venue,
        year_from=wanted.year_from,
        year_to=wanted.year_to,
        source=wanted.list_id,
    )
    papers = await search_corpus(
        services,
        wanted.query,
        filters,
        SearchMode.TEXT,
        wanted.limit,
        share=share_read_only_index,
    )
    return {"papers": papers}


async def get_paper(wanted: PaperId, services: Services) -> dict[str, Any]:
    def read() -> dict[str, Any]:
        found = find_work(services, wanted.paper)
        cited = load_works(services, found.cites[:_MOST_CITED])
        return {
            **vars(replace(found, cites=())),
            "cites": [_describe_cited(other) for other in cited],
            "cites_in_all": len(found.cites),
            "citation": cite_work(found, CitationStyle.TEXT),
        }

    return await asyncio.to_thread(read)


def _describe_cited(work: Work) -> dict[str, Any]:
    return {"doc_id": work.doc_id, "title": work.title, "year": work.year}


async def cite_paper(wanted: PaperStyle, services: Services) -> dict[str, Any]:
    found = await asyncio.to_thread(find_work, services, wanted.paper)
    return {
        "doc_id": found.doc_id,
        "style": wanted.style.value,
        "citation": cite_work(found, wanted.style),
    }


def build_tools() -> tuple[AssistantTool, ...]:
    """The tools of this pack."""
    return (
        AssistantTool(
            name="search_papers",
            description="Find papers of the corpus by words, with the passages that match best "
            "and their pages.",
            input=PaperSearch,
            function=search_papers,
        ),
        AssistantTool(
            name="get_paper",
            description="Show a paper: all its ids, authors, venue, abstract, who says so, whether "
            "it was retracted, and which papers of the corpus it cites.",
            input=PaperId,
            function=get_paper,
        ),
        AssistantTool(
            name="cite_paper",
            description="Write the citation of a paper, as text, BibTeX, CSL-JSON or RIS.",
            input=PaperStyle,
            function=cite_paper,
        ),
    )
