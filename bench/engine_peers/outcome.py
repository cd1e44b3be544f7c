"""How a peer is called and how it answers: one JSON object on stdout."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.engine_peers.lanes import Timing


@dataclass(frozen=True)
class Call:
    """One call of a peer: how many documents, in which database, with which settings."""

    peer: str
    documents: int
    database_url: str | None
    path: Path | None
    as_json: bool
    settings: Mapping[str, Any]

    @property
    def database(self) -> str:
        return "sqlite" if self.database_url is None else "postgres"

    @property
    def url(self) -> str:
        assert self.database_url is not None
        return self.database_url

    @property
    def file(self) -> Path:
        assert self.path is not None
        return self.path


def read_call(
    peer: str,
    settings_by_database: Mapping[str, Mapping[str, Any]],
    argv: Sequence[str],
) -> Call:
    """Read the command line of a peer that can use the databases of `settings_by_database`.

    Its values are the settings the peer did best with; `--set name=value` tries another.
    """
    parser = argparse.ArgumentParser(prog=f"python -m bench.engine_peers {peer}")
    parser.add_argument("--documents", type=int, required=True)
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--database-url", help="Postgres, as postgresql://…")
    place.add_argument("--path", type=Path, help="a SQLite file, made when it is not there")
    parser.add_argument("--json", action="store_true", help="answer with one JSON object")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args(argv)
    if options.documents < 1:
        parser.error("--documents must be 1 or more")
    database = "sqlite" if options.database_url is None else "postgres"
    if database not in settings_by_database:
        parser.error(f"{peer} runs on {', '.join(settings_by_database)} only")
    settings = settings_by_database[database]
    chosen = dict(settings)
    for pair in options.set:
        name, _, value = pair.partition("=")
        if name not in settings:
            parser.error(f"{peer} has no setting {name!r}; it has {', '.join(settings)}")
        chosen[name] = value if isinstance(settings[name], str) else json.loads(value)
    path = options.path.resolve() if options.path else None
    return Call(peer, options.documents, options.database_url, path, options.json, chosen)


@dataclass(frozen=True)
class Outcome:
    """A peer's answer."""

    peer: str
    database: str
    documents: int
    seconds: float
    documents_per_second: float
    cpu_seconds: float
    enqueue_seconds: float
    detail: Mapping[str, Any]


def answer(call: Call, timing: Timing, enqueue_seconds: float, detail: Mapping[str, Any]) -> None:
    """Print the outcome of a checked run."""
    outcome = Outcome(
        peer=call.peer,
        database=call.database,
        documents=call.documents,
        seconds=round(timing.seconds, 4),
        documents_per_second=round(call.documents / timing.seconds, 2),
        cpu_seconds=round(timing.cpu_seconds, 4),
        enqueue_seconds=round(enqueue_seconds, 4),
        detail={
            "server_cpu_seconds": timing.server_cpu_seconds,
            "settings": dict(call.settings),
            **detail,
        },
    )
    if call.as_json:
        print(json.dumps(asdict(outcome)))
    else:
        for name, value in asdict(outcome).items():
            print(f"{name:22}{value}")
