"""One frozen settings object; the only place that reads the environment."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from assay.errors import InvalidSetting, UnknownSetting

ENV_PREFIX = "ASSAY_"
FILE_NAME = "assay.toml"
DEFAULT_HOME = Path("assay-data")
FILE_ONLY = ("queues", "hosts", "providers", "prices")
"""Tables, which an environment variable cannot hold."""


def _lifted(value: Any) -> Any:
    """A cap is lifted by a word: a 0 that someone meant as "spend nothing" must not lift it."""
    return None if isinstance(value, str) and value.strip().lower() == "none" else value


Cap = Annotated[Annotated[int, Field(ge=0, le=10**15)] | None, BeforeValidator(_lifted)]
Limit = Annotated[Annotated[int, Field(ge=1, le=10**12)] | None, BeforeValidator(_lifted)]
Money = Annotated[float, Field(ge=0, le=10**9)]
MoneyCap = Annotated[Money | None, BeforeValidator(_lifted)]


class Table(BaseModel):
    """Settings that belong together. A refused value is never repeated: it may be a key."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False
    )


class QueueSettings(Table):
    """What may be changed of one queue."""

    rate: int | None = Field(
        default=None, ge=0, description="Documents that may start per period; 0 lifts the limit."
    )
    per_s: float | None = Field(default=None, gt=0, description="The period of the rate, seconds.")
    concurrency: int | None = Field(
        default=None, ge=1, description="Batches that one worker runs at a time."
    )


ProviderKind = Literal["ollama", "ollama_cloud", "openai", "anthropic", "gemini"]


class ProviderSettings(Table):
    """A way to one model."""

    kind: ProviderKind = Field(description=f"One of {', '.join(get_args(ProviderKind))}.")
    model: str = Field(min_length=1, description="The model, by the provider's name for it.")
    base_url: str | None = Field(
        default=None, description="Address of the provider; by default that of its kind."
    )
    key: SecretStr | None = Field(
        default=None, min_length=1, description="The key itself; key_env is the safer place."
    )
    key_env: str | None = Field(
        default=None,
        pattern="^[A-Za-z_][A-Za-z0-9_]*$",
        description="Name of the environment variable that holds the key.",
    )
    requests_per_minute: Limit = Field(
        default=None, description="By default as for its kind; 'none' lifts it."
    )
    tokens_per_minute: Limit = Field(
        default=None, description="By default as for its kind; 'none' lifts it."
    )
    max_concurrent: Limit = Field(
        default=None, description="Calls at a time; by default as for its kind; 'none' lifts it."
    )
    burst: Limit = Field(
        default=None,
        description="Calls in any one second; by default as for its kind; 'none' lifts it.",
    )
    lane: Literal["local", "cloud"] | None = Field(
        default=None, description="Whose concurrent calls it counts among; by default as its kind."
    )

    @field_validator("base_url")
    @classmethod
    def _is_an_address_alone(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "http://default")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it must begin with http:// or https:// and name a host")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("it must be an address alone; a key goes into key_env")
        return value

    @field_validator("key_env")
    @classmethod
    def _is_not_a_setting(cls, value: str | None) -> str | None:
        if value is not None and value.startswith(ENV_PREFIX):
            raise ValueError(f"variables that begin with {ENV_PREFIX} are settings")
        return value

    @model_validator(mode="after")
    def _has_one_key(self) -> Self:
        if self.key is not None and self.key_env is not None:
            raise ValueError("it has key and key_env; leave one out")
        return self


class PriceSettings(Table):
    """What a model costs."""

    input_per_million: Money = Field(description="Money for a million tokens of questions.")
    output_per_million: Money = Field(description="Money for a million tokens of answers.")


class Settings(Table):
    """Everything that can be set, with its default and what it is for."""

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
    contact: str = Field(default="", description="Address for site owners, sent in the user agent.")
    fetch_timeout_s: float = Field(
        default=30.0, gt=0, description="Longest time that one request may take."
    )
    fetch_max_bytes: int = Field(
        default=20_000_000, gt=0, description="Largest document that is fetched, decoded bytes."
    )
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
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe lines that the log file keeps."
    )
    queues: dict[str, QueueSettings] = Field(
        default_factory=dict, description="Changes to single queues, by name; file only."
    )
    hosts: dict[str, str] = Field(
        default_factory=dict,
        description="Host names that are reached at another address, as a demo is; file only.",
    )
    providers: dict[str, ProviderSettings] = Field(
        default_factory=dict, description="The ways to models, by name; file only."
    )
    prices: dict[str, PriceSettings] = Field(
        default_factory=dict, description="What models cost, by model; file only."
    )
    fault: str = Field(
        default="", description="Where a test kills this process: 'point' or 'point@n'."
    )

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


def load(
    *, home: Path | None = None, env: Mapping[str, str] | None = None, **given: Any
) -> Settings:
    """Settings from the file in the home, then the environment, then what was given."""
    variables = os.environ if env is None else env
    found = _from_env(variables)
    if home is not None:
        found["home"] = home
    folder = Path(found.get("home", DEFAULT_HOME))
    values: dict[str, Any] = {**_from_file(folder / FILE_NAME), **found}
    values.update({name: value for name, value in given.items() if value is not None})
    values["home"] = folder
    return _with_keys(_checked(values), variables)


def _with_keys(settings: Settings, variables: Mapping[str, str]) -> Settings:
    """With the keys that stand in the environment; what is not there may not be needed."""
    found = {
        name: provider.model_copy(update={"key": SecretStr(variables[provider.key_env])})
        for name, provider in settings.providers.items()
        if provider.key_env is not None and variables.get(provider.key_env, "").strip()
    }
    return settings.model_copy(update={"providers": {**settings.providers, **found}})


def _from_env(env: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for variable, value in env.items():
        if not variable.startswith(ENV_PREFIX):
            continue
        name = variable.removeprefix(ENV_PREFIX).lower()
        if name in FILE_ONLY:
            raise InvalidSetting(
                f"Setting '{name}' cannot stand in the environment ({variable}).",
                advice=f"Write it as a table in {FILE_NAME}.",
            )
        if name not in Settings.model_fields:
            raise _unknown(name, f"environment variable {variable}", prefix=ENV_PREFIX)
        found[name] = value.split(",") if name == "retry_delays_s" else value
    return found


def _from_file(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidSetting(
            f"{path} cannot be read: {error.strerror}.",
            advice="Check --home, and the owner of the file.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{path} is not valid TOML: {error}.", advice="Correct it.") from error
    for name in values:
        if name not in Settings.model_fields:
            raise _unknown(name, f"setting '{name}' in {path}")
    if "home" in values:
        raise InvalidSetting(
            f"{path} sets 'home', but the home says where the file lies.",
            advice="Remove that line; use --home or ASSAY_HOME.",
        )
    return values


def _unknown(name: str, where: str, prefix: str = "") -> UnknownSetting:
    near = difflib.get_close_matches(name, list(Settings.model_fields), n=1)
    hint = f"Did you mean '{prefix}{near[0].upper() if prefix else near[0]}'? " if near else ""
    return UnknownSetting(
        f"There is no such setting: {where}.", advice=f"{hint}'assay doctor --settings' lists all."
    )


def _checked(values: dict[str, Any]) -> Settings:
    try:
        return Settings(**values)
    except ValidationError as error:
        raise _told(error) from error


_TABLES: Mapping[str, type[Table]] = {
    "queues": QueueSettings,
    "providers": ProviderSettings,
    "prices": PriceSettings,
}


def _told(error: ValidationError) -> InvalidSetting | UnknownSetting:
    """One of the faults, without a value that may be a key."""
    # A mistyped name first: what it should have been is then missing as well.
    first = min(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
    path = [str(part) for part in first["loc"]]
    name = ".".join(path)
    if first["type"] == "extra_forbidden" and path[0] in _TABLES:
        known = list(_TABLES[path[0]].model_fields)
        near = difflib.get_close_matches(path[-1], known, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        return UnknownSetting(
            f"There is no such setting: '{name}' in {FILE_NAME}.",
            advice=f"{hint}There are {', '.join(known)}.",
        )
    if first["type"] == "missing":
        return InvalidSetting(f"Setting '{name}' is missing.", advice=f"Add it to {FILE_NAME}.")
    why = first["msg"].removeprefix("Value error, ").rstrip(".")
    shown = "as it stands" if path[0] == "providers" else repr(first["input"])
    return InvalidSetting(
        f"Setting '{name}' cannot be {shown}: {why}.",
        advice="Correct it in the file, the environment or the command line.",
    )
