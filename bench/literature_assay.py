"""Assay's side of the literature bench: its own program, with services that know no work.

The peers ask no services and fetch nothing, so neither does Assay: its questions to OpenAlex,
Crossref and arXiv are answered on the spot, and no work has a text on the web. At the pace that
these sites ask for, everything would take days. The rest is the program as it is:
`python -m bench.literature_assay --home HOME run`.
"""

from collections.abc import Iterable
from unittest.mock import patch

from assay.cli.main import main
from assay.packs.literature.records import WorkDetails, WorkReference
from assay.packs.literature.resolving.lookup import LookupResult, SendRequest
from assay.packs.literature.resolving.requests import ServiceRequest
from assay.packs.literature.stages import identity, resolve


async def find_nothing(requests: Iterable[ServiceRequest], send: SendRequest) -> list[LookupResult]:
    """Every service says that it does not know what it is asked about."""
    return [LookupResult(request=request, missing=tuple(request.wanted)) for request in requests]


def list_nothing(
    doc_id: str, details: Iterable[WorkDetails], references: Iterable[WorkReference]
) -> list[str]:
    """No text can be fetched."""
    return []


if __name__ == "__main__":
    with (
        patch.object(resolve, "look_up", find_nothing),
        patch.object(identity, "list_text_urls", list_nothing),
    ):
        main()
