"""What a site's robots.txt allows (RFC 9309)."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from protego import Protego

from assay.clock import Clock
from assay.errors import AddressRefused, FetchFailed
from assay.sources.policy import PRODUCT

ReadFile = Callable[[str], Awaitable[bytes | None]]
"""Reads a robots.txt; `None` if there is none; FetchFailed if that is unknown; AddressRefused if
the whole site may not be contacted."""

FAULT_KEPT_S = 60.0
"""How long a file that could not be read is not requested again."""
_OURS = PRODUCT.lower()
_MOST_KEPT = 1_000
_MOST_SITEMAPS = 1_000
_MOST_RULES = 10_000
# Short patterns without repetition: a line may be half a megabyte of anything.
_AGENT = re.compile(r"user[- ]?agent(?=[\s:])", re.IGNORECASE)
_SITEMAP = re.compile(r"site-?maps?(?=[\s:])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What one robots.txt says to Assay."""

    file: Protego | None = None
    """Without a file, nothing is forbidden."""
    crawl_delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        return self.file is None or self.file.can_fetch(url, PRODUCT)


ALLOW_ALL = RobotsRules()


def parse_robots(data: bytes) -> RobotsRules:
    """Parse the rules of a file; bytes that are not text forbid nothing."""
    text = data.decode("utf-8-sig", errors="replace")
    ours, sitemaps = select_own_lines(text)
    file = Protego.parse(ours)
    return RobotsRules(file, file.crawl_delay(PRODUCT) or 0.0, sitemaps)


def select_own_lines(text: str) -> tuple[str, tuple[str, ...]]:
    """The lines that apply to Assay or to everybody, and the sitemaps that the file names.

    The parser keeps each rule once for each agent of its group, so a small file with many agents
    and many rules would fill the memory. Two agents do no harm.
    """
    kept: list[str] = []
    sitemaps: list[str] = []
    agents: list[str] = []
    in_rules = False
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        if agent := _AGENT.match(line):
            if in_rules:
                agents, in_rules = [], False
            name = _normalise_agent(_read_value(line, agent))
            if name in ("*", _OURS) and name not in agents:
                agents.append(name)
                kept.append(f"User-agent: {name}")
        elif sitemap := _SITEMAP.match(line):
            sitemaps += _read_value(line, sitemap).split()[:1]
        elif line:
            in_rules = True
            if agents and len(kept) < _MOST_RULES:
                kept.append(line)
    return "\n".join(kept), tuple(sitemaps[:_MOST_SITEMAPS])


def _read_value(line: str, name: re.Match[str]) -> str:
    return line[name.end() :].strip().removeprefix(":").strip()


def _normalise_agent(value: str) -> str:
    """The name of an agent; some write "Assay/1.0" or "Assay*" where the bare name belongs."""
    name = value.lower()
    return _OURS if name.partition("/")[0].partition("*")[0].strip() == _OURS else name


@dataclass(slots=True)
class _Entry:
    """What is known about one site's file."""

    rules: RobotsRules | None = None
    fresh_until_ms: int = 0
    fault: FetchFailed | AddressRefused | None = None
    users: int = 0
    lock: asyncio.Lock | None = None
    """Present while the file is being read: it belongs to one event loop."""


class RobotsCache:
    """The files of all sites, each read once and trusted for a while."""

    def __init__(self, read: ReadFile, clock: Clock, *, keep_s: float) -> None:
        self._read = read
        self._clock = clock
        self._keep_ms = round(keep_s * 1000)
        self._entries: dict[str, _Entry] = {}

    async def load_rules(self, origin: str, label: str) -> RobotsRules:
        """The rules of a site; FetchFailed while they are unknown, AddressRefused if it may not be
        contacted."""
        entry = self._entries.get(origin)
        if entry is not None and entry.fresh_until_ms > self._clock.now_ms():
            return _require_rules(entry, origin, label)
        if entry is None:
            entry = self._get_entry(origin)
        entry.users += 1
        lock = entry.lock = entry.lock or asyncio.Lock()
        try:
            async with lock:
                if entry.fresh_until_ms <= self._clock.now_ms():
                    await self._refresh(entry, origin)
        finally:
            entry.users -= 1
            if entry.users == 0:
                entry.lock = None
        return _require_rules(entry, origin, label)

    async def check_url(self, url: str, origin: str, label: str) -> RobotsRules:
        """The rules of a site, if they allow the address; otherwise AddressRefused."""
        rules = await self.load_rules(origin, label)
        if not rules.allows(url):
            raise AddressRefused(
                f"{label} must not be fetched by the user agent {PRODUCT}, according to "
                f"{origin}/robots.txt.",
                advice="Ask the site's owner for permission; do not fetch it until they agree.",
            )
        return rules

    def _get_entry(self, origin: str) -> _Entry:
        if len(self._entries) >= _MOST_KEPT:
            idle = [name for name, kept in self._entries.items() if kept.users == 0]
            for name in idle[: _MOST_KEPT // 10]:
                del self._entries[name]
        return self._entries.setdefault(origin, _Entry())

    async def _refresh(self, entry: _Entry, origin: str) -> None:
        keep_ms = self._keep_ms
        try:
            data = await self._read(f"{origin}/robots.txt")
            entry.rules = ALLOW_ALL if data is None else parse_robots(data)
            entry.fault = None
        except (FetchFailed, AddressRefused) as error:
            # An older copy is better than none; without one, everything is forbidden for now.
            entry.fault = error
            keep_ms = round(FAULT_KEPT_S * 1000)
        entry.fresh_until_ms = self._clock.now_ms() + keep_ms


def _require_rules(entry: _Entry, origin: str, label: str) -> RobotsRules:
    if entry.rules is not None:
        return entry.rules
    fault = entry.fault
    if isinstance(fault, AddressRefused):
        raise AddressRefused(f"{label} is not requested: {fault.what}", advice=fault.advice)
    reason = fault.what if fault else None
    raise FetchFailed(
        f"{label} is not requested now: {origin}/robots.txt cannot be read ({reason})"
    )
