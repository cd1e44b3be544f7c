"""The tools that stages work with: the fetcher, the readers and the process pool."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.app.known_sources import SOURCES_FOLDER, find_adapter_folder
from assay.engine.process_pool import PoolLimits, ProcessPool
from assay.notices.channels import Notifier
from assay.reading.limits import ReadLimits
from assay.reading.ocr import OcrAvailability, OcrOptions, check_availability
from assay.settings import Settings
from assay.sources.fetching import Fetcher, FetchPolicy
from assay.sources.git import GitLimits, RepositoryCopies
from assay.sources.pacing import HostSchedule
from assay.sources.portals import NO_PORTALS, Portal
from assay.spine.listing_fetcher import ListingFetcher
from assay.spine.scanning import Scanner
from assay.spine.scouting.task import ScoutOptions
from assay.store.scratch import ScratchFolder

REPOSITORIES_FOLDER = "repositories"
"""The folder in a home with the copies of watched git repositories."""
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Tools:
    """The tools of a worker; nothing is opened until it is used."""

    fetcher: Fetcher
    pool: ProcessPool
    listing_fetcher: ListingFetcher
    repositories: RepositoryCopies
    scout: ScoutOptions
    scanner: Scanner
    notifier: Notifier

    def check_ocr(self) -> OcrAvailability:
        """Whether scanned pages can be read here, and if not, what to install."""
        return check_availability(self.scanner.options)

    async def close(self) -> None:
        """Close connections and processes."""
        await self.fetcher.close()
        await self.notifier.close()
        await self.pool.close()


def build_tools(
    settings: Settings,
    portals: Mapping[str, Portal] = NO_PORTALS,
    starts: HostSchedule | None = None,
) -> Tools:
    """Build the tools as configured, with the portals of packs.

    `starts` says when requests may start, if other workers have a say in it.
    """
    policy = build_fetch_policy(settings)
    fetcher = Fetcher(policy, starts=starts)
    pool = ProcessPool(settings.read_processes, build_bounds(settings), list_readable(settings))
    return Tools(
        fetcher=fetcher,
        pool=pool,
        listing_fetcher=ListingFetcher(
            fetcher,
            pool,
            max_parts=settings.listing_max_parts,
            revisit_ms=int(settings.revisit_days * _DAY_MS),
            adapter_of=partial(find_adapter_folder, settings),
            portals=portals,
        ),
        repositories=build_repositories(settings),
        scout=build_scout_options(settings),
        scanner=Scanner(
            pool,
            build_ocr_options(settings),
            ScratchFolder(settings.home / "scratch"),
            page_timeout_s=settings.ocr_page_timeout_s,
        ),
        notifier=Notifier(settings, policy),
    )


def build_repositories(settings: Settings) -> RepositoryCopies:
    """Where git repositories are opened, and what they may cost."""
    limits = GitLimits(
        max_bytes=settings.repository_max_bytes,
        max_versions=settings.repository_max_versions,
        max_file_bytes=settings.fetch_max_bytes,
        timeout_s=settings.repository_timeout_s,
    )
    return RepositoryCopies(
        settings.home / REPOSITORIES_FOLDER, build_fetch_policy(settings), limits
    )


def build_bounds(settings: Settings) -> PoolLimits:
    """What one document may cost."""
    # An answer contains a text, with up to 6 bytes a character and about as many for its places, or
    # what a portal sent.
    most_bytes = max(12 * settings.read_max_characters, 2 * settings.fetch_max_bytes)
    return PoolLimits(
        timeout_s=settings.read_timeout_s,
        memory_mb=settings.read_memory_mb,
        reply_mb=max(PoolLimits().reply_mb, most_bytes // 1_000_000),
    )


def list_readable(settings: Settings) -> tuple[Path, ...]:
    """The folders that the processes of the pool open files in."""
    tessdata = () if settings.tessdata is None else (settings.tessdata,)
    own = (settings.blobs, settings.home / SOURCES_FOLDER)
    return tuple(path.resolve() for path in (*own, *tessdata, *settings.read_folders))


def build_scout_options(settings: Settings) -> ScoutOptions:
    """What scout's work depends on besides the document."""
    limits = ReadLimits(
        max_pages=settings.read_max_pages, max_characters=settings.read_max_characters
    )
    return ScoutOptions(limits=limits, can_ocr=check_availability(build_ocr_options(settings)).ok)


def build_ocr_options(settings: Settings) -> OcrOptions:
    """How scanned pages are read."""
    tessdata = None if settings.tessdata is None else str(settings.tessdata)
    return OcrOptions(
        languages=settings.ocr_languages,
        tessdata=tessdata,
        page_timeout_s=settings.ocr_page_timeout_s / 2,
    )


def build_fetch_policy(settings: Settings) -> FetchPolicy:
    """How to treat sites."""
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
        site_keys=settings.site_keys,
    )
