"""A pack's pages in the console: a function that collects values, and a template that shows them.

The template lies in the folder that the pack declares as `templates`, and extends the console's
`base.html`: it fills the blocks `title` and `content`. What it shows is escaped; scripts and styles
in its text are not run. A page only reads.

Scripts, styles and pictures of a pack lie in the folder `static` next to its templates; in a
template, `pack_asset("NAME/file.css")` is the address of one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.sdk.errors import AssayError
from assay.sdk.records import Artifact, Evidence

if TYPE_CHECKING:
    from assay.sdk.services import Services

__all__ = ["ConsolePage", "ConsoleRequest", "EvidenceQuote", "read_quotes"]

_AROUND: Final = 80
"""Characters that are shown on each side of a quote."""
_MOST_CHARACTERS: Final = 4_000_000
"""Most characters of documents that are read for the quotes of one page."""
Span = tuple[str, int, int]
"""An artifact, and the place in its text: from, to."""


@dataclass(frozen=True, kw_only=True)
class ConsoleRequest:
    """A page that somebody wants to see."""

    path: Mapping[str, str] = field(default_factory=dict)
    """The variables of the page's path: `meeting_id` of `/meetings/{meeting_id}`."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The query parameters; the last one of a name counts."""


@dataclass(frozen=True)
class ConsolePage:
    """What the page shows."""

    template: str
    """Its name in the pack's folder: `meetings.html`."""
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class EvidenceQuote:
    """Words of a document, as the macro `quotes` of `parts.html` shows them."""

    evidence_id: str
    start: int
    end: int
    quote: str
    before: str = ""
    after: str = ""
    source: str = ""
    """The document's name."""
    article: str | None = None
    page: int | None = None


def read_quotes(
    services: "Services", spans: Iterable[Span], names: Mapping[str, str]
) -> dict[Span, EvidenceQuote]:
    """The words at these places, with what surrounds them; `names` are those of the artifacts.

    A document whose text cannot be read, or that would be too much for one page, has none; its
    place can still be opened.
    """
    wanted = sorted(set(spans))
    rows = services.read_records(
        Artifact, artifact_id={artifact_id for artifact_id, _, _ in wanted}
    )
    artifacts = {row.artifact_id: row for row in rows}
    evidence = {
        row.evidence_id: row
        for row in services.read_records(Evidence, evidence_id={row.evidence_id for row in rows})
    }
    texts = _read_texts(services, rows)
    quotes = {}
    for span in wanted:
        artifact_id, start, end = span
        if (artifact := artifacts.get(artifact_id)) is None:
            continue
        text, own = texts.get(artifact_id, ""), evidence.get(artifact.evidence_id)
        quotes[span] = EvidenceQuote(
            evidence_id=artifact.evidence_id,
            start=start,
            end=end,
            quote=text[start:end] or "Open the document to read these words.",
            before=text[max(0, start - _AROUND) : start],
            after=text[end : end + _AROUND],
            source=names.get(artifact_id) or ("Document" if own is None else own.url),
        )
    return quotes


def _read_texts(services: "Services", artifacts: Iterable[Artifact]) -> dict[str, str]:
    texts, left = {}, _MOST_CHARACTERS
    for artifact in artifacts:
        left -= artifact.length
        if left < 0:
            break
        try:
            data = services.blobs.get(artifact.content_hash)
        except AssayError:
            continue
        texts[artifact.artifact_id] = data.decode(errors="replace")
    return texts
