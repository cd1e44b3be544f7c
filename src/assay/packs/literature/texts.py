"""Where the full text of a work can be fetched, and what was read of it."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from assay.packs.literature.records import WorkDetails, WorkReference
from assay.sdk.records import Source, canonical_json

if TYPE_CHECKING:
    from assay.packs.literature.passages import TextPassage

PACK: Final = "literature"
TEXTS_ENDPOINT: Final = "literature/texts"
"""The endpoint of all full texts; nothing is looked for there."""
_PROVIDERS: Final = ("arxiv", "openalex", "crossref")


def list_text_urls(
    doc_id: str, details: Iterable[WorkDetails], references: Iterable[WorkReference]
) -> list[str]:
    """The addresses of a work's open full text, the best first.

    arXiv's own comes first: it is free for everyone, and its versions are known.
    """
    rows = sorted(details, key=lambda row: (_rank_provider(row.provider), row.doc_id))
    urls: list[str] = []
    scheme, _, name = doc_id.partition(":")
    if scheme == "arxiv":
        versions = [row.version for row in rows if row.version is not None]
        urls.append(f"https://arxiv.org/pdf/{name}{f'v{max(versions)}' if versions else ''}")
    urls += [url for row in rows for url in row.pdf_urls]
    urls += sorted(
        url for row in references for url in row.urls if urlsplit(url).path.lower().endswith(".pdf")
    )
    return list(dict.fromkeys(urls))


def _rank_provider(provider: str) -> int:
    return _PROVIDERS.index(provider) if provider in _PROVIDERS else len(_PROVIDERS)


def make_text_source(url: str, now_ms: int) -> Source:
    """The source of a full text: its host, as far as this pack is concerned."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    return Source(
        source_slug=f"{PACK}-{host.replace('-', '--').replace('.', '-')}",
        name=f"{host} (full texts)",
        base_url=f"https://{host}",
        packs=[PACK],
        found_at=TEXTS_ENDPOINT,
        created_ms=now_ms,
    )


@dataclass(frozen=True)
class PassageSpan:
    """Where a passage is in the text."""

    start: int
    end: int
    page: int | None
    section: str


def encode_passages(passages: "Sequence[TextPassage]") -> bytes:
    """Passages as stored bytes: their places, not their words, which are in the text."""
    return canonical_json([[each.start, each.end, each.page, each.section] for each in passages])


def decode_passages(stored: bytes) -> list[PassageSpan]:
    """Stored passages."""
    return [PassageSpan(*row) for row in json.loads(stored)]
