"""Connections: closed at once when a call ends, kept for the next, and never telling the key."""

import asyncio
import logging

import pytest

from assay.errors import CallRefused, InvalidInput
from assay.llm.providers import HttpProvider, ollama, openai
from tests.llm.providers.asking import ALL, ASKED, KEY, asking, failing, raw_server, taken
from tests.llm.virtual import virtually
from tests.providers.behaviour import Behaviour, Junk
from tests.providers.books import ServedState
from tests.providers.server import ProviderServer
from tests.waiting import until_async


async def test_no_redirect_is_followed(server: ProviderServer) -> None:
    reply = f"HTTP/1.1 307 Moved\r\nLocation: {server.url}/api/chat\r\nContent-Length: 0\r\n\r\n"
    async with raw_server(reply.encode()) as url, asking("ollama", url) as provider:
        error, _, _ = await failing(provider)
    assert type(error) is CallRefused and "base address" in error.advice
    assert server.books.calls == []


async def test_no_proxy_of_the_environment_is_used(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    async with asking("openai", server.url) as provider:
        assert (await taken(provider))[-1].finish == "stop"


@ALL
@pytest.mark.parametrize("hang_after", [-1, 0, 2], ids=["no status", "no word", "two words"])
@virtually
async def test_a_cancelled_call_closes_its_connection_at_once(name: str, hang_after: int) -> None:
    came = asyncio.Semaphore(0)

    async def consume(provider: HttpProvider) -> None:
        async with provider.open(ASKED) as stream:
            came.release()
            async for piece in stream:
                if piece.text:
                    came.release()

    behaviour = Behaviour(hang_after=hang_after)
    async with ProviderServer(behaviour) as server, asking(name, server.url) as provider:
        task = asyncio.create_task(consume(provider))
        await server.until(lambda books: any(call.max_tokens for call in books.calls))
        for _ in range(hang_after + 1):
            await came.acquire()
        task.cancel()
        cancelled_s = asyncio.get_running_loop().time()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.until(lambda books: books.under_way == 0)
        (call,) = server.books.calls
        assert call.state is ServedState.CANCELLED
        assert call.completion_tokens == max(0, hang_after)
        assert asyncio.get_running_loop().time() - cancelled_s < 0.1
        assert server.open_connections == 0


@ALL
@virtually
async def test_leaving_early_closes_the_connection_at_once(name: str) -> None:
    behaviour = Behaviour(words=50, delay_ms=5)
    async with ProviderServer(behaviour) as server, asking(name, server.url) as provider:
        async with provider.open(ASKED) as stream:
            async for piece in stream:
                if "w3" in piece.text:
                    break
        left_s = asyncio.get_running_loop().time()
        await server.until(lambda books: books.under_way == 0)
        (call,) = server.books.calls
        assert call.state is ServedState.CANCELLED and 3 <= call.completion_tokens < 50
        assert asyncio.get_running_loop().time() - left_s < 0.1


async def test_an_error_of_the_consumer_closes_the_connection_and_goes_on(
    server: ProviderServer,
) -> None:
    server.behave(Behaviour(hang_after=1))
    async with asking("openai", server.url) as provider:
        with pytest.raises(ZeroDivisionError):
            async with provider.open(ASKED):
                raise ZeroDivisionError
        await server.until(lambda books: books.under_way == 0)
        assert server.books.calls[0].state is ServedState.CANCELLED


@ALL
async def test_a_finished_answer_leaves_its_connection_to_the_next(
    name: str, server: ProviderServer
) -> None:
    async with asking(name, server.url) as provider:
        for _ in range(3):
            await taken(provider)
        assert server.open_connections == 1
    await until_async(lambda: server.open_connections == 0)


async def test_many_calls_at_a_time_do_not_wait_for_each_other(server: ProviderServer) -> None:
    server.behave(Behaviour(hang_after=0))
    async with asking("openai", server.url) as provider:
        tasks = [asyncio.create_task(taken(provider)) for _ in range(120)]
        await server.until(lambda books: books.under_way == 120)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.until(lambda books: books.under_way == 0)
        assert server.books.count(ServedState.CANCELLED) == 120


def test_a_provider_outlives_the_loop_that_it_was_first_used_in() -> None:
    providers: list[HttpProvider] = []

    async def once() -> str | None:
        async with ProviderServer() as server:
            if not providers:
                providers.append(ollama("m", base_url=server.url))
            providers[0]._base_url = server.url
            return (await taken(providers[0]))[-1].finish

    async def last() -> None:
        await once()
        await providers[0].close()

    assert [asyncio.run(once()), asyncio.run(once())] == ["stop", "stop"]
    asyncio.run(last())
    assert providers[0]._sessions == {}


@ALL
async def test_the_key_is_never_told(
    name: str, server: ProviderServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with asking(name, server.url) as provider:
        told = [repr(provider), str(provider)]
        for behaviour in (
            Behaviour(status=401, message=f"Incorrect API key provided: {KEY}. Try another."),
            Behaviour(status=500, message=f"{'x' * 290}{KEY}"),
            Behaviour(fault_after=0, message=f"Bad key {KEY}"),
            Behaviour(junk=Junk.HTML),
            Behaviour(cut_after=0),
        ):
            server.behave(behaviour)
            error: BaseException | None = (await failing(provider))[0]
            while error is not None:
                told += [str(error), repr(error), repr(error.args), repr(vars(error))]
                error = error.__cause__ or error.__context__
    if name != "ollama":
        assert not any(KEY[:12] in each for each in [*told, caplog.text])
    assert KEY not in server.books.calls[0].path


@pytest.mark.parametrize(
    ("base_url", "key"),
    [
        ("ftp://h/v1", None),
        ("h:80", None),
        ("http://user:pass@h/v1", None),
        ("http://h/v1?key=abc", None),
        ("http://h", "a\nb"),
        ("http://h", "ključ"),
    ],
)
def test_an_address_or_key_that_cannot_work_is_refused_without_repeating_it(
    base_url: str, key: str | None
) -> None:
    with pytest.raises(InvalidInput) as caught:
        openai("m", base_url=base_url, key=key)
    assert base_url not in str(caught.value) and (key is None or key not in str(caught.value))
