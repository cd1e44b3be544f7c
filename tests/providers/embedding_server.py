"""A server on loopback that computes vectors as `/v1/embeddings` does, and misbehaves as told."""

from collections import deque
from typing import Any

from aiohttp import web

from assay.llm.doubles.words import count_tokens
from tests.providers.loopback import LoopbackServer


class EmbeddingServer(LoopbackServer):
    """`async with EmbeddingServer(faults...) as server:` and then `server.url`.

    Each call takes the next fault; after them it answers. A text's vector counts its letters, one
    after the other in `dimension` places. One token per word is counted.
    """

    def __init__(self, *faults: str, dimension: int = 8) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.dimension = dimension
        self._faults = deque(faults)
        app = web.Application()
        app.router.add_post("/v1/embeddings", self._answer)
        super().__init__(web.AppRunner(app, access_log=None))

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        fault = self._faults.popleft() if self._faults else ""
        if fault.isdecimal():
            told = {"error": {"message": f"The double answers {fault}."}}
            return web.json_response(told, status=int(fault), headers={"Retry-After": "0"})
        if fault == "html":
            return web.Response(text="<p>Hello", content_type="text/html")
        texts = body["input"]
        data = [
            {"object": "embedding", "index": place, "embedding": self._count_letters(text)}
            for place, text in enumerate(texts)
        ]
        usage: dict[str, int] | None = {"prompt_tokens": count_tokens(*texts)}
        if fault == "fewer":
            data.pop()
        elif fault == "uneven":
            data[-1]["embedding"] = [1.0, 2.0]
        elif fault == "words":
            data[0]["embedding"] = ["one"]
        elif fault == "twice":
            data[-1]["index"] = 0
        elif fault == "reversed":
            data.reverse()
        elif fault == "uncounted":
            usage = None
        elif fault == "wider":
            for entry, text in zip(data, texts, strict=True):
                entry["embedding"] = [*self._count_letters(text), 0.0]
        answer = web.json_response({"object": "list", "data": data, "usage": usage})
        if fault == "cut":
            answer = web.Response(body=answer.body[:40], content_type="application/json")  # type: ignore[index]
        return answer

    def _count_letters(self, text: str) -> list[float]:
        counts = [0.0] * self.dimension
        for letter in text.casefold():
            counts[ord(letter) % self.dimension] += 1.0
        return counts
