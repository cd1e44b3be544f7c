"""Anthropic's message batches. They cannot carry our batch id, so a batch whose handle was lost can
be recognized only by the keys of its results, and only after it has ended."""

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from urllib.parse import quote

from assay.llm.batches.http import MOST_PAGES, PAGE, BatchHttp, get_objects, is_older, read_handle
from assay.llm.batches.provider import (
    BatchEnding,
    BatchProgress,
    BatchResult,
    BatchSighting,
    ResultKind,
    SoughtBatch,
)
from assay.llm.messages import ModelRequest, Usage
from assay.llm.providers.dialect import Json, get_object, get_text, sum_counts

PATH = "/v1/messages/batches"

_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_UNFIT = frozenset({"invalid_request_error", "invalid_request", "request_too_large"})
_KINDS = {"canceled": ResultKind.CANCELLED, "expired": ResultKind.EXPIRED}


class AnthropicBatches(BatchHttp):
    """Batches of Messages."""

    most_items = 100_000
    most_bytes = 256_000_000

    async def pack(self, batch_id: str, requests: Mapping[str, ModelRequest]) -> bytes:
        body = {
            "requests": [
                {"custom_id": key, "params": self._build_body(request)}
                for key, request in requests.items()
            ]
        }
        packed = json.dumps(body).encode()
        self._require_fitting(len(requests), len(packed))
        return packed

    async def submit(self, batch_id: str, parcel: bytes) -> str:
        return read_handle(await self._request_json("POST", PATH, body=parcel), "id", self.name)

    async def find(self, sought: SoughtBatch) -> BatchSighting:
        """Ours is among the newer batches of its size; only results can show which one it is."""
        hidden: list[str] = []
        query = {"limit": PAGE}
        for _ in range(MOST_PAGES):
            page = await self._request_json("GET", PATH, query=query)
            batches = get_objects(page, "data")
            for batch in batches:
                handle = read_handle(batch, "id", self.name)
                if handle in sought.taken or not _may_be_ours(batch, sought):
                    continue
                is_ours = await self._has_our_keys(batch, sought)
                if is_ours:
                    return BatchSighting(handle)
                if is_ours is None:
                    hidden.append(handle)
            # The newest come first.
            past = batches and all(is_older(b.get("created_at"), sought.since_ms) for b in batches)
            if not batches or not page.get("has_more") or past:
                return BatchSighting(doubt=_describe_doubt(hidden))
            query["after_id"] = read_handle(batches[-1], "id", self.name)
        return BatchSighting(doubt="its list of batches does not end.")

    async def poll(self, handle: str) -> BatchProgress:
        batch = await self._request_json("GET", f"{PATH}/{quote(handle, safe='')}")
        if batch.get("processing_status") != "ended":
            return BatchProgress()
        cancelled = batch.get("cancel_initiated_at") is not None
        return BatchProgress(BatchEnding.CANCELLED if cancelled else BatchEnding.COMPLETED)

    async def results(self, handle: str) -> Sequence[BatchResult]:
        # Not the address in the batch: the key goes only to the provider's own address.
        return [_parse_result(line) async for line in self._read_lines(_results_path(handle))]

    async def cancel(self, handle: str) -> None:
        await self._request_json("POST", f"{PATH}/{quote(handle, safe='')}/cancel")

    async def _has_our_keys(self, batch: Json, sought: SoughtBatch) -> bool | None:
        """Whether a batch's results have our keys; None if there are no results to look at."""
        if batch.get("processing_status") != "ended" or not batch.get("results_url"):
            return None
        path = _results_path(read_handle(batch, "id", self.name))
        is_ours = None
        async with aclosing(self._read_lines(path)) as lines:
            async for line in lines:
                is_ours = line is not None and line.get("custom_id") in sought.keys
                if is_ours:
                    break
        return is_ours


def _results_path(handle: str) -> str:
    return f"{PATH}/{quote(handle, safe='')}/results"


def _may_be_ours(batch: Json, sought: SoughtBatch) -> bool:
    counts = get_object(batch, "request_counts").values()
    size = sum(count for count in counts if isinstance(count, int))
    return size == len(sought.keys) and not is_older(batch.get("created_at"), sought.since_ms)


def _describe_doubt(hidden: Sequence[str]) -> str:
    if not hidden:
        return ""
    return f"it may be {' or '.join(hidden[:5])}, which has no results to identify it."


def _parse_result(line: Json | None) -> BatchResult:
    if line is None:
        return BatchResult(key=None, kind=ResultKind.FAILED, what="A line that is not JSON.")
    key, result = get_text(line, "custom_id") or None, get_object(line, "result")
    kind = get_text(result, "type")
    if kind == "succeeded":
        return _parse_answer(key, get_object(result, "message"))
    if kind in _KINDS:
        return BatchResult(key=key, kind=_KINDS[kind], what=f"Its result is '{kind}'.")
    # The error comes wrapped in the response that a single call would have got.
    error = get_object(result, "error")
    error = get_object(error, "error") or error
    unfit = get_text(error, "type") in _UNFIT
    what = get_text(error, "message") or f"Its result is '{kind}'."
    return BatchResult(key=key, kind=ResultKind.REFUSED if unfit else ResultKind.FAILED, what=what)


def _parse_answer(key: str | None, message: Json) -> BatchResult:
    usage = get_object(message, "usage")
    prompt, completion = sum_counts(usage, *_INPUT), sum_counts(usage, "output_tokens")
    reported = None if prompt is None or completion is None else Usage(prompt, completion)
    blocks = [each for each in get_objects(message, "content") if each.get("type") == "text"]
    reason = get_text(message, "stop_reason") or "end_turn"
    return BatchResult(
        key=key,
        kind=ResultKind.ANSWERED,
        text="".join(get_text(block, "text") for block in blocks),
        usage=reported,
        finish=_FINISH.get(reason, reason),
    )
