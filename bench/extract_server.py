"""The model of the load bench: `python -m bench.extract_server …`.

Assay's own server double as a process of its own, with answers that fit the texts of the bench.
It writes down what it was asked, so that the same can be asked again without Assay.
"""

import argparse
import asyncio
import json
from dataclasses import replace
from pathlib import Path

from tests.providers.behaviour import Behaviour
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer

from bench.extract_texts import reading
from bench.limiter_server import serve


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.extract_server")
    parser.add_argument("--first-delay-ms", type=float, required=True)
    parser.add_argument("--record", type=Path, required=True, help="a line for each prompt")
    given = parser.parse_args()
    with given.record.open("w", encoding="utf-8", buffering=1) as record:

        def answering(asked: Asked) -> Behaviour:
            record.write(json.dumps([*asked.texts]) + "\n")
            return replace(reading(asked), first_delay_ms=given.first_delay_ms)

        asyncio.run(serve(ProviderServer(answering)))


if __name__ == "__main__":
    main()
