"""How lists of each form are read: those that can be divided piece by piece, the others whole."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from assay.packs.literature.listed import ListKind
from assay.packs.literature.lists.bibliography import parse_bibliography
from assay.packs.literature.lists.bibtex import read_bibtex, survey_bibtex
from assay.packs.literature.lists.databases import (
    parse_yaml_list,
    read_csl_list,
    read_json_list,
)
from assay.packs.literature.lists.detection import ListForm, detect_form
from assay.packs.literature.lists.exports import read_csv, read_ris
from assay.packs.literature.lists.feeds import parse_arxiv_feed
from assay.packs.literature.lists.markdown import read_markdown, survey_markdown
from assay.packs.literature.lists.visionbib import parse_visionbib
from assay.packs.literature.parsed import (
    ListWindow,
    ParsedList,
    ReferenceCollector,
    Texts,
    decode_list,
)

MOST_REFERENCES: Final = 200_000


def survey_nothing(_texts: Texts) -> dict[str, str]:
    """Of most lists, nothing has to be known before they are read."""
    return {}


class DivisibleForm(NamedTuple):
    """How a form is read in pieces."""

    read: Callable[
        [ListWindow, ReferenceCollector, dict[str, str], Any],
        tuple[int | None, Any],
    ]
    """Read a piece, given what the survey found and what the piece before left; returns where the
    next piece begins, and what it must know. Places count from the beginning of the window. None:
    nothing that follows can be read."""
    survey: Callable[[Texts], dict[str, str]] = survey_nothing
    """Find what every piece must know of the whole list."""
    until: str = "\n"
    """What separates the parts in which the survey sees it."""


DIVISIBLE: Final[Mapping[ListForm, DivisibleForm]] = {
    ListForm.MARKDOWN: DivisibleForm(read_markdown, survey_markdown),
    ListForm.BIBTEX: DivisibleForm(read_bibtex, survey_bibtex, "\n@"),
    ListForm.JSON: DivisibleForm(read_json_list),
    ListForm.CSL: DivisibleForm(read_csl_list),
    ListForm.CSV: DivisibleForm(read_csv),
    ListForm.RIS: DivisibleForm(read_ris),
}
_WHOLE: Final[Mapping[ListForm, Callable[[str, int], ParsedList]]] = {
    ListForm.YAML: parse_yaml_list,
    ListForm.VISIONBIB: parse_visionbib,
    ListForm.ARXIV: parse_arxiv_feed,
    ListForm.BIBLIOGRAPHY: parse_bibliography,
}


def parse_list(data: bytes, kind: ListKind, *, most: int = MOST_REFERENCES) -> ParsedList:
    """The references of a list in their order; those beyond `most` are counted, not kept."""
    text = decode_list(data)
    form = detect_form(text, kind)
    if form not in DIVISIBLE:
        return _WHOLE[form](text, most)
    collector = ReferenceCollector(most)
    shared = DIVISIBLE[form].survey(lambda: [text])
    DIVISIBLE[form].read(ListWindow(text), collector, shared, None)
    return collector.finish()
