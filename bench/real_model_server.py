"""`python bench/real_model_server.py --gguf FILE`: one real model behind the OpenAI protocol.

Runs with the Python of the bench's own virtual environment, on loopback only, and knows nothing
of Assay. It prints one line of JSON with its address once it listens, and ends with its standard
input, so that it never outlives the bench that started it.
"""

import argparse
import json
import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]


def serve(gguf: str, threads: int, context: int) -> "xllamacpp.Server":
    """Load the model and listen on a free port of loopback."""
    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.model_alias = {Path(gguf).stem}
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.n_gpu_layers = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.endpoint_metrics = True
    params.endpoint_slots = True
    # The server's counters leave out what its prompt cache saved it; an answer's usage does not.
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.offline = True
    params.ui = False
    return xllamacpp.Server(params)


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(prog="python bench/real_model_server.py")
    parser.add_argument("--gguf", required=True, help="the model's file")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--context", type=int, default=4096, help="tokens of prompt and answer")
    given = parser.parse_args()
    server = serve(given.gguf, given.threads, given.context)
    print(json.dumps({"url": server.listening_address}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
