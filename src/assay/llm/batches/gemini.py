"""Gemini's batches, with inline questions. Answers have been seen in a different order than the
questions and without keys: an answer without a key is never assigned to a question."""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from assay.llm.batches.http import MOST_PAGES, PAGE, BatchHttp, get_objects, read_handle
from assay.llm.batches.provider import (
    BatchEnding,
    BatchProgress,
    BatchResult,
    BatchSighting,
    ResultKind,
    SoughtBatch,
)
from assay.llm.messages import AnswerPiece, ModelRequest
from assay.llm.providers.dialect import Json, StreamFault, get_object, get_text

_ENDINGS = {
    "SUCCEEDED": BatchEnding.COMPLETED,
    "FAILED": BatchEnding.FAILED,
    "CANCELLED": BatchEnding.CANCELLED,
    "EXPIRED": BatchEnding.EXPIRED,
}
_CANCELLED = frozenset({1, 499})
_UNFIT = frozenset({3, 9, 11, 400})
"""gRPC or HTTP codes that mean that the question itself is at fault."""


class GeminiBatches(BatchHttp):
    """Batches of generateContent."""

    most_items = 100_000
    most_bytes = 20_000_000

    async def pack(self, batch_id: str, requests: Mapping[str, ModelRequest]) -> bytes:
        inlined = [
            {"request": self._build_body(request), "metadata": {"key": key}}
            for key, request in requests.items()
        ]
        config = {"requests": {"requests": inlined}}
        packed = json.dumps({"batch": {"displayName": batch_id, "inputConfig": config}}).encode()
        self._require_fitting(len(inlined), len(packed))
        return packed

    async def submit(self, batch_id: str, parcel: bytes) -> str:
        model = quote(self.model.removeprefix("models/"), safe="")
        path = f"/v1beta/models/{model}:batchGenerateContent"
        return read_handle(await self._request_json("POST", path, body=parcel), "name", self.name)

    async def find(self, sought: SoughtBatch) -> BatchSighting:
        query, nameless = {"pageSize": PAGE}, ""
        for _ in range(MOST_PAGES):
            page = await self._request_json("GET", "/v1beta/batches", query=query)
            for operation in get_objects(page, "operations"):
                handle = read_handle(operation, "name", self.name)
                name = get_text(get_object(operation, "metadata"), "displayName")
                if name == sought.batch_id:
                    return BatchSighting(handle)
                if not name and handle not in sought.taken:
                    nameless = f"{handle} has no display name."
            token = get_text(page, "nextPageToken")
            if not token:
                return BatchSighting(doubt=nameless)
            query["pageToken"] = token
        return BatchSighting(doubt="its list of batches does not end.")

    async def poll(self, handle: str) -> BatchProgress:
        operation = await self._request_json("GET", _operation_path(handle))
        # The state's name has been seen with two different prefixes.
        state = get_text(get_object(operation, "metadata"), "state").partition("_STATE_")[2]
        ending = _ENDINGS.get(state)
        if ending is BatchEnding.COMPLETED and _find_responses(operation) is None:
            # It is done, but its answers are still being written.
            return BatchProgress()
        return BatchProgress(ending, get_text(get_object(operation, "error"), "message"))

    async def results(self, handle: str) -> Sequence[BatchResult]:
        operation = await self._request_json("GET", _operation_path(handle))
        return [self._parse_result(each) for each in _find_responses(operation) or []]

    async def cancel(self, handle: str) -> None:
        await self._request_json("POST", f"{_operation_path(handle)}:cancel", body=b"{}")

    def _parse_result(self, response: Json) -> BatchResult:
        key = get_text(get_object(response, "metadata"), "key") or None
        error = get_object(response, "error")
        if error:
            code, message = error.get("code"), get_text(error, "message")
            kind = ResultKind.FAILED
            if code in _CANCELLED:
                kind = ResultKind.CANCELLED
            elif code in _UNFIT:
                kind = ResultKind.REFUSED
            return BatchResult(key=key, kind=kind, what=message or f"Its code is {code}.")
        # A complete answer has the shape of a stream's last piece.
        line = f"data: {json.dumps(get_object(response, 'response'))}"
        try:
            pieces = list(self._dialect.reader().feed(line))
        except StreamFault:
            pieces = []
        piece = pieces[0] if pieces else AnswerPiece()
        if piece.finish is None:
            what = "The answer has an unexpected shape."
            return BatchResult(key=key, kind=ResultKind.FAILED, usage=piece.usage, what=what)
        return BatchResult(
            key=key,
            kind=ResultKind.ANSWERED,
            text=piece.text,
            usage=piece.usage,
            finish=piece.finish,
        )


def _operation_path(handle: str) -> str:
    return f"/v1beta/{quote(handle, safe='/')}"


def _find_responses(operation: Json) -> list[Json] | None:
    """The answers, from either of the two places that may hold them; None if neither does."""
    for output in (
        get_object(operation, "response"),
        get_object(get_object(operation, "metadata"), "output"),
    ):
        inlined = get_object(output, "inlinedResponses")
        if "inlinedResponses" in inlined:
            return get_objects(inlined, "inlinedResponses")
    return None
