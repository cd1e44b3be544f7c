"""Settings that are tables of their own: queues, providers and prices."""

from typing import Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from assay.settings.kinds import ENV_PREFIX, Limit, Money, SettingsGroup


class QueueSettings(SettingsGroup):
    """What may be changed of one queue."""

    rate: int | None = Field(
        default=None, ge=0, description="Documents that may start per period; 0 lifts the limit."
    )
    per_s: float | None = Field(default=None, gt=0, description="The period of the rate, seconds.")
    concurrency: int | None = Field(
        default=None, ge=1, description="Batches that one worker runs at a time."
    )


ProviderKind = Literal["ollama", "ollama_cloud", "openai", "anthropic", "gemini"]


class ProviderSettings(SettingsGroup):
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


class PriceSettings(SettingsGroup):
    """What a model costs."""

    input_per_million: Money = Field(description="Money for a million tokens of questions.")
    output_per_million: Money = Field(description="Money for a million tokens of answers.")
