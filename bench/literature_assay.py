"""Assay's side of the literature bench: its own program, with services that know no work.

The peers ask no services and fetch nothing, so neither does Assay: its questions to OpenAlex,
Crossref and arXiv are answered on the spot, and no work has a text on the web. At the pace that
these sites ask for, everything would take days. The rest is the program as it is. A peer is one
process that imports a library, and so is Assay: the input holds the words of several commands, a
JSON list each, and they run one after the other.
"""

import json
import sys
from collections.abc import Iterable, Sequence
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


def run_commands(options: Sequence[str], commands: Iterable[Sequence[str]]) -> None:
    """Run commands as the shell would; the first that fails ends it."""
    for words in commands:
        sys.argv = ["assay", *options, *words]
        try:
            main()
        except SystemExit as ended:
            if ended.code:
                raise


if __name__ == "__main__":
    with (
        patch.object(resolve, "look_up", find_nothing),
        patch.object(identity, "list_text_urls", list_nothing),
    ):
        run_commands(sys.argv[1:], map(json.loads, sys.stdin))
