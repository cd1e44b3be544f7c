"""pydantic-ai: a direct call to its OpenAI model, with no agent and no limit around it."""

from collections.abc import Sequence

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from bench.calls_peers.timing import ANSWER_WORDS, measure_peer, read_run


def main(argv: Sequence[str]) -> None:
    run = read_run("python -m bench.calls_peers pydantic_ai", argv)
    provider = OpenAIProvider(base_url=f"{run.server}/v1", api_key="none")
    model = OpenAIChatModel("m", provider=provider)

    async def ask(text: str, _: int) -> object:
        return await model_request(
            model,
            [ModelRequest.user_text_prompt(text)],
            model_settings={"max_tokens": ANSWER_WORDS},
        )

    measure_peer(ask, run.calls)
