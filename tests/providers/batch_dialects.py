"""The three batch APIs as a provider speaks them: how questions come, and how results go."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from tests.providers.batch_books import Fate, HeldBatch, HeldItem
from tests.providers.dialects import (
    AnthropicServer,
    GeminiServer,
    Json,
    OpenAIServer,
    ServerDialect,
)


class BatchServerDialect(Protocol):
    """How a provider of batches reads and writes."""

    name: str
    single: ServerDialect
    """How it speaks of one question."""

    def items(self, asked: Any, model: str) -> list[HeldItem]:
        """The questions of a creation."""
        ...

    def shown(self, batch: HeldBatch, base: str) -> Json:
        """The batch as one sees it."""
        ...

    def result(self, key: str | None, item: HeldItem, *, usage: bool) -> Json: ...

    def page(self, batches: Sequence[Json], last: bool) -> Json:
        """A part of the list of all batches."""
        ...


class OpenAIBatchServer:
    """Files and batches."""

    name = "openai"
    single: ServerDialect = OpenAIServer()

    def items(self, asked: Any, model: str) -> list[HeldItem]:
        return [
            HeldItem(key=line["custom_id"], asked=self.single.read(line["body"], model, False))
            for line in asked
        ]

    def shown(self, batch: HeldBatch, base: str) -> Json:
        status = batch.ending if batch.ended else "in_progress"
        if batch.cancelled and not batch.ended:
            status = "cancelling"
        done = [item for item in batch.items if item.fate is Fate.ANSWERED]
        some, none = batch.ended and bool(done), batch.ended and len(done) < len(batch.items)
        shown: Json = {
            "id": batch.handle,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": int(batch.created_s),
            "status": status,
            "input_file_id": batch.file,
            "metadata": {"assay_batch_id": batch.name} if batch.behaviour.named else None,
            "output_file_id": f"{batch.handle}-output" if some else None,
            "error_file_id": f"{batch.handle}-errors" if none else None,
            "errors": None,
        }
        if status == "failed":
            shown["error_file_id"] = None
            shown["errors"] = {"object": "list", "data": [{"message": "The file is invalid."}]}
        return shown

    def result(self, key: str | None, item: HeldItem, *, usage: bool) -> Json:
        line: Json = {"id": "batch_req_1", "custom_id": key, "response": None, "error": None}
        if item.fate in (Fate.EXPIRED, Fate.CANCELLED):
            said = f"This request was {item.fate.value} with its batch."
            line["error"] = {"code": f"batch_{item.fate.value}", "message": said}
            return line
        status = {Fate.ANSWERED: 200, Fate.REFUSED: 400, Fate.FAILED: 500}[item.fate]
        body = (
            self.single.whole(item.asked, item.text, item.usage if usage else None, item.finish)
            if status == 200
            else self.single.fault(status, "The double does not answer it.", False, None)
        )
        line["response"] = {"status_code": status, "request_id": "req_1", "body": body}
        return line

    def page(self, batches: Sequence[Json], last: bool) -> Json:
        return {"object": "list", "data": list(batches), "has_more": not last}


class AnthropicBatchServer:
    """Message batches."""

    name = "anthropic"
    single: ServerDialect = AnthropicServer()

    def items(self, asked: Any, model: str) -> list[HeldItem]:
        return [
            HeldItem(key=each["custom_id"], asked=self.single.read(each["params"], model, False))
            for each in asked["requests"]
        ]

    def shown(self, batch: HeldBatch, base: str) -> Json:
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        for item in batch.items:
            counts[_COUNTED[item.fate] if batch.ended else "processing"] += 1
        status = "ended" if batch.ended else "canceling" if batch.cancelled else "in_progress"
        stamp = _stamp(batch.created_s)
        results = f"{base}/v1/messages/batches/{batch.handle}/results"
        return {
            "id": batch.handle,
            "type": "message_batch",
            "processing_status": status,
            "request_counts": counts,
            "created_at": stamp,
            "cancel_initiated_at": stamp if batch.cancelled else None,
            "results_url": results if batch.ended else None,
        }

    def result(self, key: str | None, item: HeldItem, *, usage: bool) -> Json:
        result: Json
        if item.fate is Fate.ANSWERED:
            told = item.usage if usage else None
            message = self.single.whole(item.asked, item.text, told, item.finish)
            result = {"type": "succeeded", "message": message}
        elif item.fate in (Fate.FAILED, Fate.REFUSED):
            status = 400 if item.fate is Fate.REFUSED else 500
            fault = self.single.fault(status, "The double does not answer it.", False, None)
            result = {"type": "errored", "error": fault}
        else:
            result = {"type": _COUNTED[item.fate]}
        return {"custom_id": key, "result": result}

    def page(self, batches: Sequence[Json], last: bool) -> Json:
        return {"data": list(batches), "has_more": not last}


class GeminiBatchServer:
    """Batches of generateContent, inline."""

    name = "gemini"
    single: ServerDialect = GeminiServer()

    def items(self, asked: Any, model: str) -> list[HeldItem]:
        return [
            HeldItem(
                key=each["metadata"]["key"], asked=self.single.read(each["request"], model, False)
            )
            for each in asked["batch"]["inputConfig"]["requests"]["requests"]
        ]

    def shown(self, batch: HeldBatch, base: str) -> Json:
        state = _STATES[batch.ending] if batch.ended else "RUNNING"
        shown: Json = {
            "name": batch.handle,
            "metadata": {
                "@type": "type.googleapis.com/google.ai.generativelanguage.v1.GenerateContentBatch",
                "name": batch.handle,
                "displayName": batch.name if batch.behaviour.named else "",
                "createTime": _stamp(batch.created_s),
                "batchStats": {"requestCount": str(len(batch.items))},
                "state": f"BATCH_STATE_{state}",
            },
        }
        if not batch.ended:
            return shown
        shown["done"] = True
        if state != "SUCCEEDED":
            code = {"CANCELLED": 1, "EXPIRED": 4, "FAILED": 13}[state]
            shown["error"] = {"code": code, "message": f"The batch ended as {state.lower()}."}
            return shown
        usage = batch.behaviour.usage
        responses = [self.result(key, item, usage=usage) for key, item in batch.answers()]
        shown["response"] = {"inlinedResponses": {"inlinedResponses": responses}}
        return shown

    def result(self, key: str | None, item: HeldItem, *, usage: bool) -> Json:
        named: Json = {} if key is None else {"metadata": {"key": key}}
        if item.fate is Fate.ANSWERED:
            told = item.usage if usage else None
            return {
                **named,
                "response": self.single.whole(item.asked, item.text, told, item.finish),
            }
        code = {Fate.REFUSED: 3, Fate.CANCELLED: 1, Fate.EXPIRED: 4, Fate.FAILED: 13}[item.fate]
        return {**named, "error": {"code": code, "message": "The double does not answer it."}}

    def page(self, batches: Sequence[Json], last: bool) -> Json:
        more = {} if last else {"nextPageToken": batches[-1]["name"]}
        return {"operations": list(batches), **more}


_COUNTED: Mapping[Fate, str] = {
    Fate.ANSWERED: "succeeded",
    Fate.FAILED: "errored",
    Fate.REFUSED: "errored",
    Fate.CANCELLED: "canceled",
    Fate.EXPIRED: "expired",
}
_STATES = {
    "completed": "SUCCEEDED",
    "failed": "FAILED",
    "cancelled": "CANCELLED",
    "expired": "EXPIRED",
}


def _stamp(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
