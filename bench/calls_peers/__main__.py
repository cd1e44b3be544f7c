"""Run one peer: `python -m bench.calls_peers <peer> --server URL --calls N`.

A peer's module is imported here under its full name: run by its path, its directory would come
first on the import path and hide the peer's own package.
"""

import importlib
import sys
from typing import Final

PEERS: Final = ("litellm", "pydantic_ai")


def main() -> None:
    peer = sys.argv[1] if len(sys.argv) > 1 else ""
    if peer not in PEERS:
        raise SystemExit(f"name a peer first: one of {', '.join(PEERS)}")
    importlib.import_module(f"bench.calls_peers.{peer}").main(sys.argv[2:])


if __name__ == "__main__":
    main()
