"""Gemini's batches, with their questions inline. Their answers were seen in another order than
the questions, and without their keys: an answer without a key is never put to a question."""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from assay.llm.batches.http import BatchHttp, handle_of, listed
from assay.llm.batches.provider import Ending, Progress, Result, ResultKind, Sighting, Sought
from assay.llm.messages import ModelRequest, Piece
from assay.llm.providers.dialect import FaultInStream, Json, inner, text_of

_PAGE = "100"
_MOST_PAGES = 50
_ENDINGS = {
    "SUCCEEDED": Ending.COMPLETED,
    "FAILED": Ending.FAILED,
    "CANCELLED": Ending.CANCELLED,
    "EXPIRED": Ending.EXPIRED,
}
_CANCELLED = frozenset({1, 499})
_UNFIT = frozenset({3, 9, 11, 400})
"""Codes that say that the question itself is at fault, as gRPC or as HTTP numbers them."""


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
        return handle_of(await self._request_json("POST", path, body=parcel), "name", self.name)

    async def find(self, sought: Sought) -> Sighting:
        query, nameless = {"pageSize": _PAGE}, ""
        for _ in range(_MOST_PAGES):
            page = await self._request_json("GET", "/v1beta/batches", query=query)
            for operation in listed(page, "operations"):
                handle = handle_of(operation, "name", self.name)
                named = text_of(inner(operation, "metadata"), "displayName")
                if named == sought.batch_id:
                    return Sighting(handle)
                if not named and handle not in sought.taken:
                    nameless = f"{handle} does not say what it is called."
            token = text_of(page, "nextPageToken")
            if not token:
                return Sighting(doubt=nameless)
            query["pageToken"] = token
        return Sighting(doubt="its list of batches has no end.")

    async def poll(self, handle: str) -> Progress:
        operation = await self._request_json("GET", _path(handle))
        # The state's name was seen with either beginning.
        state = text_of(inner(operation, "metadata"), "state").partition("_STATE_")[2]
        ending = _ENDINGS.get(state)
        if ending is Ending.COMPLETED and _responses(operation) is None:
            # It is done, but its answers are still being written.
            return Progress()
        return Progress(ending, text_of(inner(operation, "error"), "message"))

    async def results(self, handle: str) -> Sequence[Result]:
        operation = await self._request_json("GET", _path(handle))
        return [self._parse_result(each) for each in _responses(operation) or []]

    async def cancel(self, handle: str) -> None:
        await self._request_json("POST", f"{_path(handle)}:cancel", body=b"{}")

    def _parse_result(self, response: Json) -> Result:
        key = text_of(inner(response, "metadata"), "key") or None
        error = inner(response, "error")
        if error:
            code, said = error.get("code"), text_of(error, "message")
            kind = ResultKind.FAILED
            if code in _CANCELLED:
                kind = ResultKind.CANCELLED
            elif code in _UNFIT:
                kind = ResultKind.REFUSED
            return Result(key=key, kind=kind, what=said or f"Its code is {code}.")
        # A whole answer has the shape of a stream's last piece.
        line = f"data: {json.dumps(inner(response, 'response'))}"
        try:
            pieces = list(self._dialect.reader().feed(line))
        except FaultInStream:
            pieces = []
        piece = pieces[0] if pieces else Piece()
        if piece.finish is None:
            what = "The answer has another shape."
            return Result(key=key, kind=ResultKind.FAILED, usage=piece.usage, what=what)
        return Result(
            key=key,
            kind=ResultKind.ANSWERED,
            text=piece.text,
            usage=piece.usage,
            finish=piece.finish,
        )


def _path(handle: str) -> str:
    return f"/v1beta/{quote(handle, safe='/')}"


def _responses(operation: Json) -> list[Json] | None:
    """The answers, from either place that may hold them; None where neither does."""
    for output in (inner(operation, "response"), inner(inner(operation, "metadata"), "output")):
        inlined = inner(output, "inlinedResponses")
        if "inlinedResponses" in inlined:
            return listed(inlined, "inlinedResponses")
    return None
