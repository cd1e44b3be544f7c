"""A desk with a text and an ontology, and the commands of `assay graph` on them."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import Result

from tests.cli.calls import call
from tests.packs.graph.provider import ONTOLOGY, TEXT
from tests.providers.server import Chooser, ProviderServer


@dataclass
class Desk:
    """Files in a folder, and a home that may not be there."""

    folder: Path
    home: Path

    def __post_init__(self) -> None:
        self.ontology = self.write("people.ttl", ONTOLOGY)
        self.write("a.txt", TEXT)

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def write(self, name: str, said: str | bytes) -> str:
        """A file, by its path."""
        data = said.encode() if isinstance(said, str) else said
        (self.folder / name).write_bytes(data)
        return self.path(name)

    def extract(self, *arguments: str, ontology: str | None = None) -> Result:
        """Files are told by their names in the folder, until the first option."""
        given = ["--ontology", ontology or self.ontology, *self._placed(arguments)]
        return call(self.home, "graph", "extract", *given)

    def json(self, *arguments: str) -> Any:
        told = self.extract(*arguments, "--json")
        assert told.exit_code == 0, told.output
        assert told.stderr == ""
        return json.loads(told.stdout)

    def verify(self, graph: str, *files: str) -> Result:
        return call(self.home, "graph", "verify", self.path(graph), *map(self.path, files))

    def written(self) -> str:
        """A graph of the text, by its path."""
        assert self.extract("a.txt", "--out", self.path("g.ttl")).exit_code == 0
        return self.path("g.ttl")

    def importing(self, iri: str) -> str:
        """An ontology that imports another."""
        line = f"<http://example.org/people> owl:imports <{iri}> ."
        return self.write("importing.ttl", f"{ONTOLOGY}\n{line}\n")

    def _placed(self, arguments: tuple[str, ...]) -> list[str]:
        first = next((n for n, each in enumerate(arguments) if each.startswith("-")), None)
        files = arguments[:first]
        return [*map(self.path, files), *arguments[len(files) :]]


@dataclass
class Modelled(Desk):
    """A desk whose home has a model."""

    server: ProviderServer

    @property
    def calls(self) -> int:
        """How often the model was asked."""
        return len(self.server.books.calls)


@contextmanager
def model(script: Chooser) -> Iterator[ProviderServer]:
    """The double in a thread of its own, since a command has a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def made() -> ProviderServer:
        server = ProviderServer(script)
        await server.start()
        return server

    server = asyncio.run_coroutine_threadsafe(made(), loop).result()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def shape(path: str) -> str:
    """That every person has a value there."""
    return (
        "@prefix sh: <http://www.w3.org/ns/shacl#> .\n@prefix : <http://example.org/people#> .\n"
        f":S a sh:NodeShape ; sh:targetClass :Person ; sh:property "
        f'[ sh:path :{path} ; sh:minCount 1 ; sh:message "it is missing" ] .\n'
    )
