"""Run one peer: `python -m bench.engine_peers <peer> --documents N …`.

A peer's module is imported here under its full name, and never run by its path or as
`__main__`: by its path its directory would come first on the import path and hide the peer's
own package, and tasks named after `__main__` would not be found again in a worker process.
"""

import importlib
import sys
from typing import Final

PEERS: Final = ("dbos", "huey", "pgqueuer", "procrastinate")


def main() -> None:
    peer = sys.argv[1] if len(sys.argv) > 1 else ""
    if peer not in PEERS:
        raise SystemExit(f"name a peer first: one of {', '.join(PEERS)}")
    importlib.import_module(f"bench.engine_peers.{peer}").main(sys.argv[2:])


if __name__ == "__main__":
    main()
