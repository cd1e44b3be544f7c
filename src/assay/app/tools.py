"""What the stages work with: who fetches, and who reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from assay.app.known_sources import adapter_folder
from assay.reading.limits import ReadLimits
from assay.reading.ocr import Availability, OcrOptions, availability
from assay.reading.workshop import Bounds, Workshop
from assay.settings import Settings
from assay.sources.fetching import Fetcher, FetchPolicy
from assay.sources.portals import NO_PORTALS, Portal
from assay.spine.listing_fetcher import Looker
from assay.spine.scanning import Scanner
from assay.spine.scouting.task import ScoutOptions
from assay.store.scratch import Scratch

_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Tools:
    """The tools of a worker; nothing is opened before it is used."""

    fetcher: Fetcher
    workshop: Workshop
    looker: Looker
    scout: ScoutOptions
    scanner: Scanner

    def check_ocr(self) -> Availability:
        """Whether scanned pages can be read here, and if not, how to get there."""
        return availability(self.scanner.options)

    async def close(self) -> None:
        """End connections and processes."""
        await self.fetcher.close()
        await self.workshop.close()


def tools_of(settings: Settings, portals: Mapping[str, Portal] = NO_PORTALS) -> Tools:
    """The tools as the settings want them, with the portals of packs."""
    fetcher = Fetcher(fetch_policy(settings))
    workshop = Workshop(settings.read_processes, bounds_of(settings))
    return Tools(
        fetcher=fetcher,
        workshop=workshop,
        looker=Looker(
            fetcher,
            workshop,
            max_parts=settings.listing_max_parts,
            revisit_ms=int(settings.revisit_days * _DAY_MS),
            adapter_of=partial(adapter_folder, settings),
            portals=portals,
        ),
        scout=scout_options(settings),
        scanner=Scanner(
            workshop,
            ocr_options(settings),
            Scratch(settings.home / "scratch"),
            page_timeout_s=settings.ocr_page_timeout_s,
        ),
    )


def bounds_of(settings: Settings) -> Bounds:
    """What one document may cost."""
    return Bounds(timeout_s=settings.read_timeout_s, memory_mb=settings.read_memory_mb)


def scout_options(settings: Settings) -> ScoutOptions:
    """What scout's work depends on besides the document."""
    limits = ReadLimits(
        max_pages=settings.read_max_pages, max_characters=settings.read_max_characters
    )
    return ScoutOptions(limits=limits, can_ocr=availability(ocr_options(settings)).ok)


def ocr_options(settings: Settings) -> OcrOptions:
    """How scanned pages are read."""
    tessdata = None if settings.tessdata is None else str(settings.tessdata)
    return OcrOptions(
        languages=settings.ocr_languages,
        tessdata=tessdata,
        page_timeout_s=settings.ocr_page_timeout_s / 2,
    )


def fetch_policy(settings: Settings) -> FetchPolicy:
    """How to behave towards sites."""
    return FetchPolicy(
        contact=settings.contact,
        timeout_s=settings.fetch_timeout_s,
        max_bytes=settings.fetch_max_bytes,
        stream_max_bytes=settings.listing_max_bytes,
        host_gap_s=settings.fetch_gap_s,
        host_concurrency=settings.fetch_per_host,
        concurrency=settings.fetch_concurrency,
        respect_robots=settings.fetch_respect_robots,
        allow_private=settings.fetch_allow_private,
        blocked_hosts=settings.blocked_hosts,
        hosts=settings.hosts,
    )
