"""A home whose ledger holds calls, for what the program tells of spending."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from assay.app import App
from assay.app.models import open_ledger
from assay.errors import AssayError
from assay.llm.limits import UNLIMITED
from assay.llm.messages import Lane, Usage
from assay.llm.scope import CallRequest, CallScope, CallSettlement, CallState, Permit, UsageBasis

FILE = """\
daily_cost = 2.0
[providers.local]
kind = "ollama"
model = "small"
[providers.gpt]
kind = "openai"
model = "large"
key_env = "GPT_KEY"
[prices.large]
input_per_million = 100
output_per_million = 400
[prices.small]
input_per_million = 0
output_per_million = 0
"""
KEY = "sk-this-is-the-key"


@dataclass
class Spent:
    """A home whose ledger holds calls of today."""

    home: Path
    app: App
    day: str

    def call(
        self, source: str | None, prompt: int, output: int, *, provider: str = "local",
        model: str = "small", **scope: Any,
    ) -> Permit:  # fmt: skip
        ask = CallRequest(
            provider=provider, model=model, lane=Lane.LOCAL, limits=UNLIMITED,
            prompt_tokens=prompt, output_tokens=output, scope=CallScope(source=source, **scope),
        )  # fmt: skip
        permit = open_ledger(self.app).reserve(ask)
        assert isinstance(permit, Permit)
        return permit

    def end(self, permit: Permit, prompt: int, output: int) -> None:
        settlement = CallSettlement(
            state=CallState.DONE, basis=UsageBasis.REPORTED, usage=Usage(prompt, output)
        )
        open_ledger(self.app).settle(permit.call_id, UNLIMITED, settlement)

    def fail(self, error: AssayError, *, times: int = 1, provider: str = "gpt") -> None:
        for _ in range(times):
            permit = self.call(None, 1, 0, provider=provider, model="large")
            settlement = CallSettlement(
                state=CallState.FAILED, basis=UsageBasis.NOTHING, error=error
            )
            open_ledger(self.app).settle(permit.call_id, UNLIMITED, settlement)

    def execute(self, statement: str) -> None:
        with self.app.engine.begin() as connection:
            connection.execute(sa.text(statement))
