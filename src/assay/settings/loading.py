"""Loads settings from the file in the home, the environment and the command line; the only place
that reads the environment."""

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_origin
from urllib.parse import quote

from pydantic import SecretStr, ValidationError

from assay.errors import InvalidSetting, UnknownSetting
from assay.settings.groups import DEFAULT_HOME, Settings
from assay.settings.kinds import ENV_PREFIX, SettingsGroup
from assay.settings.tables import (
    ChannelSettings,
    PriceSettings,
    ProviderSettings,
    QueueSettings,
)

FILE_NAME = "assay.toml"
FILE_ONLY = (
    "queues", "hosts", "site_keys", "providers", "prices", "service_allowances", "channels",
    "oidc_roles",
)  # fmt: skip
"""Tables, which do not fit in an environment variable."""


def load_settings(
    *, home: Path | None = None, env: Mapping[str, str] | None = None, **given: Any
) -> Settings:
    """Load settings from the file in the home, then the environment, then `given`; later wins."""
    variables = os.environ if env is None else env
    found = _read_env(variables)
    if home is not None:
        found["home"] = home
    folder = Path(found.get("home", DEFAULT_HOME))
    values: dict[str, Any] = {**_read_file(folder / FILE_NAME), **found}
    values.update({name: value for name, value in given.items() if value is not None})
    values["home"] = folder
    values["site_keys"] = _find_site_keys(values.get("site_keys", {}), variables)
    return _add_keys(_validate_settings(values), variables)


def _add_keys(settings: Settings, variables: Mapping[str, str]) -> Settings:
    """Add the keys found in the environment; a missing one may not be needed."""
    found = {
        name: provider.model_copy(update={"key": SecretStr(variables[provider.key_env])})
        for name, provider in settings.providers.items()
        if provider.key_env is not None and variables.get(provider.key_env, "").strip()
    }
    channels = {
        name: channel.model_copy(
            update={
                field: SecretStr(variables[variable])
                for field, variable in (("url", channel.url_env), ("key", channel.key_env))
                if variable is not None and variables.get(variable, "").strip()
            }
        )
        for name, channel in settings.channels.items()
    }
    return settings.model_copy(
        update={
            "providers": {**settings.providers, **found},
            "channels": channels,
        }
    )


def _find_site_keys(table: Any, variables: Mapping[str, str]) -> dict[str, SecretStr]:
    """Each beginning of addresses with `parameter=key`; left out if its variable is not set."""
    found: dict[str, SecretStr] = {}
    for prefix, text in table.items() if isinstance(table, dict) else [("", table)]:
        parts = re.fullmatch(r"([\w.-]+)=([A-Za-z_]\w*)", str(text))
        # The slash keeps a key from other hosts and folders that begin alike.
        if not parts or not re.fullmatch(r"https://[a-z0-9.:-]+/(\S*/)?", prefix):
            raise InvalidSetting(
                f"Setting 'site_keys' has an entry that cannot be read: {prefix!r}.",
                advice='Write \'"https://api.example/city/" = "parameter=VARIABLE"\'.',
            )
        if key := variables.get(parts[2], "").strip():
            found[prefix] = SecretStr(f"{parts[1]}={quote(key, safe='')}")
    return found


def _read_env(env: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for variable, value in env.items():
        if not variable.startswith(ENV_PREFIX):
            continue
        name = variable.removeprefix(ENV_PREFIX).lower()
        if name in FILE_ONLY:
            raise InvalidSetting(
                f"Setting '{name}' cannot be set by an environment variable ({variable}).",
                advice=f"Write it as a table in {FILE_NAME}.",
            )
        if name not in Settings.model_fields:
            raise _unknown_setting_error(
                name, f"environment variable {variable}", prefix=ENV_PREFIX
            )
        is_list = get_origin(Settings.model_fields[name].annotation) is tuple
        parts = [part.strip() for part in value.split(",") if part.strip()]
        found[name] = parts if is_list else value
    return found


def read_environment() -> Mapping[str, str]:
    """The whole environment, for those who pass a part of it to another process."""
    return os.environ


def _read_file(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidSetting(
            f"{path} cannot be read: {error.strerror}.",
            advice="Check --home and the owner of the file.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{path} is not valid TOML: {error}.", advice="Fix it.") from error
    for name in values:
        if name not in Settings.model_fields:
            raise _unknown_setting_error(name, f"setting '{name}' in {path}")
    if "home" in values:
        raise InvalidSetting(
            f"{path} sets 'home', but the home determines where this file is.",
            advice="Remove that line; use --home or ASSAY_HOME.",
        )
    return values


def _unknown_setting_error(name: str, where: str, prefix: str = "") -> UnknownSetting:
    near = difflib.get_close_matches(name, list(Settings.model_fields), n=1)
    hint = f"Did you mean '{prefix}{near[0].upper() if prefix else near[0]}'? " if near else ""
    return UnknownSetting(
        f"There is no such setting: {where}.",
        advice=f"{hint}'assay doctor --settings' lists all settings.",
    )


def _validate_settings(values: dict[str, Any]) -> Settings:
    try:
        return Settings(**values)
    except ValidationError as error:
        raise _validation_error(error) from error


_WITH_SECRETS = ("providers", "channels", "smtp_password", "oidc_client_secret")
_TABLES: Mapping[str, type[SettingsGroup]] = {
    "queues": QueueSettings,
    "providers": ProviderSettings,
    "prices": PriceSettings,
    "channels": ChannelSettings,
}


def _validation_error(error: ValidationError) -> InvalidSetting | UnknownSetting:
    """Report one of the faults, never with a value that may be a key."""
    # A mistyped name first: the name that was meant is then missing as well.
    first = min(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
    path = [str(part) for part in first["loc"]]
    name = ".".join(path)
    if first["type"] == "extra_forbidden" and path[0] in _TABLES:
        known = list(_TABLES[path[0]].model_fields)
        near = difflib.get_close_matches(path[-1], known, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        return UnknownSetting(
            f"There is no such setting: '{name}' in {FILE_NAME}.",
            advice=f"{hint}Known settings: {', '.join(known)}.",
        )
    if first["type"] == "missing":
        return InvalidSetting(f"Setting '{name}' is missing.", advice=f"Add it to {FILE_NAME}.")
    why = first["msg"].removeprefix("Value error, ").rstrip(".")
    fault = "is invalid" if path[0] in _WITH_SECRETS else f"cannot be {first['input']!r}"
    return InvalidSetting(
        f"Setting '{name}' {fault}: {why}.",
        advice="Fix it in the file, the environment or the command line.",
    )
