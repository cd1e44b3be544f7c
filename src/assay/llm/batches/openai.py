"""OpenAI's batches: a file of questions, a batch over it, and a file or two of results."""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

import aiohttp

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

ENDPOINT = "/v1/chat/completions"
BATCH_ID = "assay_batch_id"
"""The metadata field in which a batch at the provider carries our batch id."""

_ENDINGS = {
    "completed": BatchEnding.COMPLETED,
    "failed": BatchEnding.FAILED,
    "expired": BatchEnding.EXPIRED,
    "cancelled": BatchEnding.CANCELLED,
}
_NOT_DONE = {"batch_expired": ResultKind.EXPIRED, "batch_cancelled": ResultKind.CANCELLED}
_AGAIN = frozenset({408, 409, 425, 429})
"""Refusals that are not the question's fault."""


class OpenAIBatches(BatchHttp):
    """Batches of Chat Completions, at OpenAI or a server with the same dialect."""

    most_items = 50_000
    most_bytes = 200_000_000

    async def pack(self, batch_id: str, requests: Mapping[str, ModelRequest]) -> str:
        """Upload the questions; a file alone costs nothing and starts nothing."""
        lines = [
            json.dumps(
                {
                    "custom_id": key,
                    "method": "POST",
                    "url": ENDPOINT,
                    "body": self._build_body(request),
                }
            )
            for key, request in requests.items()
        ]
        content = ("\n".join(lines) + "\n").encode()
        self._require_fitting(len(lines), len(content))
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        name = _file_name(batch_id)
        form.add_field("file", content, filename=name, content_type="application/jsonl")
        return read_handle(await self._request_json("POST", "/files", body=form), "id", self.name)

    async def submit(self, batch_id: str, parcel: str) -> str:
        body = {
            "input_file_id": parcel,
            "endpoint": ENDPOINT,
            "completion_window": "24h",
            "metadata": {BATCH_ID: batch_id},
        }
        created = await self._request_json("POST", "/batches", body=json.dumps(body).encode())
        return read_handle(created, "id", self.name)

    async def find(self, sought: SoughtBatch) -> BatchSighting:
        query = {"limit": PAGE}
        for _ in range(MOST_PAGES):
            page = await self._request_json("GET", "/batches", query=query)
            batches = get_objects(page, "data")
            for batch in batches:
                if await self._is_sought(batch, sought):
                    return BatchSighting(read_handle(batch, "id", self.name))
            # The newest come first.
            past = batches and all(is_older(b.get("created_at"), sought.since_ms) for b in batches)
            if not batches or not page.get("has_more") or past:
                return BatchSighting()
            query["after"] = read_handle(batches[-1], "id", self.name)
        return BatchSighting(doubt="its list of batches does not end.")

    async def poll(self, handle: str) -> BatchProgress:
        batch = await self._get_batch(handle)
        errors = get_objects(get_object(batch, "errors"), "data")
        message = get_text(errors[0], "message") if errors else ""
        return BatchProgress(_ENDINGS.get(get_text(batch, "status")), message)

    async def results(self, handle: str) -> Sequence[BatchResult]:
        batch = await self._get_batch(handle)
        found: list[BatchResult] = []
        for name in ("output_file_id", "error_file_id"):
            if file := get_text(batch, name):
                path = f"/files/{quote(file, safe='')}/content"
                found.extend([self._parse_result(line) async for line in self._read_lines(path)])
        return found

    async def cancel(self, handle: str) -> None:
        await self._request_json("POST", f"/batches/{quote(handle, safe='')}/cancel")

    async def _is_sought(self, batch: Json, sought: SoughtBatch) -> bool:
        metadata = get_object(batch, "metadata")
        if metadata:
            return metadata.get(BATCH_ID) == sought.batch_id
        # Not every server with this dialect keeps the metadata; the file's name shows it is ours.
        if batch.get("id") in sought.taken or is_older(batch.get("created_at"), sought.since_ms):
            return False
        name = quote(get_text(batch, "input_file_id"), safe="")
        file = await self._request_json("GET", f"/files/{name}")
        return get_text(file, "filename") == _file_name(sought.batch_id)

    async def _get_batch(self, handle: str) -> Json:
        return await self._request_json("GET", f"/batches/{quote(handle, safe='')}")

    def _parse_result(self, line: Json | None) -> BatchResult:
        if line is None:
            return BatchResult(key=None, kind=ResultKind.FAILED, what="A line that is not JSON.")
        key = get_text(line, "custom_id") or None
        error, response = get_object(line, "error"), get_object(line, "response")
        if error:
            kind = _NOT_DONE.get(get_text(error, "code"), ResultKind.FAILED)
            return BatchResult(key=key, kind=kind, what=get_text(error, "message"))
        body, status = get_object(response, "body"), response.get("status_code")
        if status != 200:
            what = self._dialect.complaint(0, body).what or f"Its status is {status}."
            unfit = isinstance(status, int) and 400 <= status < 500 and status not in _AGAIN
            kind = ResultKind.REFUSED if unfit else ResultKind.FAILED
            return BatchResult(key=key, kind=kind, what=what)
        return _parse_answer(key, body)


def _file_name(batch_id: str) -> str:
    return f"{batch_id}.jsonl"


def _parse_answer(key: str | None, body: Json) -> BatchResult:
    usage = get_object(body, "usage")
    prompt, completion = sum_counts(usage, "prompt_tokens"), sum_counts(usage, "completion_tokens")
    reported = None if prompt is None or completion is None else Usage(prompt, completion)
    choices = get_objects(body, "choices")
    if not choices:
        what = "The answer has an unexpected shape."
        return BatchResult(key=key, kind=ResultKind.FAILED, usage=reported, what=what)
    return BatchResult(
        key=key,
        kind=ResultKind.ANSWERED,
        text=get_text(get_object(choices[0], "message"), "content"),
        usage=reported,
        finish=get_text(choices[0], "finish_reason") or "stop",
    )
