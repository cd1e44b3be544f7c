"""Anthropic's message batches. They carry no name of ours, so that one whose handle was lost is
known by the keys of its results alone, and not before it has ended."""

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from urllib.parse import quote

from assay.llm.batches.http import BatchHttp, handle_of, listed, older
from assay.llm.batches.provider import Ending, Progress, Result, ResultKind, Sighting, Sought
from assay.llm.messages import ModelRequest, Usage
from assay.llm.providers.dialect import Json, count_of, inner, text_of

PATH = "/v1/messages/batches"

_PAGE = "100"
_MOST_PAGES = 50
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
        return handle_of(await self._request_json("POST", PATH, body=parcel), "id", self.name)

    async def find(self, sought: Sought) -> Sighting:
        """Ours is among those of its size that came since; which one, only results can say."""
        hidden: list[str] = []
        query = {"limit": _PAGE}
        for _ in range(_MOST_PAGES):
            page = await self._request_json("GET", PATH, query=query)
            batches = listed(page, "data")
            for batch in batches:
                handle = handle_of(batch, "id", self.name)
                if handle in sought.taken or not _may_be(batch, sought):
                    continue
                told = await self._has_our_keys(batch, sought)
                if told:
                    return Sighting(handle)
                if told is None:
                    hidden.append(handle)
            # The newest come first.
            past = batches and all(older(b.get("created_at"), sought.since_ms) for b in batches)
            if not batches or not page.get("has_more") or past:
                return Sighting(doubt=_doubt(hidden))
            query["after_id"] = handle_of(batches[-1], "id", self.name)
        return Sighting(doubt="its list of batches has no end.")

    async def poll(self, handle: str) -> Progress:
        batch = await self._request_json("GET", f"{PATH}/{quote(handle, safe='')}")
        if batch.get("processing_status") != "ended":
            return Progress()
        cancelled = batch.get("cancel_initiated_at") is not None
        return Progress(Ending.CANCELLED if cancelled else Ending.COMPLETED)

    async def results(self, handle: str) -> Sequence[Result]:
        # Not the address that the batch tells: the key goes to the provider's own alone.
        return [_result(line) async for line in self._read_lines(_results_path(handle))]

    async def cancel(self, handle: str) -> None:
        await self._request_json("POST", f"{PATH}/{quote(handle, safe='')}/cancel")

    async def _has_our_keys(self, batch: Json, sought: Sought) -> bool | None:
        """Whether a batch's results bear our keys; None where it has none to look at."""
        if batch.get("processing_status") != "ended" or not batch.get("results_url"):
            return None
        path = _results_path(handle_of(batch, "id", self.name))
        told = None
        async with aclosing(self._read_lines(path)) as lines:
            async for line in lines:
                told = line is not None and line.get("custom_id") in sought.keys
                if told:
                    break
        return told


def _results_path(handle: str) -> str:
    return f"{PATH}/{quote(handle, safe='')}/results"


def _may_be(batch: Json, sought: Sought) -> bool:
    counts = inner(batch, "request_counts").values()
    size = sum(count for count in counts if isinstance(count, int))
    return size == len(sought.keys) and not older(batch.get("created_at"), sought.since_ms)


def _doubt(hidden: Sequence[str]) -> str:
    if not hidden:
        return ""
    return f"it may be {' or '.join(hidden[:5])}, which has no results to know it by."


def _result(line: Json | None) -> Result:
    if line is None:
        return Result(key=None, kind=ResultKind.FAILED, what="A line that is no JSON.")
    key, result = text_of(line, "custom_id") or None, inner(line, "result")
    kind = text_of(result, "type")
    if kind == "succeeded":
        return _answered(key, inner(result, "message"))
    if kind in _KINDS:
        return Result(key=key, kind=_KINDS[kind], what=f"Its result is '{kind}'.")
    # The error comes wrapped in an answer as it would have been given by itself.
    error = inner(result, "error")
    error = inner(error, "error") or error
    unfit = text_of(error, "type") in _UNFIT
    said = text_of(error, "message") or f"Its result is '{kind}'."
    return Result(key=key, kind=ResultKind.REFUSED if unfit else ResultKind.FAILED, what=said)


def _answered(key: str | None, message: Json) -> Result:
    usage = inner(message, "usage")
    prompt, completion = count_of(usage, *_INPUT), count_of(usage, "output_tokens")
    told = None if prompt is None or completion is None else Usage(prompt, completion)
    blocks = [each for each in listed(message, "content") if each.get("type") == "text"]
    reason = text_of(message, "stop_reason") or "end_turn"
    return Result(
        key=key,
        kind=ResultKind.ANSWERED,
        text="".join(text_of(block, "text") for block in blocks),
        usage=told,
        finish=_FINISH.get(reason, reason),
    )
