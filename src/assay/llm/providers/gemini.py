"""Google's Gemini dialect, generateContent."""

import re
from collections.abc import Iterable
from typing import Unpack
from urllib.parse import quote

from assay.llm.limits import PROVIDER_LIMITS
from assay.llm.messages import AnswerPiece, ModelRequest, Usage
from assay.llm.providers.dialect import (
    AnswerReader,
    Complaint,
    Dialect,
    Json,
    StreamFault,
    get_object,
    get_text,
    parse_event_data,
    parse_object,
    sum_counts,
)
from assay.llm.providers.http import HttpOptions, HttpProvider, fill_options
from assay.llm.providers.rates import parse_duration_ms

BASE_URL = "https://generativelanguage.googleapis.com"

_FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
_USED_UP = re.compile(r"plan and billing|credits are depleted|spending cap", re.IGNORECASE)


def gemini(model: str, **options: Unpack[HttpOptions]) -> HttpProvider:
    """A model at Google."""
    limits = PROVIDER_LIMITS["google"]
    complete = fill_options(options, name="gemini", base_url=BASE_URL, limits=limits)
    return HttpProvider(GeminiDialect(), model=model, **complete)


class GeminiDialect(Dialect):
    """streamGenerateContent as server-sent events."""

    def path(self, model: str) -> str:
        name = quote(model.removeprefix("models/"), safe="")
        return f"/v1beta/models/{name}:streamGenerateContent?alt=sse"

    def headers(self, key: str | None) -> dict[str, str]:
        # Never in the address, which would also work, because addresses end up in logs.
        return {"x-goog-api-key": key} if key else {}

    def body(self, model: str, request: ModelRequest) -> Json:
        config: Json = {
            "maxOutputTokens": request.max_tokens,
            "temperature": request.temperature,
        }
        if request.schema is not None:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = request.schema
        body: Json = {
            "contents": [{"role": "user", "parts": [{"text": request.user}]}],
            "generationConfig": config,
        }
        if request.system:
            body["systemInstruction"] = {"parts": [{"text": request.system}]}
        return body

    def reader(self) -> "GeminiReader":
        return GeminiReader()

    def complaint(self, status: int, body: Json) -> Complaint:
        error = get_object(body, "error")
        what = get_text(error, "message")
        details = [each for each in error.get("details") or [] if isinstance(each, dict)]
        waits = [parse_duration_ms(get_text(each, "retryDelay")) for each in details]
        wait_ms = next((wait for wait in waits if wait is not None), None)
        quotas = [
            get_text(violation, "quotaId")
            for each in details
            for violation in each.get("violations") or []
            if isinstance(violation, dict)
        ]
        # Google also says 'quota' of a limit per minute; only a daily one stays used up.
        if quotas:
            quota = any("PerDay" in name for name in quotas)
        else:
            quota = wait_ms is None and bool(_USED_UP.search(what))
        auth = any(each.get("reason") == "API_KEY_INVALID" for each in details)
        return Complaint(what, quota=quota, auth=auth, retry_after_ms=wait_ms)


class GeminiReader(AnswerReader):
    """Reads one answer. The chunk with a finish reason is the last."""

    def feed(self, line: str) -> Iterable[AnswerPiece]:
        data = parse_event_data(line)
        if data is None:
            return []
        chunk = parse_object(data)
        if chunk.get("error"):
            code = get_object(chunk, "error").get("code")
            raise StreamFault(code if isinstance(code, int) else 500, chunk)
        candidates = chunk.get("candidates") or []
        candidate: Json = candidates[0] if candidates else {}
        text = "".join(
            get_text(part, "text")
            for part in get_object(candidate, "content").get("parts") or []
            if not part.get("thought")
        )
        finish = candidate.get("finishReason") or get_object(chunk, "promptFeedback").get(
            "blockReason"
        )
        self.finished = finish is not None
        usage = _parse_usage(get_object(chunk, "usageMetadata"))
        if not text and usage is None and finish is None:
            return []
        reason = None if finish is None else _FINISH.get(finish, str(finish).lower())
        return [AnswerPiece(text, usage=usage, finish=reason)]


def _parse_usage(usage: Json) -> Usage | None:
    prompt = sum_counts(usage, "promptTokenCount")
    if prompt is None:
        return None
    # Thoughts are charged like the answer but counted separately; proto leaves out a count of 0.
    counts = [usage.get(name, 0) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
    return Usage(prompt, sum(count for count in counts if isinstance(count, int)))
