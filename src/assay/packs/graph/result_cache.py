"""Results in the store: found again where they are whole, kept as far as there is something."""

import asyncio
from dataclasses import replace

from assay.packs.graph.results import GraphResult, parse_stored_result
from assay.packs.graph.steps import GraphCompleteness
from assay.sdk.errors import AssayError
from assay.sdk.facts import RequestResults
from assay.sdk.records import canonical_json

KIND = "graph"
"""Under which results are stored."""
UNVERIFIED = "unverified"
"""How far a stored result is complete that holds relations which nobody verified."""


async def find_kept_result(results: RequestResults | None, key: str) -> GraphResult | None:
    """What an equal request gave, if it was whole: one that was not may do better now."""
    if results is None:
        return None

    def read() -> GraphResult | None:
        data = results.find(key)
        result = None if data is None else parse_stored_result(data)
        return result if result is not None and _is_whole(result) else None

    return await asyncio.to_thread(read)


async def keep_result(results: RequestResults | None, result: GraphResult) -> GraphResult:
    """Keep a result. Nothing at all is no result, and must not take the place of one."""
    if results is None or result.completeness is GraphCompleteness.EMPTY:
        return result
    # Only what is whole stays for good.
    completeness = UNVERIFIED if result.unverified else result.completeness.value

    def keep() -> None:
        data = canonical_json(result.to_dict())
        results.keep(result.key, result.request_id, KIND, completeness, data)

    try:
        await asyncio.to_thread(keep)
    except AssayError as error:
        # It is made and paid for, and whoever asked is there to take it.
        told = f"The result could not be kept: {error.what}"
        return replace(result, warnings=(*result.warnings, told))
    return result


def _is_whole(result: GraphResult) -> bool:
    """Whether another try could not bring more."""
    return result.completeness is GraphCompleteness.COMPLETE and not result.unverified
