"""Assay's side of the literature bench: its own program, with services that know no work.

The peers ask no services, so Assay's questions to OpenAlex, Crossref and arXiv are answered at once
and on the spot; at the pace that these services ask for, they would take hours. Everything else is
the program as it is: `python -m bench.literature_assay --home HOME literature run`.
"""

from collections.abc import Iterable

from assay.cli.main import main
from assay.packs.literature.resolving.lookup import LookupResult, SendRequest
from assay.packs.literature.resolving.requests import ServiceRequest
from assay.packs.literature.stages import resolve


async def find_nothing(requests: Iterable[ServiceRequest], send: SendRequest) -> list[LookupResult]:
    """Every service says that it does not know what it is asked about."""
    return [LookupResult(request=request, missing=tuple(request.wanted)) for request in requests]


if __name__ == "__main__":
    resolve.look_up = find_nothing
    main()
