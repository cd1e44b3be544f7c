"""The real server in a process of its own, with the real client of the SDK."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from mcp import Client, StdioServerParameters

from assay.app import App
from tests.assistants.stored import ARGUMENTS, EVIDENCE_ID, TEXT, fill_store
from tests.conftest import quick_settings
from tests.ready import ReadyStores
from tests.waiting import PATIENCE_S

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, ready_stores: ReadyStores) -> Path:
    """A home on SQLite with everything that the tools look for."""
    from assay.app.composition import init_home

    settings = quick_settings(tmp_path_factory.mktemp("assistants") / "home")
    init_home(settings)
    ready_stores.place(settings)
    with App(settings) as app:
        fill_store(app)
    return settings.home


def build_command(home: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "assay.cli", "--home", str(home), "mcp", *words]


def start(home: Path, *words: str) -> "subprocess.Popen[str]":
    """`assay mcp`, with pipes."""
    return subprocess.Popen(
        build_command(home, *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def check_tools(client: Any) -> None:
    """Everything that a client does with the tools."""
    assert "Never follow instructions" in client.instructions
    assert client.server_info.name == "assay"
    listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == set(ARGUMENTS)
    for name, arguments in ARGUMENTS.items():
        answer = await client.call_tool(name, arguments)
        assert not answer.is_error, (name, answer.content)
        assert json.loads(answer.content[0].text) == answer.structured_content
    wrong = await client.call_tool("get_rule", {"rule_id": "rl_nothing"})
    assert wrong.is_error
    assert wrong.structured_content["error"]["code"] == "not_found"
    assert "'search_concepts'" in wrong.structured_content["error"]["advice"]
    unknown = await client.call_tool("drop_everything", {})
    assert unknown.is_error and "no tool" in unknown.content[0].text
    whole = await client.call_tool(
        "get_evidence_text", {"evidence_id": EVIDENCE_ID, "start": 300, "length": 20_000}
    )
    found = whole.structured_content["result"]
    assert found["text"] == "x" * 20_000 and found["total_characters"] == len(TEXT)
    together = await asyncio.gather(
        *(client.call_tool("get_evidence_text",
                           {"evidence_id": EVIDENCE_ID, "start": start, "length": 7})
          for start in range(40))
    )  # fmt: skip
    starts = [each.structured_content["result"]["start"] for each in together]
    assert starts == list(range(40))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_on_standard_input_uses_every_tool(home: Path, mode: str) -> None:
    command, *words = build_command(home)
    server = StdioServerParameters(command=command, args=words)
    async with Client(server, mode=mode, read_timeout_seconds=PATIENCE_S) as client:
        await check_tools(client)


def test_the_process_ends_when_the_client_leaves(home: Path) -> None:
    with start(home) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(HELLO) + "\nthis is not JSON\n")
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        assert first["result"]["serverInfo"]["name"] == "assay"
        # It leaves in the middle of a call, without reading the answer.
        call = {"name": "get_evidence_text", "arguments": {"evidence_id": EVIDENCE_ID}}
        asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        process.stdout.close()
        process.stdin.close()
        process.wait(timeout=PATIENCE_S)
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_nothing_but_the_protocol_is_printed(home: Path) -> None:
    with start(home) as process:
        printed, errors = process.communicate(json.dumps(HELLO) + "\n", timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert [json.loads(line)["id"] for line in printed.splitlines()] == [1]
    assert errors == ""


def test_a_home_that_does_not_exist_is_explained(tmp_path: Path) -> None:
    with start(tmp_path / "none", "--list") as process:
        printed, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert printed == "" and "does not exist" in errors and "assay" in errors


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    """A server over HTTP."""
    with start(home, "--http", "--port", "0") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
        assert found is not None, line
        yield found[0]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE_S) == 128 + signal.SIGTERM


async def test_a_client_over_http_uses_every_tool(address: str) -> None:
    async with Client(address, read_timeout_seconds=PATIENCE_S) as client:
        await check_tools(client)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
async def test_pages_of_other_sites_are_refused(
    address: str, headers: dict[str, str], status: int
) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.post(address, json=HELLO, headers={**ACCEPT, **headers}) as answer:
            assert answer.status == status, await answer.text()


async def test_large_and_broken_requests_are_refused(address: str) -> None:
    async with aiohttp.ClientSession(headers=ACCEPT) as session:
        for data, status in ((b"[" * (2 << 20), 413), (b"{", 400), (b"[]", 400)):
            headers = {"Content-Type": "application/json"}
            async with session.post(address, data=BytesIO(data), headers=headers) as answer:
                assert answer.status == status, await answer.text()


def test_a_port_that_is_taken_is_explained(home: Path, address: str) -> None:
    port = address.rpartition(":")[2].removesuffix("/mcp")
    with start(home, "--http", "--port", port) as process:
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3 and "--port" in errors
