"""Run one peer: `python -m bench.reading_peers PEER FOLDER`.

A peer's module is imported here under its full name: run by its path, its directory would come
first on the import path and hide the peer's own package.
"""

import importlib
import sys
from pathlib import Path
from typing import Final

PEERS: Final = ("trafilatura", "trafilatura_fast", "resiliparse", "pypdfium2")


def main() -> None:
    peer = sys.argv[1] if len(sys.argv) > 2 else ""
    if peer not in PEERS:
        raise SystemExit(f"name a peer and a folder: one of {', '.join(PEERS)}")
    importlib.import_module(f"bench.reading_peers.{peer}").main(Path(sys.argv[2]))


if __name__ == "__main__":
    main()
