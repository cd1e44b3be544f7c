"""`python -m bench.engine`: documents a second through four durable stages, beside the peers.

Each contender carries the same documents through the same four stages and stores the same
results and progress; the peers one job a document and hop, Assay in batches. `ours` is the lower
of Assay's figures on its two databases, so that the ratio holds on both.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from bench.engine_share import gazette_pages, lengthened, share
from bench.peers import PEERS, ROOT, PeerError, measure, postgres
from bench.report import Report, print_report
from bench.work import STAGES

_REPEATS = 5
_SHARE_REPEATS = 3


def assay_on(database: str, count: int) -> Mapping[str, Any]:
    """One run of Assay in a process of its own."""
    if database == "sqlite":
        return _assay(count, [])
    with postgres() as url:
        return _assay(count, ["--database-url", url])


def _assay(count: int, place: list[str]) -> Mapping[str, Any]:
    command = [sys.executable, "-m", "bench.engine_assay", "--documents", str(count), *place]
    with tempfile.TemporaryFile("w+") as errors:
        ended = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True, check=False
        )
        if ended.returncode != 0:
            errors.seek(0)
            raise PeerError(f"Assay's own run failed:\n{errors.read()[-2000:]}")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def compare(count: int, peer_count: int) -> Report:
    """All contenders, one after the other, on the same machine in the same run."""
    own = {database: _middle(database, count) for database in ("sqlite", "postgres")}
    peers: dict[str, float] = {}
    runs: dict[str, Any] = {}
    for peer in PEERS:
        outcome = measure(peer, peer_count)
        peers[peer.name] = outcome.documents_per_second
        runs[peer.name] = {
            "database": outcome.database,
            "documents": outcome.documents,
            "cpu_ms_per_document": round(1000 * outcome.cpu_seconds / outcome.documents, 3),
            **outcome.detail,
        }
    return Report(
        name="engine",
        unit="documents/s",
        better="higher",
        ours=min(run["documents_per_second"] for run in own.values()),
        peers=peers,
        detail={
            "stages": len(STAGES),
            "commits": "the peers one for each document and hop, Assay one for each batch and hop",
            "assay": {database: _told(run) for database, run in own.items()},
            "ahead_on": {database: _ahead(own, peers, database) for database in own},
            "durability_beside_scouting": _durability(),
            "peers": runs,
        },
    )


def _middle(database: str, count: int) -> Mapping[str, Any]:
    """The middle of a few runs: one alone can be lucky."""
    runs = sorted(
        (assay_on(database, count) for _ in range(_REPEATS)),
        key=lambda run: float(run["documents_per_second"]),
    )
    return runs[len(runs) // 2]


def _told(run: Mapping[str, Any]) -> dict[str, Any]:
    hops = run["documents"] * len(STAGES)
    return {
        "documents": run["documents"],
        "batch": run["detail"]["batch"],
        "documents_per_second": run["documents_per_second"],
        "cpu_us_per_hop": round(1e6 * run["cpu_seconds"] / hops, 1),
        "engine_share_of_time": round(1 - run["detail"]["work_share"], 3),
    }


def _ahead(
    own: Mapping[str, Mapping[str, Any]], peers: Mapping[str, float], database: str
) -> float:
    """How far Assay is ahead of the best peer on the same database."""
    best = max(peers[peer.name] for peer in PEERS if peer.database == database)
    return round(float(own[database]["documents_per_second"]) / best, 2)


def _durability() -> dict[str, Any]:
    """The engine's CPU around the scout stage, as a share of the scouting itself."""
    pages = gazette_pages()
    sizes = {"short_pages": pages, "pages_as_long_as_acts": lengthened(pages, 5)}
    return {
        f"{name}_on_{database}": _middle_share(some, database)
        for database in ("sqlite", "postgres")
        for name, some in sizes.items()
    }


def _middle_share(pages: Sequence[bytes], database: str) -> dict[str, Any]:
    """The middle of a few runs, with the shares of all: one alone can be lucky."""
    runs = sorted(
        (_share_on(pages, database) for _ in range(_SHARE_REPEATS)), key=itemgetter("share")
    )
    return {**runs[len(runs) // 2], "shares": [run["share"] for run in runs]}


def _share_on(pages: Sequence[bytes], database: str) -> dict[str, Any]:
    if database == "sqlite":
        return share(pages, None)
    with postgres() as url:
        return share(pages, url)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.engine")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--documents", type=int, default=5000, help="for Assay")
    parser.add_argument("--peer-documents", type=int, default=600, help="for each peer")
    given = parser.parse_args()
    print_report(compare(given.documents, given.peer_documents), given.json)


if __name__ == "__main__":
    main()
