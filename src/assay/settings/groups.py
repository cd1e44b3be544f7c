"""Everything that can be set, by what it is for, each with its default."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from assay.settings.kinds import Cap, Limit, MoneyCap, SettingsGroup
from assay.settings.tables import PriceSettings, ProviderSettings, QueueSettings

DEFAULT_HOME = Path("assay-data")


class HomeSettings(SettingsGroup):
    """Where everything lies, and how much the log says."""

    home: Path = Field(
        default=DEFAULT_HOME, description="Folder of the database file, blobs, runs and logs."
    )
    database_url: str | None = Field(
        default=None,
        description="SQLAlchemy address of the database; by default a SQLite file in the home.",
    )
    database_wait_s: float = Field(
        default=30.0, gt=0, description="How long to wait for a locked or silent database."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe lines that the log file keeps."
    )
    pack: str = Field(
        default="",
        description="The pack that commands use where none is named; by default the only one that "
        "can be meant.",
    )


class EngineSettings(SettingsGroup):
    """How jobs are carried out."""

    profile: Literal["local", "production"] = Field(
        default="local",
        description="'production' keeps the rate of every queue; 'local' lifts those of the "
        "stages that call nobody.",
    )
    worker_name: str | None = Field(
        default=None,
        description="Stable name of this worker; 'local' on SQLite, else host-1, host-2 and so on.",
    )
    lease_s: float = Field(
        default=60.0, gt=0, description="Silence after which a worker counts as dead."
    )
    heartbeat_s: float = Field(
        default=10.0, gt=0, description="How often a worker says that it lives."
    )
    polling_s: float = Field(
        default=0.1, gt=0, description="How often a worker looks into each queue."
    )
    grace_s: float = Field(
        default=20.0, ge=0, description="How long a stopping worker waits for work in hand."
    )
    batch_size: int = Field(
        default=500, ge=1, le=2000, description="Most documents in one batch of a batched stage."
    )
    job_timeout_s: float = Field(
        default=600.0, gt=0, description="Longest time that one batch may take."
    )
    retry_delays_s: tuple[float, ...] = Field(
        default=(10.0, 20.0, 40.0), min_length=1, description="Waits before a job's next attempts."
    )
    priority_decay: int = Field(
        default=20, ge=0, description="Priority that a job loses with each failed attempt."
    )
    max_recoveries: int = Field(
        default=20,
        ge=1,
        description="Worker deaths that a batch survives before its jobs are dead.",
    )
    candidate_retry_days: float = Field(
        default=14.0, gt=0, description="Days until a blocked candidate is tried again."
    )
    candidate_retry_limit: int = Field(
        default=5, ge=1, description="Times that a candidate may be blocked before it has failed."
    )
    retention_days: float = Field(
        default=30.0, gt=0, description="Days that the queue remembers finished batches."
    )
    schedule: str | None = Field(
        default=None,
        description="When a worker begins runs by itself: a cron line, in UTC ('0 5 * * *'); "
        "'off' takes an earlier schedule away.",
    )
    schedules: dict[str, str] = Field(
        default_factory=dict,
        description="Schedules of packs, by pack.name: a cron line, or 'off'; file only.",
    )
    queues: dict[str, QueueSettings] = Field(
        default_factory=dict, description="Changes to single queues, by name; file only."
    )
    fault: str = Field(
        default="", description="Where a test kills this process: 'point' or 'point@n'."
    )


class FetchingSettings(SettingsGroup):
    """How Assay behaves towards the sites that it watches."""

    contact: str = Field(default="", description="Address for site owners, sent in the user agent.")
    fetch_timeout_s: float = Field(
        default=30.0, gt=0, description="Longest time that one request may take."
    )
    fetch_max_bytes: int = Field(
        default=20_000_000, gt=0, description="Largest document that is fetched, decoded bytes."
    )
    fetch_gap_s: float = Field(
        default=1.0, ge=0, le=3600, description="Least time between two requests to one host."
    )
    fetch_per_host: int = Field(
        default=2, ge=1, le=64, description="Requests to one host at a time."
    )
    fetch_concurrency: int = Field(
        default=16, ge=1, le=1024, description="Requests to all hosts at a time."
    )
    fetch_respect_robots: bool = Field(
        default=True, description="Whether robots.txt is asked and obeyed."
    )
    fetch_allow_private: tuple[str, ...] = Field(
        default=(),
        description="Private or loopback hosts and networks that may be fetched from, "
        "such as 'intranet.example' or '10.0.0.0/8'; all others are refused.",
    )
    blocked_hosts: tuple[str, ...] = Field(
        default=(), description="Hosts that are never asked, such as '*.example.com'."
    )
    revisit_days: float = Field(
        default=30.0,
        gt=0,
        description="Days for which a listing is believed that says an item has not changed.",
    )
    listing_max_bytes: int = Field(
        default=200_000_000, gt=0, description="Largest sitemap or listing, decoded bytes."
    )
    listing_max_parts: int = Field(
        default=50_000, ge=1, description="Most pages or child sitemaps of one endpoint in a run."
    )
    hosts: dict[str, str] = Field(
        default_factory=dict,
        description="Host names that are reached at another address, as a demo is; file only.",
    )


class ReadingSettings(SettingsGroup):
    """What a document may cost to be read."""

    read_processes: int = Field(
        default=0, ge=0, le=256, description="Processes that read; 0: one for each core."
    )
    read_timeout_s: float = Field(
        default=60.0, gt=0, description="Longest time that one document may be read."
    )
    read_memory_mb: int = Field(
        default=1536, ge=256, description="Memory that reading one document may take."
    )
    read_max_pages: int = Field(default=2000, ge=1, description="Most pages of one document.")
    read_max_characters: int = Field(
        default=5_000_000, ge=1000, description="Longest text of one document."
    )
    ocr_languages: tuple[str, ...] = Field(
        default=("hrv", "deu", "eng"),
        min_length=1,
        description="Languages of scanned pages, by Tesseract's names.",
    )
    ocr_page_timeout_s: float = Field(
        default=120.0, gt=0, description="Longest time that one scanned page may take."
    )
    tessdata: Path | None = Field(
        default=None, description="Folder of Tesseract's language files; by default it is found."
    )


class SpendingSettings(SettingsGroup):
    """What models may cost."""

    daily_tokens: Cap = Field(
        default=500_000, description="Tokens of all model calls of a UTC day; 'none' lifts it."
    )
    daily_tokens_per_source: Cap = Field(
        default=50_000,
        description="Tokens of one source's calls of a UTC day, times the multiplier of its "
        "health; 'none' lifts it.",
    )
    evidence_tokens: Cap = Field(
        default=8_000, description="Tokens of one document's calls of a UTC day; 'none' lifts it."
    )
    daily_cost: MoneyCap = Field(
        default=None,
        description="Money of all calls of a UTC day, in the currency of the prices; every model "
        "then needs a price.",
    )
    max_concurrent_cloud: Limit = Field(
        default=3, description="Calls to the cloud at a time, of all workers; 'none' lifts it."
    )
    max_concurrent_local: Limit = Field(
        default=5, description="Calls to local models at a time, of all workers; 'none' lifts it."
    )
    cloud_gap_s: float = Field(
        default=2.0, ge=0, le=3600, description="Least time between two starts of cloud calls."
    )
    empty_threshold: int = Field(
        default=3, ge=1, description="Empty answers in a row after which a source rests."
    )
    empty_rest_s: float = Field(
        default=3600.0, ge=0, le=2_592_000, description="How long such a source rests."
    )
    circuit_failures: int = Field(
        default=5, ge=1, description="Failures in a row that open a provider's circuit."
    )
    circuit_open_s: float = Field(
        default=120.0, ge=0, le=86_400, description="How long it stays open before it is probed."
    )
    circuit_successes: int = Field(
        default=2, ge=1, description="Probes in a row that must succeed before it closes."
    )
    llm_lease_s: float = Field(
        default=15.0,
        ge=0.1,
        le=3600,
        description="Silence after which a call counts as a dead worker's.",
    )
    providers: dict[str, ProviderSettings] = Field(
        default_factory=dict, description="The ways to models, by name; file only."
    )
    prices: dict[str, PriceSettings] = Field(
        default_factory=dict, description="What models cost, by model; file only."
    )


class RequestSettings(SettingsGroup):
    """Requests of several steps."""

    request_tokens: int = Field(
        default=4096,
        ge=0,
        le=1_000_000,
        description="Tokens that one request to models may cost.",
    )
    request_patience: float = Field(
        default=1.0,
        gt=0,
        le=100,
        description="Factor on the time of each step of a request; a slow model needs more.",
    )
    requests_at_once: int = Field(
        default=32, ge=1, le=1000, description="Requests that the server takes on at a time."
    )
    request_max_characters: int = Field(
        default=200_000, ge=1000, description="Longest text that a request to the server may bring."
    )


class Settings(
    # Fields are listed from the last base to the first.
    RequestSettings,
    SpendingSettings,
    ReadingSettings,
    FetchingSettings,
    EngineSettings,
    HomeSettings,
):
    """Everything that can be set."""

    @property
    def database(self) -> str:
        """The address in use."""
        return self.database_url or f"sqlite:///{self.home.absolute() / 'assay.db'}"

    @property
    def blobs(self) -> Path:
        return self.home / "blobs"

    @property
    def runs(self) -> Path:
        return self.home / "runs"

    @property
    def log_file(self) -> Path:
        return self.home / "logs" / "assay.jsonl"
