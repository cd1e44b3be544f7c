"""Run one peer: `run CORPUS STATE` brings its index up to date, `probe CORPUS STATE` searches it.

`probe` reads a JSON list of queries on its input and answers with the paper that each finds first.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

from bench.literature_peers.inputs import load_embedder


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=("cocoindex", "llamaindex"))
    parser.add_argument("action", choices=("run", "probe"))
    parser.add_argument("corpus", type=Path)
    parser.add_argument("state", type=Path)
    parser.add_argument("--cached", action="store_true", help="with the cache of LlamaIndex")
    parser.add_argument("--vectors", type=Path, required=True, help="the module that makes vectors")
    given = parser.parse_args()
    peer = importlib.import_module(f"bench.literature_peers.{given.peer}_index")
    embedder = load_embedder(given.vectors)
    if given.action == "run":
        more = {"is_cached": True} if given.cached else {}
        answer = peer.update(given.corpus, given.state, embedder, **more)
    else:
        answer = peer.probe(given.state, embedder, json.load(sys.stdin))
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
