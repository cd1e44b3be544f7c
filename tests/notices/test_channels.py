"""Webhooks, commands, feeds, and what hostile documents may not do to any of them."""

import asyncio
import hashlib
import hmac
import json
import stat
import sys
import time
from collections.abc import Callable
from email import message_from_bytes
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pydantic import SecretStr

from assay.app import App
from assay.app.notifying import load_feed
from assay.errors import AddressRefused, AssayError, DeliveryFailed, DeliveryRefused
from assay.model.watches import Notice
from assay.notices.channels import MailServer as Server
from assay.notices.channels import Notifier, build_mail, find_channel, send_mail
from assay.notices.feed import render_feed
from assay.notices.messages import Message, Report, as_json, render_html, render_text
from assay.settings import ChannelSettings, Settings
from assay.sources.listing.builder import ListingBuilder
from assay.sources.listing.feeds import read_feed
from assay.sources.listing.options import ListingOptions
from assay.sources.policy import FetchPolicy
from tests.console.conftest import open_console
from tests.notices.conftest import Newsroom
from tests.notices.mail_server import MailServer
from tests.spine.sites import Workplace, watching

HOSTILE = "Tax\r\nBcc: all@example.org\x1b[2J <script>alert(1)</script> ]]> & \ufffe\u202e"


class Hook:
    """A webhook on loopback that keeps what it gets."""

    def __init__(self, status: int = 204, location: str = "", fails: int = 0) -> None:
        self.status = status
        self.fails = fails
        """How many messages it does not take at first."""
        self.bodies: list[bytes] = []
        self.got: list[tuple[dict[str, str], dict[str, Any]]] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.got.append((dict(self.headers), json.loads(body)))
                hook.bodies.append(body)
                self.send_response(503 if len(hook.got) <= hook.fails else hook.status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/s3cret"

    def __enter__(self) -> "Hook":
        Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def message(title: str = "A title", **more: Any) -> Message:
    notice = Notice(
        notice_id="no_1",
        kind="changed document",
        title=title,
        source_slug="gazette",
        url="http://gazette.test/act",
        evidence_id="ev_2",
        previous_evidence_id="ev_1",
        content={"added": [title], "added_total": 1, "removed_total": 0},
        happened_ms=1_700_000_000_000,
    )
    return Message(
        key="msg_1", subject=f"Changed document: {title}", sentences=("You watch it.",),
        reports=(Report("de_1", notice),), at_ms=1_700_000_000_000, **more,
    )  # fmt: skip


def notifier(policy: FetchPolicy | None = None, **channels: ChannelSettings) -> Notifier:
    settings = Settings(channels=channels)
    return Notifier(settings, policy or FetchPolicy(allow_private=("127.0.0.0/8",)))


def webhook(url: str) -> ChannelSettings:
    return ChannelSettings(kind="webhook", url=SecretStr(url))


async def send(sender: Notifier, name: str, sent: Message) -> None:
    try:
        await sender.send(name, sent)
    finally:
        await sender.close()


async def test_a_webhook_gets_json_with_a_key_for_repetitions() -> None:
    with Hook() as hook:
        await send(notifier(hook=webhook(hook.url)), "hook", message())
    ((headers, body),) = hook.got
    assert headers["Idempotency-Key"] == body["id"] == "msg_1"
    (change,) = body["changes"]
    assert change["content"]["added"] == ["A title"]
    assert (change["evidence_id"], change["previous_evidence_id"]) == ("ev_2", "ev_1")


def is_signed(headers: dict[str, str], body: bytes, key: str) -> bool:
    """As a receiver checks it."""
    parts = dict(part.split("=") for part in headers["Assay-Signature"].split(","))
    signed = f"{parts['t']}.".encode() + body
    expected = hmac.new(key.encode(), signed, hashlib.sha256).hexdigest()
    is_new = abs(time.time() - int(parts["t"])) < 300
    return is_new and hmac.compare_digest(parts["v1"], expected)


async def test_a_message_is_signed_and_an_altered_one_is_not_believed() -> None:
    with Hook() as hook:
        signed = webhook(hook.url).model_copy(update={"key": SecretStr("s3cret")})
        await send(notifier(hook=signed), "hook", message())
    ((headers, _),) = hook.got
    assert is_signed(headers, hook.bodies[0], "s3cret")
    assert not is_signed(headers, hook.bodies[0] + b" ", "s3cret")
    assert not is_signed(headers, hook.bodies[0], "other")


async def test_without_its_key_a_message_is_not_sent() -> None:
    with Hook() as hook:
        unset = webhook(hook.url).model_copy(update={"key_env": "HOOK_KEY"})
        with pytest.raises(DeliveryRefused, match="HOOK_KEY is not set"):
            await send(notifier(hook=unset), "hook", message())
    assert hook.got == []


def test_a_webhook_that_fails_twice_gets_the_same_message_until_it_takes_it(
    settings: Settings,
    make_app: Callable[..., App],
    shared_workplace: Workplace,
    mail: MailServer,
) -> None:
    with Hook(fails=2) as hook:
        channel = webhook(hook.url).model_copy(update={"key": SecretStr("s3cret")})
        more: dict[str, Any] = {"channels": {"hook": channel}, **mail.settings}
        more["fetch_allow_private"] = ("127.0.0.0/8",)
        with watching(make_app, settings, shared_workplace, **more) as watch:
            watch.endpoint(frequency="EVERY_RUN")
            newsroom = Newsroom(watch, mail)
            newsroom.add(source="gazette", to="hook")
            newsroom.publish({"/act": "The rate is 25 %."})
            newsroom.run()
            assert [row["state"] for row in newsroom.deliveries()] == ["SENT"]
            assert newsroom.watch.notes("deliver") == ["retried", "retried", "sent"]
    assert len({body["id"] for _, body in hook.got}) == 1
    assert all(
        is_signed(headers, body, "s3cret")
        for (headers, _), body in zip(hook.got, hook.bodies, strict=True)
    )
    assert len(hook.got) == 3


async def test_a_webhook_at_a_private_address_needs_a_setting() -> None:
    with Hook() as hook:
        sender = notifier(FetchPolicy(), hook=webhook(hook.url))
        with pytest.raises(AddressRefused, match="loopback") as refusal:
            await send(sender, "hook", message())
    assert hook.got == [] and "fetch_allow_private" in str(refusal.value)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(500, DeliveryFailed), (429, DeliveryFailed), (404, DeliveryRefused), (302, DeliveryRefused)],
)
async def test_a_webhook_that_answers_otherwise(status: int, kind: type[AssayError]) -> None:
    with Hook(status, location="http://127.0.0.1:1/") as hook:
        with pytest.raises(kind, match=f"answered {status}") as error:
            await send(notifier(hook=webhook(hook.url)), "hook", message())
    assert "s3cret" not in str(error.value) and len(hook.got) == 1


@pytest.mark.parametrize("url", ["http://user:s3cret@127.0.0.1/", "http://127.0.0.1:99999/s3cret"])
async def test_an_address_that_cannot_be_used_is_not_repeated(url: str) -> None:
    with pytest.raises(DeliveryRefused) as error:
        await send(notifier(hook=webhook(url)), "hook", message())
    assert "s3cret" not in str(error.value) and "[channels.hook]" in str(error.value)


async def test_a_command_gets_the_message_and_little_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "s3cret")
    script = tmp_path / "take.py"
    script.write_text(
        f"import json, os, sys\nopen({str(tmp_path / 'got')!r}, 'w').write("
        "json.dumps([json.load(sys.stdin), dict(os.environ)]))\n"
    )
    taking = ChannelSettings(kind="command", command=(sys.executable, str(script)))
    await send(notifier(script=taking), "script", message(HOSTILE))
    body, environment = json.loads((tmp_path / "got").read_text())
    assert body["changes"][0]["title"] == HOSTILE and "API_KEY" not in environment
    assert environment["ASSAY_NOTIFICATION_ID"] == "msg_1"


async def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    script = tmp_path / "fail.sh"
    script.write_text("#!/bin/sh\necho no space >&2\nexit 3\n")
    script.chmod(stat.S_IRWXU)
    failing = ChannelSettings(kind="command", command=(str(script),))
    with pytest.raises(DeliveryFailed, match="ended with 3: no space"):
        await send(notifier(script=failing), "script", message())
    missing = ChannelSettings(kind="command", command=(str(tmp_path / "nothing"),))
    with pytest.raises(DeliveryRefused, match="cannot be started"):
        await send(notifier(script=missing), "script", message())


def test_a_hostile_title_adds_no_header_to_a_mail(mail: MailServer) -> None:
    made = build_mail(message(HOSTILE), "assay@example.org", ("me@example.org",))
    server = Server("127.0.0.1", mail.port, "none", "assay@example.org", None, None, 30.0)
    send_mail(server, made)
    (raw,) = mail.raw
    got = message_from_bytes(raw, policy=default)
    assert got["Bcc"] is None and got["To"] == "me@example.org"
    assert got["Message-ID"] == "<msg_1@example.org>"
    assert "\\u001b[2J" in got["Subject"] and "\x1b" not in mail.text() + mail.html()
    assert "<script>" not in mail.html() and "&lt;script&gt;" in mail.html()
    assert "\nBcc:" not in mail.text()


def test_html_and_text_escape_every_field() -> None:
    told = message(HOSTILE)
    assert "<script>" not in render_html(told) and "\u202e" not in render_html(told)
    assert "\x1b" not in render_text(told) and "\u202e" not in render_text(told)
    assert as_json(told)["changes"][0]["title"] == HOSTILE


def test_a_feed_is_valid_and_our_own_reader_reads_it() -> None:
    data = render_feed("feed", [message(HOSTILE)])
    found = ListingBuilder("http://gazette.test/feed.xml", ListingOptions())
    read_feed(data, found)
    (item,) = found.items.values()
    assert item.url == "http://gazette.test/act"
    assert item.title is not None and item.title.startswith("changed document: Tax Bcc:")
    assert b"\x1b" not in data and b"<script>" not in data


def test_a_feed_is_written_to_the_home(newsroom: Newsroom) -> None:
    newsroom.add("rate", to="feed")
    newsroom.publish({"/act": "The rate is 25 %.", "/other": "Nothing."})
    newsroom.run()
    file = newsroom.app.settings.home / "feeds" / "feed.xml"
    assert file.read_bytes() == load_feed(newsroom.app, "feed")
    found = ListingBuilder("http://gazette.test/feed.xml", ListingOptions())
    read_feed(file.read_bytes(), found)
    assert [item.url for item in found.items.values()] == ["http://gazette.test/act"]
    assert b"The rate is 25 %." in file.read_bytes()
    assert [row["state"] for row in newsroom.deliveries()] == ["SENT"]
    before = file.stat().st_mtime_ns
    newsroom.run()
    assert file.stat().st_mtime_ns == before, "nothing new, nothing written"


def test_a_channel_is_a_name_an_address_or_the_feed() -> None:
    settings = Settings(channels={"me": ChannelSettings(kind="email", to=("a@example.org",))})
    assert find_channel(settings, "me").to == ("a@example.org",)
    assert find_channel(settings, "b@example.org").to == ("b@example.org",)
    assert find_channel(settings, "feed").kind == "feed"
    for wrong in ("you", "b@example.org, c@example.org", "b@example.org\nBcc: c@example.org"):
        with pytest.raises(DeliveryRefused, match="There is no channel"):
            find_channel(settings, wrong)


async def test_the_server_shows_a_feed(newsroom: Newsroom) -> None:
    newsroom.add(source="gazette", to="feed")
    newsroom.publish({"/act": "The rate is 25 %."})
    await asyncio.to_thread(newsroom.run)
    console = open_console(newsroom.app)
    answer = console.get("/feeds/feed.xml")
    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert answer.content == load_feed(newsroom.app, "feed")
    answer = console.get("/feeds/other.xml")
    assert answer.status_code == 404 and "/api/feeds" not in answer.text
