"""Fifty requests, five at a time, against `assay serve` as a process: nothing is lost or left."""

import asyncio
import shutil
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
from bench.extract_texts import ONTOLOGY, claims_in, claims_of, reading, text

from tests.cli.calls import Called, answer
from tests.providers.behaviour import Behaviour, StrictLimits
from tests.providers.books import Books
from tests.providers.dialects import Asked
from tests.providers.server import ProviderServer
from tests.server.test_extraction import BEARER
from tests.waiting import PATIENCE_S

AT_ONCE = 5
RPM = 1_800
TPM = 2_400_000
"""Assay sets aside what an answer may take, the model charges what it takes."""
MEGABYTE = 1024
GROWTH = 15 * MEGABYTE
"""Kilobytes; two runs of twenty-five requests differ by one or two thousand."""


POOL = AT_ONCE
"""Connections to the model that may be opened late; one left by each request would be more."""


class Model:
    """What the provider does with the calls of each text: first as told, and then well."""

    def __init__(self) -> None:
        self.first: dict[str, Behaviour] = {}
        """By the text."""
        self.asked: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def __call__(self, asked: Asked) -> Behaviour:
        well = replace(reading(asked), first_delay_ms=20)
        mine = next((each for each in self.first if each in asked.texts[-1]), None)
        if mine is None:
            return well
        told = self.first.pop(mine)
        self.asked[mine].set()
        return replace(told, text=well.text, piece_chars=well.piece_chars)


class Served:
    """A server that runs as a process, its model, and who asks it."""

    def __init__(
        self, home: Path, program: Called, session: aiohttp.ClientSession, server: ProviderServer
    ) -> None:
        self.home, self.program, self.session, self.server = home, program, session, server
        self.complaints = ""
        """What it said on stderr, once it has ended."""

    @property
    def pid(self) -> int:
        return self.program.process.pid

    def resident(self) -> int:
        """Kilobytes of memory that the server holds."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmRSS:")))

    def open_files(self) -> int:
        """Files and connections, without those to the store: the pool of these has its own end."""
        found = [each.readlink().name for each in Path(f"/proc/{self.pid}/fd").iterdir()]
        return sum(not name.startswith("assay.db") for name in found)

    async def post(self, number: int, **headers: str) -> tuple[int, dict[str, Any]]:
        body = {
            "text": text(number, 1),
            "ontology": ONTOLOGY,
            "request_id": f"r{number}",
        }
        async with self.session.post("/extract", json=body, headers=headers) as answered:
            return answered.status, await answered.json()

    async def states(self) -> dict[str, str]:
        async with self.session.get("/extract") as answered:
            told = await answered.json()
        assert not any(each["stages"] for each in told["requests"] if each["state"] == "done")
        return {each["request_id"]: each["state"] for each in told["requests"]}

    async def delete(self, number: int, mode: str) -> int:
        async with self.session.delete(f"/extract/r{number}", params={"mode": mode}) as answered:
            return answered.status

    async def nothing_is_left(self) -> None:
        """No call at the model, no request under way, no permit out, no token set aside."""
        await self.server.until(lambda books: books.under_way == 0)
        async with asyncio.timeout(PATIENCE_S):
            while "running" in (await self.states()).values() or self.budget()["open"]:
                pass
        spent = self.budget()
        assert (spent["lost"], spent["tokens"]["reserved"], spent["disagreements"]) == (0, 0, [])
        assert spent["calls"] == len(self.server.books.calls)

    def budget(self) -> dict[str, Any]:
        told: dict[str, Any] = answer(self.home, "budget")
        return told


@asynccontextmanager
async def served(migrated: Path, home: Path, model: Model) -> AsyncIterator[Served]:
    """`assay serve` on a home whose one provider holds to the same limits as its settings."""
    limits = StrictLimits(requests_per_minute=RPM, tokens_per_minute=TPM, bucket_s=1.2)
    shutil.copytree(migrated, home)
    async with ProviderServer(model, limits=limits) as server:
        (home / "assay.toml").write_text(
            # The double counts words, which makes the estimates of the first requests cautious.
            "circuit_failures = 1000\nrequest_tokens = 8000\n"
            f'[providers.local]\nkind = "openai"\nbase_url = "{server.url}/v1"\nmodel = "m"\n'
            f'lane = "local"\nrequests_per_minute = {RPM}\ntokens_per_minute = {TPM}\n'
            f"max_concurrent = {AT_ONCE}\n"
        )
        program = Called(home, "serve", "--port", "0", anew=True)
        try:
            url = await asyncio.to_thread(program.served_url)
            async with aiohttp.ClientSession(url, headers=BEARER) as session:
                site = Served(home, program, session, server)
                yield site
        finally:
            program.process.terminate()
            ended = await asyncio.to_thread(program.end)
        assert ended.code == 143, ended
        site.complaints = ended.err


async def five_at_a_time(numbers: Iterable[int], send: Callable[[int], Awaitable[None]]) -> None:
    left = iter(list(numbers))

    async def lane() -> None:
        for number in left:
            await send(number)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(lane())


def is_the_graph_of(told: dict[str, Any], number: int) -> bool:
    """Whether a result says what that text says, in its words, and nothing else."""
    own = text(number, 1)
    quotes = [quote for each in told["graph"]["relations"] for quote in each["quotes"]]
    return (
        told["completeness"] == "complete"
        and not told["stored"]
        and claims_in(told) == claims_of(own)
        and {each["verdict"] for each in told["graph"]["relations"]} == {"grounded"}
        and all(own[each["start"] : each["end"]] == each["words"] for each in quotes)
    )


def within_the_limits(books: Books) -> bool:
    return books.max_concurrent <= AT_ONCE and books.totals()["busy"] == 0


async def test_fifty_requests_five_at_a_time(migrated_once: Path, home: Path) -> None:
    async with served(migrated_once, home, Model()) as site:
        found: dict[int, bool] = {}

        async def send(number: int) -> None:
            status, told = await site.post(number)
            assert status == 200, told
            found[number] = is_the_graph_of(told, number)

        await five_at_a_time(range(25), send)
        resident, files = site.resident(), site.open_files()
        await five_at_a_time(range(25, 50), send)
        assert site.resident() - resident < GROWTH
        assert site.open_files() <= files + POOL

        assert found == dict.fromkeys(range(50), True)
        books = site.server.books
        assert within_the_limits(books) and books.max_concurrent > 1
        # Each text is asked of three times: entities, relations, verdicts.
        assert books.totals()["done"] == len(books.calls) == 150
        await site.nothing_is_left()
        assert await site.states() == {f"r{number}": "done" for number in range(50)}
        charged = site.budget()["tokens"]["used"]
        totals = books.totals()
        assert charged == totals["prompt_tokens"] + totals["completion_tokens"]
    assert site.complaints == ""


async def test_whatever_becomes_of_the_others_nothing_is_left_over(
    migrated_once: Path, home: Path
) -> None:
    model = Model()
    async with served(migrated_once, home, model) as site:
        mixed = Mixed(site, model)
        await five_at_a_time(range(AT_ONCE), mixed.well)
        files = site.open_files()
        await five_at_a_time(range(AT_ONCE, 37), mixed.send)
        await site.nothing_is_left()
        assert within_the_limits(site.server.books)
        assert site.server.open_connections <= AT_ONCE
        assert site.open_files() <= files + POOL
        await five_at_a_time(range(37, 37 + AT_ONCE), mixed.well)
    assert site.complaints == ""


HANGING = Behaviour(hang_after=2)
DYING = Behaviour(cut_after=3)


class Mixed:
    """Requests that end in many ways."""

    def __init__(self, site: Served, model: Model) -> None:
        self.site, self.model = site, model
        self.ways = (
            self.recovers,
            self.recovers,
            *(self.well, self.deleted, self.hangs_up, self.watches, self.dies) * 6,
        )

    async def send(self, number: int) -> None:
        await self.ways[number - AT_ONCE](number)

    async def well(self, number: int) -> None:
        status, told = await self.site.post(number)
        assert status == 200
        assert is_the_graph_of(told, number)

    async def recovers(self, number: int) -> None:
        """The model dies in the middle of its answer; asked again, it answers."""
        self.model.first[text(number, 1)] = DYING
        await self.well(number)

    async def deleted(self, number: int) -> None:
        """Stopped while the model is silent, at once or after a gentler word."""
        running = await self._begun(number, HANGING)
        if number % 2:
            assert await self.site.delete(number, "graceful") == 202
        assert await self.site.delete(number, "immediate") == 202
        status, told = await running
        assert status == 200
        assert told["completeness"] in ("partial_entity_only", "empty")
        assert any("cancelled" in warning for warning in told["warnings"])

    async def hangs_up(self, number: int) -> None:
        """Whoever asked goes away while the model answers."""
        running = await self._begun(number, HANGING)
        running.cancel()
        await asyncio.wait([running])
        assert running.cancelled()

    async def watches(self, number: int) -> None:
        """Whoever watches a stream goes away after its first event."""
        self.model.first[text(number, 1)] = HANGING
        body = {"text": text(number, 1), "ontology": ONTOLOGY, "request_id": f"r{number}"}
        watching = {"Accept": "text/event-stream"}
        async with self.site.session.post("/extract", json=body, headers=watching) as answered:
            assert (await answered.content.readline()) == b"event: request\n"
            await self.model.asked[text(number, 1)].wait()

    async def dies(self, number: int) -> None:
        """The model dies in the middle of its answer, and nobody waits for it to recover."""
        running = await self._begun(number, DYING)
        assert await self.site.delete(number, "abort") == 202
        status, told = await running
        assert (status, told["completeness"]) == (200, "empty")

    async def _begun(
        self, number: int, how: Behaviour
    ) -> "asyncio.Task[tuple[int, dict[str, Any]]]":
        self.model.first[text(number, 1)] = how
        running = asyncio.create_task(self.site.post(number))
        await self.model.asked[text(number, 1)].wait()
        return running
