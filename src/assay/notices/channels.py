"""Channels: e-mail, webhooks and commands. A message is sent at once, or an error says why not."""

import asyncio
import hmac
import json
import smtplib
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from assay import __version__
from assay.display import escape_line
from assay.errors import AddressRefused, AssayError, DeliveryFailed, DeliveryRefused
from assay.model.watches import FEED
from assay.notices.feed import list_feeds
from assay.notices.messages import Message, as_json, clean_subject, render_html, render_text
from assay.settings import ChannelSettings, Settings, is_mailbox, read_environment
from assay.sources.addresses import WebAddress, parse_address
from assay.sources.client import HttpClient, TransferLimits
from assay.sources.guard import AddressGuard
from assay.sources.policy import FetchPolicy
from assay.sources.retrying import RequestFailed

SIGNATURE_HEADER = "Assay-Signature"
_MOST_ANSWER = 65_536
_TOLD = 300
"""Characters of a foreign answer that an error repeats."""
_PORTS = {"tls": 465, "starttls": 587, "none": 25}
_AGAIN = (408, 425, 429)
"""Answers below 500 that ask to try again."""


@dataclass(frozen=True)
class MailServer:
    """The mail server, and who sends."""

    host: str
    port: int
    security: str
    sender: str
    user: str | None
    password: str | None
    timeout_s: float


class Notifier:
    """Sends messages to the channels of the settings, and to plain e-mail addresses."""

    def __init__(self, settings: Settings, policy: FetchPolicy) -> None:
        self._settings = settings
        self._guard = AddressGuard(policy)
        self._client = HttpClient(policy, self._guard, policy.user_agent(__version__))

    async def close(self) -> None:
        await self._client.close()

    @property
    def feeds(self) -> frozenset[str]:
        """The channels that are feeds; there is always one."""
        return list_feeds(self._settings)

    async def send(self, name: str, message: Message) -> None:
        """Send a message to one channel; what is for a feed is read from the store instead."""
        channel = find_channel(self._settings, name)
        if channel.kind == "email":
            server = find_mail_server(self._settings)
            mail = build_mail(message, server.sender, channel.to)
            await asyncio.to_thread(send_mail, server, mail)
        elif channel.kind == "webhook":
            await self._post(name, channel, message)
        elif channel.kind == "command":
            await run_command(name, channel.command, message, self._settings.notify_timeout_s)

    async def _post(self, name: str, channel: ChannelSettings, message: Message) -> None:
        # The address often is the credential, so no error repeats more of it than its host.
        label = f"Webhook '{name}'"
        address = _parse_webhook(label, name, channel)
        label = f"{label} at {address.host}"
        body = json.dumps(as_json(message), ensure_ascii=True).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": message.key,
            **_sign(label, channel, body),
        }
        limits = TransferLimits(self._settings.notify_timeout_s, _MOST_ANSWER, cut=True)
        try:
            self._guard.check(address, label)
            async with self._client.exchange(
                "POST", address.url, headers, body, label, limits
            ) as answer:
                status = answer.status
        except AddressRefused:
            raise
        except RequestFailed as error:
            raise DeliveryFailed(error.what) from error
        except AssayError as error:
            raise DeliveryRefused(error.what, advice=f"Check [channels.{name}].") from error
        if status >= 500 or status in _AGAIN:
            raise DeliveryFailed(f"{label} answered {status}.")
        if not 200 <= status < 300:
            raise DeliveryRefused(
                f"{label} answered {status}.",
                advice=f"Check the address in [channels.{name}]; redirects are not followed.",
            )


def _sign(label: str, channel: ChannelSettings, body: bytes) -> dict[str, str]:
    """The header by which the receiver sees who sent a message, and when."""
    if channel.key is None:
        if channel.key_env is not None:
            raise DeliveryRefused(
                f"{label} has no key to sign with: the variable {channel.key_env} is not set.",
                advice="Set it where Assay runs.",
            )
        return {}
    at_s = int(time.time())
    signed = b"%d.%b" % (at_s, body)
    digest = hmac.new(channel.key.get_secret_value().encode(), signed, "sha256").hexdigest()
    return {SIGNATURE_HEADER: f"t={at_s},v1={digest}"}


def find_channel(settings: Settings, name: str) -> ChannelSettings:
    """The channel of that name; an e-mail address is one by itself."""
    found = settings.channels.get(name)
    if found is not None:
        return found
    if name == FEED:
        return ChannelSettings(kind="feed")
    if is_mailbox(name):
        return ChannelSettings(kind="email", to=(name,))
    raise DeliveryRefused(
        f"There is no channel '{escape_line(name)}'.",
        advice=f"Add [channels.{escape_line(name)}] to assay.toml, "
        "or use an e-mail address or 'feed'.",
    )


def _parse_webhook(label: str, name: str, channel: ChannelSettings) -> WebAddress:
    if channel.url is None:
        raise DeliveryRefused(
            f"{label} has no address: the variable {channel.url_env} is not set.",
            advice="Set it where Assay runs.",
        )
    try:
        return parse_address(channel.url.get_secret_value())
    except AssayError:
        raise DeliveryRefused(
            f"The address of {label.lower()} cannot be used.",
            advice=f"Set an http or https address without a password in [channels.{name}].",
        ) from None


def find_mail_server(settings: Settings) -> MailServer:
    """The mail server of the settings."""
    if settings.smtp_host is None:
        raise DeliveryRefused(
            "No mail server is set.", advice="Set smtp_host and smtp_sender in assay.toml."
        )
    sender = settings.smtp_sender or settings.smtp_user or ""
    if not is_mailbox(sender):
        raise DeliveryRefused(
            "There is no address to send mail from.", advice="Set smtp_sender in assay.toml."
        )
    if settings.smtp_security == "none" and settings.smtp_password is not None:
        raise DeliveryRefused(
            "A password is not sent over a connection that is not encrypted.",
            advice="Set smtp_security to 'starttls' or 'tls', or remove the password.",
        )
    password = settings.smtp_password
    return MailServer(
        host=settings.smtp_host,
        port=settings.smtp_port or _PORTS[settings.smtp_security],
        security=settings.smtp_security,
        sender=sender,
        user=settings.smtp_user if password is not None else None,
        password=None if password is None else password.get_secret_value(),
        timeout_s=settings.notify_timeout_s,
    )


def build_mail(message: Message, sender: str, to: tuple[str, ...]) -> EmailMessage:
    """The message as mail. Sent again, it has the same id, by which mail programs hide it."""
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = clean_subject(message.subject)
    mail["From"] = sender
    mail["To"] = ", ".join(to)
    mail["Date"] = format_datetime(datetime.fromtimestamp(message.at_ms / 1000, UTC))
    mail["Message-ID"] = f"<{message.key}@{sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(render_text(message))
    mail.add_alternative(render_html(message), subtype="html")
    return mail


def send_mail(server: MailServer, mail: EmailMessage) -> None:
    """Hand a mail to the server; returns once the server has taken it for every recipient."""
    place = f"The mail server {server.host}:{server.port}"
    try:
        with _connect(server) as smtp:
            if server.user is not None and server.password is not None:
                smtp.login(server.user, server.password)
            refused = smtp.send_message(mail)
    except smtplib.SMTPAuthenticationError as error:
        raise DeliveryRefused(
            f"{place} does not accept the user name or password: {_tell(error)}.",
            advice="Check smtp_user and smtp_password.",
        ) from error
    except smtplib.SMTPRecipientsRefused as error:
        answers = dict(error.recipients)
        raise _explain_recipients(place, answers) from error
    except smtplib.SMTPResponseException as error:
        kind = DeliveryFailed if 400 <= error.smtp_code < 500 else DeliveryRefused
        raise kind(f"{place} refused the message: {_tell(error)}.") from error
    except smtplib.SMTPNotSupportedError as error:
        raise DeliveryRefused(
            f"{place} cannot do what is asked: {_clean(str(error))}.",
            advice="Check smtp_security: 'tls' for port 465, 'starttls' for port 587.",
        ) from error
    except ssl.SSLCertVerificationError as error:
        raise DeliveryRefused(
            f"{place} has no valid certificate: {_clean(error.verify_message)}.",
            advice="Use the host name that its certificate has.",
        ) from error
    except (OSError, smtplib.SMTPException) as error:
        raise DeliveryFailed(
            f"{place} could not be reached: {_clean(str(error)) or type(error).__name__}.",
            advice="Check smtp_host, smtp_port and smtp_security; it is tried again.",
        ) from error
    if refused:
        raise _explain_recipients(place, refused)


def _connect(server: MailServer) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.security == "tls":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=server.timeout_s, context=context)
    smtp = smtplib.SMTP(server.host, server.port, timeout=server.timeout_s)
    if server.security == "starttls":
        try:
            smtp.starttls(context=context)
        except BaseException:
            smtp.close()
            raise
    return smtp


def _explain_recipients(
    place: str, refused: Mapping[str, tuple[int, bytes]]
) -> DeliveryFailed | DeliveryRefused:
    told = "; ".join(
        f"{name}: {code} {_clean(reason.decode('utf-8', 'replace'))}"
        for name, (code, reason) in refused.items()
    )
    may_work_later = all(400 <= code < 500 for code, _ in refused.values())
    kind = DeliveryFailed if may_work_later else DeliveryRefused
    return kind(f"{place} refused recipients: {told}.")


def _tell(error: smtplib.SMTPResponseException) -> str:
    reason = error.smtp_error
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return f"{error.smtp_code} {_clean(text)}"


def _clean(text: str) -> str:
    """What a server or a program says, on one short line."""
    line = escape_line(" ".join(text.split())).rstrip(".")
    return line if len(line) <= _TOLD else f"{line[:_TOLD]}…"


async def run_command(
    name: str, command: tuple[str, ...], message: Message, timeout_s: float
) -> None:
    """Run a program with the message as JSON on its standard input; 0 means that it took it."""
    label = f"Command '{name}'"
    body = json.dumps(as_json(message), ensure_ascii=True).encode()
    # Not the whole environment: it may hold the keys of models and databases.
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR")
    env = {key: value for key, value in read_environment().items() if key in kept}
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**env, "ASSAY_NOTIFICATION_ID": message.key},
            start_new_session=True,
        )
    except OSError as error:
        raise DeliveryRefused(
            f"{label} cannot be started: {error.strerror or error}.",
            advice=f"Check the command in [channels.{name}]; it is run without a shell.",
        ) from error
    try:
        async with asyncio.timeout(timeout_s):
            _, errors = await process.communicate(body)
    except TimeoutError as error:
        raise DeliveryFailed(f"{label} did not end within {timeout_s:g} s.") from error
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode != 0:
        told = _clean(errors.decode("utf-8", "replace"))
        raise DeliveryFailed(f"{label} ended with {process.returncode}: {told or 'no message'}.")
