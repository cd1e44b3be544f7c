"""Settings that are tables: queues, providers, prices and channels."""

import re
from typing import Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from assay.settings.kinds import ENV_PREFIX, Limit, Money, SettingsGroup


class QueueSettings(SettingsGroup):
    """What may be changed about one queue."""

    rate: int | None = Field(
        default=None, ge=0, description="Documents that may start per period; 0 lifts the limit."
    )
    per_s: float | None = Field(
        default=None, gt=0, description="The period of the rate, in seconds."
    )
    concurrency: int | None = Field(
        default=None, ge=1, description="Batches that one worker runs at a time."
    )


ProviderKind = Literal["ollama", "ollama_cloud", "openai", "anthropic", "gemini"]


class ProviderSettings(SettingsGroup):
    """How to reach one model."""

    kind: ProviderKind = Field(description=f"One of {', '.join(get_args(ProviderKind))}.")
    model: str = Field(min_length=1, description="The provider's name for the model.")
    base_url: str | None = Field(
        default=None, description="URL of the provider; by default that of its kind."
    )
    key: SecretStr | None = Field(
        default=None, min_length=1, description="The key itself; key_env is safer."
    )
    key_env: str | None = Field(
        default=None,
        pattern="^[A-Za-z_][A-Za-z0-9_]*$",
        description="Name of the environment variable that holds the key.",
    )
    requests_per_minute: Limit = Field(
        default=None, description="By default that of its kind; 'none' lifts it."
    )
    tokens_per_minute: Limit = Field(
        default=None, description="By default that of its kind; 'none' lifts it."
    )
    max_concurrent: Limit = Field(
        default=None,
        description="Maximum concurrent calls; by default that of its kind; 'none' lifts it.",
    )
    burst: Limit = Field(
        default=None,
        description="Calls in any one second; by default that of its kind; 'none' lifts it.",
    )
    batches: bool | None = Field(
        default=None,
        description="Whether it takes batches of questions; by default the services of OpenAI, "
        "Anthropic and Google do, and other addresses do not.",
    )
    embeddings: str | None = Field(
        default=None,
        min_length=1,
        description="Its model that computes vectors of texts, for 'openai' and 'ollama'; by "
        "default it is not asked for any.",
    )
    lane: Literal["local", "cloud"] | None = Field(
        default=None,
        description="Which limit on concurrent calls it counts towards; by default that of its "
        "kind.",
    )

    @field_validator("base_url")
    @classmethod
    def _is_an_address_alone(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "http://default")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it must begin with http:// or https:// and name a host")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("it must be only an address; put a key into key_env")
        return value

    @field_validator("key_env")
    @classmethod
    def _is_not_a_setting(cls, value: str | None) -> str | None:
        if value is not None and value.startswith(ENV_PREFIX):
            raise ValueError(f"variables that begin with {ENV_PREFIX} are reserved for settings")
        return value

    @model_validator(mode="after")
    def _has_one_key(self) -> Self:
        if self.key is not None and self.key_env is not None:
            raise ValueError("it has both key and key_env; remove one")
        if self.embeddings is not None and self.kind not in ("openai", "ollama"):
            raise ValueError("embeddings are supported for the kinds 'openai' and 'ollama' only")
        return self


class PriceSettings(SettingsGroup):
    """What a model costs."""

    input_per_million: Money = Field(description="Price of a million input tokens.")
    output_per_million: Money = Field(description="Price of a million output tokens.")
    batch_share: float = Field(
        default=0.5, ge=0, le=1, description="What a call costs in a batch, as a share of that."
    )


_MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+")


def is_mailbox(text: str) -> bool:
    """Whether a text is one plain e-mail address."""
    return len(text) <= 254 and _MAILBOX.fullmatch(text) is not None


ChannelKind = Literal["email", "webhook", "command", "feed"]
_NEEDED = {"email": "to", "webhook": "url", "command": "command", "feed": None}


class ChannelSettings(SettingsGroup):
    """Where notifications go."""

    kind: ChannelKind = Field(description=f"One of {', '.join(get_args(ChannelKind))}.")
    to: tuple[str, ...] = Field(default=(), description="For 'email': the addresses to send to.")
    url: SecretStr | None = Field(
        default=None,
        description="For 'webhook': the address to post JSON to. Treated as a secret, because "
        "such addresses often contain one.",
    )
    url_env: str | None = Field(
        default=None,
        pattern="^[A-Za-z_][A-Za-z0-9_]*$",
        description="For 'webhook': name of the environment variable that holds the address.",
    )
    key: SecretStr | None = Field(
        default=None,
        description="For 'webhook': the key that each message is signed with; by default none is.",
    )
    key_env: str | None = Field(
        default=None,
        pattern="^[A-Za-z_][A-Za-z0-9_]*$",
        description="For 'webhook': name of the environment variable that holds the key.",
    )
    command: tuple[str, ...] = Field(
        default=(),
        description="For 'command': the program and its arguments, run without a shell; it gets "
        "the notification as JSON on its standard input.",
    )

    @field_validator("to")
    @classmethod
    def _is_list_of_mailboxes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(is_mailbox(each) for each in value):
            raise ValueError("each must be a plain address such as me@example.org")
        return value

    @field_validator("url")
    @classmethod
    def _is_web_address(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("it must begin with http:// or https://")
        return value

    @field_validator("url_env", "key_env")
    @classmethod
    def _is_not_a_setting(cls, value: str | None) -> str | None:
        if value is not None and value.startswith(ENV_PREFIX):
            raise ValueError(f"variables that begin with {ENV_PREFIX} are reserved for settings")
        return value

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        given = {"to": self.to, "url": self.url or self.url_env, "command": self.command}
        needed = _NEEDED[self.kind]
        for name, value in given.items():
            if name == needed and not value:
                raise ValueError(f"a channel of kind '{self.kind}' needs {name}")
            if name != needed and value:
                raise ValueError(f"a channel of kind '{self.kind}' has no {name}")
        if self.url is not None and self.url_env is not None:
            raise ValueError("it has both url and url_env; remove one")
        if self.key is not None and self.key_env is not None:
            raise ValueError("it has both key and key_env; remove one")
        if self.kind != "webhook" and (self.key or self.key_env):
            raise ValueError(f"a channel of kind '{self.kind}' has no key")
        return self
