"""A provider on a real local server that behaves by stage, and a text that it can read."""

import json
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from bench.extract_texts import ONTOLOGY as ONTOLOGY

from assay.llm.doubles.words import WordEstimator
from assay.llm.limits import UNLIMITED, Policy
from assay.llm.messages import Lane
from assay.llm.plane import ControlPlane
from assay.llm.providers.openai import openai
from assay.llm.requests.supervisor import Supervisor
from assay.packs.graph.extraction import Caller, extract
from assay.packs.graph.memory import Memory
from assay.packs.graph.options import GraphOptions
from assay.packs.graph.results import GraphResult
from assay.store.database import open_engine
from tests.llm.requests.pipeline import GENEROUS, _empty_ledger
from tests.llm.virtual import LoopClock
from tests.providers.behaviour import Behaviour
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer

TEXT = (
    "Ada Lovelace was born in London in 1815. "
    "London is a city in England. "
    "Charles Babbage was born in Teignmouth."
)
ENTITIES = [
    {"mention": "Ada Lovelace", "type": "Person"},
    {"mention": "London", "type": "City"},
    {"mention": "England", "type": "Country"},
    {"mention": "Charles Babbage", "type": "Person"},
    {"mention": "Teignmouth", "type": "City"},
]
CLAIMS = [
    ("Ada Lovelace", "birth place", "London"),
    ("Ada Lovelace", "birth year", "1815"),
    ("London", "country", "England"),
    ("Charles Babbage", "birth place", "Teignmouth"),
]
STAGES = {
    "entities": "entityExtraction",
    "relations": "relationExtraction",
    "verdicts": "grounding",
}


def write_answer(field_: str, items: Sequence[Any]) -> str:
    return json.dumps({field_: list(items)})


def relations(claims: Sequence[tuple[str, str, str]] = CLAIMS) -> list[dict[str, str]]:
    return [{"subject": s, "property": p, "object": o} for s, p, o in claims]


def verdicts(asked: Asked) -> str:
    """Every statement of a question is borne out by its own words."""
    statements = asked.texts[-1].partition("Statements:")[2]
    told = []
    for line in statements.splitlines():
        number, dot, rest = line.partition(". ")
        if dot and number.strip().isdigit():
            object_ = rest.rpartition("→")[2].strip()
            told.append(
                {
                    "n": int(number),
                    "object": object_,
                    "words": _sentence_with(object_, rest.partition(" —")[0]),
                    "supported": True,
                    "confidence": 0.95,
                }
            )
    return write_answer("verdicts", told)


def _sentence_with(*words: str) -> str:
    for sentence in TEXT.replace(". ", ".\n").splitlines():
        if all(word in sentence for word in words):
            return sentence
    return ""


def stage_of(asked: Asked) -> str:
    """Which stage asks, by the list that it asks for."""
    system = "\n".join(asked.texts)
    return next(stage for field_, stage in STAGES.items() if f'{{"{field_}":' in system)


@dataclass
class Script:
    """What the provider does for each stage: one behaviour a call, the last for all after it."""

    entityExtraction: Sequence[Behaviour] = ()  # noqa: N815
    relationExtraction: Sequence[Behaviour] = ()  # noqa: N815
    grounding: Sequence[Behaviour] = ()
    asked: dict[str, int] = field(default_factory=lambda: defaultdict(int), init=False)

    def __post_init__(self) -> None:
        self._left = {stage: deque(getattr(self, stage)) for stage in STAGES.values()}

    def __call__(self, asked: Asked) -> Behaviour:
        stage = stage_of(asked)
        self.asked[stage] += 1
        left = self._left[stage]
        told = left.popleft() if len(left) > 1 else left[0] if left else Behaviour()
        if told.text is None:
            told = replace(told, text=self._well(stage, asked))
        return told if told.piece_chars else replace(told, piece_chars=told.piece_chars or 20)

    def _well(self, stage: str, asked: Asked) -> str:
        if stage == "entityExtraction":
            return write_answer("entities", ENTITIES)
        if stage == "relationExtraction":
            return write_answer("relations", relations())
        return verdicts(asked)


@dataclass
class Reading:
    """A server, and the ways to have a text read by it."""

    server: ProviderServer
    script: Script
    plane: ControlPlane
    supervisor: Supervisor
    memory: Memory = field(default_factory=Memory)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def read(
        self, text: str = TEXT, *, options: GraphOptions | None = None, **caller: Any
    ) -> GraphResult:
        who = {
            "supervisor": self.supervisor,
            "provider": "openai",
            "by": "openai:m",
            "memory": self.memory,
            "request_id": f"r{next(self._numbers)}",
        }
        return await extract(text, ONTOLOGY, options=options, caller=Caller(**{**who, **caller}))

    async def all_is_back(self) -> bool:
        """No permit out, nobody waiting, no request left, no connection in use."""
        await self.server.until(lambda books: books.under_way == 0)
        return (
            self.plane.limiter.permits_held == 0
            and self.plane.limiter.waiting_calls == 0
            and not self.supervisor.list_running()
        )


@asynccontextmanager
async def reading(
    folder: Path, script: Script | None = None, *, policy: Policy = GENEROUS, **plane_options: Any
) -> AsyncIterator[Reading]:
    """Everything, on the clock of the running loop."""
    script = script or Script()
    path = folder / "ledger.db"
    path.write_bytes(_empty_ledger())
    async with ProviderServer(script) as server:
        provider = openai("m", base_url=f"{server.url}/v1", lane=Lane.LOCAL, limits=UNLIMITED)
        plane = ControlPlane(
            open_engine(f"sqlite:///{path}"),
            [provider],
            policy=policy,
            clock=LoopClock(),
            estimator=WordEstimator(),
            owns_engine=True,
            **plane_options,
        )
        async with plane:
            yield Reading(server, script, plane, Supervisor(plane, clock=LoopClock()))
