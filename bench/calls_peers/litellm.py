"""LiteLLM: a plain call, with no limit and no retry around it."""

from collections.abc import Sequence

import litellm

from bench.calls_peers.timing import ANSWER_WORDS, measure_peer, read_run


def main(argv: Sequence[str]) -> None:
    run = read_run("python -m bench.calls_peers litellm", argv)
    litellm.suppress_debug_info = True

    async def ask(text: str, _: int) -> object:
        return await litellm.acompletion(
            model="openai/m",
            api_base=f"{run.server}/v1",
            api_key="none",
            messages=[{"role": "user", "content": text}],
            max_tokens=ANSWER_WORDS,
        )

    measure_peer(ask, run.calls)
