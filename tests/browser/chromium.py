"""A real Chromium without a window, driven over its own debugging protocol on loopback."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.waiting import PATIENCE_S

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--no-first-run",
    "--remote-debugging-port=0",
    "--window-size=1400,900",
)


def found() -> str | None:
    """Where Chromium is; None where it is not installed."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Tab:
    """One page of the browser. What it complains of is kept."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.complaints: list[str] = []
        """Errors and warnings of the console, uncaught exceptions, refused loads."""
        self.requested: list[str] = []
        """Every address that the page asked for."""
        self._loaded = False

    async def send(self, method: str, **parameters: object) -> Any:
        """Ask the browser for something, and wait for its answer."""
        self._number += 1
        number = self._number
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            message = await self._next()
            if message.get("id") == number:
                assert "error" not in message, message
                return message.get("result")

    async def open(self, address: str) -> None:
        """Go to an address, and wait until it has been loaded."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.send(f"{domain}.enable")
        # Who wants no motion is led to a place at once, so that a test need not wait for it.
        calm = {"name": "prefers-reduced-motion", "value": "reduce"}
        await self.send("Emulation.setEmulatedMedia", features=[calm])
        self._loaded = False
        await self.send("Page.navigate", url=address)
        while not self._loaded:
            await self._next()

    async def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = await self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def click(self, selector: str) -> None:
        """A click of the mouse in the middle of an element, or of its first line of several."""
        place = await self.run(
            f"(() => {{ const part = document.querySelector({json.dumps(selector)});"
            " part.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});"
            " const [at] = part.getClientRects();"
            " return [at.left + at.width / 2, at.top + at.height / 2]; })()"
        )
        await self.click_at(*place)

    async def click_at(self, x: float, y: float) -> None:
        """A click of the mouse at a place in the window."""
        for kind in ("mousePressed", "mouseReleased"):
            await self.send(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
            )

    async def press(self, key: str) -> None:
        """A key, in whatever has the focus."""
        text = {"Enter": "\r"}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            await self.send("Input.dispatchKeyEvent", type=kind, key=key, text=text)

    async def _next(self) -> Mapping[str, Any]:
        message: dict[str, Any] = await self._socket.receive_json()
        method = message.get("method")
        told = message.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requested.append(told["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            self.complaints.append(str(told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(str(told["entry"]["text"]))
        return message


@asynccontextmanager
async def tab(home: Path) -> AsyncIterator[Tab]:
    """A fresh browser with one empty tab; gone afterwards."""
    program = found()
    assert program is not None
    # As root Chromium starts only without its sandbox; the pages here are the tests' own.
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    process = await asyncio.create_subprocess_exec(
        program,
        *_FLAGS,
        *sandbox,
        f"--user-data-dir={home}",
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        address = await asyncio.wait_for(_debugger(process), PATIENCE_S)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://{address}/json/list") as answer:
                pages = [one for one in await answer.json() if one["type"] == "page"]
            async with session.ws_connect(
                pages[0]["webSocketDebuggerUrl"], max_msg_size=0
            ) as socket:
                yield Tab(socket)
    finally:
        process.kill()
        await process.communicate()


async def _debugger(process: asyncio.subprocess.Process) -> str:
    """Host and port that the browser says it listens on."""
    assert process.stderr is not None
    said = []
    while raw := await process.stderr.readline():
        words = raw.decode(errors="replace")
        said.append(words)
        if "DevTools listening on ws://" in words:
            return words.split("ws://", 1)[1].split("/", 1)[0]
    raise AssertionError(f"Chromium ended at once: {''.join(said)}")
