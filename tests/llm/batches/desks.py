"""A server of batches, a database, and desks that come and go between them."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from assay.clock import TurnedClock
from assay.errors import AssayError
from assay.llm.batches import AnthropicBatches, BatchService, GeminiBatches, OpenAIBatches
from assay.llm.batches.sender import GRACE_MS
from assay.llm.doubles.words import count_tokens
from assay.llm.ledger import Ledger
from assay.llm.limits import Policy
from assay.llm.messages import ModelAnswer, ModelRequest
from assay.llm.providers.anthropic import anthropic
from assay.llm.providers.gemini import gemini
from assay.llm.providers.openai import openai
from tests.providers.batch_server import BatchServer

KEY = "sk-secret-of-the-test"
DIALECTS = ("openai", "anthropic", "gemini")
Made = OpenAIBatches | AnthropicBatches | GeminiBatches


class Died(BaseException):
    """The process is gone."""


class Words:
    """Counts as the server does, and sets five more aside."""

    def __init__(self) -> None:
        self.learned: list[tuple[int, int]] = []

    def raw_prompt(self, request: ModelRequest) -> int:
        return count_tokens(request.system, request.user)

    def reserve_for(self, provider: str, model: str, raw: int) -> int:
        return raw + 5

    def output_tokens(self, provider: str, model: str, text: str) -> int:
        return count_tokens(text)

    def learn(self, provider: str, model: str, estimated_raw: int, actual: int) -> None:
        self.learned.append((estimated_raw, actual))


def fits(key: str, request: ModelRequest, text: str) -> bool:
    """The double says each question again, and each question names its key."""
    return f"about {key} " in f"{text} "


class Bench:
    """A server, a database, and desks that come and go."""

    def __init__(self, server: BatchServer, engine: sa.Engine) -> None:
        self.server = server
        self.engine = engine
        self.clock = TurnedClock()
        self.policy = Policy(daily_tokens=None, evidence_tokens=None)
        self.estimator = Words()
        self.made: list[Made] = []

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.engine, self.policy, clock=self.clock)

    def provider(self, dialect: str = "openai", *, key: str = KEY) -> Made:
        url = self.server.url
        made: Made
        if dialect == "openai":
            made = OpenAIBatches(openai("gpt-4o", key=key, base_url=f"{url}/v1"))
        elif dialect == "anthropic":
            made = AnthropicBatches(anthropic("claude-3-haiku", key=key, base_url=url))
        else:
            made = GeminiBatches(gemini("gemini-2.5-flash", key=key, base_url=url))
        self.made.append(made)
        return made

    def desk(self, *dialects: str, **parts: Any) -> BatchService:
        """A desk as a new process would make it."""
        return BatchService(
            parts.pop("ledger", self.ledger),
            self.estimator,
            providers=[self.provider(dialect) for dialect in dialects or DIALECTS],
            checks={"fits": fits},
            clock=self.clock,
            **parts,
        )

    def rows(self, query: str) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(sa.text(query)))

    def charged(self) -> int:
        """What the ledger charges, which its meter must say too."""
        calls = self.rows("SELECT COALESCE(SUM(charged_tokens), 0) FROM llm_calls")[0][0]
        meters = self.rows("SELECT COALESCE(SUM(tokens), 0) FROM llm_meters WHERE meter = 'all'")
        assert calls == meters[0][0]
        return int(calls)

    def calls(self) -> dict[tuple[str, str], int]:
        """How many calls are in which state, charged on which basis."""
        query = "SELECT state, basis, COUNT(*) FROM llm_calls GROUP BY state, basis"
        return {(state, basis): count for state, basis, count in self.rows(query)}

    def pass_grace(self) -> None:
        self.clock.turn(seconds=GRACE_MS / 1000 + 1)


def questions(*keys: str) -> dict[str, ModelRequest]:
    return {
        key: ModelRequest(
            system="Be short.", user=f"tell about {key} " + "and more " * place, max_tokens=20
        )
        for place, key in enumerate(keys or ("a", "b", "c"))
    }


def texts(results: Mapping[str, ModelAnswer | AssayError]) -> dict[str, str]:
    return {key: answer.text for key, answer in results.items() if isinstance(answer, ModelAnswer)}
