"""One frozen settings object; the only place that reads the environment."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.errors import InvalidSetting, UnknownSetting

ENV_PREFIX = "ASSAY_"
FILE_NAME = "assay.toml"
DEFAULT_HOME = Path("assay-data")
_FILE_ONLY = ("queues", "hosts")


class QueueSettings(BaseModel):
    """What may be changed of one queue."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rate: int | None = Field(
        default=None, ge=0, description="Documents that may start per period; 0 lifts the limit."
    )
    per_s: float | None = Field(default=None, gt=0, description="The period of the rate, seconds.")
    concurrency: int | None = Field(
        default=None, ge=1, description="Batches that one worker runs at a time."
    )


class Settings(BaseModel):
    """Everything that can be set, with its default and what it is for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    found = _from_env(os.environ if env is None else env)
    if home is not None:
        found["home"] = home
    folder = Path(found.get("home", DEFAULT_HOME))
    values: dict[str, Any] = {**_from_file(folder / FILE_NAME), **found}
    values.update({name: value for name, value in given.items() if value is not None})
    values["home"] = folder
    return _checked(values)


def _from_env(env: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for variable, value in env.items():
        if not variable.startswith(ENV_PREFIX):
            continue
        name = variable.removeprefix(ENV_PREFIX).lower()
        if name in _FILE_ONLY:
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
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidSetting(
            f"Setting '{name}' cannot be {first['input']!r}: {first['msg']}.",
            advice="Correct it in the file, the environment or the command line.",
        ) from error
