"""Every setting with its default, grouped by purpose."""

import re
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator

from assay.settings.kinds import BaseUrl, Cap, Limit, Money, MoneyCap, SettingsGroup
from assay.settings.tables import (
    ChannelSettings,
    PriceSettings,
    ProviderSettings,
    QueueSettings,
    is_mailbox,
)

DEFAULT_HOME = Path("assay-data")


class HomeSettings(SettingsGroup):
    """Where everything is stored, and how much is logged."""

    home: Path = Field(
        default=DEFAULT_HOME, description="Folder for the database file, blobs, runs and logs."
    )
    database_url: str | None = Field(
        default=None,
        description="SQLAlchemy URL of the database; by default a SQLite file in the home.",
    )
    database_wait_s: float = Field(
        default=30.0, gt=0, description="Seconds to wait for a locked or unresponsive database."
    )
    database_limit_s: float = Field(
        default=300.0,
        gt=0,
        description="Seconds a Postgres server may take to respond to one statement; after that "
        "the connection counts as lost. Raise it to migrate a very large store.",
    )
    database_outage_s: float = Field(
        default=600.0,
        gt=0,
        description="Seconds that 'run' and 'demo' wait for a lost database to return; 'worker' "
        "and 'daemon' wait until they are stopped.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Lowest severity that is written to the log file."
    )
    pack: str = Field(
        default="",
        description="Pack that commands use when none is given; by default the only one that "
        "qualifies.",
    )
    aliases: dict[str, str] = Field(
        default_factory=dict,
        description='Further names of concepts, such as "our VAT rate" = "hr:pdv.rate"; file only.',
    )


class EngineSettings(SettingsGroup):
    """How jobs are carried out."""

    profile: Literal["local", "production"] = Field(
        default="local",
        description="'production' applies every queue's rate limit; 'local' lifts it for the "
        "stages that make no outside calls.",
    )
    worker_name: str | None = Field(
        default=None,
        description="Stable name of this worker; by default 'local' on SQLite, otherwise host-1, "
        "host-2 and so on.",
    )
    lease_s: float = Field(
        default=60.0, gt=0, description="Seconds without a heartbeat until a worker counts as dead."
    )
    heartbeat_s: float = Field(
        default=2.0, gt=0, description="Seconds between a worker's heartbeats."
    )
    polling_s: float = Field(
        default=0.1, gt=0, description="Seconds between a worker's checks of each queue."
    )
    grace_s: float = Field(
        default=20.0, ge=0, description="Seconds a stopping worker waits for its current work."
    )
    batch_size: int = Field(
        default=500, ge=1, le=2000, description="Maximum documents in one batch of a batched stage."
    )
    job_timeout_s: float = Field(
        default=600.0, gt=0, description="Maximum seconds that one batch may take."
    )
    retry_delays_s: tuple[float, ...] = Field(
        default=(10.0, 20.0, 40.0),
        min_length=1,
        description="Seconds to wait before each further attempt at a job.",
    )
    priority_decay: int = Field(
        default=20, ge=0, description="Priority a job loses with each failed attempt."
    )
    max_recoveries: int = Field(
        default=20,
        ge=1,
        description="Worker deaths a batch may go through before its jobs become dead letters.",
    )
    candidate_retry_days: float = Field(
        default=14.0, gt=0, description="Days until a blocked candidate is retried."
    )
    candidate_retry_limit: int = Field(
        default=5, ge=1, description="Times a candidate may be blocked before it counts as failed."
    )
    retention_days: float = Field(
        default=30.0, gt=0, description="Days the queue keeps finished batches."
    )
    schedule: str | None = Field(
        default=None,
        description="When a worker starts runs automatically: a cron expression in UTC "
        "('0 5 * * *'); 'off' removes an earlier schedule.",
    )
    schedules: dict[str, str] = Field(
        default_factory=dict,
        description="Schedules of packs, by pack.name: a cron expression, or 'off'; file only.",
    )
    queues: dict[str, QueueSettings] = Field(
        default_factory=dict, description="Overrides for individual queues, by name; file only."
    )
    fault: str = Field(
        default="", description="Where a test kills this process: 'point' or 'point@n'."
    )


class FetchingSettings(SettingsGroup):
    """How Assay treats the sites it watches."""

    contact: str = Field(
        default="", description="Contact address for site owners, sent in the user agent."
    )
    fetch_timeout_s: float = Field(
        default=30.0, gt=0, description="Maximum seconds that one request may take."
    )
    fetch_max_bytes: int = Field(
        default=20_000_000, gt=0, description="Largest document to fetch, in decoded bytes."
    )
    fetch_gap_s: float = Field(
        default=1.0, ge=0, le=3600, description="Minimum seconds between two requests to one host."
    )
    fetch_per_host: int = Field(
        default=2, ge=1, le=64, description="Maximum concurrent requests to one host."
    )
    fetch_concurrency: int = Field(
        default=16, ge=1, le=1024, description="Maximum concurrent requests to all hosts."
    )
    fetch_respect_robots: bool = Field(
        default=True, description="Whether to fetch and obey robots.txt."
    )
    fetch_allow_private: tuple[str, ...] = Field(
        default=(),
        description="Private or loopback hosts and networks that may be fetched from, "
        "such as 'intranet.example' or '10.0.0.0/8'; all others are refused.",
    )
    blocked_hosts: tuple[str, ...] = Field(
        default=(), description="Hosts that are never contacted, such as '*.example.com'."
    )
    revisit_days: float = Field(
        default=30.0,
        gt=0,
        description="Days for which to believe a listing that says an item has not changed.",
    )
    listing_max_bytes: int = Field(
        default=200_000_000, gt=0, description="Largest sitemap or listing, in decoded bytes."
    )
    listing_max_parts: int = Field(
        default=50_000,
        ge=1,
        description="Maximum pages or child sitemaps to read per endpoint and run.",
    )
    repository_max_bytes: int = Field(
        default=4_000_000_000, gt=0, description="Largest copy of a git repository, on disk."
    )
    repository_max_versions: int = Field(
        default=100_000, ge=1, description="Maximum versions of files to read in one look."
    )
    repository_timeout_s: float = Field(
        default=900.0, gt=0, description="Maximum seconds that one git command may take."
    )
    hosts: dict[str, BaseUrl] = Field(
        default_factory=dict,
        description="Host names to reach at another address, as the demo does; file only.",
    )
    site_keys: dict[str, SecretStr] = Field(
        default_factory=dict,
        description="Beginnings of addresses that need a key, each with 'parameter=VARIABLE': the "
        "query parameter and the environment variable that holds the key; file only.",
    )


class ReadingSettings(SettingsGroup):
    """What reading a document may cost."""

    read_processes: int = Field(
        default=0, ge=0, le=256, description="Number of reading processes; 0 means one per core."
    )
    read_timeout_s: float = Field(
        default=60.0, gt=0, description="Maximum CPU seconds for reading one document."
    )
    read_memory_mb: int = Field(
        default=1536, ge=256, description="Maximum memory for reading one document, in MB."
    )
    read_folders: tuple[Path, ...] = Field(
        default=(),
        description="Folders that reading processes may read besides the stored documents, such as "
        "the data of a pack of your own.",
    )
    read_max_pages: int = Field(default=2000, ge=1, description="Maximum pages of one document.")
    read_max_characters: int = Field(
        default=5_000_000, ge=1000, description="Maximum characters of one document's text."
    )
    ocr_languages: tuple[str, ...] = Field(
        default=("hrv", "deu", "eng"),
        min_length=1,
        description="Languages of scanned pages, as Tesseract names them.",
    )
    ocr_page_timeout_s: float = Field(
        default=120.0, gt=0, description="Maximum seconds that one scanned page may take."
    )
    tessdata: Path | None = Field(
        default=None,
        description="Folder of Tesseract's language files; by default it is located automatically.",
    )


class SpendingSettings(SettingsGroup):
    """What models may cost."""

    daily_tokens: Cap = Field(
        default=500_000,
        description="Tokens that all model calls may use per UTC day; 'none' lifts the cap.",
    )
    daily_tokens_per_source: Cap = Field(
        default=50_000,
        description="Tokens that one source's calls may use per UTC day, multiplied by the factor "
        "for its health; 'none' lifts the cap.",
    )
    evidence_tokens: Cap = Field(
        default=8_000,
        description="Tokens that one document's calls may use per UTC day; 'none' lifts the cap.",
    )
    daily_cost: MoneyCap = Field(
        default=None,
        description="Money that all calls may cost per UTC day, in the currency of the prices; "
        "every model then needs a price.",
    )
    service_allowances: dict[str, Money] = Field(
        default_factory=dict,
        description="Money that calls to a service may cost per UTC day, in dollars, by service, "
        "such as 'openalex = 1.0'; by default what the service grants; file only.",
    )
    max_concurrent_cloud: Limit = Field(
        default=3,
        description="Maximum concurrent cloud calls of all workers; 'none' lifts the limit.",
    )
    max_concurrent_local: Limit = Field(
        default=5,
        description="Maximum concurrent calls to local models of all workers; 'none' lifts the "
        "limit.",
    )
    cloud_gap_s: float = Field(
        default=2.0, ge=0, le=3600, description="Minimum seconds between the starts of cloud calls."
    )
    empty_threshold: int = Field(
        default=3, ge=1, description="Empty answers in a row after which a source cools down."
    )
    empty_rest_s: float = Field(
        default=3600.0, ge=0, le=2_592_000, description="Seconds that such a cooldown lasts."
    )
    circuit_failures: int = Field(
        default=5, ge=1, description="Failures in a row that open a provider's circuit."
    )
    circuit_open_s: float = Field(
        default=120.0,
        ge=0,
        le=86_400,
        description="Seconds that a circuit stays open before it is probed.",
    )
    circuit_successes: int = Field(
        default=2, ge=1, description="Probes in a row that must succeed before a circuit closes."
    )
    llm_lease_s: float = Field(
        default=15.0,
        ge=0.1,
        le=3600,
        description="Seconds of silence until a call is attributed to a dead worker.",
    )
    providers: dict[str, ProviderSettings] = Field(
        default_factory=dict, description="Model providers, by name; file only."
    )
    prices: dict[str, PriceSettings] = Field(
        default_factory=dict, description="Prices of models, by model; file only."
    )


class RequestSettings(SettingsGroup):
    """Requests that take several steps."""

    request_tokens: int = Field(
        default=4096,
        ge=0,
        le=1_000_000,
        description="Tokens that one request to models may use.",
    )
    request_patience: float = Field(
        default=1.0,
        gt=0,
        le=100,
        description="Factor applied to the time limit of each step of a request; raise it for a "
        "slow model.",
    )
    requests_at_once: int = Field(
        default=32, ge=1, le=1000, description="Requests that the server handles at a time."
    )
    requests_waiting: int = Field(
        default=16,
        ge=0,
        le=1000,
        description="Further requests that wait for their turn; beyond them the server answers "
        "503. Each is held in memory.",
    )
    request_max_characters: int = Field(
        default=200_000, ge=1000, description="Maximum characters in a request to the server."
    )
    serve_memory_mb: int = Field(
        default=2048,
        ge=512,
        description="Memory of the process in which the server answers requests to packs; a "
        "request that needs more fails.",
    )
    serve_hosts: tuple[str, ...] = Field(
        default=(),
        description="Names under which the server may be addressed besides localhost and its IP "
        "addresses, such as 'assay.example'; requests under any other name are refused.",
    )


class AccessSettings(SettingsGroup):
    """Who may use the server."""

    serve_login: Literal["auto", "always"] = Field(
        default="auto",
        description="When the server needs a login: 'auto' not where only this machine reaches it "
        "(a loopback address and no public name in serve_hosts), 'always' there as well.",
    )
    serve_proxy: bool = Field(
        default=False,
        description="Whether the server is behind a proxy that sets X-Forwarded-For and "
        "X-Forwarded-Proto itself; otherwise nobody believes these headers.",
    )
    serve_session_hours: int = Field(
        default=12,
        ge=1,
        le=336,
        description="Hours without a request after which a login ends; it ends after 14 days in "
        "any case.",
    )
    two_people: tuple[Literal["T0", "T1"], ...] = Field(
        default=(),
        description="Tiers of rules that it takes two people to approve, both logged in to the "
        "console; by default one is enough.",
    )
    oidc_issuer: BaseUrl | None = Field(
        default=None,
        description="Address of the OpenID Connect provider that people log in with, exactly as it "
        "names itself.",
    )
    oidc_client_id: str | None = Field(
        default=None, min_length=1, description="Name of this server at the provider."
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="Its secret there; best set in the environment."
    )
    oidc_name_claim: str = Field(
        default="email", min_length=1, description="The claim that becomes a person's name."
    )
    oidc_role_claim: str = Field(
        default="groups", min_length=1, description="The claim that decides about a person's role."
    )
    oidc_roles: dict[str, Literal["reader", "reviewer", "operator"]] = Field(
        default_factory=dict,
        description="The role for each value of that claim; somebody with none of them cannot log "
        "in; file only.",
    )


class NotificationSettings(SettingsGroup):
    """How people hear about what they watch."""

    smtp_host: str | None = Field(
        default=None, description="Mail server that notifications are sent through."
    )
    smtp_port: int | None = Field(
        default=None,
        ge=1,
        le=65_535,
        description="Its port; by default 465 for 'tls', 587 for 'starttls' and 25 for 'none'.",
    )
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        default="starttls",
        description="How the connection is encrypted; 'none' is only for a server on this machine "
        "or a network of your own, and refuses a password.",
    )
    smtp_user: str | None = Field(default=None, description="User name at the mail server.")
    smtp_password: SecretStr | None = Field(
        default=None, description="Password at the mail server; best set in the environment."
    )
    smtp_sender: str | None = Field(
        default=None, description="Address that notifications come from; by default smtp_user."
    )
    notify_timeout_s: float = Field(
        default=30.0, gt=0, le=600, description="Maximum seconds that sending one message may take."
    )
    channels: dict[str, ChannelSettings] = Field(
        default_factory=dict, description="Where notifications go, by name; file only."
    )

    @field_validator("channels")
    @classmethod
    def _are_plain_names(cls, value: dict[str, ChannelSettings]) -> dict[str, ChannelSettings]:
        for name in value:
            if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", name):
                raise ValueError("names of channels are lower-case letters, digits, '-' and '_'")
        return value

    @field_validator("smtp_sender")
    @classmethod
    def _is_plain_address(cls, value: str | None) -> str | None:
        if value is not None and not is_mailbox(value):
            raise ValueError("it must be a plain address such as assay@example.org")
        return value


class Settings(
    # Fields are listed from the last base to the first.
    NotificationSettings,
    AccessSettings,
    RequestSettings,
    SpendingSettings,
    ReadingSettings,
    FetchingSettings,
    EngineSettings,
    HomeSettings,
):
    """All settings."""

    @property
    def database(self) -> str:
        """The database URL in use."""
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
