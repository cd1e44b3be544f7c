"""The model of the bench of requests: `python -m bench.extract_server`.

Assay's own server double as a process of its own, with answers that fit the texts of the bench.
"""

import argparse
import asyncio
from dataclasses import replace

from assay.llm.doubles.behaviour import Behaviour
from assay.llm.doubles.dialects import Asked
from assay.llm.doubles.server import ProviderServer
from bench.extract_texts import reading
from bench.limiter_server import serve


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.extract_server")
    parser.add_argument("--first-delay-ms", type=float, required=True)
    given = parser.parse_args()

    def answering(asked: Asked) -> Behaviour:
        return replace(reading(asked), first_delay_ms=given.first_delay_ms)

    asyncio.run(serve(ProviderServer(answering)))


if __name__ == "__main__":
    main()
